package scan

import (
	"cmp"
	"slices"

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
	rows            []evidence
	// identity is set where only it tells what is read.
	identity uint64
	order    int
}

// staples finds the mechanical atoms that most invocations of a component hold: an own or listed
// file, the very same file or generic command where only its identity tells, or a command's shape.
func (m *miner) staples(c *component) []stapleData {
	reads, uses := m.reads(c)
	if uses < minSupport {
		return nil
	}
	var list []*stapleCount // in the order of their first occurrences
	for u, use := range c.uses {
		for _, st := range use.strands {
			opens := openingEnd(st)
			for from, to := 0, 0; from < len(st.atoms); from = to {
				for to = from; to < len(st.atoms) && st.atoms[to].turn == st.atoms[from].turn; {
					to++
				}
				for _, a := range st.atoms[from:to] {
					number, identity := &m.plain[a.sig], uint64(0)
					if m.unnamed(a) {
						switch read := reads.next(); {
						case recurs(read.uses, uses):
							number, identity = &read.number, a.identity
						case m.traits[a.sig]&command == 0:
							continue // a file that nobody may name, another each time
						}
					}
					if *number == 0 {
						list = append(list, &stapleCount{stapleData: stapleData{sig: a.sig, identity: identity, constant: true, order: len(list)}, first: a.identity, lastUse: -1})
						*number = int32(len(list))
					}
					list[*number-1].see(u, a, &st.turns[a.turn], int64(to-from), a.turn < opens)
				}
			}
		}
	}
	var out []stapleData
	for _, s := range list {
		m.plain[s.sig] = 0
		s.settle()
		if s.waste == 0 || !recurs(int32(s.support), uses) {
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

// unnamed: only its identity tells what the atom reads.
func (m *miner) unnamed(a atom) bool { return !a.named && m.traits[a.sig]&vague != 0 }

// recurs: what stands in so many of the uses is a staple.
func recurs(in int32, uses int) bool {
	return in >= minSupport && ppm(int64(in), int64(uses)) >= stapleShare
}

// reads counts the uses of each generic file or command of a component, and its invocations that
// call a tool.
func (m *miner) reads(c *component) (r recurrence, uses int) {
	for u, use := range c.uses {
		calls := false
		for _, st := range use.strands {
			calls = calls || hasCall(st)
			for _, a := range st.atoms {
				if m.unnamed(a) {
					r.add(a.sig, a.identity, u)
				}
			}
		}
		if calls {
			uses++
		}
	}
	r.count()
	return r, uses
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
		s.rows = append(s.rows, turn.evidence(0))
	}
	if turn.class != mechanical {
		return
	}
	part := share{turn.cost / n, turn.amount.part(n)}
	s.waste += part.cost
	s.rows[len(s.rows)-1].waste += part.cost
	if !again {
		s.turns++
		s.inUse = append(s.inUse, share{})
	}
	s.inUse[len(s.inUse)-1].add(part)
	if len(s.inUse) > 1 {
		return
	}
	if !again {
		s.opened, s.spare = opening, share{}
	}
	s.spare.add(share{turn.spared.cost / n, turn.spared.amount.part(n)})
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
