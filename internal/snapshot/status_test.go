package snapshot

import (
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// FR-5.3, FR-5.5, rubric 3.8: every branch of the precedence, exact at its limits.
func TestStatus(t *testing.T) {
	early, late := "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"
	before := func(cost, invocations int64) *measure { return &measure{cost, invocations, 50_000, &early} }
	now := func(cost, invocations, share int64) measure { return measure{cost, invocations, share, &late} }
	closed := audit.Issue{Ref: "o/r#1", State: "closed"}
	open := audit.Issue{Ref: "o/r#1", State: "open"}
	tests := []struct {
		name   string
		in     standing
		status string
		trend  string
		ratio  int64 // -1: none
	}{
		{"gone wins over all", standing{gone: true, issue: closed, before: before(100, 10), now: now(0, 10, 0)}, StatusStale, TrendComputable, 0},
		{"resolved", standing{issue: closed, before: before(100, 10), now: now(1, 5, 19_999)}, StatusResolved, TrendComputable, 20},
		{"at the threshold is not below it", standing{issue: closed, before: before(100, 10), now: now(1, 5, 20_000)}, StatusClaimed, TrendComputable, 20},
		{"half of the invocations, rounded up", standing{issue: closed, before: before(100, 11), now: now(1, 5, 0)}, StatusClaimed, TrendComputable, 22},
		{"never fewer than three", standing{issue: closed, before: before(100, 2), now: now(0, 2, 0)}, StatusClaimed, TrendUncomputable, -1},
		{"three do after few", standing{issue: closed, before: before(100, 2), now: now(0, 3, 0)}, StatusResolved, TrendUncomputable, -1},
		{"the same window cannot confirm", standing{issue: closed, before: &measure{100, 10, 0, &late}, now: now(0, 10, 0)}, StatusClaimed, TrendComputable, 0},
		{"a window without an end cannot confirm", standing{issue: closed, before: before(100, 10), now: measure{0, 10, 0, nil}}, StatusClaimed, TrendComputable, 0},
		{"closed at first sight", standing{issue: closed, now: now(0, 10, 0)}, StatusClaimed, "", -1},
		{"closed wins over drifted", standing{issue: closed, drifted: true, before: before(100, 10), now: now(100, 10, 50_000)}, StatusClaimed, TrendComputable, 1000},
		{"drifted wins over grown", standing{issue: open, drifted: true, before: before(100, 10), now: now(900, 10, 50_000)}, StatusDrifted, TrendComputable, 9000},
		{"new", standing{now: now(100, 10, 50_000)}, StatusNew, "", -1},
		{"grown at 1.25", standing{before: before(100, 10), now: now(125, 10, 1)}, StatusGrown, TrendComputable, 1250},
		{"persisting just under 1.25", standing{before: before(1_000_000, 10), now: now(1_249_999, 10, 1)}, StatusPersisting, TrendComputable, 1249},
		{"shrunk at 0.80", standing{before: before(100, 10), now: now(80, 10, 1)}, StatusShrunk, TrendComputable, 800},
		{"persisting just over 0.80", standing{before: before(1_000_000, 10), now: now(800_001, 10, 1)}, StatusPersisting, TrendComputable, 801},
		{"a quiet week is not an improvement (S6)", standing{before: before(2000, 20), now: now(400, 4, 1)}, StatusPersisting, TrendComputable, 1000},
		{"a busy week is no growth", standing{before: before(400, 4), now: now(2000, 20, 1)}, StatusPersisting, TrendComputable, 1000},
		{"too few before", standing{before: before(100, 2), now: now(900, 10, 1)}, StatusPersisting, TrendUncomputable, -1},
		{"too few now", standing{before: before(100, 10), now: now(1, 2, 1)}, StatusPersisting, TrendUncomputable, -1},
		{"from nothing to something", standing{before: before(0, 10), now: now(1, 10, 1)}, StatusGrown, TrendComputable, maxRatioMilli},
		{"from nothing to nothing", standing{before: before(0, 10), now: now(0, 10, 1)}, StatusPersisting, TrendComputable, 1000},
		{"costs beyond 63 bits when multiplied", standing{before: before(1<<62, 1<<40), now: now(1<<62, 1<<40, 1)}, StatusPersisting, TrendComputable, 1000},
		{"not seen, never better", standing{unseen: true, issue: open, before: before(100, 10), now: now(0, 10, 0)}, StatusNotSeen, TrendUncomputable, -1},
		{"not seen, closed and measured", standing{unseen: true, issue: closed, before: before(100, 10), now: now(0, 5, 0)}, StatusResolved, TrendUncomputable, -1},
		{"not seen, closed and hardly used", standing{unseen: true, issue: closed, before: before(100, 10), now: now(0, 4, 0)}, StatusClaimed, TrendUncomputable, -1},
		{"not seen, gone", standing{unseen: true, gone: true, before: before(100, 10), now: now(0, 0, 0)}, StatusStale, TrendUncomputable, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := status(tt.in)
			ratio := int64(-1)
			if got.ratioMilli != nil {
				ratio = *got.ratioMilli
			}
			if got.status != tt.status || got.trend != tt.trend || ratio != tt.ratio {
				t.Errorf("got %s, %q, %d; want %s, %q, %d", got.status, got.trend, ratio, tt.status, tt.trend, tt.ratio)
			}
			if got.why == "" {
				t.Error("no reason given")
			}
		})
	}
}
