package scan

import (
	"cmp"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// amplification is read amplification (2-measure.md 2.4): how many bytes of results enter the
// context for each byte of them that is used again in the next turn. Only results of 2 KB and
// more count; reuse is measured in 8-token shingles (package transcript does that).
type amplification struct{ result, reused int64 }

const (
	minResult        = 2 << 10
	maxAmplification = 1000
)

func (a *amplification) call(c *transcript.Call) {
	if c.Answered && !c.IsError && c.ResultBytes >= minResult {
		a.result += int64(c.ResultBytes)
		a.reused += int64(c.ReusedBytes)
	}
}

func (a *amplification) add(o amplification) {
	a.result += o.result
	a.reused += o.reused
}

// milli is the ratio in thousandths, at most a thousand times; nil without any result that counts.
func (a amplification) milli() *int64 {
	if a.result == 0 {
		return nil
	}
	v := int64(maxAmplification * 1000)
	if a.reused > 0 {
		v = min(v, mulDiv(a.result, 1000, a.reused))
	}
	return &v
}

// Thresholds from which big results of one call shape are a candidate of their own: hardly a
// twentieth of them is used again, in enough invocations, and enough of them to matter.
const (
	highAmplification = 20
	minUnread         = 32 << 10
)

// bigReads are the results of 2 KB and more that one call shape brought into the context.
type bigReads struct {
	amplification
	sig            int32
	support, calls int64
	last           *use
	// turns that made these calls, and what the mechanical ones of them cost.
	turns    int64
	lastTurn Place
	waste    int64
	// unread is what of the results was not used again, in tokens of four bytes, each once at
	// the price of fresh input: a lower bound, for every later turn reads it again.
	unread int64
	amount amount
	rows   []evidence
}

func (c *component) bigRead(sig int32) *bigReads {
	b := c.big[sig]
	if b == nil {
		if c.big == nil {
			c.big = map[int32]*bigReads{}
		}
		b = &bigReads{sig: sig}
		c.big[sig] = b
		c.bigOrder = append(c.bigOrder, b)
	}
	return b
}

func (b *bigReads) merge(o *bigReads) {
	b.amplification.add(o.amplification)
	b.support += o.support
	b.calls += o.calls
	b.turns += o.turns
	b.waste += o.waste
	b.unread += o.unread
	b.amount.add(o.amount)
	b.rows = append(b.rows, o.rows...)
}

// bigResults notes the big results of a turn's reading calls.
func (m *meter) bigResults(c *component, u *use, t *transcript.Turn, cl class, cost int64) {
	for i := range t.Calls {
		call := &t.Calls[i]
		if !call.Answered || call.IsError || call.ResultBytes < minResult || len(call.Shape.Atoms) == 0 {
			continue
		}
		b := c.bigRead(m.words.id(call.Shape.Sig))
		b.call(call)
		b.calls++
		if b.last != u {
			b.last = u
			b.support++
		}
		unread := int64(max(0, call.ResultBytes-call.ReusedBytes)) / bytesPerToken
		b.unread += unread
		money, ok := m.prices.Cost(t.Model, t.Time, false, audit.Tokens{Input: unread})
		b.amount.add(amount{money, !ok})
		if at := (Place{t.File, t.Line}); b.turns == 0 || at != b.lastTurn {
			b.lastTurn = at
			b.turns++
			row := evidence{Place: at}
			if cl == mechanical {
				row.waste = cost
			}
			b.waste += row.waste
			b.rows = append(b.rows, row)
		}
	}
}

// unreadResults are the call shapes whose results are hardly used, the most unread first.
func (c *component) unreadResults() []*bigReads {
	var out []*bigReads
	for _, b := range c.bigOrder {
		if b.support >= minSupport && b.unread*bytesPerToken >= minUnread && b.result >= highAmplification*b.reused {
			out = append(out, b)
		}
	}
	slices.SortStableFunc(out, func(a, b *bigReads) int { return cmp.Compare(b.unread, a.unread) })
	return out
}
