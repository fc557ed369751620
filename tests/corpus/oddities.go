package corpus

import "strings"

// What real files hold besides sound rows.

// Torn writes a line that was cut inside a string.
func (t *Thread) Torn() { t.bad(`{"type":"user","message":{"role":"user","content":"cut he`) }

// BadEscape writes a line with an escape that JSON does not have.
func (t *Thread) BadEscape() {
	t.bad(`{"type":"user","message":{"role":"user","content":"C:\projects"}}`)
}

func (t *Thread) bad(line string) {
	t.s.home.Ledger.BadLines++
	t.s.home.line(t.s.home.file(t.path), []byte(line))
}

// Array writes a line that is JSON, but no object.
func (t *Thread) Array() {
	t.s.home.Ledger.OddLines++
	t.s.home.line(t.s.home.file(t.path), []byte(`["not","a","row"]`))
}

// Blank writes an empty line.
func (t *Thread) Blank() { t.s.home.line(t.s.home.file(t.path), nil) }

// GlueNext puts a second document on the line of the next row, with nothing between.
func (t *Thread) GlueNext() {
	rf := t.s.home.file(t.path)
	rf.glue = append(rf.glue, `{"type":"summary","summary":"Earlier work","leafUuid":"00000000-0000-4000-8000-000000000000"}`...)
}

// Snapshot writes a file-history-snapshot row of at least n bytes.
func (t *Thread) Snapshot(n int) {
	t.s.home.row(t.path, object{{"type", "file-history-snapshot"}, {"messageId", uuid(t.s.rnd)},
		{"snapshot", object{{"trackedFileBackups", object{}}, {"filler", strings.Repeat("x", n)}}}, {"isSnapshotUpdate", false}})
}

// Noise writes one row of each kind that holds no turn and no mark.
func (s *Session) Noise() {
	s.home.row(s.path, object{{"type", "queue-operation"}, {"operation", "enqueue"}, {"timestamp", s.tick()}, {"sessionId", s.ID}, {"content", "later"}})
	s.write(object{{"attachment", object{{"type", "total_tokens_reminder"}, {"used", s.context}}}, {"type", "attachment"}})
	s.write(object{{"type", "system"}, {"subtype", "turn_duration"}, {"durationMs", 1200}, {"isMeta", false}})
	s.home.row(s.path, object{{"type", "last-prompt"}, {"lastPrompt", "go on"}, {"sessionId", s.ID}})
	s.home.row(s.path, object{{"type", "mode"}, {"mode", "default"}, {"sessionId", s.ID}})
}
