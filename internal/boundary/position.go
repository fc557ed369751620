package boundary

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// cut is all that the arithmetic of rubric 3.4a looks at: the outcomes after the
// ceilings, the residue, and the share of rows left undecided (percent, per_run only).
type cut struct {
	outcomes [5]string
	residue  string
	share    int
}

// valid reports whether the script part could be written and trusted at all.
func (c cut) valid() bool { return len(c.failed()) == 0 }

// failed names what makes the cut invalid: "residue:all", or the tests that are
// too low, as "T2:partial".
func (c cut) failed() []string {
	if c.residue == ResidueAll {
		return []string{"residue:all"}
	}
	var out []string
	for i, least := range [4]int{closedInputs: 1, oneAnswer: 2, statedRule: 1, checkable: 1} {
		if rank(c.outcomes[i]) < least {
			out = append(out, testIDs[i]+":"+c.outcomes[i])
		}
	}
	return out
}

// position places the cut (FR-4.1).
func (c cut) position() audit.Position {
	switch {
	case !c.valid():
		return audit.PureInference
	case c.residue == ResiduePerRun || rank(c.outcomes[knownEdge]) == 0:
		return audit.OverDigest
	case c.residue == ResidueNone && rank(c.outcomes[statedRule]) == 2:
		return audit.PureScript
	}
	return audit.Compiled
}

// confidence before the caps, and what lowered it.
func (c cut) confidence() (audit.Confidence, []string) {
	if !c.valid() {
		return c.inferenceConfidence()
	}
	steps := 0
	var why []string
	down := func(n int, reason string) { steps += n; why = append(why, reason) }
	if rank(c.outcomes[closedInputs]) == 1 {
		down(1, "T1:partial")
	}
	if rank(c.outcomes[checkable]) == 1 {
		down(1, "T4:partial")
	}
	if rank(c.outcomes[knownEdge]) == 0 {
		down(2, "T5:"+c.outcomes[knownEdge])
	}
	if c.residue == ResiduePerRun {
		switch {
		case c.share > 80:
			down(2, fmt.Sprintf("undecided_share:%d", c.share))
		case c.share > 50:
			down(1, fmt.Sprintf("undecided_share:%d", c.share))
		}
	}
	return confidences[max(0, len(confidences)-1-steps)], why
}

// inferenceConfidence is how sure it is that the step must stay with the model.
func (c cut) inferenceConfidence() (audit.Confidence, []string) {
	if c.residue == ResidueAll {
		return audit.High, nil
	}
	fails := 0
	for _, o := range c.outcomes[:checkable+1] {
		if o == Fail {
			fails++
		}
	}
	return confidences[min(fails, 2)], nil
}

// confidences in rising order.
var confidences = [3]audit.Confidence{audit.Low, audit.Medium, audit.High}

func confidenceRank(c audit.Confidence) int {
	for i, x := range confidences {
		if x == c {
			return i
		}
	}
	return 0
}

// Caps on the confidence.
const (
	CapAlreadyCut        = "already-cut"
	CapWrapper           = "wrapper"
	CapJudgmentDensity   = "judgment-density"
	CapSequenceAgreement = "sequence-agreement"
)

// half of a million: the ratio one half in parts per million.
const half = 500_000

// capsOf names the caps that apply to c, whether or not they lower anything.
func capsOf(c *Candidate) []string {
	caps := []string{}
	if c.AlreadyCut {
		caps = append(caps, CapAlreadyCut)
	}
	if c.Kind == audit.Wrapper {
		caps = append(caps, CapWrapper)
	}
	if m := c.Measured; m != nil {
		if m.JudgmentDensityPPM >= half {
			caps = append(caps, CapJudgmentDensity)
		}
		if m.SequenceAgreementPPM != nil && *m.SequenceAgreementPPM < half {
			caps = append(caps, CapSequenceAgreement)
		}
	}
	return caps
}

// capped is conf under the caps: already-cut allows low, the others medium.
func capped(conf audit.Confidence, caps []string) audit.Confidence {
	r := confidenceRank(conf)
	for _, c := range caps {
		if c == CapAlreadyCut {
			r = 0
		} else {
			r = min(r, 1)
		}
	}
	return confidences[r]
}
