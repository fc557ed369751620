package transcript

import (
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"
)

// view is what the merge wants of one digest: the stretches of its sessions, and of each
// conversation the keys of its turns and marks. It is packed and kept beside the events,
// so that of a file that has not changed no event is read unless one of its sessions is
// put together.
type view struct {
	copies    copies
	fork      uint32 // of the file's own session: place of the scope that it was forked from, plus one
	threads   []threadRows
	agents    []agentRow
	stretches []stretch
	flaws     []flaw // the first of them
	more      int    // flaws beyond those
	bad       bool

	index map[uint32]int // of threads by place, while they are gathered
}

// threadRows are the rows of one conversation. Of rows of a turn that follow each other
// there is one.
type threadRows struct {
	place        uint32 // of its scope
	turns, marks []uint64
	unkeyed      int32 // marks that nothing tells from their copies
}

// agentRow is a result that names an agent: a plain record.
type agentRow struct{ agent, place uint32 }

// flaw is a line that was not read: its number in the file, and what is wrong with it.
type flaw struct {
	line int32
	kind byte
}

// stretch is a run of events of one session.
type stretch struct {
	place       uint32 // of its first scope
	start       spot
	segment, at int // where its last event ends
}

func (v *view) clear() {
	clear(v.index)
	*v = view{threads: v.threads[:0], agents: v.agents[:0], stretches: v.stretches[:0], flaws: v.flaws[:0], index: v.index}
}

// thread is the rows of a scope's conversation.
func (v *view) thread(place uint32) *threadRows {
	if i, ok := v.index[place]; ok {
		return &v.threads[i]
	}
	if v.index == nil {
		v.index = map[uint32]int{}
	}
	v.index[place] = len(v.threads)
	return v.newThread(place)
}

func (v *view) newThread(place uint32) *threadRows {
	n := len(v.threads)
	if n == cap(v.threads) {
		v.threads = append(v.threads, threadRows{})
	} else {
		v.threads = v.threads[:n+1] // its room is used again
	}
	t := &v.threads[n]
	*t = threadRows{place: place, turns: t.turns[:0], marks: t.marks[:0]}
	return t
}

// read fills the view from a digest.
func (v *view) read(e *reader, n *names, d *digest) {
	v.clear()
	own := d.source.session()
	begun := d.source.agent() != "" // only a main file can be a fork's
	var t *threadRows
	var s *stretch
	for e.survey(n, d); e.next(); {
		scope := &n.scopes[e.place]
		if t == nil || t.place != e.place {
			t = v.thread(e.place)
			if s == nil || n.scopes[s.place].session != scope.session {
				v.stretches = append(v.stretches, stretch{place: e.place})
				s = &v.stretches[len(v.stretches)-1]
				if d.copies.turns == 0 { // else what belongs to whom needs the file from its start
					s.start = e.entry
				}
			}
		}
		switch {
		case e.kind == evTurn:
			if begun = begun || scope.session == own; !begun && scope.agent == "" && !scope.unnamed {
				v.fork = e.place + 1
			}
			if k := len(t.turns); k == 0 || t.turns[k-1] != e.turn.key {
				t.turns = append(t.turns, e.turn.key)
			}
		case e.kind == evMark && e.mark.row == 0:
			t.unkeyed++
		case e.kind == evMark:
			t.marks = append(t.marks, e.mark.row)
		case e.kind == evResult && e.agent != 0:
			v.agents = append(v.agents, agentRow{e.agent, e.place})
		}
		s.segment, s.at = e.segment, e.i
	}
	v.copies, v.bad = d.copies, e.bad
	v.readFlaws(n, d)
}

// maxFlaws is how many lines of one file are named in warnings; the rest are counted.
const maxFlaws = 20

func (v *view) readFlaws(n *names, d *digest) {
	base := int32(0)
	for i := range d.segments {
		s := &d.segments[i]
		if s.bad+s.odd+s.long > 0 {
			var e events
			for e.open(n, s.events); e.next(); {
				switch {
				case e.kind != evFlaw:
				case len(v.flaws) < maxFlaws:
					v.flaws = append(v.flaws, flaw{base + e.line + 1, e.flaw})
				default:
					v.more++
				}
			}
		}
		base += s.lines
	}
}

