package scan

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Thresholds of mining (2-measure.md 2.4).
const (
	// minSupport is the number of distinct invocations that a pattern must stand in.
	minSupport = 3
	// minLength and maxLength bound a sequence.
	minLength, maxLength = 2, 12
	// maxGap is the number of foreign calls allowed between two neighbours.
	maxGap = 1
	// maxGeneric is the number of generic reads in one sequence; more say nothing.
	maxGeneric = 3
	// maxWork and maxKept bound the search for one component, in occurrences looked at and in
	// token positions kept. When one is reached the search starts again with twice the support,
	// and the scan says so.
	maxWork, maxKept = 1_000_000, 300_000
)

// trait is what mining asks of a signature.
type trait uint8

const (
	vague   trait = 1 << iota // see isGeneric
	command                   // a Bash call
	server                    // a call of an MCP server
)

func traitOf(sig string) (t trait) {
	if isGeneric(sig) {
		t |= vague
	}
	if strings.HasPrefix(sig, "Bash ") {
		t |= command
	}
	if strings.HasPrefix(sig, "mcp__") {
		t |= server
	}
	return t
}

// miner mines one component after the other.
type miner struct {
	traits []trait // by signature
	// plain and masked number the signatures that a component uses, from 1 on; a masked one is
	// told apart from the same signature in another role. Between two uses they are all zero.
	plain, masked []int32
}

func newMiner(traits []trait) *miner {
	return &miner{traits: traits, plain: make([]int32, len(traits)), masked: make([]int32, len(traits))}
}

func (w *words) traits() []trait {
	out := make([]trait, len(w.list))
	for i, sig := range w.list {
		out[i] = traitOf(sig)
	}
	return out
}

// mined is what recurs in a component's calls.
type mined struct {
	staples   []stapleData
	sequences []sequenceData
	support   int // that the search for sequences ended up with
	retries   []retryData
	unread    []*bigReads
}

// mine mines components by several workers, those with the most turns first.
func (w *words) mine(components []*component, workers int) []mined {
	out := make([]mined, len(components))
	order := make([]int, len(components))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(components[b].bill.turns, components[a].bill.turns) })
	traits := w.traits()
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, len(components)) {
		group.Go(func() {
			m := newMiner(traits)
			for i := next.Add(1) - 1; i < int64(len(order)); i = next.Add(1) - 1 {
				out[order[i]] = m.mine(components[order[i]])
			}
		})
	}
	group.Wait()
	return out
}

// mine mines one component, and lets go of what it was mined from.
func (m *miner) mine(c *component) mined {
	found := mined{staples: m.staples(c), retries: m.retries(c), unread: c.unreadResults()}
	found.sequences, found.support = m.sequences(c, found.staples)
	for _, u := range c.uses {
		u.strands = nil
	}
	return found
}
