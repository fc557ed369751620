package corpus

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Session is one conversation. The verbs of its main thread are its own.
type Session struct {
	*Thread
	ID string

	home    *Home
	opt     SessionOptions
	v       version
	rnd     *rand.Rand
	now     time.Time
	active  work // the skill or command at work on the main thread
	threads []*Thread
	spent   map[string]Usage // per model, all threads, compaction too: the client's own total
}

// work is what a client would stamp.
type work struct{ skill, plugin string }

// Thread is the main thread of a session, or one subagent's.
type Thread struct {
	// AgentID is "" for the main thread.
	AgentID string

	s        *Session
	path     string
	echo     bool // rows are repeated as agent_progress rows in the main file
	noFile   bool
	call     string // the dispatching tool_use's id
	prompt   string
	model    string
	agent    string // agent type
	inherit  work   // what was at work when the agent was dispatched
	parent   any    // uuid of the row before, nil at the start
	context  int64  // tokens of the next request
	cached   int64  // of these, already in the cache
	dispatch []object
}

// Session returns the session that the thread belongs to.
func (t *Thread) Session() *Session { return t.s }

// Advance lets d pass before the next row; without it a row takes about a second.
func (s *Session) Advance(d time.Duration) *Session { s.now = s.now.Add(d); return s }

// Upgrade continues the session (a --resume) under another client version.
func (s *Session) Upgrade(client string) *Session {
	v, err := parseVersion(client)
	if err != nil {
		panic("corpus: " + err.Error())
	}
	s.v, s.opt.Version = v, client
	return s
}

func (t *Thread) main() bool { return t.AgentID == "" }

func (s *Session) tick() string {
	s.now = s.now.Add(time.Duration(300+s.rnd.IntN(900)) * time.Millisecond)
	return s.now.UTC().Format("2006-01-02T15:04:05.000Z")
}

// tail holds the members with which a client ends a row.
func (t *Thread) tail() object {
	o := object{{"userType", "external"}, {"entrypoint", "cli"}, {"cwd", t.s.opt.Cwd}, {"sessionId", t.s.ID}, {"version", t.s.opt.Version}}
	return append(o, member{"gitBranch", "main"})
}

// write puts one row with an identity of its own on the thread: head, then what body holds.
func (t *Thread) write(body object) (id string) {
	id = uuid(t.s.rnd)
	o := object{{"parentUuid", t.parent}, {"isSidechain", !t.main()}}
	if !t.main() {
		o = append(o, member{"agentId", t.AgentID})
	}
	o = append(o, body...)
	stamp := t.s.tick()
	o = append(o, member{"uuid", id}, member{"timestamp", stamp})
	o = append(o, t.tail()...)
	t.parent = id
	if !t.noFile {
		t.s.home.row(t.path, o)
	}
	if t.echo {
		t.s.echoProgress(t, body, id, stamp)
	}
	return id
}

// user writes a user row: content is a string or a list of blocks, more its other members.
func (t *Thread) user(content any, more ...member) string {
	o := object{{"type", "user"}, {"message", object{{"role", "user"}, {"content", content}}}}
	return t.write(append(o, more...))
}

// Prompt is what a person types (or what an agent is asked); it ends whatever skill was at work.
func (t *Thread) Prompt(text string) {
	if t.main() {
		t.s.active = work{}
	}
	t.grow(text)
	t.user(text)
}

func (t *Thread) grow(text string) { t.context += int64(len(text)+3) / 4 }

// Body is the text that a command or skill puts into the conversation, and where it comes from.
type Body struct {
	// Plugin that it belongs to, "" for a user's, a project's or a bundled one.
	Plugin string
	// BaseDir as the body's first line names it, "" when there is no such line (commands).
	BaseDir string
	Text    string
}

// PluginBody is a plugin skill's body, read from the plugin cache; dir is the skill's folder
// inside the plugin, such as skills/deploy.
func PluginBody(marketplace, plugin, version, dir string) Body {
	return Body{Plugin: plugin, Text: "# Instructions\n\nFollow the steps.",
		BaseDir: "/home/dev/.claude/plugins/cache/" + marketplace + "/" + plugin + "/" + version + "/" + dir}
}

// CommandBody is a plugin command's body: it names no directory.
func CommandBody(plugin string) Body { return Body{Plugin: plugin, Text: "Follow the steps."} }

// UserBody is the body of a skill of the user's own.
func UserBody(skill string) Body {
	return Body{Text: "# Mine", BaseDir: "/home/dev/.claude/skills/" + skill}
}

func (b Body) text() string {
	if b.BaseDir == "" {
		return b.Text
	}
	return "Base directory for this skill: " + b.BaseDir + "\n\n" + b.Text
}

// Command is a typed prompt command or skill: /name args. It is at work at once.
func (s *Session) Command(name, args string, b Body) {
	text := "<command-message>" + name + "</command-message>\n<command-name>/" + name + "</command-name>"
	if args != "" {
		text += "\n<command-args>" + args + "</command-args>"
	}
	s.user(text)
	s.body(b, "")
	s.active = work{name, b.Plugin}
}