// pack is the view in bytes. Scopes are said by their records, whose numbers stay.
func (v *view) pack(n *names) []byte {
	var b []byte
	uint := func(v uint64) { b = binary.AppendUvarint(b, v) }
	scope := func(place uint32) { uint(uint64(n.scopes[place].record)) }
	uint(uint64(v.copies.turns))
	if v.copies.turns > 0 {
		scope(v.copies.first)
	}
	if uint(uint64(min(v.fork, 1))); v.fork > 0 {
		scope(v.fork - 1)
	}
	uint(uint64(len(v.threads)))
	for i := range v.threads {
		t := &v.threads[i]
		scope(t.place)
		uint(uint64(t.unkeyed))
		for _, keys := range [...][]uint64{t.turns, t.marks} {
			uint(uint64(len(keys)))
			for _, k := range keys {
				b = binary.LittleEndian.AppendUint64(b, k)
			}
		}
	}
	uint(uint64(len(v.agents)))
	for _, a := range v.agents {
		uint(uint64(a.agent))
		scope(a.place)
	}
	uint(uint64(len(v.flaws)))
	for _, f := range v.flaws {
		uint(uint64(f.line))
		uint(uint64(f.kind))
	}
	uint(uint64(v.more))
	uint(uint64(len(v.stretches)))
	for i := range v.stretches {
		s := &v.stretches[i]
		scope(s.place)
		uint(uint64(s.segment))
		uint(uint64(s.at))
		at := &s.start
		if *at == (spot{}) {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		for _, v := range [...]int64{int64(at.segment), int64(at.i), int64(at.base), int64(at.line), int64(at.scope), at.time, at.tokens.Input, at.tokens.Output,
			at.tokens.CacheRead, at.tokens.CacheWrite5m, at.tokens.CacheWrite1h, at.tokens.WebSearches} {
			b = binary.AppendVarint(b, v)
		}
		b = binary.LittleEndian.AppendUint64(b, at.key)
	}
	return b
}

// unpack fills the view from a digest's packed one.
func (v *view) unpack(n *names, d *digest) {
	v.clear()
	u := unpacker{rest: d.view}
	scope := func() uint32 { return n.place[n.checked(&u, recordScope)] }
	if v.copies.turns = int32(u.uint()); v.copies.turns > 0 {
		v.copies.first = scope()
	}
	if u.uint() > 0 {
		v.fork = scope() + 1
	}
	for k := u.count(); k > 0 && !u.bad; k-- {
		t := v.newThread(scope())
		t.unkeyed = int32(min(u.upTo(d.size()+1), math.MaxInt32)) // room is made for them
		for _, keys := range [...]*[]uint64{&t.turns, &t.marks} {
			packed := u.take(8 * u.count())
			for ; len(packed) > 0; packed = packed[8:] {
				*keys = append(*keys, binary.LittleEndian.Uint64(packed))
			}
		}
	}
	for k := u.count(); k > 0 && !u.bad; k-- {
		v.agents = append(v.agents, agentRow{n.checked(&u, recordPlain), scope()})
	}
	for k := u.count(); k > 0 && !u.bad; k-- {
		v.flaws = append(v.flaws, flaw{int32(u.uint()), byte(u.upTo(len(flaws)))})
	}
	v.more = int(u.uint())
	for k := u.count(); k > 0 && !u.bad; k-- {
		s := stretch{place: scope(), segment: u.upTo(len(d.segments)), at: int(u.uint())}
		if u.uint() > 0 {
			at := &s.start
			at.segment, at.i, at.base, at.line, at.scope = int(u.int()), int(u.int()), int32(u.int()), int32(u.int()), uint32(u.int())
			at.time = u.int()
			for _, v := range [...]*int64{&at.tokens.Input, &at.tokens.Output, &at.tokens.CacheRead, &at.tokens.CacheWrite5m, &at.tokens.CacheWrite1h, &at.tokens.WebSearches} {
				*v = u.int()
			}
			at.key = u.hash()
			if at.segment < 0 || at.segment >= len(d.segments) || at.i < 0 || !n.is(uint64(at.scope), recordScope) {
				u.fail()
			}
		}
		v.stretches = append(v.stretches, s)
	}
	v.bad = u.bad || len(u.rest) > 0
}

// makeViews makes the views of digests that have none, by several workers.
func (h *History) makeViews(workers int) error {
	var next atomic.Int64
	var bad atomic.Bool
	var group sync.WaitGroup
	for range min(workers, len(h.digests)) {
		group.Go(func() {
			var v view
			var e reader
			for {
				i := int(next.Add(1)) - 1
				if i >= len(h.digests) {
					return
				}
				if d := h.digests[i]; d.view == nil {
					if v.read(&e, h.names, d); v.bad {
						bad.Store(true)
					}
					d.view = v.pack(h.names)
				}
			}
		})
	}
	group.Wait()
	if bad.Load() {
		return errDigest
	}
	return nil
}
