package boundary

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// Outcomes of a determinism test.
const (
	Pass    = "pass"
	Partial = "partial"
	Fail    = "fail"
	Unknown = "unknown"
)

// Residues: what is left for judgment each time after the script part (rubric 3.2).
const (
	ResidueNone   = "none"
	ResidueOnce   = "once"
	ResiduePerRun = "per_run"
	ResidueAll    = "all"
)

// testIDs are the five determinism tests in order.
var testIDs = [5]string{"T1", "T2", "T3", "T4", "T5"}

// Indices into the five tests.
const (
	closedInputs = iota
	oneAnswer
	statedRule
	checkable
	knownEdge
)

// answers returns the five answers of j in the order of testIDs.
func (j *Judgment) answers() [5]*Answer {
	return [5]*Answer{&j.T1, &j.T2, &j.T3, &j.T4, &j.T5}
}

// Open reports whether j is a row of the form that nobody has filled in yet.
func (j *Judgment) Open() bool {
	if j.Residue != "" || j.Row != "" || j.ScriptPart != "" || j.UndecidedShare != 0 || j.Triple != nil {
		return false
	}
	for _, a := range j.answers() {
		if a.Outcome != "" && a.Outcome != Unknown || a.Why != "" || len(a.Evidence) > 0 {
			return false
		}
	}
	return true
}

// rank is r of rubric 3.4a: pass 2, partial 1, fail and unknown 0.
func rank(outcome string) int {
	switch outcome {
	case Pass:
		return 2
	case Partial:
		return 1
	}
	return 0
}

// atMost lowers pass to partial; anything else stands.
func atMost(outcome string) string {
	if outcome == Pass {
		return Partial
	}
	return outcome
}

// strength of a candidate's measurement; without one it is unmeasured.
func (c *Candidate) strength() audit.Strength {
	if c.Measured == nil {
		return audit.Unmeasured
	}
	return c.Measured.Strength
}

// sharePPM is the candidate's share of the audited spend, 0 without measurement.
func (c *Candidate) sharePPM() int64 {
	if c.Measured == nil {
		return 0
	}
	return c.Measured.SharePPM
}
