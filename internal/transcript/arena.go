package transcript

import "math/bits"

// arena hands out slices that grow, from chunks that stay where they are, so that a
// session's many small lists cost neither an allocation each nor a copy of all.
type arena[T any] struct {
	chunks [][]T
	chunk  int // the one that is being filled
}

const arenaChunk = 512

// extend is append. A list that is its chunk's last grows in place; another moves.
func (a *arena[T]) extend(list []T, v T) []T {
	n := len(list)
	if len(a.chunks) == 0 {
		a.chunks = append(a.chunks, make([]T, 0, arenaChunk))
	}
	c := &a.chunks[a.chunk]
	last := n > 0 && len(*c) > 0 && &list[n-1] == &(*c)[len(*c)-1]
	need := 1
	if !last {
		need += n
	}
	if len(*c)+need > cap(*c) {
		if need, last = n+1, false; a.chunk+1 == len(a.chunks) || cap(a.chunks[a.chunk+1]) < need {
			a.chunks = append(a.chunks[:a.chunk+1], make([]T, 0, max(arenaChunk, 2*need)))
		}
		a.chunk++
		c = &a.chunks[a.chunk]
	}
	if !last {
		*c = append(*c, list...)
	}
	*c = append(*c, v)
	from := len(*c) - n - 1
	return (*c)[from:len(*c):len(*c)]
}

// keepChunks is how many chunks outlive the session that needed them.
const keepChunks = 16

// clear takes everything back.
func (a *arena[T]) clear() {
	if len(a.chunks) > keepChunks {
		a.chunks = append([][]T(nil), a.chunks[:keepChunks]...)
	}
	for i := range a.chunks {
		clear(a.chunks[i])
		a.chunks[i] = a.chunks[i][:0]
	}
	a.chunk = 0
}

// keepRoom is the largest room that outlives the session that needed it.
const keepRoom = 1 << 10

// small is the room if it may be kept.
func small[T any](room []T) []T {
	if cap(room) > keepRoom {
		return nil
	}
	return room
}

// roomFor is empty room for n things: that of the session before where it does.
func roomFor[T any](room []T, n int32) []T {
	if int(n) > cap(room) {
		return make([]T, 0, max(int(n), min(2*cap(room), keepRoom)))
	}
	return room[:0]
}

// cut takes an empty list with room for n things out of a room, or beside it.
func cut[T any](room *[]T, n int32) []T {
	from, to := len(*room), len(*room)+int(n)
	if to > cap(*room) {
		return make([]T, 0, n)
	}
	*room = (*room)[:to]
	return (*room)[from:from:to]
}

// refTable is an open-addressed table from hashes to refs.
type refTable struct {
	keys []uint64
	refs []ref // plus one; 0 means absent
	used int
}

func (t *refTable) get(key uint64) (ref, bool) {
	if len(t.keys) == 0 {
		return 0, false
	}
	r := t.refs[t.slot(key)]
	return r - 1, r != 0
}

// slot is where a key stands, or would.
func (t *refTable) slot(key uint64) int {
	mask := uint64(len(t.keys) - 1)
	i := key & mask
	for t.refs[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return int(i)
}

// reserve makes room for n keys in an empty table.
func (t *refTable) reserve(n int) {
	if 3*len(t.keys) < 4*n {
		size := 1 << bits.Len(uint(max(4*n/3, 1<<8-1)))
		*t = refTable{keys: make([]uint64, size), refs: make([]ref, size)}
	}
}

func (t *refTable) set(key uint64, r ref) {
	if 4*t.used >= 3*len(t.keys) {
		old := *t
		*t = refTable{}
		t.reserve(2 * max(old.used, 1<<7))
		for i, r := range old.refs {
			if r != 0 {
				t.set(old.keys[i], r-1)
			}
		}
	}
	i := t.slot(key)
	if t.refs[i] == 0 {
		t.used++
	}
	t.keys[i], t.refs[i] = key, r+1
}

// keepRefs is the largest table that outlives the session that needed it.
const keepRefs = 1 << 13

func (t *refTable) clear() {
	if len(t.keys) > keepRefs {
		*t = refTable{}
	}
	if t.used > 0 {
		clear(t.refs)
	}
	t.used = 0
}
