package filing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// answer is one issue as gh, tea or a delegate prints it. tea writes numbers and labels as text.
type answer struct {
	Number      json.RawMessage `json:"number"`
	Index       json.RawMessage `json:"index"`
	State       string          `json:"state"`
	StateReason string          `json:"state_reason"`
	Body        string          `json:"body"`
	Labels      json.RawMessage `json:"labels"`
}

// Answers makes existing/v1 from what the searches printed, one output a search. An issue
// counts for every search whose exact marker its body holds, whichever output it stands in:
// the order of the outputs does not matter, and a tracker that finds too much does no harm.
func Answers(s *Searches, outputs [][]byte) (*Existing, error) {
	if len(outputs) != len(s.Searches) {
		return nil, fmt.Errorf("expected one answer a search: answers given %d, searches %d", len(outputs), len(s.Searches))
	}
	e := &Existing{Document: ExistingKind, Channel: s.Channel, Found: []Found{}, Searched: []string{}}
	for _, search := range s.Searches {
		e.Searched = append(e.Searched, search.Marker)
	}
	for i, output := range outputs {
		var list []answer
		if err := json.Unmarshal([]byte(strings.TrimSpace(string(output))), &list); err != nil {
			return nil, fmt.Errorf("answer %d: expected a JSON list of issues: %w", i+1, err)
		}
		for _, a := range list {
			for _, search := range s.Searches {
				if !strings.Contains(a.Body, search.Marker) {
					continue
				}
				f, err := a.found(search)
				if err != nil {
					return nil, fmt.Errorf("answer %d (%s): %w", i+1, search.Marker, err)
				}
				if !slices.Contains(e.Found, f) {
					e.Found = append(e.Found, f)
				}
			}
		}
	}
	slices.SortStableFunc(e.Found, func(a, b Found) int {
		return slices.Index(e.Searched, a.Marker) - slices.Index(e.Searched, b.Marker)
	})
	return e, nil
}

// found is the issue as the search's own.
func (a answer) found(search Search) (Found, error) {
	n, err := a.number()
	if err != nil {
		return Found{}, err
	}
	state := strings.ToLower(a.State)
	if state != "open" && state != "closed" {
		return Found{}, fmt.Errorf("state %q: expected open or closed", a.State)
	}
	return Found{
		Marker: search.Marker, Issue: search.Repository + "#" + strconv.FormatInt(n, 10), State: state, Resolution: a.resolution(state),
	}, nil
}

func (a answer) number() (int64, error) {
	raw := a.Number
	if raw == nil {
		raw = a.Index
	}
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("an issue without a number")
	}
	return n, nil
}

// resolution of a closed issue. A label that says so counts where the tracker has no reason
// of its own, and is the only way to say that an offload was reverted.
func (a answer) resolution(state string) string {
	if state != "closed" {
		return ""
	}
	labels := strings.ToLower(string(a.Labels))
	switch {
	case strings.Contains(labels, "reverted"):
		return "reverted"
	case strings.EqualFold(a.StateReason, "not_planned"), strings.Contains(labels, "wontfix"), strings.Contains(labels, "won't fix"):
		return "not_planned"
	case strings.EqualFold(a.StateReason, "completed"):
		return "completed"
	}
	return ""
}

// At returns the issue that carries the marker: the first open one, else the first one.
func (e *Existing) At(marker string) *Found {
	var first *Found
	for i := range e.Found {
		f := &e.Found[i]
		if f.Marker != marker {
			continue
		}
		if f.State == "open" {
			return f
		}
		if first == nil {
			first = f
		}
	}
	return first
}

// Issues are the tracked issues by candidate id, for the snapshot. An issue that a plan makes
// as a file is known already; one that a tracker will number is not.
func Issues(e *Existing, p *Plan) map[string]audit.Issue {
	issues := map[string]audit.Issue{}
	if e != nil {
		for _, f := range e.Found {
			if id, ok := candidateOf(f.Marker); ok {
				at := e.At(f.Marker)
				issues[id] = audit.Issue{Ref: at.Issue, State: at.State, Resolution: at.Resolution}
			}
		}
	}
	if p != nil {
		for _, a := range p.Actions {
			if a.Action == Create && a.Path != "" && !a.Self {
				issues[a.CandidateID] = audit.Issue{Ref: a.Path, State: "open"}
			}
		}
	}
	return issues
}
