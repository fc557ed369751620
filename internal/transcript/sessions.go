package transcript

import (
	"cmp"
	"iter"
	"slices"
)

// Sessions yields each session, in the order of their ids. A session and all that it
// holds is valid only until the next one is asked for. Where digests are kept, Err says
// afterwards whether all were whole.
func (h *History) Sessions() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		b := h.Builder()
		for i := range h.Len() {
			if s := b.Session(i); s != nil && !yield(s) {
				return
			}
		}
	}
}

// Len is how many sessions there may be.
func (h *History) Len() int { return len(h.sessions) }

// LargestFirst is the order in which several workers take the sessions to end together.
func (h *History) LargestFirst() []int {
	order := make([]int, h.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(h.sessions[b].size.turns, h.sessions[a].size.turns) })
	return order
}

// Builder is for one goroutine; several builders may work at once.
func (h *History) Builder() *Builder { return &Builder{history: h} }

// Session is the i-th session in the order of ids, nil when no row of it counts. It and
// all that it holds is valid only until the builder is asked for another or to let it go.
func (b *Builder) Session(i int) *Session { return b.build(b.history.sessions[i]) }

// Release lets the session go: a whole history may be one.
func (b *Builder) Release() { b.reset("") }

// span has a reader read a stretch of a file's events, one after the other.
func (h *History) span(r *reader, at *span) func(yield func() bool) {
	return func(yield func() bool) {
		d := h.digests[at.file]
		if d.load() != nil {
			h.damaged.Store(true)
			return
		}
		for r.openAt(h.names, d, at.start); r.next() && !r.past(at); {
			if !yield() {
				return
			}
		}
		if r.bad {
			h.damaged.Store(true)
		}
	}
}
