package transcript

import (
	"cmp"
	"fmt"
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

// size is how many turns and marks a thread or a session holds.
type size struct{ turns, marks int32 }

type threadKey struct {
	session, agent string
	unnamed        bool
}

// owners says for each key which thread owns it.
type owners struct {
	threads  []threadKey
	sessions []*sessionFiles // by thread
	byScope  []threadID      // by place of the scope record
	sizes    []size          // by thread
	table    keyTable
}

// sessionFiles says in which files a session's rows stand.
type sessionFiles struct {
	id    string
	spans []span
	// forkOf is the session of the copied rows that open the session's own file.
	forkOf string
	// size is about how much it holds.
	size size
	// cluster is where some of its turns or marks stand in more than one conversation.
	cluster *cluster
	// sum is what its part is kept under.
	sum fingerprint
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

// merge reads the views of all digests and fills h.owners and h.sessions.
func (h *History) merge() error {
	keys := 0
	for _, d := range h.digests {
		keys += len(d.view) / 8
	}
	o := &owners{table: newKeyTable(keys)}
	h.owners = o
	sessions := o.number(h.names.scopes)
	dispatched := map[string]string{} // an agent that a result names → a session that does
	agents := map[string]bool{}       // those that left rows
	var v view
	for i, d := range h.digests {
		if v.unpack(h.names, d); v.bad {
			return errDigest
		}
		d.copies = v.copies
		h.account(d, &v)
		for k := range v.stretches {
			at := &v.stretches[k]
			o.session(at.place).reach(int32(i), at)
		}
		for k := range v.threads {
			rows := &v.threads[k]
			o.enter(rows)
			agents[h.names.scopes[rows.place].agent] = true
		}
		for _, a := range v.agents {
			dispatched[h.names.text(a.agent)] = o.session(a.place).id
		}
		if s := sessions[d.source.session()]; s != nil && v.fork > 0 {
			s.forkOf = o.session(v.fork - 1).id
		}
	}
	for _, s := range sessions {
		if len(s.spans) > 0 { // else only names of it are left
			h.sessions = append(h.sessions, s)
			h.inOrder(s)
		}
	}
	slices.SortFunc(h.sessions, func(a, b *sessionFiles) int { return strings.Compare(a.id, b.id) })
	for agent := range agents {
		delete(dispatched, agent)
	}
	h.warnOfMissing(dispatched)
	return nil
}

// warnOfMissing says how many dispatched agents left no rows anywhere: their spend is
// invisible (clients from 2.1.92 on, where a session's subagents folder was not kept).
func (h *History) warnOfMissing(dispatched map[string]string) {
	sessions := map[string]bool{}
	for _, s := range dispatched {
		sessions[s] = true
	}
	if n := len(dispatched); n > 0 {
		h.Warnings = append(h.Warnings, audit.Warning{Code: "agents-missing",
			Message: fmt.Sprintf("%d dispatched agents (in %d sessions) left no transcript: what they spent is not in these sums", n, len(sessions))})
	}
}

// reach extends the session's span in a file to a stretch, or begins it.
func (s *sessionFiles) reach(file int32, to *stretch) {
	if n := len(s.spans); n == 0 || s.spans[n-1].file != file {
		s.spans = append(s.spans, span{file: file, start: to.start})
	}
	at := &s.spans[len(s.spans)-1]
	at.endSegment, at.end = to.segment, to.at
}

// number gives each thread its number, each scope its thread and each thread its session.
func (o *owners) number(scopes []scope) (sessions map[string]*sessionFiles) {
	sessions = map[string]*sessionFiles{}
	known := map[threadKey]threadID{}
	o.byScope = make([]threadID, len(scopes))
	for i := range scopes {
		c := &scopes[i]
		k := threadKey{c.session, c.agent, c.unnamed}
		id, ok := known[k]
		if !ok {
			id = threadID(len(o.threads))
			known[k] = id
			s := sessions[k.session]
			if s == nil {
				s = &sessionFiles{id: k.session}
				sessions[k.session] = s
			}
			o.threads, o.sessions = append(o.threads, k), append(o.sessions, s)
		}
		o.byScope[i] = id
	}
	o.sizes = make([]size, len(o.threads))
	return sessions
}

// session is the session of a scope.
func (o *owners) session(place uint32) *sessionFiles { return o.sessions[o.byScope[place]] }

// enter claims a thread's rows of one file.
func (o *owners) enter(rows *threadRows) {
	t := o.byScope[rows.place]
	n, s := &o.sizes[t], o.sessions[t]
	marks := int32(len(rows.marks)) + rows.unkeyed
	n.marks += marks
	s.size.marks += marks
	for i, keys := range [...][]uint64{rows.turns, rows.marks} {
		for _, key := range keys {
			first, other, shared := o.claim(key, t)
			if first && i == 0 {
				n.turns++
				s.size.turns++
			}
			if shared {
				s.share(o.sessions[other])
			}
		}
	}
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
	t := keyTable{keys: make([]uint64, size), values: make([]uint32, size)}
	clear(t.keys) // fresh memory that is read first is mapped twice
	clear(t.values)
	return t
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
