package boundary

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// Form is the judgments document to fill in: one open row a candidate. A drift note
// and a step that shipped executables already do need no judgment and have no row.
func Form(cands *Candidates) *Judgments {
	js := &Judgments{Document: JudgmentsKind, Target: cands.Target.Name, Judgments: []Judgment{}}
	for i := range cands.Candidates {
		if c := &cands.Candidates[i]; c.asked() {
			js.Judgments = append(js.Judgments, openRow(c))
		}
	}
	return js
}

// asked reports whether the verdict on c depends on a judgment.
func (c *Candidate) asked() bool { return c.Kind != audit.Drift && !c.AlreadyCut }

func openRow(c *Candidate) Judgment {
	open := Answer{Outcome: Unknown, Evidence: []string{}}
	return Judgment{ID: c.ID, EvidenceHash: c.EvidenceHash, T1: open, T2: open, T3: open, T4: open, T5: open}
}
