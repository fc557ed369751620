package scan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// Thresholds of staples (2-measure.md 2.4).
const (
	// stapleShare: a staple stands in at least 60 % of the invocations that call a tool.
	stapleShare = 600_000
	// openingShare: it is a preload candidate where it stands in the opening of more than half of them.
	openingShare = 500_000
)

// stapleData is what a staple measures. The cost of a turn is split evenly between the atoms
// that it holds: four files read in one turn share its price.
type stapleData struct {
	sig                         int32
	support, occurrences, turns int64
	opening                     int64 // invocations in whose opening it stands
	waste                       int64
	// preload is what one turn less for each opening would have saved, script what one call in
	// place of all of a use's would have.
	preload, script share
	constant        bool
	rows            []Place
	// identity is set where only it tells what is read.
	identity uint64
	order    int
}

// staples finds the mechanical atoms that most invocations of a component hold: an own or listed
// file, the very same file or generic command where only its identity tells, or a command's shape.
func staples(c *component, w *words) []stapleData {
	same, uses := recurring(c, w)
	seen := map[atomID]*stapleCount{}
	var order []*stapleCount
	for u, use := range c.uses {
		for _, st := range use.strands {
			opens := openingEnd(st)
			perTurn := map[int32]int64{}
			for _, a := range st.atoms {
				perTurn[a.turn]++
			}
			for _, a := range st.atoms {
				k, ok := stapleOf(a, same, w)
				if !ok {
					continue
				}
				s := seen[k]
				if s == nil {
					s = &stapleCount{stapleData: stapleData{sig: a.sig, identity: k.id, constant: true, order: len(order)}, first: a.identity, lastUse: -1}
					seen[k] = s
					order = append(order, s)
				}
				turn, n := &st.turns[a.turn], perTurn[a.turn]
				s.see(u, a, turn, n, a.turn < opens)
			}
		}
	}
	var out []stapleData
	for _, s := range order {
		s.settle()
		if uses < minSupport || s.support < minSupport || s.waste == 0 || ppm(s.support, int64(uses)) < stapleShare {
			continue
		}
		if ppm(s.opening, int64(uses)) <= openingShare {
			s.opening = 0
		}
		out = append(out, s.stapleData)
	}
	slices.SortStableFunc(out, func(a, b stapleData) int {
		return cmp.Or(cmp.Compare(b.waste, a.waste), cmp.Compare(a.order, b.order))
	})
	return out
}

// stapleOf says as what an atom recurs: a generic one by its identity where that recurs, else a
// command by its shape; a file that nobody may name, another each time, as nothing.
func stapleOf(a atom, same map[atomID]bool, w *words) (atomID, bool) {
	if a.named || !isGeneric(w.list[a.sig]) {
		return atomID{sig: a.sig}, true
	}
	if k := (atomID{a.sig, a.identity}); same[k] {
		return k, true
	}
	return atomID{sig: a.sig}, strings.HasPrefix(w.list[a.sig], "Bash ")
}

// stapleCount gathers one staple over the uses.
type stapleCount struct {
	stapleData
	first    uint64 // identity of its first occurrence
	lastUse  int
	lastTurn *strandTurn
	// turns of the present use that hold it, and its part of their cost; opened says that the
	// first of them stands in the opening.
	inUse  []share
	opened bool
	// spare is its part of what not making that first turn would save.
	spare share
}

// see counts one occurrence: in use u, in a turn that n atoms share.
func (s *stapleCount) see(u int, a atom, turn *strandTurn, n int64, opening bool) {
	part := share{turn.cost / n, turn.amount.part(n)}
	spared := share{turn.spared.cost / n, turn.spared.amount.part(n)}
	if s.lastUse != u {
		s.settle()
		s.lastUse = u
		s.support++
	}
	s.occurrences++
	s.constant = s.constant && s.first == a.identity
	again := turn == s.lastTurn
	s.lastTurn = turn
	if !again {
		s.rows = append(s.rows, Place{turn.file, turn.line})
	}
	if turn.class != mechanical {
		return
	}
	s.waste += part.cost
	if again {
		s.inUse[len(s.inUse)-1].add(part)
		if len(s.inUse) == 1 {
			s.spare.add(spared)
		}
		return
	}
	s.turns++
	if len(s.inUse) == 0 {
		s.opened, s.spare = opening, spared
	}
	s.inUse = append(s.inUse, part)
}

// settle ends a use: one turn less had it been preloaded, all but one had a script done it.
func (s *stapleCount) settle() {
	if s.opened {
		s.opening++
		s.preload.add(s.spare)
	}
	for i := 1; i < len(s.inUse); i++ {
		s.script.add(s.inUse[i])
	}
	s.inUse, s.opened = s.inUse[:0], false
}

// spared is what not making a turn would save.
func (m *measurement) spared(t *transcript.Turn) share {
	n := unmade(t.Tokens)
	money, ok := m.prices.Cost(t.Model, t.Time, t.Fast, n)
	return share{m.prices.Weigh(t.Model, t.Time, n), amount{money, !ok}}
}

// unmade are the tokens that not making a turn spares: its output, that output's place in the
// cache, and one reading of its whole prompt. Not what it wrote of the prompt: the next turn
// would have to write that, and reads one prompt less instead. (In the first turn of a session
// with a cold cache that is nearly all that it cost.)
func unmade(t audit.Tokens) audit.Tokens {
	n := audit.Tokens{Input: t.Input, Output: t.Output, CacheRead: t.CacheRead + t.CacheWrite5m + t.CacheWrite1h}
	switch {
	case t.CacheWrite1h > 0:
		n.CacheWrite1h = t.Output
	case n.CacheRead > 0:
		n.CacheWrite5m = t.Output
	}
	return n
}

type share struct {
	cost   int64
	amount amount
}

func (s *share) add(o share) {
	s.cost += o.cost
	s.amount.add(o.amount)
}

// atomID is an atom with its very arguments.
type atomID struct {
	sig int32
	id  uint64
}

// recurring finds the generic atoms whose very file or command stands in most invocations, and
// the number of invocations that call a tool.
func recurring(c *component, w *words) (same map[atomID]bool, uses int) {
	seen := map[atomID]useCount{}
	for u, use := range c.uses {
		calls := false
		for _, st := range use.strands {
			calls = calls || hasCall(st)
			for _, a := range st.atoms {
				if k := (atomID{a.sig, a.identity}); !a.named && isGeneric(w.list[a.sig]) {
					seen[k] = seen[k].in(u)
				}
			}
		}
		if calls {
			uses++
		}
	}
	same = map[atomID]bool{}
	for k, s := range seen {
		if s.uses >= minSupport && ppm(int64(s.uses), int64(uses)) >= stapleShare {
			same[k] = true
		}
	}
	return same, uses
}

// openingEnd is the number of the strand's first turn that is neither mechanical nor mere
// bookkeeping; agents' strands have no opening of the invocation.
func openingEnd(st *strand) int32 {
	if st.agent != "" {
		return 0
	}
	for i, t := range st.turns {
		if t.class != mechanical && !t.idle {
			return int32(i)
		}
	}
	return int32(len(st.turns))
}

func hasCall(st *strand) bool {
	for _, s := range st.steps {
		if s.sig != textStep {
			return true
		}
	}
	return false
}
