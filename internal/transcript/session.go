package transcript

import (
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Builder puts one session together after the other and reuses what it holds.
type Builder struct {
	history  *History
	reader   reader
	session  Session
	threads  []*draft
	byAgent  map[threadKey]*draft
	latest   *draft // of the scope at atScope
	atScope  uint32
	turns    refTable // by turn key
	marks    refTable // by row; where they stand is not asked
	calls    refTable // by tool_use id
	origin   origin   // of the latest turn, whose record is originID
	originID uint32
	spoken   []spoken // the rows whose text was counted, latest last
	arena    arena[Call]
	atoms    arena[Atom]
	turnRoom []Turn // what the threads' turns are cut from
	markRoom []Mark
	cluster  *cluster // nil unless some turns may be another conversation's
	based    bool     // an oracle of the session's own file was seen
}

// draft is a thread while it is put together.
type draft struct {
	Thread
	index    int // in builder.threads
	id       threadID
	metaType string
}

// ref is where a turn or a call stands. What does not fit is left out: no session comes
// near, and a made-up one must not do harm.
type ref uint64

const (
	callBits, turnBits, threadBits = 16, 27, 20
	maxCalls, maxTurns, maxThreads = 1<<callBits - 1, 1<<turnBits - 1, 1<<threadBits - 1
)

func newRef(thread, turn, call int) ref {
	return ref(thread)<<(turnBits+callBits) | ref(turn)<<callBits | ref(call)
}

func (r ref) turn() int { return int(r >> callBits & maxTurns) }
func (r ref) call() int { return int(r & maxCalls) }

func (b *Builder) threadAt(r ref) *draft { return b.threads[r>>(turnBits+callBits)] }
func (b *Builder) turnAt(r ref) *Turn    { return &b.threadAt(r).Turns[r.turn()] }
func (b *Builder) callAt(r ref) *Call    { return &b.turnAt(r).Calls[r.call()] }

type spoken struct {
	turn ref
	row  uint32
}

func (b *Builder) reset(id string) {
	clear(b.threads)
	b.threads = b.threads[:0]
	b.turnRoom, b.markRoom = small(b.turnRoom), small(b.markRoom)
	if b.byAgent == nil {
		b.byAgent = map[threadKey]*draft{}
	}
	clear(b.byAgent)
	b.latest = nil
	b.turns.clear()
	b.marks.clear()
	b.calls.clear()
	b.arena.clear()
	b.atoms.clear()
	b.spoken = b.spoken[:0]
	b.based = false
	clear(b.session.Subs)
	b.session = Session{ID: id, Subs: b.session.Subs[:0], Oracle: b.session.Oracle[:0]}
}

// build is the session of some files; nil when no row of it counts.
func (b *Builder) build(f *sessionFiles) *Session {
	b.reset(f.id)
	h := b.history
	b.session.ForkOf = f.forkOf
	if b.cluster = f.cluster; b.cluster != nil {
		b.cluster.collect.Do(func() { b.cluster.read(h) })
	}
	b.turnRoom, b.markRoom = roomFor(b.turnRoom, f.size.turns), roomFor(b.markRoom, f.size.marks)
	b.turns.reserve(int(f.size.turns))
	b.marks.reserve(int(f.size.marks))
	b.calls.reserve(int(f.size.turns + f.size.marks))
	for i := range f.spans {
		at := &f.spans[i]
		d := h.digests[at.file]
		own := d.source.agent() == "" && d.source.session() == f.id
		for range h.span(&b.reader, at) {
			if s := &h.names.scopes[b.reader.place]; s.session == f.id {
				b.take(at.file, s, own)
			}
		}
	}
	return b.finish()
}

// thread is the draft of a scope's conversation.
func (b *Builder) thread(s *scope) *draft {
	if b.latest != nil && b.atScope == b.reader.place {
		return b.latest
	}
	k := threadKey{s.session, s.agent, s.unnamed}
	t := b.byAgent[k]
	if t == nil {
		t = &draft{index: len(b.threads), id: b.history.owners.byScope[b.reader.place]}
		t.AgentID = s.agent
		if s.unnamed {
			t.AgentID = "unnamed"
		}
		t.Compaction = strings.HasPrefix(s.agent, "acompact")
		n := b.history.owners.sizes[t.id]
		t.Turns, t.Marks = cut(&b.turnRoom, n.turns), cut(&b.markRoom, n.marks)
		b.byAgent[k] = t
		b.threads = append(b.threads, t)
	}
	if t.ParentCall == 0 {
		t.ParentCall = s.parent
	}
	b.latest, b.atScope = t, b.reader.place
	return t
}

// take adds one event of the session.
func (b *Builder) take(file int32, s *scope, own bool) {
	e := &b.reader
	switch e.kind {
	case evTotal:
		b.oracle(own)
		return
	case evResult, evReuse:
		b.result()
		return
	}
	t := b.thread(s)
	if len(b.threads) > maxThreads || len(t.Turns) >= maxTurns {
		return
	}
	switch e.kind {
	case evTurn:
		b.turn(t, file)
	case evMark:
		b.mark(t, file)
	case evWarm:
		t.Warmup = true
	}
	if d := b.history.digests[file]; s.agent != "" && d.source.agent() == s.agent {
		t.metaType = d.metaType
		if t.ParentCall == 0 {
			t.ParentCall = d.metaCall
		}
	}
}

func (b *Builder) turn(t *draft, file int32) {
	e := &b.reader
	row := &e.turn
	if b.cluster != nil {
		if owner, shared := b.history.owners.owner(row.key); shared && owner != t.id {
			return
		}
	}
	r, ok := b.turns.get(row.key)
	if !ok {
		r = newRef(t.index, len(t.Turns), 0)
		b.turns.set(row.key, r)
		o := b.originOf(row.origin)
		t.Turns = append(t.Turns, Turn{
			Key: row.key, File: file, Line: e.lineInFile(), Time: row.time,
			Model: o.model, Version: o.version, Cwd: o.cwd,
			StampSkill: o.skill, StampPlugin: o.plugin, StampAgent: o.agent,
		})
	}
	turn := b.turnAt(r)
	b.addRow(turn, row)
	if row.text > 0 && !b.heard(r, row.rowID) {
		turn.TextBytes += row.text
	}
	for i := range row.calls {
		b.addCall(r, turn, &row.calls[i], e.lineInFile())
	}
}

// originOf is the origin of a row; neighbours mostly repeat it.
func (b *Builder) originOf(record uint32) *origin {
	if b.originID != record { // none has the number 0
		o, ok := b.history.names.origin(record)
		if !ok {
			b.history.damaged.Store(true)
		}
		b.origin, b.originID = o, record
	}
	return &b.origin
}

// addRow merges what a row says of its turn, without text and calls.
func (b *Builder) addRow(turn *Turn, row *turnRow) {
	mergeTokens(&turn.Tokens, row.tokens)
	turn.Final = row.flags&turnFinal != 0
	turn.Fast = turn.Fast || row.flags&turnFast != 0
	turn.Thinking = turn.Thinking || row.flags&turnThinks != 0
	if turn.Time == 0 {
		turn.Time = row.time
	}
	for i, a := range row.advisors {
		if i == len(turn.Advisor) {
			turn.Advisor = append(turn.Advisor, ModelTokens{Model: b.history.names.text(a.model)})
		}
		mergeTokens(&turn.Advisor[i].Tokens, a.tokens)
	}
}

// mergeTokens takes the greater of each counter. Both cache writes are parts of one
// counter, so their sum is not more than its greatest value.
func mergeTokens(to *audit.Tokens, t audit.Tokens) {
	to.Input = max(to.Input, t.Input)
	to.Output = max(to.Output, t.Output)
	to.CacheRead = max(to.CacheRead, t.CacheRead)
	to.WebSearches = max(to.WebSearches, t.WebSearches)
	write := max(to.CacheWrite5m+to.CacheWrite1h, t.CacheWrite5m+t.CacheWrite1h)
	to.CacheWrite1h = max(to.CacheWrite1h, t.CacheWrite1h)
	to.CacheWrite5m = write - to.CacheWrite1h
}

// heard says whether a turn's row was counted before: a replay repeats its uuid.
func (b *Builder) heard(turn ref, row uint32) bool {
	for _, s := range slices.Backward(b.spoken[max(0, len(b.spoken)-32):]) {
		if s.row == row && s.turn == turn {
			return true
		}
	}
	b.spoken = append(b.spoken, spoken{turn, row})
	return false
}

func (b *Builder) addCall(r ref, turn *Turn, row *callRow, line int32) {
	if _, ok := b.calls.get(row.id); ok || len(turn.Calls) >= maxCalls {
		return
	}
	turn.Calls = b.arena.extend(turn.Calls, b.newCall(row, line))
	b.calls.set(row.id, r+ref(len(turn.Calls)-1))
}

func (b *Builder) newCall(row *callRow, line int32) Call {
	n := b.history.names
	class := &n.shapes[n.place[row.class]]
	c := Call{ID: row.id, Line: line, Tool: class.tool, Skill: class.skill, AgentType: class.agentType,
		Shape: Shape{Sig: class.sig, Full: class.full, Identity: row.identity, ReadOnly: class.readOnly, Own: class.own}}
	for i, a := range class.atoms {
		a.Identity = row.atoms[i]
		c.Shape.Atoms = b.atoms.extend(c.Shape.Atoms, a)
	}
	return c
}

func (b *Builder) result() {
	e := &b.reader
	r, ok := b.calls.get(e.call)
	if !ok {
		return
	}
	c := b.callAt(r)
	if e.kind == evReuse {
		c.ReusedBytes = max(c.ReusedBytes, e.bytes)
		return
	}
	c.Answered = true
	c.IsError = c.IsError || e.failed
	c.ResultBytes = max(c.ResultBytes, e.bytes)
	if e.agent != 0 {
		c.AgentID = b.history.names.text(e.agent)
	}
}

func (b *Builder) mark(t *draft, file int32) {
	e := &b.reader
	row := &e.mark
	if row.row != 0 {
		if b.cluster != nil {
			if owner, shared := b.history.owners.owner(row.row); shared && owner != t.id {
				return
			}
		}
		if _, ok := b.marks.get(row.row); ok {
			return // a copy in another file of the session
		}
		b.marks.set(row.row, 0)
	}
	n := b.history.names
	m := Mark{Kind: row.kind, Before: int32(len(t.Turns)), File: file, Line: e.lineInFile(), Time: row.time,
		DirHash: row.dirHash, Call: row.call}
	if row.class != 0 {
		c := &n.marks[n.place[row.class]]
		m.Name, m.Plugin, m.Marketplace, m.PluginVersion = c.name, c.plugin, c.marketplace, c.version
		m.BaseDir, m.Dir = c.baseDir, c.dir
	}
	if row.kind == MarkCompact {
		b.session.Compactions++
	}
	t.Marks = append(t.Marks, m)
}

// oracle keeps the latest total, of the session's own file where that has one.
func (b *Builder) oracle(own bool) {
	if b.based && !own {
		return
	}
	b.based = own
	b.session.OracleCostMicroUSD = b.reader.total.cost
	b.session.Oracle = b.session.Oracle[:0]
	for _, m := range b.reader.total.models {
		t := ModelTotal{Model: b.history.names.text(m.model), CacheWrite: m.write, CostMicroUSD: m.cost}
		t.Tokens = audit.Tokens{Input: m.input, Output: m.output, CacheRead: m.read, CacheWrite1h: min(m.write1h, m.write), WebSearches: m.searches}
		t.Tokens.CacheWrite5m = m.write - t.Tokens.CacheWrite1h
		b.session.Oracle = append(b.session.Oracle, t)
	}
}

// finish links what stands in several threads and hands the session out.
func (b *Builder) finish() *Session {
	s := &b.session
	s.Main = nil
	for _, t := range b.threads {
		b.mergeShared(t)
	}
	order := slices.Clone(b.threads) // refs keep meaning b.threads
	slices.SortFunc(order, func(x, y *draft) int {
		return compareThreads(b.history.owners.threads[x.id], b.history.owners.threads[y.id])
	})
	for _, t := range order {
		if t.AgentID == "" {
			s.Main = &t.Thread
		} else {
			s.Subs = append(s.Subs, &t.Thread)
		}
	}
	for _, t := range order {
		b.link(t)
	}
	for _, t := range order {
		b.nameAgent(t)
	}
	if len(s.Oracle) == 0 {
		s.Oracle = nil
	}
	if s.Main == nil && len(s.Subs) == 0 && s.Oracle == nil {
		return nil
	}
	return s
}

// link gives dispatched threads their call, and counts dispatches without a thread.
func (b *Builder) link(t *draft) {
	for i := range t.Turns {
		for j := range t.Turns[i].Calls {
			c := &t.Turns[i].Calls[j]
			if c.AgentID == "" {
				continue
			}
			sub := b.byAgent[threadKey{session: b.session.ID, agent: c.AgentID}]
			if sub == nil {
				b.session.MissingAgents++
			} else if sub.ParentCall == 0 {
				sub.ParentCall = c.ID
			}
		}
	}
}

// nameAgent finds a thread's agent type: the stamp, the meta file, the dispatching call.
func (b *Builder) nameAgent(t *draft) {
	if t.AgentID == "" {
		return
	}
	for i := range t.Turns {
		if t.AgentType = t.Turns[i].StampAgent; t.AgentType != "" {
			return
		}
	}
	if t.AgentType = t.metaType; t.AgentType != "" {
		return
	}
	if r, ok := b.calls.get(t.ParentCall); ok && t.ParentCall != 0 {
		t.AgentType = b.callAt(r).AgentType
	}
}
