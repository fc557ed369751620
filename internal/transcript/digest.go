package transcript

import (
	"encoding/binary"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// A digest is what is kept of a file: its events in file order, packed. It is all that
// the merge ever sees, whether it was made just now or comes from the cache, so both
// give the same answer. A file read in pieces has one segment a piece; a segment knows
// nothing of the others, so segments made in any order by any worker join by standing
// behind one another.
type segment struct {
	events []byte
	lines  int32 // lines that start in it
	bad    int32
	odd    int32 // lines that are JSON but no object
	long   int32
	// resume is the first line that lines appended later could still change, -1 for none.
	resume place
}

// An event starts with its kind and the lines since the event before (or since the
// segment's start); then what it says.
const (
	evScope  = iota // the events that follow belong to another conversation: scope record
	evTurn          // one assistant row
	evResult        // a tool result: call, error, bytes, agent
	evReuse         // how much of a result the next turn said again: call, bytes
	evMark          // a Mark
	evFlaw          // a line that was not read: its kind
	evTotal         // a cost-state row: the client's own totals
	evWarm          // the conversation is a warm-up
	evKinds
)

// Flaws of lines.
const (
	flawBad = iota
	flawOdd
	flawLong
)

const (
	turnFinal = 1 << iota
	turnFast
	turnThinks
	turnSpeaks
	turnAdvised
	turnTimed
	turnSameKey    // of the turn row before in this segment
	turnSameTokens // likewise
)

// turnRow is what one assistant row says of its turn.
type turnRow struct {
	key      uint64
	time     int64 // 0: none
	origin   uint32
	tokens   audit.Tokens
	flags    byte
	text     int32 // bytes of visible text
	rowID    uint32
	advisors []advised
	calls    []callRow
}

type advised struct {
	model  uint32 // plain record
	tokens audit.Tokens
}

// callRow is one tool_use block.
type callRow struct {
	id, identity uint64
	class        uint32 // shape record
	atoms        []uint64
}

// packer writes a segment's events.
type packer struct {
	out   []byte
	line  int32 // of the event before
	scope uint32
	scoped,
	turned bool
	key    uint64
	time   int64
	tokens audit.Tokens
}

func (p *packer) reset() { *p = packer{out: p.out[:0]} }

// head begins an event at a line, 0-based within the segment.
func (p *packer) head(kind byte, line int32) {
	delta := uint32(line - p.line)
	p.line = line
	if delta < 31 {
		p.out = append(p.out, kind|byte(delta)<<3)
		return
	}
	p.out = append(p.out, kind|31<<3)
	p.uint(uint64(delta))
}

func (p *packer) uint(v uint64)  { p.out = binary.AppendUvarint(p.out, v) }
func (p *packer) hash(v uint64)  { p.out = binary.LittleEndian.AppendUint64(p.out, v) }
func (p *packer) short(v uint32) { p.out = binary.LittleEndian.AppendUint32(p.out, v) }

func (p *packer) when(t int64) {
	p.out = binary.AppendVarint(p.out, t-p.time)
	p.time = t
}

func (p *packer) counters(t audit.Tokens) {
	p.uint(uint64(t.Input))
	p.uint(uint64(t.Output))
	p.uint(uint64(t.CacheRead))
	p.uint(uint64(t.CacheWrite5m))
	p.uint(uint64(t.CacheWrite1h))
	p.uint(uint64(t.WebSearches))
}

// in says whose conversation the next events are.
func (p *packer) in(scope uint32, line int32) {
	if p.scoped && p.scope == scope {
		return
	}
	p.scoped, p.scope = true, scope
	p.head(evScope, line)
	p.uint(uint64(scope))
}

func (p *packer) turn(t *turnRow, line int32) {
	flags := t.flags &^ (turnSameKey | turnSameTokens | turnTimed | turnSpeaks | turnAdvised)
	if p.turned && p.key == t.key {
		flags |= turnSameKey
	}
	if p.turned && p.tokens == t.tokens {
		flags |= turnSameTokens
	}
	if t.time != 0 {
		flags |= turnTimed
	}
	if t.text > 0 {
		flags |= turnSpeaks
	}
	if len(t.advisors) > 0 {
		flags |= turnAdvised
	}
	p.turned, p.key, p.tokens = true, t.key, t.tokens
	p.head(evTurn, line)
	p.out = append(p.out, flags)
	if flags&turnSameKey == 0 {
		p.hash(t.key)
	}
	p.uint(uint64(t.origin))
	if flags&turnTimed != 0 {
		p.when(t.time)
	}
	if flags&turnSameTokens == 0 {
		p.counters(t.tokens)
	}
	if flags&turnSpeaks != 0 {
		p.uint(uint64(t.text))
		p.short(t.rowID)
	}
	if flags&turnAdvised != 0 {
		p.uint(uint64(len(t.advisors)))
		for _, a := range t.advisors {
			p.uint(uint64(a.model))
			p.counters(a.tokens)
		}
	}
	p.uint(uint64(len(t.calls)))
	for i := range t.calls {
		c := &t.calls[i]
		p.hash(c.id)
		p.uint(uint64(c.class))
		p.hash(c.identity)
		for _, a := range c.atoms { // their number is the class's
			if a == c.identity {
				p.out = append(p.out, 1)
			} else {
				p.out = append(p.out, 0)
				p.hash(a)
			}
		}
	}
}

func (p *packer) result(call uint64, isError bool, bytes int32, agent uint32, line int32) {
	p.head(evResult, line)
	p.hash(call)
	v := uint64(bytes) << 2
	if isError {
		v |= 1
	}
	if agent != 0 {
		v |= 2
	}
	p.uint(v)
	if agent != 0 {
		p.uint(uint64(agent))
	}
}

func (p *packer) reuse(call uint64, bytes int32) {
	p.head(evReuse, p.line)
	p.hash(call)
	p.uint(uint64(bytes))
}

// markRow is what one row between turns says.
type markRow struct {
	kind    MarkKind
	time    int64
	row     uint64 // hash of its uuid, 0 without: copies are told by it
	class   uint32 // mark record, 0 when it says nothing more
	dirHash uint64
	call    uint64
}

const (
	markTimed = 1 << (5 + iota)
	markClassed
	markCalled
)

func (p *packer) mark(m *markRow, line int32) {
	flags := byte(m.kind)
	if m.time != 0 {
		flags |= markTimed
	}
	if m.class != 0 {
		flags |= markClassed
	}
	if m.call != 0 {
		flags |= markCalled
	}
	p.head(evMark, line)
	p.out = append(p.out, flags)
	p.hash(m.row)
	if flags&markTimed != 0 {
		p.when(m.time)
	}
	if flags&markClassed != 0 {
		p.uint(uint64(m.class))
		p.hash(m.dirHash)
	}
	if flags&markCalled != 0 {
		p.hash(m.call)
	}
}

func (p *packer) flaw(kind byte, line int32) {
	p.head(evFlaw, line)
	p.out = append(p.out, kind)
}

// totalRow is one cost-state line.
type totalRow struct {
	cost   int64 // micro-dollars
	models []modelTotal
}

type modelTotal struct {
	model                uint32 // plain record
	input, output        int64
	read, write, write1h int64
	searches, cost       int64
}

func (p *packer) total(t *totalRow, line int32) {
	p.head(evTotal, line)
	p.uint(uint64(t.cost))
	p.uint(uint64(len(t.models)))
	for _, m := range t.models {
		p.uint(uint64(m.model))
		for _, v := range [...]int64{m.input, m.output, m.read, m.write, m.write1h, m.searches, m.cost} {
			p.uint(uint64(v))
		}
	}
}

func (p *packer) warm(line int32) { p.head(evWarm, line) }
