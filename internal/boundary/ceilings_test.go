package boundary

import (
	"fmt"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// goodJudgment passes every test with residue none.
func goodJudgment(id string) Judgment {
	a := Answer{Outcome: Pass, Why: "because", Evidence: []string{"skills/x/SKILL.md:3"}}
	return Judgment{
		ID: id, Row: "a row", ScriptPart: "reads rows, emits keep or drop", Residue: ResidueNone,
		T1: a, T2: a, T3: a, T4: a, T5: Answer{Outcome: Partial, Why: "one of two", Evidence: []string{"skills/x/SKILL.md:4"}},
		Triple: goodTriple(),
	}
}

// TestCeilings: one row a ceiling of rubric 3.3, at its exact bound, and what it must
// not touch.
func TestCeilings(t *testing.T) {
	measured := func(m MeasuredCase) Candidate { return Candidate{Kind: audit.Sequence, Measured: &m} }
	for _, row := range []struct {
		name   string
		c      Candidate
		change func(*Judgment)
		want   string // outcomes, residue
		hits   string
	}{
		{"nothing", Candidate{}, func(*Judgment) {}, "p p p p a none", "[]"},
		{"pass without evidence", Candidate{}, func(j *Judgment) { j.T2.Evidence = nil }, "p u p p a none", "[{T2 pass unknown no-evidence}]"},
		{"partial without evidence", Candidate{}, func(j *Judgment) { j.T5.Evidence = []string{} }, "p p p p u none", "[{T5 partial unknown no-evidence}]"},
		{"fail needs no evidence", Candidate{}, func(j *Judgment) { j.T1 = Answer{Outcome: Fail} }, "f p p p a none", "[]"},
		{"question at a fifth", measured(MeasuredCase{QuestionPPM: 200_000}), func(*Judgment) {}, "a p p p a none", "[{T1 pass partial question-to-user}]"},
		{"question below", measured(MeasuredCase{QuestionPPM: 199_999}), func(*Judgment) {}, "p p p p a none", "[]"},
		{"question does not raise", measured(MeasuredCase{QuestionPPM: 900_000}), func(j *Judgment) { j.T1 = Answer{Outcome: Fail} }, "f p p p a none", "[]"},
		{"judgment verbs outnumber", Candidate{Static: &StaticCase{ScriptVerbs: 2, JudgmentVerbs: 3}}, func(*Judgment) {}, "p p a p a none", "[{T3 pass partial judgment-verbs}]"},
		{"verbs even", Candidate{Static: &StaticCase{ScriptVerbs: 3, JudgmentVerbs: 3}}, func(*Judgment) {}, "p p p p a none", "[]"},
		{"no pairs", Candidate{}, func(j *Judgment) { j.Triple.Pairs = nil }, "p p p a a none", "[{T4 pass partial triple-pairs}]"},
		{"pairs mistyped", Candidate{}, func(j *Judgment) { j.Triple.Pairs[0].Out = 3 }, "p p p a a none", "[{T4 pass partial triple-pairs}]"},
		{"two pairs are a matter of the triple", Candidate{}, func(j *Judgment) { j.Triple.Pairs = j.Triple.Pairs[1:] }, "p p p p a none", "[]"},
		{"no triple", Candidate{}, func(j *Judgment) { j.Triple = nil }, "p p p a f none", "[{T4 pass partial triple-pairs} {T5 partial fail detectable-cases}]"},
		{"T5 is counted down", Candidate{}, func(j *Judgment) { j.T5.Outcome = Pass }, "p p p p a none", "[{T5 pass partial detectable-cases}]"},
		{"T5 is counted up", Candidate{}, func(j *Judgment) { j.Triple.Overrules[1].Detectable = true }, "p p p p p none", "[{T5 partial pass detectable-cases}]"},
		{"T5 one case missing", Candidate{}, func(j *Judgment) { j.T5.Outcome = Pass; j.Triple.Overrules = j.Triple.Overrules[:1] }, "p p p p a none", "[{T5 pass partial detectable-cases}]"},
		{"T5 none detectable", Candidate{}, func(j *Judgment) { j.Triple.Overrules[0].Detectable = false }, "p p p p f none", "[{T5 partial fail detectable-cases}]"},
		{"next step varies", measured(MeasuredCase{NextStepAgreementPPM: ppm(499_999)}), func(*Judgment) {}, "p p p p a per_run", "[{residue none per_run next-step-agreement}]"},
		{"next step varies, once", measured(MeasuredCase{NextStepAgreementPPM: ppm(0)}), func(j *Judgment) { j.Residue = ResidueOnce }, "p p p p a per_run", "[{residue once per_run next-step-agreement}]"},
		{"next step at one half", measured(MeasuredCase{NextStepAgreementPPM: ppm(500_000)}), func(*Judgment) {}, "p p p p a none", "[]"},
		{"next step, all stays", measured(MeasuredCase{NextStepAgreementPPM: ppm(0)}), func(j *Judgment) { *j = Judgment{ID: j.ID, Residue: ResidueAll} }, "u u u u u all", "[]"},
	} {
		j := goodJudgment("p/x/y")
		row.change(&j)
		j.Triple = newMasker(j.Triple).triple(j.Triple)
		got, tests, hits := settle(&row.c, &j, checkTriple(j.Triple), isReference)
		text := ""
		for _, o := range got.outcomes {
			text += map[string]string{Pass: "p", Partial: "a", Fail: "f", Unknown: "u"}[o] + " "
		}
		if text += got.residue; text != row.want || fmt.Sprint(hits) != row.hits {
			t.Errorf("%s: %s %v, want %s %s", row.name, text, hits, row.want, row.hits)
		}
		if len(tests) != 5 || tests[0].Evidence == nil {
			t.Errorf("%s: tests %+v", row.name, tests)
		}
	}
}
