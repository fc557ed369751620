package scan

import (
	"strings"
	"testing"
)

// TestRecurring: in real histories, older than stamps, the skills are attributed by inference,
// and the staples of the three that recur most are found, priced, and ranked above any generic
// sequence; the first two are read in the opening of each use, so they can be preloaded.
func TestRecurring(t *testing.T) {
	d := scanned(t, sharedDir(t, "transcripts", "recurring"))
	if d.Attribution.CoveragePPM != nil || d.Attribution.StampedTurns != 0 || d.Attribution.InferredTurns < 300 {
		t.Errorf("attribution %+v", d.Attribution)
	}
	type want struct {
		skill, prefix string
		staples       int
		constant      bool
	}
	for _, c := range []want{
		{"bmad-code-review", "Read ", 4, true},
		{"bmad-create-story", "Read ", 3, true},
		{"github-pr-review", "Bash gh api", 1, false},
	} {
		comp := find(t, d, c.skill)
		n := 0
		for _, s := range d.Staples {
			if s.Component.Name != c.skill || !strings.HasPrefix(s.Signature, c.prefix) || s.ConstantArguments != c.constant {
				continue
			}
			n++
			if !s.Opening || s.WasteMilli <= 0 || s.RecoverableMilli <= 0 || s.RecoverableUSD == nil || s.Invocations*10 < comp.Invocations*6 {
				t.Errorf("%s: %+v", c.skill, s)
			}
			for _, q := range d.Sequences {
				if q.Component == s.Component && generic(q.Signatures) && q.ValueMilli >= s.ValueMilli {
					t.Errorf("%s: a sequence of generic reads stands above it: %v", c.skill, q.Signatures)
				}
			}
		}
		if n < c.staples {
			t.Errorf("%s: %d staples %q, want at least %d", c.skill, n, c.prefix, c.staples)
		}
	}
	if reads := d.Sequences; len(reads) == 0 {
		t.Error("no sequence at all")
	}
}

// generic: nothing but reads of files that the signatures do not name.
func generic(sigs []string) bool {
	for _, s := range sigs {
		if !isGeneric(s) {
			return false
		}
	}
	return true
}
