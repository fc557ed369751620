package boundary

import (
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// TestChanges: what would move a verdict, and that it really does.
func TestChanges(t *testing.T) {
	for _, row := range []struct {
		name   string
		c      Candidate
		change func(*Judgment)
		want   string
	}{
		{"a partial check", Candidate{}, func(j *Judgment) { j.T4.Outcome = Partial }, "file: T4: partial → pass | no-offload: T2: pass → partial"},
		{"too much left undecided", Candidate{}, func(j *Judgment) { j.Residue, j.UndecidedShare = ResiduePerRun, 65 }, "file: undecided_share: 65 → 50 | no-offload: T2: pass → partial"},
		{"a triple without edge", Candidate{}, func(j *Judgment) { j.Triple.Pairs[2].Edge = false }, "file: triple: no-edge → complete | no-offload: T2: pass → partial"},
		{
			"below value", Candidate{Measured: &MeasuredCase{Strength: audit.Measured, SharePPM: 8_999}}, func(*Judgment) {},
			"file: measured share: 0.9 % → 2.0 % of the audited spend | no-offload: T2: pass → partial",
		},
		{
			"held down by a question", Candidate{Measured: &MeasuredCase{Strength: audit.Thin, QuestionPPM: 500_000}}, func(*Judgment) {},
			"file: T1: partial → pass (held down by question-to-user) | no-offload: T2: pass → partial",
		},
		{"filed", Candidate{}, func(*Judgment) {}, "boundary-question: T1: pass → partial | boundary-question: T4: pass → partial | no-offload: T2: pass → partial"},
		{"a wrapper can never file", Candidate{Kind: audit.Wrapper}, func(*Judgment) {}, "no-offload: T2: pass → partial"},
		{"no rule", Candidate{}, func(j *Judgment) { j.T2.Outcome = Fail }, "file: T2: fail → pass | "},
		{"two changes", Candidate{}, func(j *Judgment) { j.T1.Outcome, j.T4.Outcome = Partial, Partial }, "file: T1: partial → pass + T4: partial → pass | no-offload: T2: pass → partial"},
		{"all judgment", Candidate{}, func(j *Judgment) { j.Residue = ResidueAll }, "file: residue: all → "},
		{"already cut", Candidate{AlreadyCut: true}, func(*Judgment) {}, ""},
		{"drift", Candidate{Kind: audit.Drift}, func(*Judgment) {}, ""},
	} {
		j := goodJudgment("acme/a/b")
		row.change(&j)
		row.c.ID = "acme/a/b"
		v, _ := classifyFirst(t, nil, row.c, judged(j))
		var parts []string
		for _, ch := range Changes(&v) {
			parts = append(parts, string(ch.To)+": "+strings.Join(ch.Answers, " + "))
			if ch.To == v.Verdict {
				t.Errorf("%s: a change to the verdict that stands", row.name)
			}
		}
		got := strings.Join(parts, " | ")
		if strings.HasSuffix(row.want, " | ") || strings.HasSuffix(row.want, "→ ") {
			if !strings.HasPrefix(got, row.want) {
				t.Errorf("%s: %s\nwant it to begin %s", row.name, got, row.want)
			}
		} else if got != row.want {
			t.Errorf("%s: %s\nwant %s", row.name, got, row.want)
		}
	}
	v, _ := classifyFirst(t, nil, Candidate{ID: "acme/a/b"}, nil)
	if got := Changes(&v); len(got) != 1 || !strings.HasPrefix(got[0].Answers[0], "judge it") {
		t.Errorf("unjudged: %+v", got)
	}
}

// TestPercents: a share just below the threshold does not read as if it had reached it.
func TestPercents(t *testing.T) {
	for _, row := range []struct {
		a, b int64
		want string
	}{
		{12_345, 20_000, "1.2 2.0"}, {12_650, 20_000, "1.3 2.0"}, {19_600, 20_000, "1.9600 2.0000"}, {1_796_754, 20_000, "179.7 2.0"}, {0, 20_000, "0.0 2.0"},
	} {
		if from, to := percents(row.a, row.b); from+" "+to != row.want {
			t.Errorf("%d, %d: %s %s, want %s", row.a, row.b, from, to, row.want)
		}
	}
}
