package transcript

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// The merge decides, over all files, which conversation owns each turn and each mark.
// A key that stands in one conversation only (nearly all do) costs one table entry. A
// key that stands in several is owned by a main thread rather than an agent's, by a
// named agent rather than an unnamed one, then by the lesser session id and agent id:
// nothing in that depends on the order in which files are read.

// threadID numbers the conversations of the history.
type threadID = uint32

// size is how many turns and marks a thread holds at most.
type size struct{ turns, marks int32 }

type threadKey struct {
	session, agent string
	unnamed        bool
}

// owners says for each key which thread owns it.
type owners struct {
	threads []threadKey
	byScope []threadID // by place of the scope record
	sizes   []size     // by thread
	table   keyTable
	// shared holds the turns that stand in more than one thread, merged from all of them.
	shared map[uint64]*sharedTurn
}

// sessionFiles says in which files a session's rows stand.
type sessionFiles struct {
	id    string
	spans []span
	// forkOf is the session of the copied rows that open the session's own file.
	forkOf string
	// keys is how many turns and marks it holds at most.
	keys int
	// shared: some of its turns or marks stand in another conversation too.
	shared bool
}

func rank(k threadKey) int {
	switch {
	case k.unnamed:
		return 2
	case k.agent != "":
		return 1
	}
	return 0
}

func compareThreads(a, b threadKey) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.session, b.session), strings.Compare(a.agent, b.agent))
}

// merge reads all digests once and fills h.owners and h.sessions.
func (h *History) merge() error {
	o := &owners{shared: map[uint64]*sharedTurn{}, table: newKeyTable(h.eventBytes() / 48)}
	h.owners = o
	o.number(h.names.scopes)
	sessions := map[string]*sessionFiles{}
	dispatched := map[string]string{} // an agent that a result names → a session that does
	stop := make(chan struct{})
	made, free := h.views(stop)
	defer func() {
		close(stop)
		for range made { // until the other goroutine is done with the digests
		}
	}()
	for i, d := range h.digests {
		v := <-made
		if v.bad {
			return errDigest
		}
		own, foreign := d.source.session(), ""
		begun := d.source.agent() != "" // only a main file can be a fork's
		rows := v.rows
		from := 0
		for k := range v.stretches {
			stretch := &v.stretches[k]
			s := sessions[stretch.session]
			if s == nil {
				s = &sessionFiles{id: stretch.session}
				sessions[s.id] = s
			}
			s.reach(int32(i), stretch)
			for _, row := range rows[from:stretch.rows] {
				scope, t := &h.names.scopes[row.place], o.byScope[row.place]
				if row.kind == evResult {
					dispatched[h.names.text(uint32(row.key))] = s.id
					continue
				}
				if row.kind == evTurn {
					if begun = begun || s.id == own; !begun && scope.agent == "" && !scope.unnamed {
						foreign = s.id
					}
				} else if o.sizes[t].marks++; row.key == 0 {
					continue
				}
				first, other, shared := o.claim(row.key, t)
				if first {
					s.keys++
				}
				if first && row.kind == evTurn {
					o.sizes[t].turns++
				}
				if shared {
					s.shared, sessions[o.threads[other].session].shared = true, true
				}
			}
			from = stretch.rows
		}
		free <- v
		if s := sessions[own]; s != nil && foreign != "" {
			s.forkOf = foreign
		}
	}
	h.sessions = slices.SortedFunc(maps.Values(sessions), func(a, b *sessionFiles) int { return strings.Compare(a.id, b.id) })
	for _, s := range h.sessions {
		h.inOrder(s)
	}
	h.collectShared()
	h.warnOfMissing(dispatched)
	return nil
}

// warnOfMissing says how many dispatched agents left no rows anywhere: their spend is
// invisible (clients from 2.1.92 on, where a session's subagents folder was not kept).
func (h *History) warnOfMissing(dispatched map[string]string) {
	for _, k := range h.owners.threads {
		delete(dispatched, k.agent)
	}
	sessions := map[string]bool{}
	for _, s := range dispatched {
		sessions[s] = true
	}
	if n := len(dispatched); n > 0 {
		h.Warnings = append(h.Warnings, audit.Warning{Code: "agents-missing",
			Message: fmt.Sprintf("%d dispatched agents (in %d sessions) left no transcript: what they spent is not in these sums", n, len(sessions))})
	}
}

