package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestExcerpt: a step that fits stands whole; of a long one the rules at its end are shown
// as well as those at its start, within the budget, and what is left out is marked.
func TestExcerpt(t *testing.T) {
	short := "# A\n\ndo x\n\n```bash\ngit status\n```\n"
	if got, want := excerpt(short, 1, 7, 1000), "    1: # A\n    3: do x\n    5: ```bash\n    6: git status\n    7: ```\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var b strings.Builder
	for s := range 8 {
		fmt.Fprintf(&b, "## Section %d\n", s)
		for i := range 20 {
			fmt.Fprintf(&b, "echo \"line %d\"\nsome command %d\n", i, i)
		}
		fmt.Fprintf(&b, "```bash\n# no heading\nif [ \"$N\" -gt %d ]; then\nfi\n```\n|---|---|\n", s)
	}
	text := b.String()
	last := strings.Count(text, "\n")
	got := excerpt(text, 1, last, 1200)
	if len(got) > 1200+100 { // the mark of what was left out comes on top
		t.Errorf("%d bytes", len(got))
	}
	for s := range 8 {
		for _, want := range []string{fmt.Sprintf("## Section %d", s), fmt.Sprintf("-gt %d ]", s)} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not shown", want)
			}
		}
	}
	if strings.Contains(got, "echo") || !strings.Contains(got, "lines; the rest stands in the file") || strings.Contains(got, "|---|") {
		t.Errorf("%s", got)
	}
	for _, row := range []struct{ first, last int }{{0, 0}, {-3, 999}, {5, 2}, {900, 999}} {
		_ = excerpt(short, row.first, row.last, 10) // no line number is out of reach
	}
	if got := clipLine(strings.Repeat("ä", 200)); len(got) > lineBytes+len("…") || !strings.HasSuffix(got, "ä…") {
		t.Errorf("%q", got)
	}
}
