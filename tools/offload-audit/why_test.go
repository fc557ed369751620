package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// TestPick: a whole id, or an end of one that fits once; else five to choose from and a count.
func TestPick(t *testing.T) {
	var verdicts []stability.Verdict
	for i := range 7 {
		v := stability.Verdict{}
		v.Candidate.ID = fmt.Sprintf("desk/tidy/step-%d", i)
		verdicts = append(verdicts, v)
	}
	for _, id := range []string{"desk/tidy/step-3", "tidy/step-3", "step-3"} {
		if v, err := pick(verdicts, id, "run x"); err != nil || v.Candidate.ID != "desk/tidy/step-3" {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, row := range []struct {
		n    int
		want string
	}{
		{7, "expected one of desk/tidy/step-0, desk/tidy/step-1, desk/tidy/step-2, desk/tidy/step-3, desk/tidy/step-4 and 2 more"},
		{5, "desk/tidy/step-3, desk/tidy/step-4"},
		{0, "run x holds none"},
	} {
		if _, err := pick(verdicts[:row.n], "nope", "run x"); err == nil || !strings.HasSuffix(err.Error(), row.want) {
			t.Errorf("%d: %v, want %s", row.n, err, row.want)
		}
	}
}

func TestEnded(t *testing.T) {
	for in, want := range map[string]string{"it names": "it names.", "it names.": "it names.", "does it? ": "does it?", "": ""} {
		if got := ended(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
