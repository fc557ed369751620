package boundary

// Rules by which a measured ceiling changes an answer (rubric 3.3).
const (
	RuleNoEvidence      = "no-evidence"
	RuleQuestion        = "question-to-user"
	RuleJudgmentVerbs   = "judgment-verbs"
	RuleTriplePairs     = "triple-pairs"
	RuleDetectableCases = "detectable-cases"
	RuleNextStep        = "next-step-agreement"
)

// questionCeiling: a question to the user inside this share of the occurrences (ppm).
const questionCeiling = 200_000

// settle applies the ceilings to j's answers about c. known tells whether an evidence
// reference names something that is there. With residue all there is no script part:
// the tests were not asked, and the answers stand as they are.
func settle(c *Candidate, j *Judgment, triple tripleCheck, known func(ref string) bool) (cut, []Test, []Contradiction) {
	s := settling{hits: []Contradiction{}}
	got := cut{residue: j.Residue, share: j.UndecidedShare}
	tests := make([]Test, 0, len(testIDs))
	for i, a := range j.answers() {
		judged := a.Outcome
		if judged == "" {
			judged = Unknown
		}
		now, there := judged, knownOf(a.Evidence, known)
		if j.Residue != ResidueAll {
			now = s.test(i, c, judged, triple, len(there) > 0)
		}
		got.outcomes[i] = now
		tests = append(tests, Test{ID: testIDs[i], Judged: judged, Outcome: now, Why: a.Why, Evidence: there})
	}
	if m := c.Measured; m != nil && m.NextStepAgreementPPM != nil && *m.NextStepAgreementPPM < half &&
		(got.residue == ResidueNone || got.residue == ResidueOnce) {
		got.residue = s.change("residue", got.residue, ResiduePerRun, RuleNextStep)
	}
	return got, tests, s.hits
}

// settling collects the ceilings that were hit.
type settling struct{ hits []Contradiction }

// change records a hit if it changes anything, and returns what stands.
func (s *settling) change(test, from, to, rule string) string {
	if from != to {
		s.hits = append(s.hits, Contradiction{Test: test, From: from, To: to, Rule: rule})
	}
	return to
}

// test returns what stands of one answer.
func (s *settling) test(i int, c *Candidate, judged string, triple tripleCheck, evidence bool) string {
	id, o := testIDs[i], judged
	if i == knownEdge {
		o = s.change(id, o, countedEdge(o, triple.detectable), RuleDetectableCases)
	}
	if rank(o) > 0 && !evidence {
		o = s.change(id, o, Unknown, RuleNoEvidence)
	}
	switch {
	case i == closedInputs && c.Measured != nil && c.Measured.QuestionPPM >= questionCeiling:
		o = s.change(id, o, atMost(o), RuleQuestion)
	case i == statedRule && c.Static != nil && c.Static.JudgmentVerbs > c.Static.ScriptVerbs:
		o = s.change(id, o, atMost(o), RuleJudgmentVerbs)
	case i == checkable && !triple.pairsHold:
		o = s.change(id, o, atMost(o), RuleTriplePairs)
	}
	return o
}

// countedEdge is T5 by the number of detectable overrule cases, whatever was written;
// an unknown without any case stays unknown.
func countedEdge(judged string, detectable int) string {
	switch {
	case detectable >= 2:
		return Pass
	case detectable == 1:
		return Partial
	case judged == Unknown:
		return Unknown
	}
	return Fail
}

// knownOf are the references that name something that is there.
func knownOf(refs []string, known func(string) bool) []string {
	out := []string{}
	for _, r := range refs {
		if known(r) {
			out = append(out, r)
		}
	}
	return out
}
