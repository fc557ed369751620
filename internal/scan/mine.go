package scan

import (
	"cmp"
	"slices"
	"strings"
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

// text is all calls of a component, strand after strand, ready for mining.
type text struct {
	tokens []token
	// strands and turns behind the tokens.
	strands []*strand
}

// token is one call in the text.
type token struct {
	sym    int32 // symbol: a signature, or a signature with one recurring identity
	use    int32
	strand int32
	step   int32
	mech   bool
	// acts: it may change something.
	acts bool
}

// symbol is what a pattern is made of.
type symbol struct {
	sig      int32
	identity uint64 // 0: any
	generic  bool
}

// newText lays out the component's uses. Generic reads whose very file or command recurs in
// enough uses become symbols of their own: the same file, though nobody may say which.
func newText(c *component, w *words) (*text, []symbol) {
	t := &text{}
	recurs := map[atomID]useCount{}
	for u, use := range c.uses {
		for _, st := range use.strands {
			for _, s := range st.steps {
				if s.mech && isGeneric(w.list[s.sig]) {
					k := atomID{s.sig, s.identity}
					recurs[k] = recurs[k].in(u)
				}
			}
		}
	}
	ids := map[symbol]int32{}
	var symbols []symbol
	for u, use := range c.uses {
		for _, st := range use.strands {
			t.strands = append(t.strands, st)
			for i, s := range st.steps {
				sym := symbol{sig: s.sig}
				if s.mech && isGeneric(w.list[s.sig]) {
					if recurs[atomID{s.sig, s.identity}].uses >= minSupport {
						sym.identity = s.identity
					} else {
						sym.generic = true
					}
				}
				id, ok := ids[sym]
				if !ok {
					id = int32(len(symbols))
					ids[sym] = id
					symbols = append(symbols, sym)
				}
				t.tokens = append(t.tokens, token{sym: id, use: int32(u), strand: int32(len(t.strands) - 1), step: int32(i), mech: s.mech, acts: st.turns[s.turn].class == acting})
			}
		}
	}
	return t, symbols
}

// useCount counts distinct uses that are looked at one after the other.
type useCount struct{ uses, next int32 }

// in adds use u, once.
func (s useCount) in(u int) useCount {
	if s.uses == 0 || s.next != int32(u)+1 {
		s.uses, s.next = s.uses+1, int32(u)+1
	}
	return s
}

// isGeneric: a read that could be of anything: its signature names neither file nor purpose.
func isGeneric(sig string) bool {
	switch sig {
	case "Grep", "Glob", "LS":
		return true
	}
	if strings.HasPrefix(sig, "Read <path") || strings.HasPrefix(sig, "NotebookRead <path") {
		return true
	}
	rest, ok := strings.CutPrefix(sig, "Bash ")
	if !ok {
		return false
	}
	for part := range strings.SplitSeq(rest, "; ") {
		switch part {
		case "cat", "head", "tail", "less", "ls", "grep", "rg", "sed", "find", "wc", "sort", "tree", "pwd", "file":
		default:
			return false
		}
	}
	return true
}

func (t *text) turn(tok int32) *strandTurn {
	k := &t.tokens[tok]
	st := t.strands[k.strand]
	return &st.turns[st.steps[k.step].turn]
}

// found is a pattern with all places at which it stands, each a list of token positions.
type found struct {
	syms   []int32
	places [][]int32
}

// occ is one end of a pattern; parent is the occurrence of the pattern without its last symbol.
type occ struct{ end, parent int32 }

// miner searches the closed patterns of one text.
type miner struct {
	t       *text
	symbols []symbol
	support int
	work    int // occurrences that may still be looked at
	keep    int // token positions that may still be kept
	out     []found
	stack   [][]occ
	syms    []int32
}

// mine returns the frequent patterns that no extension to the right keeps whole, and the
// support that the search ended up with.
func (t *text) mine(symbols []symbol) ([]found, int) {
	for support := minSupport; ; support *= 2 {
		m := &miner{t: t, symbols: symbols, support: support, work: maxWork, keep: maxKept}
		var first []occ
		for i := range t.tokens {
			if t.tokens[i].mech {
				first = append(first, occ{int32(i), -1})
			}
		}
		for _, ext := range m.split(first, func(o occ) []occ { return []occ{o} }) {
			m.grow(ext)
		}
		if m.work > 0 && m.keep > 0 {
			return m.out, support
		}
	}
}

type extension struct {
	sym  int32
	occs []occ
}

// split groups the occurrences that next gives by their last symbol, in the order of symbols,
// and keeps the frequent ones.
func (m *miner) split(occs []occ, next func(occ) []occ) []extension {
	by := map[int32][]occ{}
	for _, o := range occs {
		for _, n := range next(o) {
			sym := m.t.tokens[n.end].sym
			list := by[sym]
			if k := len(list); k > 0 && list[k-1].end == n.end {
				list[k-1] = n // the nearer predecessor
				continue
			}
			by[sym] = append(list, n)
		}
	}
	var out []extension
	for sym, list := range by {
		if m.uses(list) >= m.support {
			out = append(out, extension{sym, list})
		}
	}
	slices.SortFunc(out, func(a, b extension) int { return cmp.Compare(a.sym, b.sym) })
	return out
}

// uses is the number of distinct uses in which the occurrences stand; tokens are in the order of uses.
func (m *miner) uses(occs []occ) int {
	n, last := 0, int32(-1)
	for _, o := range occs {
		if u := m.t.tokens[o.end].use; u != last {
			n, last = n+1, u
		}
	}
	return n
}

func (m *miner) grow(e extension) {
	if m.work -= len(e.occs); m.work <= 0 || m.keep <= 0 {
		return
	}
	m.syms = append(m.syms, e.sym)
	m.stack = append(m.stack, e.occs)
	defer func() {
		m.syms, m.stack = m.syms[:len(m.syms)-1], m.stack[:len(m.stack)-1]
	}()
	closed := true
	if len(m.syms) < maxLength {
		parent := int32(0)
		exts := m.split(e.occs, func(o occ) []occ {
			at := parent
			parent++
			var out []occ
			for p := o.end + 1; p <= o.end+1+maxGap && int(p) < len(m.t.tokens); p++ {
				if m.t.tokens[p].strand != m.t.tokens[o.end].strand {
					break
				}
				if m.t.tokens[p].mech {
					out = append(out, occ{p, at})
				}
			}
			return out
		})
		for _, x := range exts {
			if m.generics(x.sym) > maxGeneric || m.parted(e.occs, x.occs) {
				continue
			}
			if len(x.occs) >= len(e.occs) {
				closed = false
			}
			m.grow(x)
		}
	}
	if closed && len(m.syms) >= minLength && !m.onlyGeneric() {
		if m.keep -= len(e.occs) * len(m.syms); m.keep <= 0 {
			return
		}
		m.out = append(m.out, found{slices.Clone(m.syms), m.places(e.occs)})
	}
}

// parted: in most occurrences a call that acts stands before the last one. Acting is the
// caller's (rubric 3.1), so what stands on either side are two steps.
func (m *miner) parted(before, after []occ) bool {
	acted := 0
	for _, o := range after {
		for tok := before[o.parent].end + 1; tok < o.end; tok++ {
			if m.t.tokens[tok].acts {
				acted++
			}
		}
	}
	return 2*acted > len(after)
}

func (m *miner) generics(next int32) int {
	n := 0
	for _, s := range append(m.syms, next) {
		if m.symbols[s].generic {
			n++
		}
	}
	return n
}

// onlyGeneric: nothing but generic reads is no candidate.
func (m *miner) onlyGeneric() bool {
	for _, s := range m.syms {
		if !m.symbols[s].generic {
			return false
		}
	}
	return true
}

// places follows each occurrence back to its first token.
func (m *miner) places(occs []occ) [][]int32 {
	out := make([][]int32, len(occs))
	flat := make([]int32, len(occs)*len(m.syms))
	for i, o := range occs {
		p := flat[i*len(m.syms) : (i+1)*len(m.syms)]
		for d := len(m.syms) - 1; d >= 0; d-- {
			p[d] = o.end
			if d > 0 {
				o = m.stack[d-1][o.parent]
			}
		}
		out[i] = p
	}
	return out
}
