package scan

import "strings"

// text is all calls of a component, strand after strand, ready for mining.
type text struct {
	tokens []token
	// strands and turns behind the tokens.
	strands []*strand
	symbols []symbol
	// at is where the mechanical tokens of each symbol stand.
	at [][]int32
}

// token is one call in the text.
type token struct {
	sym    int32 // symbol: a signature, or a signature with one recurring identity
	use    int32
	strand int32
	step   int32 // in its strand, as is its turn
	turn   int32
	mech   bool
	// acts: it may change something.
	acts bool
	// cost is its turn's.
	cost int64
}

// symbol is what a pattern is made of.
type symbol struct {
	sig      int32
	identity uint64 // 0: any
	generic  bool
}

// text lays out the component's uses. Generic reads whose very file or command recurs in
// enough uses become symbols of their own: the same file, though nobody may say which.
func (m *miner) text(c *component) *text {
	t := &text{}
	var reads recurrence
	size := 0
	for u, use := range c.uses {
		for _, st := range use.strands {
			t.strands = append(t.strands, st)
			size += len(st.steps)
			for _, s := range st.steps {
				if s.mech && m.traits[s.sig]&vague != 0 {
					reads.add(s.sig, s.identity, u)
				}
			}
		}
	}
	reads.count()
	t.tokens = make([]token, 0, size)
	strand := int32(-1)
	for u, use := range c.uses {
		for _, st := range use.strands {
			strand++
			for i, s := range st.steps {
				sym, number := symbol{sig: s.sig}, &m.plain[s.sig]
				if s.mech && m.traits[s.sig]&vague != 0 {
					if read := reads.next(); read.uses >= minSupport {
						sym.identity, number = s.identity, &read.number
					} else {
						sym.generic, number = true, &m.masked[s.sig]
					}
				}
				if *number == 0 {
					t.symbols = append(t.symbols, sym)
					*number = int32(len(t.symbols))
				}
				turn := &st.turns[s.turn]
				t.tokens = append(t.tokens, token{sym: *number - 1, use: int32(u), strand: strand, step: int32(i), turn: s.turn,
					mech: s.mech, acts: turn.class == acting, cost: turn.cost})
			}
		}
	}
	for _, s := range t.symbols {
		m.plain[s.sig], m.masked[s.sig] = 0, 0
	}
	t.index()
	return t
}

// index fills at.
func (t *text) index() {
	counts := make([]int32, len(t.symbols))
	for i := range t.tokens {
		if t.tokens[i].mech {
			counts[t.tokens[i].sym]++
		}
	}
	t.at = make([][]int32, len(t.symbols))
	for sym, n := range counts {
		t.at[sym] = make([]int32, 0, n)
	}
	for i := range t.tokens {
		if k := &t.tokens[i]; k.mech {
			t.at[k.sym] = append(t.at[k.sym], int32(i))
		}
	}
}

// recurrence tells of generic reads in how many uses the very file or command stands.
type recurrence struct {
	reads []read
	list  []recurring
}

// read is one of them; number is its place in the list, from 1 on.
type read struct {
	identity         uint64
	sig, use, number int32
}

// recurring is one file or command that is read.
type recurring struct {
	useCount
	sig int32
	// other is another one with the same identity, by its number: a command and the call it is of.
	other int32
	// number is what its user calls it, 0 at first.
	number int32
}

// add notes one read after the other.
func (r *recurrence) add(sig int32, identity uint64, use int) {
	r.reads = append(r.reads, read{identity: identity, sig: sig, use: int32(use)})
}

// count is called once all of them are known.
func (r *recurrence) count() {
	numbers := make(map[uint64]int32, len(r.reads))
	for i := range r.reads {
		read := &r.reads[i]
		first := numbers[read.identity]
		n := first
		for n > 0 && r.list[n-1].sig != read.sig {
			n = r.list[n-1].other
		}
		if n == 0 {
			r.list = append(r.list, recurring{sig: read.sig, other: first})
			n = int32(len(r.list))
			numbers[read.identity] = n
		}
		read.number = n
		known := &r.list[n-1]
		known.useCount = known.in(int(read.use))
	}
}

// next is what is known of the first read, then of the next.
func (r *recurrence) next() *recurring {
	n := r.reads[0].number
	r.reads = r.reads[1:]
	return &r.list[n-1]
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
	return &t.strands[k.strand].turns[k.turn]
}

// count is how often calls stand one after another, with the gaps that a sequence may have and
// without overlap; 0 of none.
func (t *text) count(syms []int32) (n int) {
	if len(syms) == 0 {
		return 0
	}
	next := 0
	for _, i := range t.at[syms[0]] {
		if int(i) < next {
			continue
		}
		if end := t.match(syms, int(i)); end > 0 {
			n, next = n+1, end
		}
	}
	return n
}

// match is the token after an occurrence of syms that begins at token i, where the first of
// them stands; 0 when none does.
func (t *text) match(syms []int32, i int) int {
	at := i
next:
	for _, s := range syms[1:] {
		for p := at + 1; p <= at+1+maxGap && p < len(t.tokens) && t.tokens[p].strand == t.tokens[i].strand; p++ {
			if t.tokens[p].mech && t.tokens[p].sym == s {
				at = p
				continue next
			}
		}
		return 0
	}
	return at + 1
}

// starts counts where the sequence begins: its first two symbols (of a pair, its first).
func (t *text) starts(syms []int32) int64 {
	if len(syms) > minLength {
		return int64(t.count(syms[:2]))
	}
	return int64(t.count(syms[:1]))
}

// cost is what the turns of one occurrence cost, each once.
func (t *text) cost(p []int32) (sum int64) {
	last := int32(-1)
	for _, tok := range p {
		if k := &t.tokens[tok]; k.turn != last {
			sum, last = sum+k.cost, k.turn
		}
	}
	return sum
}
