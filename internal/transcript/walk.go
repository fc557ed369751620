package transcript

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"
)

// walker turns lines into a segment's events. Each worker has one; between two files
// or pieces it is begun anew. It allocates nothing per line (a benchmark counts).
type walker struct {
	desk   *desk
	shaper Shaper
	key    uint64 // hides the shaper's identities: see identity

	pack   packer
	seg    segment
	line   int32 // the current line, 0-based in the segment
	start  place // of the current line
	waited place // where the first result that waits stood, before a line without a newline
	row    row
	inner  row // the row inside an agent_progress row
	turn   turnRow
	total  totalRow
	atoms  []uint64
	reuse  reuse

	// The file's place in the tree, for rows that do not say.
	fileSession []byte
	fileAgent   []byte // from the name agent-<id>.jsonl, empty for a main file
	scope       []byte // scratch for records
	scratch     []byte // and for values that have escapes
}

// begin starts a segment of a file. before is the turn that the line before belongs to,
// 0 at the file's beginning.
func (w *walker) begin(fileSession, fileAgent string, before uint64) {
	w.pack.reset()
	w.seg, w.line = segment{}, 0
	w.fileSession = append(w.fileSession[:0], fileSession...)
	w.fileAgent = append(w.fileAgent[:0], fileAgent...)
	w.reuse.reset(before)
}

// end finishes the segment. whole says that its last line ended with a newline.
func (w *walker) end(whole bool) segment {
	w.seg.resume = place{at: -1}
	switch {
	case !whole && w.waited.at >= 0:
		w.seg.resume = w.waited
	case !whole:
		w.seg.resume = w.start
	}
	if len(w.reuse.waiting) > 0 && (w.seg.resume.at < 0 || w.reuse.waiting[0].place.at < w.seg.resume.at) {
		w.seg.resume = w.reuse.waiting[0].place
	}
	if w.reuse.strayed {
		w.seg.resume = place{}
	}
	w.reuse.settle(&w.pack)
	w.seg.lines = w.line
	w.seg.events = append([]byte(nil), w.pack.out...)
	return w.seg
}

// torn says that the line to come has no newline yet: what it does to results that wait
// is undone when the file grows.
func (w *walker) torn() {
	w.waited = place{at: -1}
	if len(w.reuse.waiting) > 0 {
		w.waited = w.reuse.waiting[0].place
	}
}

// waits says whether results wait for the turn after them.
func (w *walker) waits() bool { return len(w.reuse.waiting) > 0 }

// listen hears a line that belongs to the next segment, for the sake of those.
func (w *walker) listen(line []byte, at int64, r *row) {
	w.reuse.move(&w.pack, at)
	if !parseOne(line, r) || !primary(r, len(w.fileAgent) > 0) {
		return
	}
	switch string(r.kind) {
	case "assistant":
		if turn := turnKey(r); billed(r) && turn != 0 {
			w.hear(&w.pack, turn, &r.message)
		}
	case "user":
		for i := range r.message.blocks {
			if r.message.blocks[i].isResult() {
				w.reuse.returned(&w.pack)
				return
			}
		}
		if kind, _, _ := w.classifyRow(r); kind == MarkPrompt {
			w.reuse.settle(&w.pack)
		}
	}
}

// here is the start of the current line.
func (w *walker) here(at int64) place {
	return place{at, w.line, int32(len(w.pack.out)), w.seg.bad, w.seg.odd, w.seg.long}
}

// feedAhead reads the line that whole lines begin with and says how long it is, newline
// included; 0 where feed must, with the line alone: the line's end is found by reading it,
// which needs one object and nothing else.
func (w *walker) feedAhead(lines []byte, at int64) int {
	i := skipSpace(lines, 0)
	if lines[i] != '{' {
		return 0
	}
	end := parseRow(lines, i, 0, &w.row)
	if end < 0 {
		return 0
	}
	if end = skipSpace(lines, end); lines[end] != '\n' {
		return 0
	}
	w.reuse.move(&w.pack, at)
	w.start = w.here(at)
	w.take(&w.row, nil)
	w.line++
	return end + 1
}

