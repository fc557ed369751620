package scan

import (
	"cmp"
	"slices"
)

// retryShare: a call is fiddly where at least a fifth of its turns are retries.
const retryShare = 200_000

// retryData is a cluster of retries of one call shape.
type retryData struct {
	sig                  int32
	support, turns       int64
	waste                int64
	amount               amount
	rows                 []evidence
	calls, order, lastAt int64
}

// retries finds the calls that are hard to get right: retries of one shape in at least
// three invocations, and at least a fifth of that shape's turns. A retry counts where the call
// before it had the same shape: another call after a failure is a way out, and says nothing of
// how hard that one is. Only Bash and MCP calls count: a wrapper can make those easy, not an edit
// that did not match.
func (m *miner) retries(c *component) []retryData {
	var list []*retryData // in the order of their first calls
	for u, use := range c.uses {
		for _, st := range use.strands {
			last := int32(-1)
			for i, s := range st.steps {
				if s.turn == last { // the turn's first call is the one that was retried
					continue
				}
				last = s.turn
				if m.traits[s.sig]&(command|server) == 0 {
					continue
				}
				if m.plain[s.sig] == 0 {
					list = append(list, &retryData{sig: s.sig, lastAt: -1, order: int64(len(list))})
					m.plain[s.sig] = int32(len(list))
				}
				d := list[m.plain[s.sig]-1]
				d.calls++
				turn := &st.turns[s.turn]
				if turn.class != retry || i == 0 || st.steps[i-1].sig != s.sig {
					continue
				}
				if d.lastAt != int64(u) {
					d.lastAt = int64(u)
					d.support++
				}
				d.turns++
				d.waste += turn.cost
				d.amount.add(turn.amount)
				d.rows = append(d.rows, turn.evidence(turn.cost))
			}
		}
	}
	var out []retryData
	for _, d := range list {
		m.plain[d.sig] = 0
		if d.support >= minSupport && ppm(d.turns, d.calls) >= retryShare {
			out = append(out, *d)
		}
	}
	slices.SortStableFunc(out, func(a, b retryData) int {
		return cmp.Or(cmp.Compare(b.waste, a.waste), cmp.Compare(a.order, b.order))
	})
	return out
}
