package transcript

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A part is what a caller computed from one session, in bytes that mean nothing here. Parts
// are kept beside the memo, under the same Options.MemoKey, so that after an append only the
// sessions that it could have changed are put together and measured again.
//
// A session is determined by the files that hold a row of it and, where it shares turns
// with others, by the files that hold rows of those: by its cluster's. A part is kept under
// a fingerprint of all of them, so whatever happens to one of them, or whichever joins or
// leaves them, the part is found no more. Identities are hidden behind the cache's key, so
// parts live and die with that, too.
//
// A file of parts: the key; for each part its fingerprint, its length and itself; the hash
// of everything before. It is written as parts come and renamed when they are all there.

// fingerprint is a session's part's name, 0 where there is nothing to rely on.
type fingerprint uint64

// identity is a hash of what tells a file from a later state of it.
func (s *source) identity() uint64 {
	var room [256]byte
	b := appendStrings(binary.AppendUvarint(room[:0], uint64(s.dir)), s.path)
	return xxhash.Sum64(s.meta.pack(s.state.pack(b)))
}

// fingerprints gives each session its own.
func (h *History) fingerprints() {
	if h.memoPath == "" {
		return
	}
	files := make([]uint64, len(h.digests)) // 0 for one that cannot be relied on
	for i, d := range h.digests {
		if d.trouble == nil && h.store.trusts(&d.source) {
			files[i] = d.source.identity()
		}
	}
	clusters := map[*cluster]uint64{}
	for _, s := range h.sessions {
		own, all := sumOf(s.id, s.spans, files), uint64(1)
		if c := s.cluster; c != nil {
			if _, known := clusters[c]; !known {
				clusters[c] = sumOf("", c.spans(), files)
			}
			all = clusters[c]
		}
		if own != 0 && all != 0 {
			b := binary.LittleEndian.AppendUint64(nil, own)
			s.sum = fingerprint(xxhash.Sum64(binary.LittleEndian.AppendUint64(b, all)))
		}
	}
}

// sumOf is a hash of an id and of the identities of files, 0 where one of them has none.
func sumOf(id string, spans []span, files []uint64) uint64 {
	b := appendStrings(nil, id)
	for i := range spans {
		if files[spans[i].file] == 0 {
			return 0
		}
		b = binary.LittleEndian.AppendUint64(b, files[spans[i].file])
	}
	return xxhash.Sum64(b)
}

// keptParts are parts by their fingerprints, as they were read.
type keptParts struct {
	key  uint64
	list map[fingerprint][]byte
}

// loadParts reads a file of parts; what is damaged is as good as none.
func loadParts(path string) (k keptParts) {
	data, err := os.ReadFile(path)
	if err != nil {
		return k
	}
	u := unpacker{rest: unseal(path, data)}
	k = keptParts{u.hash(), map[fingerprint][]byte{}}
	for len(u.rest) > 0 {
		sum := fingerprint(u.hash())
		k.list[sum] = u.take(u.count())
	}
	if u.bad {
		return keptParts{}
	}
	return k
}

// partsPath is where the parts stand that belong to a memo.
func partsPath(memoPath string) string { return strings.TrimSuffix(memoPath, ".memo") + ".parts" }

// Part is what was kept of the i-th session, nil where nothing was, or where it would not
// be the same now. It is only to be read.
func (h *History) Part(i int) []byte {
	if sum := h.sessions[i].sum; sum != 0 {
		return h.parts[sum]
	}
	return nil
}

// SessionFiles are the files that hold rows of the i-th session, as indices into Files. As
// long as its part holds they come in the same order, though their indices may be others.
func (h *History) SessionFiles(i int) []int32 {
	list := make([]int32, len(h.sessions[i].spans))
	for k := range list {
		list[k] = h.sessions[i].spans[k].file
	}
	return list
}

// Keeper keeps the parts of a history for the next Open with the same Options.MemoKey.
// A nil one keeps nothing.
type Keeper struct {
	history *History
	out     *sealed
}

// Keeper begins to keep parts; nil where none can be kept.
func (h *History) Keeper() *Keeper {
	if h.memoPath == "" || h.noCache != nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(h.memoPath), "transcripts-*.tmp")
	if err != nil {
		return nil
	}
	k := &Keeper{h, newSealed(f, partsPath(h.memoPath))}
	k.out.write(binary.LittleEndian.AppendUint64(nil, h.key))
	return k
}

// Keeps says whether the part of the i-th session would be kept.
func (k *Keeper) Keeps(i int) bool { return k != nil && k.history.sessions[i].sum != 0 }

// Keep adds the part of the i-th session.
func (k *Keeper) Keep(i int, part []byte) {
	if k.Keeps(i) {
		b := binary.LittleEndian.AppendUint64(nil, uint64(k.history.sessions[i].sum))
		k.out.write(binary.AppendUvarint(b, uint64(len(part))))
		k.out.write(part)
	}
}

// Close puts the parts in the place of those before, or drops them if not all came.
func (k *Keeper) Close(all bool) error {
	if k == nil {
		return nil
	}
	if !all {
		discard(k.out.file)
		return nil
	}
	err := k.out.finish()
	k.history.store.sweep()
	return err
}
