package transcript

import (
	"io"
	"os"

	"github.com/cespare/xxhash/v2"
)

// prepare makes h's digests: those that the cache still has, and jobs for what has to be
// read.
func (h *History) prepare(o Options, sources []source, k *kept) (jobs []job) {
	h.digests = make([]*digest, len(sources))
	h.Files = make([]File, len(sources))
	var entries []entry // those that come no sooner than the source
	if k != nil {
		entries = k.entries
	}
	cut := o.pieces
	if cut == (pieces{}) {
		cut = defaultPieces
	}
	room := make([]digest, len(sources))
	for i, s := range sources {
		d := &room[i]
		d.source = s
		h.digests[i], h.Files[i] = d, File{Path: shown(s.path), Size: s.size}
		for len(entries) > 0 && compareSources(entries[0].source, s) < 0 {
			entries = entries[1:]
		}
		from := int64(0)
		if len(entries) > 0 && compareSources(entries[0].source, s) == 0 {
			e := &entries[0]
			if e.trusted && e.source.same(&s) {
				d.adopt(e)
				continue
			}
			from = d.extend(e, cut)
		}
		jobs = append(jobs, d.plan(cut, from)...)
	}
	return jobs
}

// same says whether a file is what it was, as far as its surroundings tell.
func (s *source) same(t *source) bool {
	a, b := *s, *t
	a.full, b.full = "", ""
	return a == b
}

// adopt takes an entry's digest as it is.
func (d *digest) adopt(e *entry) {
	d.segments, d.stored, d.sums, d.metaType, d.metaCall, d.view = e.segments, &e.stored, e.sums, e.metaType, e.metaCall, e.view
}

// extend takes what of an entry holds for a file that has only grown, and says from what
// offset on it must be read: 0 for all of it.
func (d *digest) extend(e *entry, p pieces) int64 {
	if d.source.inode != e.source.inode || d.source.size <= e.source.size || int64(len(e.segments)) > maxSegments+e.source.size/p.size {
		return 0
	}
	f, err := os.Open(d.source.full)
	if err != nil {
		return 0
	}
	defer f.Close()
	if sums, err := endsOf(f, e.source.size); err != nil || sums != e.sums {
		return 0
	}
	was := digest{segments: e.segments, stored: &e.stored}
	if was.load() != nil {
		return 0
	}
	from := e.source.size
	segments := e.segments
	for i := range segments {
		r := segments[i].resume
		if r.at < 0 {
			continue
		}
		if r.at == 0 {
			return 0
		}
		segments[i].cut()
		segments, from = segments[:i+1], r.at
		break
	}
	d.segments = append([]segment(nil), segments...)
	return from
}

// cut drops what later lines could change.
func (s *segment) cut() {
	r := s.resume
	s.events = s.events[:r.events:r.events]
	s.lines, s.bad, s.odd, s.long = r.line, r.bad, r.odd, r.long
	s.resume = place{at: -1}
}

// endBytes is how much of a file's beginning and end tells that it only grew.
const endBytes = 4 << 10

// endsOf are the hashes of the first bytes and of the last before size.
func endsOf(f io.ReaderAt, size int64) (sums [2]uint64, err error) {
	var buf [endBytes]byte
	n := min(size, endBytes)
	for i, at := range [...]int64{0, size - n} {
		if _, err := f.ReadAt(buf[:n], at); err != nil {
			return sums, err
		}
		sums[i] = xxhash.Sum64(buf[:n])
	}
	return sums, nil
}
