package snapshot

import (
	"fmt"
	"math/big"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Limits of rubric 3.8.
const (
	// enough is the number of invocations below which a cost per invocation says nothing.
	enough = 3
	// grownMilli and shrunkMilli bound the ratio of costs per invocation that is no change.
	grownMilli  = 1250
	shrunkMilli = 800
)

// measure is what one window says of one candidate's cost.
type measure struct {
	// cost is the weighted milli-tokens of its mechanical turns.
	cost int64
	// invocations of its component: the volume that the cost is divided by.
	invocations int64
	sharePPM    int64
	until       *string // end of the observed span
}

func measureOf(m *boundary.MeasuredCase, observed audit.Span) measure {
	if !m.Seen() {
		return measure{until: observed.Until}
	}
	n := m.ComponentInvocations
	if n == 0 {
		n = m.Invocations
	}
	return measure{m.WasteMilli, n, m.SharePPM, observed.Until}
}

// compare is what two windows say of one candidate that both have. A step that was seen
// before and not now, though its component was used, is unseen: like a candidate that is
// absent it has that use at no cost, which can confirm a fix and is no trend.
func (s *standing) compare(now, before *boundary.MeasuredCase, observed, observedBefore audit.Span) {
	s.now = measureOf(now, observed)
	b := measureOf(before, observedBefore)
	s.before = &b
	if before.Seen() && now.Unseen() != "" {
		s.unseen, s.now.invocations = true, now.ComponentInvocations
	}
}

// standing is everything that a status depends on.
type standing struct {
	gone    bool // the component is no longer in the target
	issue   audit.Issue
	drifted bool
	now     measure
	before  *measure // nil for a new candidate
	unseen  bool     // seen in an earlier snapshot only: now is its component's use at no cost
}

// judgement is a status with its reason.
type judgement struct {
	status, why, trend string
	ratioMilli         *int64
}

// status decides, in the order of rubric 3.8. It is total.
func status(s standing) judgement {
	j := judgement{}
	if s.before != nil {
		j.trend = TrendUncomputable
		if !s.unseen {
			j.ratioMilli = ratioMilli(*s.before, s.now)
		}
		if j.ratioMilli != nil {
			j.trend = TrendComputable
		}
	}
	closed := s.issue.State == "closed"
	switch {
	case s.gone:
		j.status, j.why = StatusStale, "its component is no longer in the target"
	case closed && s.before != nil && resolved(*s.before, s.now):
		j.status = StatusResolved
		j.why = fmt.Sprintf("issue closed; %d ppm of spend over %s, at least %d needed", s.now.sharePPM, invocations(s.now.invocations), needed(*s.before))
	case closed:
		j.status, j.why = StatusClaimed, claimed(s)
	case s.unseen:
		j.status, j.why = StatusNotSeen, "not seen in this window, which alone is no improvement"
	case s.drifted:
		j.status, j.why = StatusDrifted, "recognised under another signature"
	case s.before == nil:
		j.status, j.why = StatusNew, "no earlier snapshot has it"
	case s.before.invocations == 0 && s.now.invocations == 0:
		j.status, j.why = StatusPersisting, "not measured, no trend"
	case j.ratioMilli == nil:
		j.status, j.why = StatusPersisting, fmt.Sprintf("%d and %s: fewer than %d on a side, no trend", s.before.invocations, invocations(s.now.invocations), enough)
	case *j.ratioMilli >= grownMilli:
		j.status, j.why = StatusGrown, ratioWords(*j.ratioMilli)
	case *j.ratioMilli <= shrunkMilli:
		j.status, j.why = StatusShrunk, ratioWords(*j.ratioMilli)
	default:
		j.status, j.why = StatusPersisting, ratioWords(*j.ratioMilli)
	}
	return j
}

// resolved says whether a later window, used enough, measured the cost below the threshold.
func resolved(before, now measure) bool {
	return now.sharePPM < boundary.ThresholdPPM && now.invocations >= needed(before) && later(before.until, now.until)
}

// needed is the number of invocations that a window must have to confirm a fix.
func needed(before measure) int64 { return max(enough, (before.invocations+1)/2) }

func claimed(s standing) string {
	switch {
	case s.before == nil:
		return "issue closed; no earlier snapshot to compare with"
	case s.now.sharePPM >= boundary.ThresholdPPM:
		return fmt.Sprintf("issue closed, yet %d ppm of spend", s.now.sharePPM)
	case s.now.invocations < needed(*s.before):
		return fmt.Sprintf("issue closed; %s, at least %d needed to confirm", invocations(s.now.invocations), needed(*s.before))
	}
	return "issue closed; the window does not reach beyond the earlier one"
}

// ratioMilli is cost per invocation now / before in thousandths, rounded so that the limits
// are met exactly: up below one, down above. Nil when a side has too few invocations. From
// nothing to something is the largest ratio; from nothing to nothing is 1000.
func ratioMilli(before, now measure) *int64 {
	if before.invocations < enough || now.invocations < enough {
		return nil
	}
	num := product(now.cost, before.invocations)
	den := product(before.cost, now.invocations)
	var r int64
	switch {
	case den.Sign() == 0 && num.Sign() == 0:
		r = 1000
	case den.Sign() == 0:
		r = maxRatioMilli
	default:
		num.Mul(num, big.NewInt(1000))
		q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
		if q.Cmp(big.NewInt(1000)) < 0 && rest.Sign() != 0 {
			q.Add(q, big.NewInt(1))
		}
		r = maxRatioMilli
		if q.IsInt64() {
			r = min(q.Int64(), maxRatioMilli)
		}
	}
	return &r
}

// maxRatioMilli caps a ratio at a million.
const maxRatioMilli = 1_000_000_000

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

func ratioWords(milli int64) string {
	return fmt.Sprintf("cost per invocation at %d.%03d of before", milli/1000, milli%1000)
}

func invocations(n int64) string { return wording.Amount(n, "invocation", "invocations") }
