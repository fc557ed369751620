package snapshot

import (
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// TestDrifted (§3.8): other signatures of the same sort are a drift; a window that did not
// measure a step knows it by its text and says nothing of its use.
func TestDrifted(t *testing.T) {
	c := func(hash string, measured bool) *boundary.Candidate {
		x := &boundary.Candidate{SignatureHash: hash}
		if measured {
			x.Measured = &boundary.MeasuredCase{Occurrences: 1}
		}
		return x
	}
	for _, row := range []struct {
		name        string
		by          string
		now, before *boundary.Candidate
		want        bool
	}{
		{"the same", BySlug, c("a", true), c("a", true), false},
		{"others, both measured", BySlug, c("b", true), c("a", true), true},
		{"others, both by their text", BySlug, c("b", false), c("a", false), true},
		{"measured no more", BySlug, c("b", false), c("a", true), false},
		{"measured now", BySlug, c("b", true), c("a", false), false},
		{"known by similar tokens", ByTokens, c("b", true), c("a", true), true},
		{"no signature before", BySlug, c("b", true), c("", true), false},
	} {
		if got := drifted(row.by, row.now, row.before); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
