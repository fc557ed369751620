package transcript

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Events are most of the cache, and after an append hardly any of them is needed: those of
// the file that has grown, and of sessions of which no part is kept. So they stand in files
// of their own, which are never changed once the cache's index names them, and are read
// digest by digest. What an index newly holds goes into a new file, together with the files
// that have come to hold no more than that, or more waste than use: so there are few.

// eventsFile is one of these files.
type eventsFile struct {
	id   uint64
	size int64
	file *os.File // open from the load on: it stays readable if another scan removes it
}

// stored is where a digest's events stand, segment after segment.
type stored struct {
	file  *eventsFile // of no meaning where there are none
	at    int64
	sum   uint64
	sizes []int // of the segments
}

func (s *stored) size() (n int) {
	for _, k := range s.sizes {
		n += k
	}
	return n
}

var errEvents = errors.New("events of the cache are gone or damaged")

// load gives the segments their events, if they have none yet. It may be called by several
// goroutines at once.
func (d *digest) load() error {
	d.loaded.Do(func() {
		if d.stored == nil || d.stored.size() == 0 {
			return
		}
		data := make([]byte, d.stored.size())
		if n, _ := d.stored.file.file.ReadAt(data, d.stored.at); n < len(data) || xxhash.Sum64(data) != d.stored.sum {
			d.damage = errEvents
			return
		}
		for i, n := range d.stored.sizes {
			d.segments[i].events, data = data[:n:n], data[n:]
		}
	})
	return d.damage
}

func (s *store) eventsPath(id uint64) string {
	return filepath.Join(s.dir, s.name+"+"+hex.EncodeToString(binary.BigEndian.AppendUint64(nil, id))+".events")
}

// open opens the file, which must be as long as the index says.
func (f *eventsFile) open(s *store) (err error) {
	if f.file, err = os.Open(s.eventsPath(f.id)); err != nil {
		return err
	}
	if info, err := f.file.Stat(); err != nil || info.Size() != f.size {
		return errEvents
	}
	return nil
}

// storeEvents writes the events that no file holds yet, and says where those of each digest
// stand from then on.
func (s *store) storeEvents(list []*digest, old []*eventsFile) ([]stored, []*eventsFile, error) {
	at := make([]stored, len(list))
	live := map[*eventsFile]int{}
	total := 0
	for i, d := range list {
		if d.stored != nil {
			at[i] = *d.stored
			live[d.stored.file] += d.stored.size()
			continue
		}
		for k := range d.segments {
			at[i].sizes = append(at[i].sizes, len(d.segments[k].events))
		}
		total += at[i].size()
	}
	var files []*eventsFile
	for i := len(old) - 1; i >= 0; i-- {
		switch f := old[i]; {
		case live[f] == 0:
		case live[f] > total && 2*int64(live[f]) >= f.size:
			files = append(files, f)
		default:
			total += live[f]
			delete(live, f)
		}
	}
	slices.Reverse(files)
	if total == 0 {
		return at, files, nil
	}
	out, err := os.CreateTemp(s.dir, s.name+".*.tmp")
	if err != nil {
		return nil, nil, err
	}
	fresh := &eventsFile{id: rand.Uint64()}
	w := newSealed(out, s.eventsPath(fresh.id))
	for i, d := range list {
		if d.stored != nil && live[d.stored.file] > 0 {
			continue
		}
		sum := xxhash.New()
		at[i].file, at[i].at = fresh, fresh.size
		if err = d.load(); err != nil {
			break
		}
		for k := range d.segments {
			events := d.segments[k].events
			w.write(events)
			sum.Write(events)
			fresh.size += int64(len(events))
		}
		at[i].sum = sum.Sum64()
	}
	if err != nil {
		discard(out)
		return nil, nil, err
	}
	fresh.size += sealSize
	return at, append(files, fresh), w.finish()
}

// sweepEvents removes files of events that no index names, once no scan can still be about
// to name them. files are those of this cache's index.
func (s *store) sweepEvents(list []fs.FileInfo, files []*eventsFile) {
	for _, info := range list {
		name, _, _ := strings.Cut(strings.TrimSuffix(info.Name(), ".events"), "+")
		known := slices.ContainsFunc(files, func(f *eventsFile) bool { return filepath.Base(s.eventsPath(f.id)) == info.Name() })
		if name != s.name {
			_, err := os.Stat(filepath.Join(s.dir, name+".digests"))
			known = err == nil
		}
		if !known && s.at-info.ModTime().UnixNano() > int64(abandoned) {
			os.Remove(filepath.Join(s.dir, info.Name()))
		}
	}
}
