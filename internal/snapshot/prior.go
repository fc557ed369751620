package snapshot

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// Prior returns, for stability.Gate, what a history says of each of these verdicts: the
// reading in the latest snapshot that has the same candidate and whose own stability there
// is not insufficient-window (rubric 3.7). Skipping those is what carries a wide reading
// forward over several narrow windows. Nil means that there is no such reading.
func Prior(history []Document, verdicts *boundary.Verdicts) func(id string) *audit.Reading {
	seen := sightings(history)
	current := make([]boundary.Candidate, len(verdicts.Verdicts))
	for i := range verdicts.Verdicts {
		current[i] = verdicts.Verdicts[i].Candidate
	}
	frozen := map[string]string{}
	for i, p := range recognise(current, seen, nil) {
		frozen[current[i].ID] = seen[p.known].candidate.Candidate.ID
	}
	return func(id string) *audit.Reading {
		known, ok := frozen[id]
		if !ok {
			return nil
		}
		for i := len(history) - 1; i >= 0; i-- {
			for j := range history[i].Candidates {
				c := &history[i].Candidates[j]
				if c.Candidate.ID == known && c.Stability != audit.InsufficientWindow {
					return reading(&history[i], c)
				}
			}
		}
		return nil
	}
}

// reading is what one snapshot measured of one candidate.
func reading(doc *Document, c *Candidate) *audit.Reading {
	r := &audit.Reading{
		SnapshotID: doc.SnapshotID, Strength: audit.Unmeasured, Observed: doc.Window.Observed,
		Stability: c.Stability, RubricVersion: doc.RubricVersion, TargetVersion: doc.Target.Version,
	}
	if m := c.Candidate.Measured; m != nil {
		r.Strength, r.SharePPM, r.Invocations = m.Strength, m.SharePPM, m.Invocations
		if !m.Seen() {
			r.Invocations = m.ComponentInvocations
		}
	}
	return r
}
