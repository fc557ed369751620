package boundary

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// Classify gives every candidate its verdict. inv and sc are what cands was proposed
// from; either may be nil, and then references into it are taken on trust. judgments
// may be nil: then nobody judged. It refuses documents about different plugins and a
// judgment of a candidate that was not proposed.
func Classify(inv *inventory.Document, sc *scan.Document, cands *Candidates, judgments *Judgments) (*Verdicts, error) {
	if cands == nil {
		return nil, fmt.Errorf("expected a %s document, found none", CandidatesKind)
	}
	out := &Verdicts{
		Document: VerdictsKind, RubricVersion: RubricVersion, Target: cands.Target, Window: cands.Window,
		Verdicts: []Verdict{}, Warnings: []audit.Warning{},
	}
	if inv != nil && inv.Target.Name != cands.Target.Name {
		return nil, fmt.Errorf("inventory: about plugin %q, the candidates are about %q", clip(inv.Target.Name), clip(cands.Target.Name))
	}
	if sc != nil {
		out.WeightsVersion = sc.WeightsVersion
		if sc.Target != nil && sc.Target.Name != cands.Target.Name {
			return nil, fmt.Errorf("scan: about plugin %q, the candidates are about %q", clip(sc.Target.Name), clip(cands.Target.Name))
		}
	}
	byID, err := judgmentsByID(cands, judgments)
	if err != nil {
		return nil, err
	}
	if judgments != nil {
		out.RecallUsed = judgments.RecallUsed
	}
	refs := newReferences(inv, sc, cands)
	for i := range cands.Candidates {
		c := &cands.Candidates[i]
		j := byID[c.ID]
		if j != nil && stale(c, j) {
			out.Warnings = append(out.Warnings, audit.Warning{Code: "evidence-changed",
				Message: fmt.Sprintf("%s: judged on other evidence than there is now; the judgment does not count", c.ID)})
			j = nil
		}
		out.Verdicts = append(out.Verdicts, classifyOne(c, j, refs))
	}
	return out, nil
}

// stale reports whether j was made on evidence that has changed since. A judgment
// carried over must name its evidence.
func stale(c *Candidate, j *Judgment) bool {
	if j.EvidenceHash == "" {
		return j.CarriedFrom != ""
	}
	return j.EvidenceHash != c.EvidenceHash
}

// judgmentsByID maps the judgments that were filled in to their candidates.
func judgmentsByID(cands *Candidates, judgments *Judgments) (map[string]*Judgment, error) {
	byID := map[string]*Judgment{}
	if judgments == nil {
		return byID, nil
	}
	if judgments.Target != cands.Target.Name {
		return nil, fmt.Errorf("target: expected %q, found %q", clip(cands.Target.Name), clip(judgments.Target))
	}
	if err := judgments.check(); err != nil {
		return nil, err
	}
	proposed := map[string]bool{}
	for _, c := range cands.Candidates {
		proposed[c.ID] = true
	}
	for i := range judgments.Judgments {
		j := &judgments.Judgments[i]
		if !proposed[j.ID] {
			return nil, fmt.Errorf("judgments[%d].id: %q is not among the candidates; judge what was measured, do not add to it", i, clip(j.ID))
		}
		if !j.Open() {
			byID[j.ID] = j
		}
	}
	return byID, nil
}

// classifyOne is the whole chain for one candidate; j is nil when nobody judged it.
func classifyOne(c *Candidate, j *Judgment, refs references) Verdict {
	v := Verdict{Candidate: *c, Caps: capsOf(c), Contradictions: []Contradiction{}}
	s := standing{kind: c.Kind, caps: v.Caps, alreadyCut: c.AlreadyCut, strength: c.strength(), sharePPM: c.sharePPM()}
	if j == nil {
		nobody := openRow(c)
		s.cut, v.Tests, _ = settle(c, &nobody, tripleCheck{}, refs.known)
	} else {
		masked := maskJudgment(j)
		masked.EvidenceHash = c.EvidenceHash
		for _, a := range masked.answers() {
			a.Evidence = refs.cited(a.Evidence)
		}
		var triple tripleCheck
		if j.Residue != ResidueAll {
			triple = checkTriple(masked.Triple)
			v.TripleReason, v.TripleDetail = triple.reason, triple.detail
			v.TripleComplete = triple.reason == ""
		}
		s.judged, s.tripleReason = true, triple.reason
		s.cut, v.Tests, v.Contradictions = settle(c, masked, triple, refs.known)
		v.Judgment = masked
	}
	o := s.decide()
	v.Residue, v.UndecidedShare, v.Valid = s.cut.residue, s.cut.share, s.cut.valid()
	v.Position, v.Confidence = o.position, o.confidence
	v.Verdict, v.Reasons, v.ValueClaim = o.verdict, o.reasons, o.claim
	return v
}
