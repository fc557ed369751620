package snapshot

import (
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// TestRemembered: the latest judgment counts; a later run without one does not erase it.
func TestRemembered(t *testing.T) {
	row := func(id, residue string) Candidate {
		v := stability.Verdict{Verdict: boundary.Verdict{Candidate: boundary.Candidate{ID: id}}}
		if residue != "" {
			v.Judgment = &boundary.Judgment{ID: id, Residue: residue}
		}
		return Candidate{Verdict: v}
	}
	got := Remembered([]Document{
		{SnapshotID: "s1", RubricVersion: "1.0", Candidates: []Candidate{row("a", "none"), row("b", "once"), row("c", "")}},
		{SnapshotID: "s2", RubricVersion: "1.1", Candidates: []Candidate{row("a", "all"), row("b", "")}},
	})
	if len(got) != 2 {
		t.Fatalf("%d remembered, want a and b", len(got))
	}
	if a := got["a"]; a.SnapshotID != "s2" || a.Judgment.Residue != "all" || a.RubricVersion != "1.1" {
		t.Errorf("a: %+v", a)
	}
	if b := got["b"]; b.SnapshotID != "s1" || b.Judgment.Residue != "once" || b.RubricVersion != "1.0" {
		t.Errorf("b: %+v", b)
	}
}
