package transcript

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// names holds each string and each combination of strings once for the whole history,
// so that a digest says them with one small number. It is safe for concurrent use while
// files are walked, and only read afterwards.
//
// A record is a list of strings and numbers, packed: its bytes are its identity. The
// numbers that records get depend on the order of the workers; results never do, since
// they are compared by value.
type names struct {
	mu      sync.Mutex
	index   map[string]uint32
	records []string
	// Decoded by kind, but for origins; place says where among its kind a record stands.
	// Filled by freeze.
	place  []uint32
	scopes []scope
	shapes []shapeClass
	marks  []markClass
	plains []string
	// anyCopied: some rows are copies that a fork made.
	anyCopied bool
}

// text is a plain record's string.
func (n *names) text(id uint32) string { return n.plains[n.place[id]] }

// is says whether a number is that of a record of a kind.
func (n *names) is(v uint64, kind byte) bool {
	return v < uint64(len(n.records)) && n.records[v][0] == kind
}

// checked reads the number of a record of a kind.
func (n *names) checked(u *unpacker, kind byte) uint32 {
	v := u.uint()
	if !n.is(v, kind) {
		u.fail()
		return 0
	}
	return uint32(v)
}

// origin decodes an origin's record.
func (n *names) origin(id uint32) (o origin, ok bool) {
	r := recordReader{n.records[id][1:], true}
	o = origin{r.text(), r.text(), r.text(), r.text(), r.text(), r.text()}
	return o, r.ok && r.rest == ""
}

// The first byte of a record says what it is.
const (
	recordPlain  = 'p' // one string
	recordScope  = 's' // whose conversation: scope
	recordOrigin = 'o' // what a turn's rows repeat: origin
	recordShape  = 'h' // a call's tool and shape without identities: shapeClass
	recordMark   = 'm' // what a mark says: markClass
)

// scope says to which conversation rows belong.
type scope struct {
	session string
	agent   string // "" for the main thread
	// unnamed marks inline sidechain rows of old clients, which name no agent.
	unnamed bool
	// copied marks rows that a fork repeats from the session.
	copied bool
	// parent is the dispatching call where the rows tell (agent_progress).
	parent uint64
	record uint32 // the number of the record
}

// origin is what all rows of a turn repeat.
type origin struct {
	model, version, cwd, skill, plugin, agent string
}

// shapeClass is a call without what makes it this very call.
type shapeClass struct {
	tool, sig, full, skill, agentType string
	readOnly, own                     bool
	atoms                             []Atom // identities zero
}

// markClass is what a mark says, without where it stands.
type markClass struct {
	name, plugin, marketplace, version, baseDir, dir string
}

func newNames() *names {
	n := &names{index: map[string]uint32{}}
	n.number(string(appendStrings([]byte{recordPlain}, ""))) // record 0 is the empty string
	return n
}

// adopt takes the records of a cache, in their order.
func (n *names) adopt(records []string) {
	n.records, n.index = records, make(map[string]uint32, len(records))
	for id, r := range records {
		n.index[r] = uint32(id)
	}
}

// number is the record's number.
func (n *names) number(record string) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, ok := n.index[record]; ok {
		return id
	}
	id := uint32(len(n.records))
	record = strings.Clone(record)
	n.records = append(n.records, record)
	n.index[record] = id
	return id
}

// desk is one worker's view of the names: it remembers what it asked for, so that the
// shared table is locked once per worker and name.
type desk struct {
	names *names
	known map[string]uint32
	buf   []byte
	// The last answers by kind of record: neighbouring rows mostly repeat them.
	last [2]struct {
		record []byte
		id     uint32
	}
}

func newDesk(n *names) *desk { return &desk{names: n, known: map[string]uint32{}} }

func (d *desk) number(record []byte) uint32 {
	if id, ok := d.known[string(record)]; ok {
		return id
	}
	s := string(record)
	id := d.names.number(s)
	d.known[s] = id
	return id
}

// repeated is number for records that mostly equal the one before, in slot.
func (d *desk) repeated(slot int, record []byte) uint32 {
	l := &d.last[slot]
	if l.record != nil && string(l.record) == string(record) {
		return l.id
	}
	l.id = d.number(record)
	l.record = append(l.record[:0], record...)
	return l.id
}

func (d *desk) plain(s []byte) uint32 {
	if len(s) == 0 {
		return 0
	}
	d.buf = appendBytes(append(d.buf[:0], recordPlain), s)
	return d.number(d.buf)
}

func appendBytes(b, s []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendStrings(b []byte, list ...string) []byte {
	for _, s := range list {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

var errNames = errors.New("a packed name is damaged")

// freeze decodes the records that were added since the last time into their views.
func (n *names) freeze() error {
	n.place = slices.Grow(n.place, len(n.records)-len(n.place))
	for id := len(n.place); id < len(n.records); id++ {
		r := recordReader{n.records[id][1:], true}
		switch n.records[id][0] {
		case recordPlain:
			n.place = append(n.place, uint32(len(n.plains)))
			n.plains = append(n.plains, r.text())
		case recordScope:
			flags := r.number()
			n.place = append(n.place, uint32(len(n.scopes)))
			n.scopes = append(n.scopes, scope{session: r.text(), agent: r.text(), parent: r.number(),
				unnamed: flags&1 != 0, copied: flags&2 != 0, record: uint32(id)})
			n.anyCopied = n.anyCopied || flags&2 != 0
		case recordOrigin: // there are many, and few are ever asked for: see origin
			n.place = append(n.place, 0)
			continue
		case recordShape:
			flags := r.number()
			sh := shapeClass{r.text(), r.text(), r.text(), r.text(), r.text(), flags&1 != 0, flags&2 != 0, nil}
			for k := r.number(); k > 0 && r.ok; k-- {
				own := r.number() != 0
				sh.atoms = append(sh.atoms, Atom{Sig: r.text(), Own: own})
			}
			n.place = append(n.place, uint32(len(n.shapes)))
			n.shapes = append(n.shapes, sh)
		case recordMark:
			n.place = append(n.place, uint32(len(n.marks)))
			n.marks = append(n.marks, markClass{r.text(), r.text(), r.text(), r.text(), r.text(), r.text()})
		default:
			return errNames
		}
		if !r.ok || r.rest != "" {
			return errNames
		}
	}
	return nil
}

// recordReader unpacks a record. Its strings are valid UTF-8.
type recordReader struct {
	rest string
	ok   bool
}

func (r *recordReader) number() uint64 {
	var v uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		v |= uint64(r.rest[i]&0x7f) << (7 * i)
		if r.rest[i] < 0x80 {
			r.rest = r.rest[i+1:]
			return v
		}
	}
	r.ok = false
	return 0
}

func (r *recordReader) text() string {
	n := r.number()
	if !r.ok || n > uint64(len(r.rest)) {
		r.ok = false
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	if utf8.ValidString(s) { // nearly always, and this is the quicker question
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
