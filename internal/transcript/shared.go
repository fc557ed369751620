package transcript

import (
	"cmp"
	"slices"
	"sync"
)

// sharedTurn is a turn that stands in more than one conversation: what all its rows say
// together. Its owner shows it; the others leave it out.
type sharedTurn struct {
	turn  Turn
	final bool
	calls []*sharedCall
}

type sharedCall struct {
	row           callRow
	line          int32
	answered      bool
	failed        bool
	bytes, reused int32
	agent         uint32
}

// cluster is sessions that share turns or marks, each with another of them, or one whose
// own conversations do. What a session of it says depends on all of them, and on no other.
type cluster struct {
	sessions []*sessionFiles
	collect  sync.Once
	turns    map[uint64]*sharedTurn // those that stand in more than one conversation
}

// share notes that a turn or mark stands in both sessions, or in two conversations of one.
func (s *sessionFiles) share(t *sessionFiles) {
	for _, one := range [...]*sessionFiles{s, t} {
		if one.cluster == nil {
			one.cluster = &cluster{sessions: []*sessionFiles{one}}
		}
	}
	from, to := s.cluster, t.cluster
	if from == to {
		return
	}
	if len(from.sessions) > len(to.sessions) {
		from, to = to, from
	}
	for _, one := range from.sessions {
		one.cluster = to
	}
	to.sessions = append(to.sessions, from.sessions...)
}

// read reads the stretches of the cluster's sessions for the turns that several threads
// hold: a copy may end before a call's result, and the copy may be the owner.
func (c *cluster) read(h *History) {
	c.turns = map[uint64]*sharedTurn{}
	var e reader
	b := Builder{history: h}
	calls := map[uint64]*sharedCall{}
	for _, at := range c.spans() {
		for range h.span(&e, &at) {
			switch e.kind {
			case evTurn:
				if owner, shared := h.owners.owner(e.turn.key); shared && h.owners.sessions[owner].cluster == c {
					c.row(&b, &e, calls)
				}
			case evResult, evReuse: // after its call, in every copy
				if c := calls[e.call]; c != nil {
					c.result(&e.events)
				}
			}
		}
	}
}

// spans are the stretches of the cluster's sessions, in the order of files.
func (c *cluster) spans() (list []span) {
	for _, s := range c.sessions {
		list = append(list, s.spans...)
	}
	slices.SortFunc(list, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.start.segment, b.start.segment), cmp.Compare(a.start.i, b.start.i),
			cmp.Compare(a.endSegment, b.endSegment), cmp.Compare(a.end, b.end))
	})
	return list
}

// row adds a row to its shared turn.
func (c *cluster) row(b *Builder, e *reader, calls map[uint64]*sharedCall) {
	s := c.turns[e.turn.key]
	if s == nil {
		s = &sharedTurn{}
		c.turns[e.turn.key] = s
	}
	b.addRow(&s.turn, &e.turn)
	s.final = s.final || s.turn.Final
	for _, c := range e.turn.calls {
		s.addCall(c, e.lineInFile(), calls)
	}
}

func (s *sharedTurn) addCall(row callRow, line int32, calls map[uint64]*sharedCall) {
	if calls[row.id] != nil {
		return
	}
	row.atoms = append([]uint64(nil), row.atoms...)
	c := &sharedCall{row: row, line: line}
	s.calls = append(s.calls, c)
	calls[row.id] = c
}

func (c *sharedCall) result(e *events) {
	if e.kind == evReuse {
		c.reused = max(c.reused, e.bytes)
		return
	}
	c.answered, c.failed, c.bytes = true, c.failed || e.failed, max(c.bytes, e.bytes)
	if e.agent != 0 {
		c.agent = e.agent
	}
}

// mergeShared adds to a thread's shared turns what other threads know of them.
func (b *Builder) mergeShared(t *draft) {
	if b.cluster == nil {
		return
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		s := b.cluster.turns[turn.Key]
		if s == nil {
			continue
		}
		mergeTokens(&turn.Tokens, s.turn.Tokens)
		turn.Final = turn.Final || s.final
		turn.Fast = turn.Fast || s.turn.Fast
		turn.Thinking = turn.Thinking || s.turn.Thinking
		for k, a := range s.turn.Advisor {
			if k == len(turn.Advisor) {
				turn.Advisor = append(turn.Advisor, ModelTokens{Model: a.Model})
			}
			mergeTokens(&turn.Advisor[k].Tokens, a.Tokens)
		}
		for _, c := range s.calls {
			b.addCall(newRef(t.index, i, 0), turn, &c.row, c.line)
			r, ok := b.calls.get(c.row.id)
			if !ok || b.threadAt(r) != t || r.turn() != i {
				continue // one too many, or another turn of the session has it
			}
			to := &turn.Calls[r.call()]
			to.Answered = to.Answered || c.answered
			to.IsError = to.IsError || c.failed
			to.ResultBytes = max(to.ResultBytes, c.bytes)
			to.ReusedBytes = max(to.ReusedBytes, c.reused)
			if to.AgentID == "" && c.agent != 0 {
				to.AgentID = b.history.names.text(c.agent)
			}
		}
	}
}
