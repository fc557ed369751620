package transcript

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// The merge decides, over all files, which conversation owns each turn and each mark.
// Nearly all keys are seen once only: those cost a bit, and the few that may have been seen
// again an entry in a table. A key that stands in several conversations is owned by a main
// thread rather than an agent's, by a named agent rather than an unnamed one, then by the
// lesser session id and agent id: nothing in that depends on the order in which files are
// read.

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
	table    keyTable        // of the keys that may have been seen more than once
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
	var v view
	keys := 0
	for _, d := range h.digests {
		keys += len(d.view) / 8
	}
	o := &owners{}
	h.owners = o
	seen := newSieve(keys)
	for _, d := range h.digests {
		if v.unpack(h.names, d); v.bad {
			return errDigest
		}
		for i := range v.threads {
			o.sift(seen, v.threads[i].turns)
			o.sift(seen, v.threads[i].marks)
		}
	}
	sessions := o.number(h.names.scopes)
	dispatched := map[string]string{} // an agent that a result names → a session that does
	agents := map[string]bool{}       // those that left rows
	for i, d := range h.digests {
		v.unpack(h.names, d)
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
			Message: fmt.Sprintf("%s (in %s) left no transcript: what %s spent is not in these sums",
				wording.Amount(n, "dispatched agent", "dispatched agents"), wording.Amount(len(sessions), "session", "sessions"), wording.Pick(n, "it", "they"))})
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

// sieve remembers keys by a bit each: those that it has not seen it knows for certain.
type sieve struct {
	bits  []uint64
	shift int
}

// newSieve is for n keys; one in sixteen that was not seen is taken for one that was, at most.
func newSieve(n int) *sieve {
	width := bits.Len(uint(max(n, 1<<6))) + 4
	s := &sieve{make([]uint64, 1<<(width-6)), 64 - width}
	clear(s.bits) // fresh pages: to write them first costs half the faults of reading them first
	return s
}

// sift enters keys that may have been seen before into the table, without an owner.
func (o *owners) sift(seen *sieve, keys []uint64) {
	for _, key := range keys {
		at := key >> seen.shift
		if word, bit := &seen.bits[at/64], uint64(1)<<(at%64); *word&bit == 0 {
			*word |= bit
		} else {
			o.table.enter(key)
		}
	}
}

// unclaimed is the value of a key that no thread has claimed yet. A thread's is twice its
// number and two, and one more where others hold the key too.
const unclaimed = 1

// claim claims a key for a thread: whether it is new, and whether it now stands in
// several, of which other was the owner until now.
func (o *owners) claim(key uint64, t threadID) (first bool, other threadID, shared bool) {
	v := o.table.find(key)
	if v == nil {
		return true, t, false
	}
	if *v == unclaimed {
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

// owner is the thread that owns a key, where several hold it.
func (o *owners) owner(key uint64) (t threadID, shared bool) {
	if v := o.table.find(key); v != nil && *v&1 != 0 && *v != unclaimed {
		return (*v - 2) >> 1, true
	}
	return 0, false
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

// keyTable is an open-addressed table from hashes to values; 0 means absent. It is mostly
// asked for keys that it does not hold, so it is kept nearly empty: that is one look.
type keyTable struct {
	keys   []uint64
	values []uint32
	used   int
}

// slot is where a key stands, or would.
func (t *keyTable) slot(key uint64) uint64 {
	mask := uint64(len(t.keys) - 1)
	i := key & mask
	for t.values[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

// find is where the value of a key stands, nil of one that was not entered.
func (t *keyTable) find(key uint64) *uint32 {
	if t.used == 0 {
		return nil
	}
	if v := &t.values[t.slot(key)]; *v != 0 {
		return v
	}
	return nil
}

// enter makes sure that a key is there.
func (t *keyTable) enter(key uint64) {
	if 8*t.used >= len(t.keys) {
		old := *t
		size := max(1<<10, 2*len(old.keys))
		*t = keyTable{make([]uint64, size), make([]uint32, size), old.used}
		for i, v := range old.values {
			if v != 0 {
				at := t.slot(old.keys[i])
				t.keys[at], t.values[at] = old.keys[i], v
			}
		}
	}
	if i := t.slot(key); t.values[i] == 0 {
		t.keys[i], t.values[i] = key, unclaimed
		t.used++
	}
}
