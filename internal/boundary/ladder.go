package boundary

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// ThresholdPPM is the share of the audited spend from which a measured candidate is
// worth an issue (rubric 3.5): 2 %. A share equal to it is not below it.
const ThresholdPPM = 20_000

// Value claims of a filed candidate.
const (
	Proven   = "proven"
	Unproven = "unproven"
)

// standing is everything the ladder of rubric 3.6 looks at.
type standing struct {
	kind         string
	judged       bool
	cut          cut
	caps         []string
	alreadyCut   bool
	tripleReason string
	strength     audit.Strength
	sharePPM     int64
}

// outcome is what the ladder answers.
type outcome struct {
	position   audit.Position
	confidence audit.Confidence
	verdict    audit.Verdict
	reasons    []string
	claim      string
}

// decide climbs the ladder; the first rung that matches is the verdict.
func (s standing) decide() outcome {
	conf, lowered := s.cut.confidence()
	o := outcome{position: s.cut.position(), confidence: capped(conf, s.caps)}
	say := func(v audit.Verdict, reasons ...string) outcome {
		o.verdict, o.reasons = v, reasons
		return o
	}
	switch {
	case s.kind == audit.Drift:
		return say(audit.DriftNote, "kind:drift")
	case !s.judged && s.alreadyCut:
		return say(audit.NoOffload, CapAlreadyCut)
	case !s.judged:
		return say(audit.BoundaryQuestion, "unjudged")
	case o.position == audit.PureInference:
		return say(audit.NoOffload, s.cut.failed()...)
	case s.alreadyCut:
		return say(audit.NoOffload, CapAlreadyCut)
	case o.confidence != audit.High:
		why := append([]string{"confidence:" + string(o.confidence)}, lowered...)
		for _, c := range s.caps {
			why = append(why, "cap:"+c)
		}
		return say(audit.BoundaryQuestion, why...)
	case s.tripleReason != "":
		return say(audit.BoundaryQuestion, "triple:"+s.tripleReason)
	case s.strength == audit.Measured && s.sharePPM < ThresholdPPM:
		return say(audit.BoundaryQuestion, "below-value")
	}
	o.claim = Unproven
	if s.strength == audit.Measured {
		o.claim = Proven
	}
	return say(audit.File, "every-gate-passed")
}
