// Package histories writes the transcripts of the fixture plugins in testdata/plugins:
// how each of them was used over a few weeks, by whom nobody ever was. The committed
// files under testdata/transcripts are what Write makes; a test compares them, and
// `go test ./tests -run TestHistories -update` writes them anew.
package histories

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// All names every history and its story. Each is a folder name in testdata/transcripts.
var All = map[string]func(*corpus.Home){
	"worktree-discipline-like-uncut": worktreesByHand,
	"worktree-discipline-like":       worktreesByScript,
	"token-budget-like":              budget,
	"anxious-like":                   labels,
}

// Write makes the named history under dir, a configuration directory of its own.
func Write(name, dir string) error {
	story, ok := All[name]
	if !ok {
		return fmt.Errorf("no history is called %q", name)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	h, err := corpus.NewHome(dir, uint64(len(name)))
	if err != nil {
		return err
	}
	story(h)
	return h.Close()
}

// day is the morning of the n-th day of the stories.
func day(n int) time.Time {
	return time.Date(2026, 10, 5, 8, 30, 0, 0, time.UTC).AddDate(0, 0, n)
}

// installed is a skill's body as the client shows it.
func installed(plugin, version, skill string) corpus.Body {
	return corpus.PluginBody("fixtures", plugin, version, "skills/"+skill)
}

// pad is n words of an answer.
func pad(n int) string {
	words := []string{"the", "branch", "was", "opened", "for", "a", "change", "that", "landed", "elsewhere", "and", "may", "go"}
	text := make([]byte, 0, n*6)
	for i := range n {
		text = append(append(text, words[i%len(words)]...), ' ')
	}
	return string(text)
}

// otherWork is an ordinary request that no plugin takes part in.
func otherWork(s *corpus.Session, i int) {
	file := filepath.ToSlash(filepath.Join("/home/dev/app/internal", fmt.Sprintf("part%d.go", i)))
	s.Prompt("Please make the retry limit of this part a constant.")
	s.Do(corpus.Grep("retry", "/home/dev/app/internal", file+":12: retry(3)"))
	s.Do(corpus.Read(file, pad(300)))
	s.Do(corpus.Edit(file, "retry(3)", "retry(retryLimit)"))
	s.Do(corpus.Bash("go test ./internal/...", "ok"))
	s.Say("The limit is a constant now; the tests pass. " + pad(40))
}

// worktreesByHand: the model gathers and classifies worktrees itself, eleven times in four weeks.
func worktreesByHand(h *corpus.Home) {
	for i := range 11 {
		o := corpus.SessionOptions{Start: day(i*5/2 + 1)}
		if i == 2 {
			o.Version = "2.1.110" // a client that wrote no stamps: attribution is inferred
		}
		s := h.Session(o)
		otherWork(s, i)
		s.Prompt("Tidy the worktrees, please.")
		s.Turn(corpus.Turn{Text: "I will use the skill for that.", Calls: []corpus.Call{
			corpus.Skill("worktree-keeper:tidy-worktrees", "", installed("worktree-keeper", "1.0.0", "tidy-worktrees"))}})
		s.Do(corpus.Bash("git fetch --prune origin", "From origin\n - [deleted] (none) -> origin/old"))
		s.Do(corpus.Bash("git worktree list --porcelain", pad(120)))
		s.Do(corpus.Bash("git for-each-ref --format='%(refname:short) %(upstream:track,nobracket)' refs/heads", pad(90)))
		for w := range 2 + i%2 {
			path := fmt.Sprintf("/home/dev/trees/work-%d", w)
			s.Do(corpus.Bash("git -C "+path+" status --porcelain", " M file"))
			s.Do(corpus.Bash("git -C "+path+" log --oneline @{upstream}..HEAD", pad(12)))
		}
		s.Say("Class by class: " + pad(180))
		if i%4 == 1 {
			s.Do(corpus.Bash("git -C /home/dev/trees/work-1 log -3", pad(60)))
			s.Say("The undecided one was an experiment. " + pad(420))
		}
		s.Do(corpus.Ask("Which of the removable worktrees may go?", "all"))
		s.Do(corpus.Bash("git worktree remove /home/dev/trees/work-0", ""))
		s.Say("Done: one worktree removed.")
		if i%5 == 3 {
			s.Prompt("Name a worktree for the flaky upload.")
			s.Do(corpus.Skill("worktree-keeper:name-worktree", "", installed("worktree-keeper", "1.0.0", "name-worktree")))
			s.Say("upload-retry: the noun that the team uses. " + pad(330))
		}
		s.Close()
	}
}

// worktreesByScript: the same work after the cut, one call where there were seven.
func worktreesByScript(h *corpus.Home) {
	for i := range 8 {
		s := h.Session(corpus.SessionOptions{Start: day(30 + i*3)})
		otherWork(s, i)
		s.Prompt("Tidy the worktrees, please.")
		s.Do(corpus.Skill("worktree-keeper:tidy-worktrees", "", installed("worktree-keeper", "1.1.0", "tidy-worktrees")))
		s.Do(corpus.Bash("worktree-audit --json", pad(200)))
		s.Say("Class by class: " + pad(180))
		s.Do(corpus.Ask("Which of the removable worktrees may go?", "all"))
		s.Do(corpus.Bash("git worktree remove /home/dev/trees/work-0", ""))
		s.Say("Done: one worktree removed.")
		s.Close()
	}
}

// budget: a report by a script, explained by the model.
func budget(h *corpus.Home) {
	for i := range 7 {
		s := h.Session(corpus.SessionOptions{Start: day(i * 4)})
		if i%2 == 0 {
			otherWork(s, i)
		}
		s.Prompt("Where did my tokens go?")
		s.Do(corpus.Skill("budget-watch:token-budget", "", installed("budget-watch", "1.2.0", "token-budget")))
		s.Do(corpus.Bash("budget-report --days 30 --json", pad(150)))
		s.Say("Most of it went into one long session. " + pad(430))
		s.Close()
	}
}

// labels: a skill hands each new issue to an agent that applies a taxonomy by hand.
func labels(h *corpus.Home) {
	number := 100
	for i := range 6 {
		s := h.Session(corpus.SessionOptions{Start: day(i*4 + 2)})
		otherWork(s, i)
		s.Prompt("Calm the backlog.")
		s.Do(corpus.Skill("issue-nurse:calm-backlog", "", installed("issue-nurse", "0.4.0", "calm-backlog")))
		s.Do(corpus.Bash(`gh issue list --search "no:label" --json number,title`, pad(80)))
		for j := range 2 + i%2 {
			number++
			n := number
			s.Do(corpus.Agent(corpus.Dispatch{Type: "issue-nurse:label-nurse", Prompt: fmt.Sprintf("Label issue %d.", n), Model: "claude-sonnet-5",
				Run: func(a *corpus.Thread) {
					a.Do(corpus.Bash(fmt.Sprintf("gh issue view %d --json title,body,labels,author", n), pad(200)))
					a.Do(corpus.Bash("gh label list --limit 200", pad(160)))
					a.Do(corpus.Bash(`gh issue list --search "upload fails" --state all --limit 10`, pad(90)))
					if j == 1 {
						a.Say("No area fits: deferred to a human. " + pad(410))
						return
					}
					a.Do(corpus.Bash(fmt.Sprintf("gh issue edit %d --add-label kind/bug,area/code,priority/normal", n), ""))
					a.Say("Labelled by the first row of each axis.")
				}}))
		}
		s.Say("One was deferred: its report names no file. " + pad(60))
		s.Close()
	}
}