// eventBytes is the size of all digests.
func (h *History) eventBytes() (n int) {
	for _, d := range h.digests {
		for i := range d.segments {
			n += len(d.segments[i].events)
		}
	}
	return n
}

// reach extends the session's span in a file to a stretch, or begins it.
func (s *sessionFiles) reach(file int32, to *stretch) {
	if n := len(s.spans); n == 0 || s.spans[n-1].file != file {
		s.spans = append(s.spans, span{file: file, start: to.start})
	}
	at := &s.spans[len(s.spans)-1]
	at.endSegment, at.end = to.segment, to.at
}

// number gives each thread its number and each scope its thread.
func (o *owners) number(scopes []scope) {
	known := map[threadKey]threadID{}
	o.byScope = make([]threadID, len(scopes))
	for i, s := range scopes {
		k := threadKey{s.session, s.agent, s.unnamed}
		id, ok := known[k]
		if !ok {
			id = threadID(len(o.threads))
			known[k] = id
			o.threads = append(o.threads, k)
		}
		o.byScope[i] = id
	}
	o.sizes = make([]size, len(o.threads))
}

// claim enters a key for a thread: whether it is new, and whether it now stands in
// several, of which other was the owner until now.
func (o *owners) claim(key uint64, t threadID) (first bool, other threadID, shared bool) {
	v := o.table.at(key)
	if *v == 0 {
		*v = t<<1 + 2
		return true, t, false
	}
	other = (*v - 2) >> 1
	if other == t {
		return false, t, *v&1 != 0
	}
	owner := other
	if compareThreads(o.threads[t], o.threads[owner]) < 0 {
		owner = t
	}
	*v = owner<<1 + 2 | 1
	return false, other, true
}

// owner is the thread that owns a key; shared says that others hold it too.
func (o *owners) owner(key uint64) (t threadID, shared bool) {
	v := o.table.get(key)
	return (v - 2) >> 1, v&1 != 0
}

// inOrder sorts a session's files: agents' own files first, so that their threads follow
// them; then the main file named after the session; then others, by path.
func (h *History) inOrder(s *sessionFiles) {
	class := func(at span) int {
		src := &h.digests[at.file].source
		switch {
		case src.agent() != "":
			return 0
		case src.session() == s.id:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(s.spans, func(a, b span) int { return cmp.Compare(class(a), class(b)) })
}

// keyTable is an open-addressed table from hashes to small values; 0 means absent.
type keyTable struct {
	keys   []uint64
	values []uint32
	used   int
}

// at is where the value of a key stands, entered as 0 if it was absent. The pointer
// holds until the next call.
func (t *keyTable) at(key uint64) *uint32 {
	if 4*t.used >= 3*len(t.keys) {
		t.grow()
	}
	mask := uint64(len(t.keys) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		if t.values[i] == 0 {
			if t.keys[i] != key || key == 0 {
				t.keys[i] = key
				t.used++
			}
			return &t.values[i]
		}
		if t.keys[i] == key {
			return &t.values[i]
		}
	}
}

// get is the value of a key, 0 of one that was not entered.
func (t *keyTable) get(key uint64) uint32 {
	mask := uint64(len(t.keys) - 1)
	i := key & mask
	for t.values[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return t.values[i]
}

// newKeyTable has room for about n keys.
func newKeyTable(n int) keyTable {
	size := 1 << bits.Len(uint(max(n, 1<<10)))
	return keyTable{keys: make([]uint64, size), values: make([]uint32, size)}
}

func (t *keyTable) grow() {
	old := *t
	*t = newKeyTable(2*len(old.keys) - 1)
	for i, v := range old.values {
		if v != 0 {
			*t.at(old.keys[i]) = v
		}
	}
}
