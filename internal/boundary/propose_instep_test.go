package boundary

import (
	"slices"
	"testing"
)

// TestOneStepOneCandidate: what a step of the definition opens with is that step's, and no
// preload beside it; a sequence that the definition does not spell out takes nothing away.
func TestOneStepOneCandidate(t *testing.T) {
	evidence := func(sequence string) []string {
		sc := depotUse()
		sc.Staples[1].Sequence = sequence
		c := byID(Propose(depot(t), sc).Candidates, "depot/sweep/preload")
		if c == nil {
			t.Fatal("sweep's opening is not proposed")
		}
		return c.Measured.Evidence
	}
	for sequence, want := range map[string]bool{"": true, "seq:aa": false, "seq:cc": true, "seq:none": true} {
		if got := slices.Contains(evidence(sequence), "sta:2"); got != want {
			t.Errorf("a staple inside %q: in the preload %t, want %t", sequence, got, want)
		}
	}
}