// body writes the isMeta row of a command or of the Skill call that call names.
func (t *Thread) body(b Body, call string) {
	more := object{{"isMeta", true}}
	if call != "" {
		more = append(more, member{"sourceToolUseID", call})
	}
	t.grow(b.text())
	t.user([]any{object{{"type", "text"}, {"text", b.text()}}}, more...)
}

// Builtin is a command of the client's own (/clear, /model): a human row without a body.
func (s *Session) Builtin(name string) {
	s.active = work{}
	s.user("<command-name>/" + name + "</command-name>\n<command-message>" + name + "</command-message>\n<command-args></command-args>")
	s.user("<local-command-stdout></local-command-stdout>")
}

// Notify is a background task's report: it starts a turn with nothing at work.
func (s *Session) Notify(agentID, result string) {
	s.active = work{}
	text := "<task-notification>\n<task-id>" + agentID + "</task-id>\n<status>completed</status>\n<result>" + result + "</result>\n</task-notification>"
	s.grow(text)
	var more object
	if s.v >= 2_001_112 {
		more = object{{"origin", object{{"kind", "task-notification"}}}}
	}
	s.user(text, more...)
}

// Interrupt is the row that a person's Escape leaves.
func (s *Session) Interrupt() {
	s.user([]any{object{{"type", "text"}, {"text", "[Request interrupted by user]"}}})
	s.active = work{}
}

// Hook is one run of a hook: event such as PostToolUse, on a tool ("" for none).
func (t *Thread) Hook(event, tool, command string) {
	name := event
	if tool != "" {
		name += ":" + tool
	}
	if t.s.v < 2_001_092 {
		t.write(object{{"type", "progress"}, {"data", object{{"type", "hook_progress"}, {"hookEvent", event}, {"hookName", name}, {"command", command}}}})
		return
	}
	t.write(object{{"attachment", object{{"type", "hook_success"}, {"hookName", name}, {"hookEvent", event}, {"content", ""},
		{"stdout", ""}, {"stderr", ""}, {"exitCode", 0}, {"command", command}, {"durationMs", 4}}}, {"type", "attachment"}})
}

// APIError is the row of a request that failed: model <synthetic>, no usage, no turn.
func (t *Thread) APIError(status int, text string) {
	m := object{{"id", uuid(t.s.rnd)}, {"model", "<synthetic>"}, {"role", "assistant"}, {"stop_reason", "stop_sequence"}, {"type", "message"},
		{"usage", object{{"input_tokens", 0}, {"output_tokens", 0}, {"cache_creation_input_tokens", 0}, {"cache_read_input_tokens", 0}}},
		{"content", []any{object{{"type", "text"}, {"text", text}}}}}
	t.write(object{{"type", "assistant"}, {"message", m}, {"error", "unknown"}, {"isApiErrorMessage", true}, {"apiErrorStatus", status}})
}

// Compact is a compaction: the boundary, the summary, and u, the summary request's own
// spend, which stands on no row.
func (s *Session) Compact(u Usage, trigger string) {
	before := s.context
	s.context = s.opt.Context + 2_000
	s.cached = 0
	s.spend(s.model, u)
	s.home.Ledger.Compaction = s.home.Ledger.Compaction.plus(u)
	logical := s.parent
	s.parent = nil
	s.write(object{{"logicalParentUuid", logical}, {"type", "system"}, {"subtype", "compact_boundary"}, {"content", "Conversation compacted"},
		{"isMeta", false}, {"level", "info"}, {"compactMetadata", object{{"trigger", trigger}, {"preTokens", before}, {"postTokens", s.context}}}})
	s.user("This session is being continued from a previous conversation that ran out of context.\nSummary:\nwork so far",
		member{"isVisibleInTranscriptOnly", true}, member{"isCompactSummary", true})
}

func (s *Session) spend(model string, u Usage) { s.spent[model] = s.spent[model].plus(u) }

// Close ends the session: its cost-state line, where the client writes one, and its files.
func (s *Session) Close() {
	if s.v.costState() {
		s.CostState()
	}
	for _, t := range s.threads {
		s.home.closeFile(t.path)
	}
}

// Fork closes the session and starts another that begins with a copy of its rows, as
// --fork-session does.
func (s *Session) Fork() *Session {
	s.Close()
	o := s.opt
	o.ID, o.Start = "", s.now
	f := s.home.Session(o)
	f.parent, f.context, f.cached = s.parent, s.context, s.cached
	for m, u := range s.spent {
		f.spent[m] = u
	}
	data, err := os.ReadFile(filepath.Join(s.home.Dir, filepath.FromSlash(s.path)))
	if err != nil {
		s.home.fail(err)
	}
	own, copied := `"sessionId":"`+s.ID+`"`, `"sessionId":"`+f.ID+`"`
	for line := range bytes.Lines(data) {
		row := strings.TrimSuffix(string(line), "\n")
		if !strings.Contains(row, `"uuid":`) {
			continue
		}
		if s.v.rewritesForks() {
			to := copied
			if strings.Contains(row, `"type":"assistant","uuid"`) {
				to += `,"requestSessionId":"` + s.ID + `"`
			}
			row = strings.Replace(row, own, to, 1)
		}
		s.home.line(s.home.file(f.path), []byte(row))
	}
	return f
}
