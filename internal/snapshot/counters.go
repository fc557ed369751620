package snapshot

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"

// Count is the counter-metric against over-scripting over a whole history. What a snapshot
// carries is what was known at its moment; a run recorded late counts in this one.
func Count(history []Document) Counters {
	type life struct{ filed, wontfix, reverted, resolved bool }
	lives := map[string]*life{}
	at := func(id string) *life {
		if lives[id] == nil {
			lives[id] = &life{}
		}
		return lives[id]
	}
	note := func(l *life, ref, state, resolution string) {
		if ref == "" {
			return
		}
		l.filed = true
		l.wontfix = state == "closed" && resolution == "not_planned"
		l.reverted = l.reverted || resolution == "reverted"
	}
	for i := range history {
		for j := range history[i].Candidates {
			c := &history[i].Candidates[j]
			l := at(c.Candidate.ID)
			note(l, c.Issue, c.IssueState, c.IssueResolution)
			m := measureOf(c.Candidate.Measured, history[i].Window.Observed)
			if l.resolved && m.sharePPM >= boundary.ThresholdPPM && m.invocations >= enough {
				l.reverted = true
			}
			l.resolved = l.resolved || c.Status == StatusResolved
		}
		for _, a := range history[i].Absent {
			l := at(a.ID)
			note(l, a.Issue, a.IssueState, a.IssueResolution)
			l.resolved = l.resolved || a.Status == StatusResolved
		}
	}
	var sum Counters
	for _, l := range lives {
		if !l.filed {
			continue
		}
		sum.Filed++
		if l.wontfix {
			sum.Wontfix++
		}
		if l.reverted {
			sum.Reverted++
		}
	}
	return sum
}
