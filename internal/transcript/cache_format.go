package transcript

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
)

// The cache's index: magic, version, key; the names; the files of events, the oldest first;
// one entry per transcript, in the order of sources; the views of all of them behind one
// another; the hash of everything before.

// kept is a cache that was read.
type kept struct {
	key     uint64
	base    int // how many names there were when everything was last read anew
	records []string
	files   []*eventsFile
	entries []entry
}

// entry is one transcript as it was when it was read.
type entry struct {
	source   source
	trusted  bool
	sums     [2]uint64 // see endsOf
	metaType string
	metaCall uint64
	view     []byte
	viewSize int
	segments []segment // without their events
	stored   stored
}

// load reads the cache; nil where there is none, or any doubt about it.
func (s *store) load() *kept {
	data, err := os.ReadFile(s.path())
	if err != nil {
		return nil
	}
	data = unseal(s.path(), data)
	if len(data) <= len(cacheMagic) || string(data[:len(cacheMagic)]) != cacheMagic || data[len(cacheMagic)] != cacheVersion {
		return nil
	}
	u := unpacker{rest: data[len(cacheMagic)+1:]}
	k := &kept{key: u.uint(), base: int(u.uint())}
	k.records = u.records()
	for n := u.count(); n > 0 && !u.bad; n-- {
		f := &eventsFile{id: u.hash(), size: int64(u.uint())}
		if k.files = append(k.files, f); f.open(s) != nil {
			return nil
		}
	}
	for n := u.count(); n > 0 && !u.bad; n-- {
		k.entries = append(k.entries, u.entry(k.files))
	}
	for i := range k.entries {
		e := &k.entries[i]
		e.view = u.take(e.viewSize)
	}
	if u.bad || len(u.rest) > 0 || len(k.records) > 4*k.base+maxStaleNames {
		return nil
	}
	return k
}

// maxStaleNames is how many names may gather, beyond four times those of a fresh scan,
// before everything is read anew.
const maxStaleNames = 10_000

// outdated says whether what is kept is not what there is to keep.
func (k *kept) outdated(sound []*digest) bool {
	return k == nil || len(k.entries) != len(sound) || slices.ContainsFunc(sound, func(d *digest) bool { return d.stored == nil })
}

// keep writes the cache of a history: the events that are new, then the index, to f. list
// are the digests to keep, old the files of events that there were.
func (h *History) keep(s *store, f *os.File, list []*digest, base int, old []*eventsFile) error {
	at, files, err := s.storeEvents(list, old)
	if err != nil {
		discard(f)
		if errors.Is(err, errEvents) {
			os.Remove(s.path()) // it names what is not there
		}
		return err
	}
	number := map[*eventsFile]uint64{}
	w := newSealed(f, s.path())
	b := append([]byte(cacheMagic), cacheVersion)
	b = binary.AppendUvarint(b, h.key)
	b = binary.AppendUvarint(b, uint64(base))
	b = binary.AppendUvarint(b, uint64(len(h.names.records)))
	for _, r := range h.names.records {
		b = binary.AppendUvarint(b, uint64(len(r)))
	}
	w.write(b)
	for _, r := range h.names.records {
		w.text(r)
	}
	b = binary.AppendUvarint(b[:0], uint64(len(files)))
	for i, one := range files {
		number[one] = uint64(i)
		b = binary.LittleEndian.AppendUint64(b, one.id)
		b = binary.AppendUvarint(b, uint64(one.size))
	}
	w.write(binary.AppendUvarint(b, uint64(len(list))))
	for i, d := range list {
		b = d.packEntry(b[:0], s.trusts(&d.source), &at[i], number[at[i].file])
		w.write(b)
	}
	for _, d := range list {
		w.write(d.view)
	}
	err = w.finish()
	s.sweepEvents(s.sweep()[".events"], files)
	return err
}

