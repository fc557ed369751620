package boundary

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// questions are the five determinism tests in a few words each.
var questions = [5]string{
	"where does each input come from?",
	"would two careful programmers emit the same?",
	"is the rule complete: population, window, order, thresholds, ties?",
	"is there a check that does not restate the rule?",
	"the two likeliest overrules: does it see them and hold?",
}

// WriteForm writes Form(cands) as YAML for somebody to fill in by hand, each row with
// what it is about. ReadJudgments reads it back: as open rows, until they are filled in.
func WriteForm(w io.Writer, cands *Candidates) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# How to answer: skills/offload-audit/references/rubric.md and form.md.\ndocument: %s\ntarget: %s\n", JudgmentsKind, quote(cands.Target.Name))
	form := Form(cands)
	if len(form.Judgments) == 0 {
		b.WriteString("judgments: []\n")
	} else {
		b.WriteString("judgments:\n")
	}
	about := map[string]string{}
	for i := range cands.Candidates {
		about[cands.Candidates[i].ID] = subject(&cands.Candidates[i])
	}
	for _, j := range form.Judgments {
		fmt.Fprintf(&b, "  # %s\n  - id: %s\n    evidence_hash: %s\n", about[j.ID], quote(j.ID), quote(j.EvidenceHash))
		b.WriteString("    row: \"\"\n    script_part: \"\"\n    residue: \"\" # none, once, per_run, all\n    undecided_share: 0 # percent, with per_run only\n")
		for i, id := range testIDs {
			fmt.Fprintf(&b, "    %s: # %s\n      outcome: unknown # pass, partial, fail, unknown\n      why: \"\"\n      evidence: []\n", id, questions[i])
		}
		b.WriteString("    triple: null\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// subject says in one line what a candidate is and where it stands.
func subject(c *Candidate) string {
	s := fmt.Sprintf("%s in the %s %s", c.Kind, c.Component.Kind, c.Component.Name)
	if c.Static != nil && c.Static.Path != "" {
		s += fmt.Sprintf(", %s:%d-%d", c.Static.Path, c.Static.FirstLine, c.Static.LastLine)
	}
	if c.Measured != nil && len(c.Measured.Evidence) > 0 {
		s += ", " + strings.Join(c.Measured.Evidence, " ")
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}

// quote is s as a double-quoted YAML scalar: YAML has every escape that Go writes.
func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "?")) }
