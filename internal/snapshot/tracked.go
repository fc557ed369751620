package snapshot

import (
	"maps"
	"slices"
)

// Tracked lists the ids of the candidates that stand at an issue in the history, or were to be
// filed, and are not yet settled, sorted: those whose issue must be looked up again even when a
// run does not show them, since a fix makes a candidate disappear.
func Tracked(history []Document) []string {
	tracked := map[string]bool{}
	note := func(id, issue, status string) {
		if issue != "" {
			tracked[id] = true
		}
		if status == StatusResolved || status == StatusStale {
			delete(tracked, id)
		}
	}
	for i := range history {
		for _, a := range history[i].Filing.Actions {
			if a.Action == "create" && !a.Self { // its number is the tracker's to give
				tracked[a.CandidateID] = true
			}
		}
		for _, c := range history[i].Candidates {
			note(c.Candidate.ID, c.Issue, c.Status)
		}
		for _, a := range history[i].Absent {
			note(a.ID, a.Issue, a.Status)
		}
	}
	return slices.Sorted(maps.Keys(tracked))
}