func (d *digest) packEntry(b []byte, trusted bool, at *stored, file uint64) []byte {
	src := &d.source
	b = binary.AppendUvarint(b, uint64(src.dir))
	b = appendStrings(b, src.path)
	if trusted {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = src.meta.pack(src.state.pack(b))
	for _, v := range [...]uint64{d.sums[0], d.sums[1], d.metaCall} {
		b = binary.AppendUvarint(b, v)
	}
	b = appendStrings(b, d.metaType)
	b = binary.AppendUvarint(b, uint64(len(d.view)))
	b = binary.AppendUvarint(b, file)
	b = binary.AppendUvarint(b, uint64(at.at))
	b = binary.LittleEndian.AppendUint64(b, at.sum)
	b = binary.AppendUvarint(b, uint64(len(d.segments)))
	for i := range d.segments {
		s := &d.segments[i]
		b = binary.AppendVarint(b, s.resume.at)
		for _, v := range [...]int32{s.lines, s.bad, s.odd, s.long, s.resume.line, s.resume.events, s.resume.bad, s.resume.odd, s.resume.long} {
			b = binary.AppendUvarint(b, uint64(v))
		}
		b = binary.AppendUvarint(b, uint64(at.sizes[i]))
	}
	return b
}

func (s state) pack(b []byte) []byte {
	b = binary.AppendVarint(binary.AppendVarint(b, s.size), s.mtime)
	return binary.AppendVarint(binary.AppendUvarint(b, s.inode), s.changed)
}

func (u *unpacker) state() state {
	return state{size: u.int(), mtime: u.int(), inode: u.uint(), changed: u.int()}
}

// unpacker reads what pack wrote. After something impossible it is bad and answers zeros.
type unpacker struct {
	rest []byte
	bad  bool
}

func (u *unpacker) fail() {
	u.bad, u.rest = true, nil
}

func (u *unpacker) uint() uint64 {
	v, n := binary.Uvarint(u.rest)
	if n <= 0 {
		u.fail()
		return 0
	}
	u.rest = u.rest[n:]
	return v
}

func (u *unpacker) int() int64 {
	v, n := binary.Varint(u.rest)
	if n <= 0 {
		u.fail()
		return 0
	}
	u.rest = u.rest[n:]
	return v
}

// count is a number of things that take a byte each at least.
func (u *unpacker) count() int {
	v := u.uint()
	if v > uint64(len(u.rest)) {
		u.fail()
		return 0
	}
	return int(v)
}

func (u *unpacker) take(n int) []byte {
	if n < 0 || n > len(u.rest) {
		u.fail()
		return nil
	}
	b := u.rest[:n:n]
	u.rest = u.rest[n:]
	return b
}

func (u *unpacker) hash() uint64 {
	b := u.take(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// upTo is a number below n.
func (u *unpacker) upTo(n int) int {
	v := u.uint()
	if v >= uint64(n) {
		u.fail()
		return 0
	}
	return int(v)
}

func (u *unpacker) text() string { return string(u.take(u.count())) }

// records reads the names, which share one string.
func (u *unpacker) records() []string {
	list := make([]string, u.count())
	sizes, total := make([]int, len(list)), 0
	for i := range sizes {
		if sizes[i] = u.count(); sizes[i] == 0 { // each says its kind
			u.fail()
		}
		total += sizes[i]
	}
	all := string(u.take(total))
	if u.bad {
		return nil
	}
	for i, n := range sizes {
		list[i], all = all[:n], all[n:]
	}
	return list
}

// maxEvents is above what a segment's events can take.
const maxEvents = math.MaxInt32

func (u *unpacker) entry(files []*eventsFile) (e entry) {
	src := &e.source
	src.dir, src.path = int(u.uint()), u.text()
	e.trusted = u.uint() == 1
	src.state, src.meta = u.state(), u.state()
	if src.size < 0 {
		u.fail()
	}
	for _, v := range [...]*uint64{&e.sums[0], &e.sums[1], &e.metaCall} {
		*v = u.uint()
	}
	e.metaType = u.text()
	e.viewSize = int(u.uint())
	file := u.uint()
	e.stored.at, e.stored.sum = int64(u.uint()), u.hash()
	for n := u.count(); n > 0 && !u.bad; n-- {
		var s segment
		s.resume.at = u.int()
		for _, v := range [...]*int32{&s.lines, &s.bad, &s.odd, &s.long, &s.resume.line, &s.resume.events, &s.resume.bad, &s.resume.odd, &s.resume.long} {
			if *v = int32(u.uint()); *v < 0 {
				u.fail()
			}
		}
		size := u.upTo(maxEvents)
		if s.resume.at > src.size || s.resume.at >= 0 && int(s.resume.events) > size {
			u.fail()
		}
		e.segments, e.stored.sizes = append(e.segments, s), append(e.stored.sizes, size)
	}
	if u.bad || e.stored.size() == 0 {
		return e
	}
	if file >= uint64(len(files)) {
		u.fail()
		return e
	}
	e.stored.file = files[file]
	if at, end := e.stored.at, e.stored.file.size; at < 0 || at > end || int64(e.stored.size()) > end-at {
		u.fail()
	}
	return e
}
