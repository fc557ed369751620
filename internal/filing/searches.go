package filing

import (
	"fmt"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// MakeSearches says which markers to look for: one for every candidate of the document,
// filed or not, because an issue of an earlier run tells what became of it, and one for
// every finding about the audit itself. earlier are candidates of earlier runs whose issues are
// looked up too: a step that was cut is no candidate any more, and its issue says why.
func MakeSearches(stable *stability.Document, c Config, earlier ...string) (*Searches, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &Searches{Document: SearchesKind, Channel: c.channel(), Searches: []Search{}, Unavailable: c.unavailable()}
	list := wanted(stable)
	for _, id := range earlier {
		if f := (finding{id, Marker(id), false}); !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	for _, f := range list {
		if c.unavailable() != "" && !f.self || c.ReadOnly != "" && c.channel() == Files {
			continue
		}
		s.Searches = append(s.Searches, c.search(f))
	}
	return s, nil
}

// finding is one thing that an issue is or could be about.
type finding struct {
	id, marker string
	self       bool
}

func wanted(stable *stability.Document) []finding {
	list := []finding{}
	for i := range stable.Verdicts {
		id := stable.Verdicts[i].Candidate.ID
		list = append(list, finding{id, Marker(id), false})
	}
	for _, f := range stable.SelfFindings {
		list = append(list, finding{f.CandidateID, StabilityMarker(f.CandidateID), true})
	}
	return list
}

func (c Config) search(f finding) Search {
	s := Search{Marker: f.marker, Repository: c.repositoryOf(f.self)}
	// A tracker may index words that readers see and not HTML comments: the id, which stands in
	// both, narrows the search; Answers then looks for the exact marker.
	phrase := f.id
	switch c.channel() {
	case GitHub:
		// The REST search, since older releases of gh cannot print why an issue was closed.
		s.Argv = []string{"gh", "api", "--method", "GET", "search/issues", "--raw-field", `q="` + phrase + `" in:body is:issue repo:` + s.Repository,
			"--raw-field", "per_page=100", "--jq", ".items"}
	case Gitea:
		s.Argv = append([]string{"tea", "issues", "list"}, c.tea(s.Repository)...)
		s.Argv = append(s.Argv, "--state", "all", "--kind", "issues", "--limit", "50",
			"--keyword", phrase, "--fields", "index,state,body,labels", "--output", "json")
	case Delegate:
		s.Prompt = fmt.Sprintf("Search every issue of %s, open and closed, for a body that contains this exact line: %s\n"+
			"Change nothing. Answer with JSON only: a list of objects {\"number\": the issue's number, \"state\": \"open\" or \"closed\", "+
			"\"state_reason\": \"completed\", \"not_planned\" or \"\", \"body\": the matching line}; an empty list when there is none.", s.Repository, f.marker)
	case Files:
		s.Path = c.Directory
		s.Argv = []string{"grep", "--recursive", "--files-with-matches", "--fixed-strings", "--include=*.md", "--", f.marker, c.Directory}
	}
	return s
}

// tea are the flags that every tea call needs.
func (c Config) tea(repo string) []string {
	flags := []string{"--repo", repo}
	if c.Login != "" {
		flags = append(flags, "--login", c.Login)
	}
	return flags
}
