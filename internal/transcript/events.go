package transcript

import (
	"encoding/binary"
	"errors"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

var errDigest = errors.New("a packed digest is damaged")

// events reads a segment's events back, one at a time, into its own fields.
type events struct {
	names *names
	in    []byte
	i     int
	bad   bool

	kind   byte
	line   int32 // 0-based within the segment
	scope  uint32
	turn   turnRow
	mark   markRow
	total  totalRow
	call   uint64 // evResult, evReuse
	bytes  int32
	failed bool   // evResult
	agent  uint32 // evResult, plain record
	flaw   byte

	time  int64
	atoms []uint64
}

func (e *events) open(n *names, in []byte) {
	turn, total, atoms := e.turn, e.total, e.atoms
	*e = events{names: n, in: in, atoms: atoms[:0]}
	e.turn.calls, e.turn.advisors, e.total.models = turn.calls[:0], turn.advisors[:0], total.models[:0]
}

// next reads one event; false at the end or where the bytes make no sense (bad).
func (e *events) next() bool {
	if e.bad || e.i >= len(e.in) {
		return false
	}
	b := e.in[e.i]
	e.i++
	e.kind = b & 7
	delta := uint64(b >> 3)
	if delta == 31 {
		delta = e.uint()
	}
	e.line += int32(delta)
	switch e.kind {
	case evScope:
		e.scope = e.record(recordScope)
	case evTurn:
		e.readTurn()
	case evResult:
		e.call = e.hash()
		v := e.uint()
		e.failed, e.bytes, e.agent = v&1 != 0, int32(v>>2), 0
		if v&2 != 0 {
			e.agent = e.record(recordPlain)
		}
	case evReuse:
		e.call = e.hash()
		e.bytes = int32(e.uint())
	case evMark:
		e.readMark()
	case evFlaw:
		if e.flaw = e.byte(); e.flaw > flawLong {
			e.bad = true
		}
	case evTotal:
		e.readTotal()
	}
	return !e.bad
}

func (e *events) byte() byte {
	if e.i >= len(e.in) {
		e.bad = true
		return 0
	}
	e.i++
	return e.in[e.i-1]
}

func (e *events) uint() uint64 {
	if i := e.i; i+2 < len(e.in) {
		b := e.in[i : i+3 : i+3]
		switch {
		case b[0] < 0x80:
			e.i = i + 1
			return uint64(b[0])
		case b[1] < 0x80:
			e.i = i + 2
			return uint64(b[0]&0x7f) | uint64(b[1])<<7
		case b[2] < 0x80:
			e.i = i + 3
			return uint64(b[0]&0x7f) | uint64(b[1]&0x7f)<<7 | uint64(b[2])<<14
		}
	}
	v, n := binary.Uvarint(e.in[e.i:])
	if n <= 0 {
		e.bad = true
		return 0
	}
	e.i += n
	return v
}

func (e *events) hash() uint64 {
	if e.i+8 > len(e.in) {
		e.bad = true
		return 0
	}
	e.i += 8
	return binary.LittleEndian.Uint64(e.in[e.i-8:])
}

func (e *events) when() int64 {
	v, n := binary.Varint(e.in[e.i:])
	if n <= 0 {
		e.bad = true
		return 0
	}
	e.i += n
	e.time += v
	return e.time
}

// record is the number of an existing record of a kind.
func (e *events) record(kind byte) uint32 {
	v := e.uint()
	if !e.names.is(v, kind) {
		e.bad = true
		return 0
	}
	return uint32(v)
}

func (e *events) count() int {
	v := e.uint()
	if v > uint64(len(e.in)) { // each element takes a byte at least
		e.bad = true
		return 0
	}
	return int(v)
}

func (e *events) counters() (t audit.Tokens) {
	t.Input, t.Output, t.CacheRead = int64(e.uint()), int64(e.uint()), int64(e.uint())
	t.CacheWrite5m, t.CacheWrite1h = int64(e.uint()), int64(e.uint())
	t.WebSearches = int64(e.uint())
	return t
}

func (e *events) readTurn() {
	t := &e.turn
	t.flags = e.byte()
	if t.flags&turnSameKey == 0 {
		t.key = e.hash()
	}
	t.origin = e.record(recordOrigin)
	t.time, t.text, t.rowID, t.advisors, t.calls = 0, 0, 0, t.advisors[:0], t.calls[:0]
	if t.flags&turnTimed != 0 {
		t.time = e.when()
	}
	if t.flags&turnSameTokens == 0 {
		t.tokens = e.counters()
	}
	if t.flags&turnSpeaks != 0 {
		t.text = int32(e.uint())
		if e.i+4 > len(e.in) {
			e.bad = true
			return
		}
		t.rowID = binary.LittleEndian.Uint32(e.in[e.i:])
		e.i += 4
	}
	if t.flags&turnAdvised != 0 {
		for n := e.count(); n > 0 && !e.bad; n-- {
			t.advisors = append(t.advisors, advised{e.record(recordPlain), e.counters()})
		}
	}
	e.atoms = e.atoms[:0]
	for n := e.count(); n > 0 && !e.bad; n-- {
		c := callRow{id: e.hash(), class: e.record(recordShape), identity: e.hash()}
		if e.bad {
			return
		}
		from := len(e.atoms)
		for range e.names.shapes[e.names.place[c.class]].atoms {
			if e.byte() == 1 {
				e.atoms = append(e.atoms, c.identity)
			} else {
				e.atoms = append(e.atoms, e.hash())
			}
		}
		c.atoms = e.atoms[from:len(e.atoms):len(e.atoms)]
		t.calls = append(t.calls, c)
	}
}

func (e *events) readMark() {
	flags := e.byte()
	e.mark = markRow{kind: MarkKind(flags & 31), row: e.hash()}
	if flags&markTimed != 0 {
		e.mark.time = e.when()
	}
	if flags&markClassed != 0 {
		e.mark.class = e.record(recordMark)
		e.mark.dirHash = e.hash()
	}
	if flags&markCalled != 0 {
		e.mark.call = e.hash()
	}
}

func (e *events) readTotal() {
	e.total.cost, e.total.models = int64(e.uint()), e.total.models[:0]
	for n := e.count(); n > 0 && !e.bad; n-- {
		m := modelTotal{model: e.record(recordPlain)}
		for _, v := range [...]*int64{&m.input, &m.output, &m.read, &m.write, &m.write1h, &m.searches, &m.cost} {
			*v = int64(e.uint())
		}
		e.total.models = append(e.total.models, m)
	}
}
