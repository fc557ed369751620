package scan

import "slices"

// found is a pattern with all places at which it stands, each a list of token positions.
type found struct {
	syms   []int32
	places [][]int32
}

// occ is one end of a pattern; parent is the occurrence of the pattern without its last symbol.
type occ struct{ end, parent int32 }

// search finds the closed patterns of one text.
type search struct {
	t       *text
	support int
	work    int // occurrences that may still be looked at
	keep    int // token positions that may still be kept
	out     []found
	stack   [][]occ
	syms    []int32
	// buckets gather occurrences by symbol; between two splits they are empty. touched are the
	// symbols of those that are not.
	buckets []bucket
	touched []int32
}

// bucket holds occurrences that end in the same symbol, and the number of uses that they stand in.
type bucket struct {
	occs []occ
	uses int
	last int32 // use
}

// mine returns the frequent patterns that no extension to the right keeps whole, and the
// support that the search ended up with.
func (t *text) mine() ([]found, int) {
	for support := minSupport; ; support *= 2 {
		s := &search{t: t, support: support, work: maxWork, keep: maxKept, buckets: make([]bucket, len(t.symbols))}
		for i := range t.tokens {
			if t.tokens[i].mech {
				s.add(occ{int32(i), -1})
			}
		}
		for _, ext := range s.frequent() {
			s.grow(ext, 0)
		}
		if s.work > 0 && s.keep > 0 {
			return s.out, support
		}
	}
}

// extension is a pattern's next symbol and where the longer pattern ends.
type extension struct {
	sym  int32
	occs []occ
}

// add puts an occurrence into its bucket. Ends come in order, and so do their uses.
func (s *search) add(o occ) {
	k := &s.t.tokens[o.end]
	b := &s.buckets[k.sym]
	switch n := len(b.occs); {
	case n == 0:
		s.touched = append(s.touched, k.sym)
		b.uses, b.last = 0, -1
	case b.occs[n-1].end == o.end:
		b.occs[n-1] = o // the nearer predecessor
		return
	}
	if k.use != b.last {
		b.uses, b.last = b.uses+1, k.use
	}
	b.occs = append(b.occs, o)
}

// frequent empties the buckets and keeps the frequent ones, in the order of symbols.
func (s *search) frequent() (out []extension) {
	slices.Sort(s.touched)
	for _, sym := range s.touched {
		b := &s.buckets[sym]
		if b.uses >= s.support {
			out = append(out, extension{sym, slices.Clone(b.occs)})
		}
		b.occs = b.occs[:0]
	}
	s.touched = s.touched[:0]
	return out
}

// grow follows a pattern, of whose symbols so many as generics are generic reads, to its ends.
func (s *search) grow(e extension, generics int) {
	if s.work -= len(e.occs); s.work <= 0 || s.keep <= 0 {
		return
	}
	if s.t.symbols[e.sym].generic {
		generics++
	}
	s.syms, s.stack = append(s.syms, e.sym), append(s.stack, e.occs)
	closed := true
	if len(s.syms) < maxLength {
		for _, x := range s.extensions(e.occs) {
			if generics == maxGeneric && s.t.symbols[x.sym].generic || s.parted(e.occs, x.occs) {
				continue
			}
			if len(x.occs) >= len(e.occs) {
				closed = false
			}
			s.grow(x, generics)
		}
	}
	if closed && len(s.syms) >= minLength && generics < len(s.syms) { // nothing but generic reads is no candidate
		if s.keep -= len(e.occs) * len(s.syms); s.keep > 0 {
			s.out = append(s.out, found{slices.Clone(s.syms), s.places(e.occs)})
		}
	}
	s.syms, s.stack = s.syms[:len(s.syms)-1], s.stack[:len(s.stack)-1]
}

// extensions are the frequent ways in which occurrences go on in their strands.
func (s *search) extensions(occs []occ) []extension {
	tokens := s.t.tokens
	for i, o := range occs {
		for p := o.end + 1; p <= o.end+1+maxGap && int(p) < len(tokens) && tokens[p].strand == tokens[o.end].strand; p++ {
			if tokens[p].mech {
				s.add(occ{p, int32(i)})
			}
		}
	}
	return s.frequent()
}

// parted: in most occurrences a call that acts stands before the last one. Acting is the
// caller's (rubric 3.1), so what stands on either side are two steps.
func (s *search) parted(before, after []occ) bool {
	acted := 0
	for _, o := range after {
		for tok := before[o.parent].end + 1; tok < o.end; tok++ {
			if s.t.tokens[tok].acts {
				acted++
			}
		}
	}
	return 2*acted > len(after)
}

// places follows each occurrence back to its first token.
func (s *search) places(occs []occ) [][]int32 {
	out := make([][]int32, len(occs))
	flat := make([]int32, len(occs)*len(s.syms))
	for i, o := range occs {
		p := flat[i*len(s.syms) : (i+1)*len(s.syms)]
		for d := len(s.syms) - 1; d >= 0; d-- {
			p[d] = o.end
			if d > 0 {
				o = s.stack[d-1][o.parent]
			}
		}
		out[i] = p
	}
	return out
}
