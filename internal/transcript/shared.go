package transcript

import "slices"

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

// collectShared reads all digests again, for the turns that several threads hold: a copy
// may end before a call's result, and the copy may be the owner.
func (h *History) collectShared() {
	var e reader
	b := Builder{history: h}
	calls := map[uint64]*sharedCall{}
	for _, i := range h.sharedFiles() {
		for e.open(h.names, h.digests[i]); e.next(); {
			switch e.kind {
			case evTurn:
				if _, shared := h.owners.owner(e.turn.key); shared {
					h.sharedRow(&b, &e, calls)
				}
			case evResult, evReuse: // after its call, in every copy
				if c := calls[e.call]; c != nil {
					c.result(&e.events)
				}
			}
		}
	}
}

// sharedFiles are the files of the sessions that share turns, in order.
func (h *History) sharedFiles() []int32 {
	var list []int32
	for _, s := range h.sessions {
		for i := range s.spans {
			if s.shared {
				list = append(list, s.spans[i].file)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sharedRow adds a row to its shared turn.
func (h *History) sharedRow(b *Builder, e *reader, calls map[uint64]*sharedCall) {
	s := h.owners.shared[e.turn.key]
	if s == nil {
		s = &sharedTurn{}
		h.owners.shared[e.turn.key] = s
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
	if len(b.history.owners.shared) == 0 {
		return
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		s := b.history.owners.shared[turn.Key]
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
			r, _ := b.calls.get(c.row.id)
			if b.threadAt(r) != t || r.turn() != i {
				continue // another turn of the session has it
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
