package inventory

import (
	"math"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

func TestVerbs(t *testing.T) {
	for _, c := range []struct {
		line             string
		script, judgment int
	}{
		{"Count the open issues and sort them by age.", 2, 0},
		{"First, list every branch; then compare it with its upstream.", 2, 0},
		{"Parse, validate and print the rows.", 2, 0},
		{"Decide which one to keep and explain why.", 0, 2},
		{"Write a summary, then verify the links.", 1, 1},
		{"You must check the exit code.", 1, 0},
		{"Detecting divergence", 1, 0},
		{"Splitting the file", 1, 0},
		// Nouns and labels are no instructions.
		{"Name:", 0, 0},
		{"Format: one line", 0, 0},
		{"Name: the operator's name", 0, 0},
		{"The file name and the output format", 0, 0},
		{"A count of the rows", 0, 0},
		{"Check", 0, 0},
		{"The checks that ran", 0, 0},
		{"It compares the two lists", 0, 0},
		{"See v1.2 and e.g. the diff", 0, 0},
		// A code span is a word, but no verb.
		{plugin.Inline + " lists the branches", 0, 0},
		{"Check " + plugin.Inline + " for errors", 1, 0},
		{"", 0, 0},
	} {
		s, j := verbs(c.line)
		if s != c.script || j != c.judgment {
			t.Errorf("%q: %d script and %d judgment verbs, want %d and %d", c.line, s, j, c.script, c.judgment)
		}
	}
}

func TestVerbRatio(t *testing.T) {
	for s := range 40 {
		for j := range 40 {
			got := verbRatio(s, j)
			if s+j < 5 {
				if got != nil {
					t.Errorf("%d and %d verbs: %d, want none below five", s, j, *got)
				}
				continue
			}
			n, z := float64(s+j), 1.96
			p := float64(s) / n
			want := (p + z*z/(2*n) - z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))) / (1 + z*z/n) * 1e6
			if got == nil || math.Abs(float64(*got)-want) > 200 {
				t.Errorf("%d and %d verbs: %v, want about %.0f ppm", s, j, got, want)
			}
		}
	}
}
