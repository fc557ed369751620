package snapshot

import (
	"slices"
	"testing"
)

// What stands at an issue is looked up until it is settled; what stood at none never was.
func TestTracked(t *testing.T) {
	candidate := func(id, issue, status string) (c Candidate) {
		c.Candidate.ID, c.Issue, c.Status = id, issue, status
		return c
	}
	history := []Document{
		{Candidates: []Candidate{candidate("p/a/open", "o/r#1", StatusNew), candidate("p/a/none", "", StatusNew), candidate("p/a/done", "o/r#2", StatusNew), candidate("p/a/gone", "o/r#3", StatusNew)}},
		{Absent: []Absent{{ID: "p/a/done", Issue: "o/r#2", Status: StatusResolved}, {ID: "p/a/gone", Issue: "o/r#3", Status: StatusStale}, {ID: "p/a/none"}}},
	}
	if got, want := Tracked(history[:1]), []string{"p/a/done", "p/a/gone", "p/a/open"}; !slices.Equal(got, want) {
		t.Errorf("after one run %q, expected %q", got, want)
	}
	planned := []Document{{Filing: Filing{Actions: []Filed{
		{CandidateID: "p/a/new", Action: "create"}, {CandidateID: "p/a/self", Action: "create", Self: true}, {CandidateID: "p/a/said", Action: "comment"},
	}}}}
	if got, want := Tracked(planned), []string{"p/a/new"}; !slices.Equal(got, want) {
		t.Errorf("to be filed %q, expected %q", got, want)
	}
	if got, want := Tracked(history), []string{"p/a/open"}; !slices.Equal(got, want) {
		t.Errorf("after two runs %q, expected %q", got, want)
	}
}