// feed reads one line, without its newline. at is its offset in the file.
func (w *walker) feed(line []byte, at int64) {
	w.reuse.move(&w.pack, at)
	w.start = w.here(at)
	i := skipSpace(line, 0)
	for i < len(line) {
		if line[i] != '{' {
			end := skipValue(line, i, 0)
			if end < 0 {
				w.flaw(flawBad)
				break
			}
			w.flaw(flawOdd)
			i = skipSpace(line, end)
			continue
		}
		end := parseRow(line, i, 0, &w.row)
		if end < 0 {
			w.flaw(flawBad)
			break
		}
		w.take(&w.row, nil)
		i = skipSpace(line, end)
	}
	w.line++
}

// feedLong counts a line that was too long to read.
func (w *walker) feedLong(at int64) {
	w.start = w.here(at)
	w.flaw(flawLong)
	w.line++
}

func (w *walker) flaw(kind byte) {
	switch kind {
	case flawBad:
		w.seg.bad++
	case flawOdd:
		w.seg.odd++
	case flawLong:
		w.seg.long++
	}
	w.pack.flaw(kind, w.line)
}

// take turns a row into events. around is the progress row that carries it, else nil.
func (w *walker) take(r, around *row) {
	switch string(r.kind) {
	case "assistant":
		w.assistant(r, around)
	case "user":
		w.user(r, around)
	case "progress":
		w.progress(r)
	case "attachment":
		w.attachment(r)
	case "system":
		if string(r.subtype) == "compact_boundary" {
			w.mark(r, nil, markRow{kind: MarkCompact})
		}
	case "cost-state":
		w.costState(r)
	}
}

// enter emits the conversation that a row belongs to and says whether it is the file's
// own (see primary).
func (w *walker) enter(r, around *row) bool {
	session, agent := r.session, w.fileAgent
	var flags, parent uint64
	switch {
	case around != nil:
		session, agent = around.session, around.extra.agent
		if len(around.parentCall) > 0 {
			parent = xxhash.Sum64(around.parentCall)
		}
	case len(w.fileAgent) > 0:
		if len(r.agent) > 0 {
			agent = r.agent
		}
	case r.sidechain:
		if agent = r.agent; len(agent) == 0 {
			flags |= 1
		}
	}
	if len(session) == 0 {
		session = w.fileSession
	}
	if len(r.originSession) > 0 && !bytes.Equal(r.originSession, session) {
		session, flags = r.originSession, flags|2
	}
	b := append(w.scope[:0], recordScope)
	b = binary.AppendUvarint(b, flags)
	b = appendBytes(b, session)
	b = appendBytes(b, agent)
	b = binary.AppendUvarint(b, parent)
	w.scope = b
	w.pack.in(w.desk.repeated(0, b), w.line)
	return around == nil && primary(r, len(w.fileAgent) > 0)
}

// primary says whether a row belongs to its file's own conversation: a main file's main
// thread, an agent file's agent.
func primary(r *row, agentFile bool) bool { return agentFile || !r.sidechain }

// billed says whether an assistant row is part of an API response: errors that the
// client made up itself are not.
func billed(r *row) bool {
	return r.message.hasUsage && !r.apiError && string(r.message.model) != "<synthetic>"
}

// turnKey tells an API response from all others, across files; 0 where nothing does.
func turnKey(r *row) uint64 {
	for _, id := range [...][]byte{r.message.id, r.request, r.uuid} {
		if len(id) > 0 {
			return xxhash.Sum64(id)
		}
	}
	return 0
}

