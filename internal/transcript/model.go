package transcript

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// Session is one session's turns, each API response once, ready for attribution:
// the main thread first, then its subagents' threads in the order of their agent ids.
// It is valid only until the iteration moves on.
type Session struct {
	// ID is the session that the rows name, not the file's name.
	ID   string
	Main *Thread   // nil when only subagent files were found
	Subs []*Thread // subagents, workflow agents, compaction agents, inline sidechains
	// Oracle is the client's own cumulative total (last cost-state line), nil when it wrote none.
	Oracle []ModelTotal
	// OracleCostMicroUSD is that line's totalCostUSD in millionths of a dollar.
	OracleCostMicroUSD int64
	// Compactions counts the compact_boundary rows; their requests stand only in Oracle.
	Compactions int
	// ForkOf is the session this one was forked from, "" otherwise.
	ForkOf string
	// MissingAgents counts dispatches whose agent was named in the result but whose rows
	// stand nowhere: their spend is invisible.
	MissingAgents int
}

// ModelTotal is one model's part of a client's own total.
type ModelTotal struct {
	Model  string
	Tokens audit.Tokens
	// CacheWrite is the sum of both cache-write counters: the client does not split them here.
	CacheWrite   int64
	CostMicroUSD int64
}

// Thread is one conversation with the model: a main thread or one agent's.
type Thread struct {
	AgentID string // "" for the main thread
	// AgentType is from the stamp, else meta.json, else the dispatching call; "" when none tells.
	AgentType string
	// Compaction marks an agent-acompact-* thread, Warmup a warm-up run: cost classes of their own.
	Compaction, Warmup bool
	// ParentCall is the tool_use id hash of the dispatch, 0 when unknown.
	ParentCall uint64
	Turns      []Turn
	Marks      []Mark
}

// Turn is one API response, counted once across all files of the scan.
type Turn struct {
	Key     uint64 // hash of message.id, else requestId, else uuid
	File    int32  // index into History.Files
	Line    int32  // 1-based line of its first row
	Time    int64  // Unix milliseconds of its first row; 0 when the row has none
	Model   string // message.model as written
	Version string // client version of the row, "" when absent
	Cwd     string // never leaves the scan; for --project
	Tokens  audit.Tokens
	Fast    bool // speed: fast
	// Final is false when the last row still had stop_reason null: output is a lower bound.
	Final bool
	// Advisor holds the advisor_message iterations, billed on top at their own model.
	Advisor []ModelTokens
	// Stamps as the client wrote them; "" when absent.
	StampSkill, StampPlugin, StampAgent string
	// TextBytes is the visible text of the response, in bytes; Thinking says whether it thought.
	TextBytes int32
	Thinking  bool
	Calls     []Call
}

// ModelTokens is one model's counters.
type ModelTokens struct {
	Model  string
	Tokens audit.Tokens
}

// Call is one tool_use block, its arguments already reduced to a Shape, with what came back.
type Call struct {
	ID    uint64 // hash of the tool_use id
	Line  int32
	Tool  string
	Shape Shape
	// Skill is a Skill call's own `skill` argument, AgentType an Agent/Task call's
	// subagent_type ("general-purpose" when missing). Both are names, not content.
	Skill, AgentType string
	// Result of the call, as far as it was seen.
	Answered    bool
	IsError     bool
	ResultBytes int32
	// ReusedBytes is how many bytes of 8-token shingles of the result reappear in the next
	// turn's text or tool input; only for results of 2 KB and more, else 0.
	ReusedBytes int32
	// AgentID links an Agent/Task call to its thread (toolUseResult.agentId).
	AgentID string
}

// Shape is all that may be kept of a call's arguments (FR-3.5). A Shaper makes it while the
// line is in the buffer; the arguments themselves are never copied out.
type Shape struct {
	// Sig is the signature at shape grain, Full at full grain (2-measure.md 2.4).
	Sig, Full string
	// Identity is a keyed hash of the literal arguments; never emitted.
	Identity uint64
	// Atoms are the mechanical atoms: a read, or each simple command of a Bash call.
	Atoms []Atom
	// ReadOnly: a Bash call whose every simple command only reads. For other tools: false.
	ReadOnly bool
	// Own: every command of the call runs an executable that the target ships.
	Own bool
}

// Atom is the smallest mechanical step: a read of a file, or one simple command. (An alias,
// so that a Shaper's own type is the same one without an arrow between the rooms.)
type Atom = struct {
	Sig      string
	Identity uint64
	Own      bool
}

// Shaper reduces a tool call to its Shape. tool is the tool's name; input the raw JSON of
// tool_use.input, one whole object, and args its members; all of them are valid only during
// the call. It must be pure and safe for concurrent use; its answers are cached with the
// digests, so Options.ShaperID must change whenever an answer could.
type Shaper func(tool, input []byte, args []Member) Shape

// Member is one member of a call's arguments: its name and its value, raw JSON. (An alias, as
// Atom is.)
type Member = struct{ Key, Value []byte }

// MarkKind says what a row between turns means.
type MarkKind uint8

const (
	// MarkPrompt is a human prompt: not a tool result, not meta, no summary, no notification.
	MarkPrompt MarkKind = iota + 1
	// MarkCommand is a row with <command-message> before <command-name>: a prompt command or skill.
	MarkCommand
	// MarkBuiltin is a built-in command (<command-name> first): a human row.
	MarkBuiltin
	// MarkBody is an isMeta body after a command or Skill call.
	MarkBody
	// MarkNotification is a background task's notification.
	MarkNotification
	// MarkCompact is a compaction boundary; MarkSummary its summary row.
	MarkCompact
	MarkSummary
	// MarkHook is one hook run (attachment hook_* or progress hook_progress).
	MarkHook
	// MarkInterrupt is "[Request interrupted by user".
	MarkInterrupt
)

// Mark is a row between turns that attribution needs.
type Mark struct {
	Kind MarkKind
	// Before is the index into Thread.Turns of the first turn after the mark.
	Before int32
	File   int32
	Line   int32
	Time   int64
	// Name: the command's name without slash (MarkCommand, MarkBuiltin), the hook's event (MarkHook).
	Name string
	// Plugin and Marketplace and PluginVersion from a body's base directory plugins/cache/<m>/<p>/<v>/.
	Plugin, Marketplace, PluginVersion string
	// BaseDir: where a MarkBody's base directory stands: plugin-cache, user, project, bundled, other, none.
	// Dir is its last element (the skill's folder). DirHash identifies the full path.
	BaseDir, Dir string
	DirHash      uint64
	// Call is the Skill call that a MarkBody answers (sourceToolUseID), 0 for a typed one.
	Call uint64
}

// File is one transcript file of a History.
type File struct {
	// Path is relative to its configuration directory, slashes forward.
	Path string
	Size int64
}

// Input says what was read.
type Input struct {
	// Files: transcript files found, each once.
	Files int64 `json:"files"`
	// Bytes: their size.
	Bytes int64 `json:"bytes"`
	// Lines: lines in them, blank ones left out.
	Lines int64 `json:"lines"`
	// Bad: lines that are no JSON object: skipped, named in the warnings.
	Bad int64 `json:"bad_lines"`
	// Unexpected: rows of a type that this version does not know: skipped.
	Unexpected int64 `json:"unexpected_lines"`
	// TooLong: lines over 64 MiB: skipped.
	TooLong int64 `json:"too_long_lines"`
}
