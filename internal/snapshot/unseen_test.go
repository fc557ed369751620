package snapshot

import (
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// TestUnseenStep (§3.8): a step that was seen before and not now, though its component was
// used, is not-seen and never better; with its issue closed that use can confirm the fix.
// What was never seen has no trend, nor has what is seen for the first time.
func TestUnseenStep(t *testing.T) {
	seen := &boundary.MeasuredCase{Strength: audit.Measured, Invocations: 10, ComponentInvocations: 10, Occurrences: 12, WasteMilli: 5_000, SharePPM: 50_000}
	unseen := func(uses int64) *boundary.MeasuredCase {
		return &boundary.MeasuredCase{Strength: audit.Measured, ComponentInvocations: uses}
	}
	open, closed := audit.Issue{}, audit.Issue{Ref: "o/r#1", State: "closed"}
	for _, row := range []struct {
		name        string
		before, now *boundary.MeasuredCase
		issue       audit.Issue
		status      string
	}{
		{"used without the step", seen, unseen(10), open, StatusNotSeen},
		{"not used", seen, nil, open, StatusPersisting},
		{"closed, used enough without it", seen, unseen(5), closed, StatusResolved},
		{"closed, hardly used", seen, unseen(4), closed, StatusClaimed},
		{"closed, not used", seen, nil, closed, StatusClaimed},
		{"never seen", unseen(10), unseen(12), open, StatusPersisting},
		{"never used", nil, nil, open, StatusPersisting},
		{"seen for the first time", unseen(10), seen, open, StatusPersisting},
	} {
		was, is := candidate("sort", "sig1:a", 0, 0, 0), candidate("sort", "sig1:a", 0, 0, 0)
		was.Measured, is.Measured = row.before, row.now
		first, second := week(0, was), week(1, is)
		second.Issues = map[string]audit.Issue{is.ID: row.issue}
		history := play(t, first, second)
		c := history[1].Candidates[0]
		if c.Status != row.status || c.Trend != TrendUncomputable || c.RatioMilli != nil || c.StatusWhy == "" {
			t.Errorf("%s: %s (%s), %s, %v; want %s", row.name, c.Status, c.StatusWhy, c.Trend, c.RatioMilli, row.status)
		}
	}
}