// assistant emits one row of an API response.
func (w *walker) assistant(r, around *row) {
	m := &r.message
	if !billed(r) {
		return
	}
	t := &w.turn
	*t = turnRow{advisors: t.advisors[:0], calls: t.calls[:0]}
	if t.key = turnKey(r); t.key == 0 {
		return // nothing tells it from its copies
	}
	own := w.enter(r, around)
	envelope := r
	if around != nil {
		envelope = around
	}
	b := append(w.scope[:0], recordOrigin)
	b = appendBytes(b, m.model)
	b = appendBytes(b, envelope.version)
	b = appendBytes(b, envelope.cwd)
	b = appendBytes(b, r.skill)
	b = appendBytes(b, r.plugin)
	b = appendBytes(b, r.attributionAgent)
	w.scope = b
	t.origin = w.desk.repeated(1, b)
	t.time = parseTime(r.stamp)
	t.tokens = m.usage.tokens()
	if m.stopped {
		t.flags |= turnFinal
	}
	if m.usage.fast {
		t.flags |= turnFast
	}
	for i := range m.iterations {
		if it := &m.iterations[i]; string(it.kind) == "advisor_message" {
			t.advisors = append(t.advisors, advised{w.desk.plain(it.model), it.tokens()})
		}
	}
	if own {
		w.hear(&w.pack, t.key, m)
	}
	text := len(m.text)
	w.atoms = w.atoms[:0]
	for i := range m.blocks {
		bl := &m.blocks[i]
		switch string(bl.kind) {
		case "text":
			text += len(bl.text)
		case "thinking", "redacted_thinking":
			t.flags |= turnThinks
		case "tool_use":
			w.call(t, bl, m.args[bl.argFrom:bl.argTo])
		}
	}
	if text > 0 {
		t.text, t.rowID = int32(min(text, math.MaxInt32)), uint32(xxhash.Sum64(r.uuid))
	}
	w.pack.turn(t, w.line)
}

// hear tells the measure of reuse what an assistant row says.
func (w *walker) hear(p *packer, turn uint64, m *message) {
	w.reuse.row(p, turn)
	w.reuse.say(m.text)
	for i := range m.blocks {
		w.reuse.say(m.blocks[i].text)
		w.reuse.say(m.blocks[i].input)
	}
}

// user emits the tool results of a row, or the mark that it is.
func (w *walker) user(r, around *row) {
	m := &r.message
	results := false
	for i := range m.blocks {
		bl := &m.blocks[i]
		if !bl.isResult() {
			continue
		}
		own := w.enter(r, around)
		if own && !results {
			// What was measured now stays if the walk begins anew at this line.
			w.reuse.returned(&w.pack)
			w.start.events = int32(len(w.pack.out))
		}
		results = true
		size := len(bl.text)
		for _, part := range m.parts[bl.from:bl.to] {
			size += len(part)
		}
		call := xxhash.Sum64(bl.id)
		w.pack.result(call, bl.isError, int32(min(size, math.MaxInt32)), w.desk.plain(r.resultAgent), w.line)
		if own && size >= reuseMinimum {
			w.reuse.wait(call, bl.text, m.parts[bl.from:bl.to], w.start)
		}
	}
	if !results {
		w.userMark(r, around)
	}
}

// progress emits an agent's message, or a hook's run.
func (w *walker) progress(r *row) {
	switch string(r.extra.kind) {
	case "agent_progress":
		if !r.extra.hasMessage || len(r.extra.agent) == 0 {
			return
		}
		if parseRow(r.extra.inner, 0, 2, &w.inner) < 0 {
			return // cannot be: it was proved as part of its line
		}
		if k := string(w.inner.kind); k == "assistant" || k == "user" {
			w.take(&w.inner, r)
		}
	case "hook_progress":
		w.hook(r)
	}
}

var hookPrefix = []byte("hook_")

// attachment emits a hook's run or a prompt that was queued.
func (w *walker) attachment(r *row) {
	switch e := &r.extra; {
	case bytes.HasPrefix(e.kind, hookPrefix):
		w.hook(r)
	case string(e.kind) == "queued_command":
		kind := MarkPrompt
		if string(e.mode) == "task-notification" || bytes.HasPrefix(e.prompt, notificationTag) {
			kind = MarkNotification
		}
		w.mark(r, nil, markRow{kind: kind})
	}
}

func (w *walker) hook(r *row) {
	w.mark(r, nil, markRow{kind: MarkHook, class: w.markClass(r.extra.hook, bodyPlace{})})
}
