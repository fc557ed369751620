// Package audit is the vocabulary that three or more rooms speak: what an audit
// looks at (Target, Component), when (Window), how much (Tokens), and what is
// said of a candidate (Kind, Strength, Position, Confidence, Verdict, Reading).
// It holds words only: no rule, no arithmetic, no input or output.
package audit

// Target is the plugin under audit, as it was found on disk.
type Target struct {
	// Path is the resolved absolute directory; the only absolute path a document may hold.
	Path string `json:"path"`
	// Name is the manifest's name, never the directory's.
	Name string `json:"name"`
	// Version is the manifest's version, "" when the manifest has none.
	Version string `json:"version,omitempty"`
	// Repository is the address that the manifest or the marketplace entry gives, as written; "" when neither does.
	Repository string `json:"repository,omitempty"`
	// Marketplace is the marketplace it was found through, "" for a bare path.
	Marketplace string `json:"marketplace,omitempty"`
	// ResolvedBy says how: path, installed, directory-marketplace, cache, orphan, marketplace-entry.
	ResolvedBy string `json:"resolved_by"`
}

// Span is a stretch of time in RFC 3339; a nil bound is open or unknown.
type Span struct {
	// Since: the inclusive beginning; null when open or unknown.
	Since *string `json:"since"`
	// Until: the end; null when open or unknown.
	Until *string `json:"until"`
}

// Window is what was asked for and what was there.
type Window struct {
	// Requested is the span asked for (--since, --until).
	Requested Span `json:"requested"`
	// Observed runs from the first to the last turn seen; both nil when none was.
	Observed Span `json:"observed"`
	// Timezone is the IANA zone in which days were cut and bounds are printed.
	Timezone string `json:"timezone"`
}

// Component kinds.
const (
	KindSkill   = "skill"
	KindAgent   = "agent"
	KindCommand = "command"
	KindHook    = "hook"
	KindMCP     = "mcp-server"
	KindLSP     = "lsp-server"
)

// ComponentRef names one component of a plugin.
type ComponentRef struct {
	// Kind is one of the Kind constants.
	Kind string `json:"kind"`
	// Name is the name inside its plugin, without the plugin's prefix: "deploy", "sub:deploy".
	Name string `json:"name"`
}

// Tokens are the counters of one or many API responses, as the provider reported them.
type Tokens struct {
	// Input: input that was neither read from nor written to the cache.
	Input int64 `json:"input_tokens"`
	// Output: what the model wrote, thinking included.
	Output int64 `json:"output_tokens"`
	// CacheRead: input read from the cache.
	CacheRead int64 `json:"cache_read_tokens"`
	// CacheWrite5m: input written to the five-minute cache.
	CacheWrite5m int64 `json:"cache_write_5m_tokens"`
	// CacheWrite1h: input written to the one-hour cache.
	CacheWrite1h int64 `json:"cache_write_1h_tokens"`
	// WebSearches: searches that the provider ran for the response, billed by the piece: part of
	// the cost, no tokens and so not of the weight.
	WebSearches int64 `json:"web_search_requests"`
}

// Warning is a doubt that travels beside the numbers. It never quotes content.
type Warning struct {
	// Code is stable and kebab-case, for programs.
	Code string `json:"code"`
	// Path is relative to the target or to the configuration directory; "" when it is about the whole.
	Path string `json:"path,omitempty"`
	// Line is 1-based; 0 when no line is meant.
	Line int `json:"line,omitempty"`
	// Message is one sentence for people.
	Message string `json:"message"`
}

// Candidate kinds (rubric 3.1).
const (
	Sequence  = "sequence"
	Preload   = "preload"
	Procedure = "procedure"
	Table     = "table"
	Wrapper   = "wrapper"
	DigestOf  = "digest"
	Drift     = "drift"
)

// Strength says how much measurement stands behind a value.
type Strength string

const (
	Measured   Strength = "measured"
	Thin       Strength = "thin"
	Unmeasured Strength = "unmeasured"
)

// Position is where the cut between script and judgment lies (FR-4.1).
type Position string

const (
	PureScript    Position = "pure-script"
	Compiled      Position = "script-with-compiled-judgment"
	OverDigest    Position = "llm-over-script-digest"
	PureInference Position = "pure-inference"
)

// Confidence in a position.
type Confidence string

const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Verdict is what becomes of a candidate (rubric 3.6, 3.7).
type Verdict string

const (
	File             Verdict = "file"
	BoundaryQuestion Verdict = "boundary-question"
	NoOffload        Verdict = "no-offload"
	DriftNote        Verdict = "drift-note"
)

// Stability is what comparing two windows says of a file verdict (rubric 3.7).
type Stability string

const (
	Unchecked          Stability = "unchecked"
	Stable             Stability = "stable"
	Unstable           Stability = "unstable"
	InsufficientWindow Stability = "insufficient-window"
)

// Reading is one window's measurement of one candidate: what stability compares.
type Reading struct {
	// SnapshotID: the snapshot that the reading is from; "" for the present run.
	SnapshotID string `json:"snapshot_id,omitempty"`
	// Strength: how much measurement stands behind it.
	Strength Strength `json:"strength"`
	// SharePPM is offload_value as a share of the audited weighted spend, in parts per million.
	SharePPM int64 `json:"share_ppm"`
	// Invocations: the invocations in which the candidate was seen; where it was not, its component's.
	Invocations int64 `json:"invocations"`
	// Observed is the span that was really seen, not the one asked for.
	Observed Span `json:"observed"`
	// Stability: what that snapshot's own gate said; "" where the gate did not apply.
	Stability Stability `json:"stability,omitempty"`
	// RubricVersion: the rubric that it was judged by.
	RubricVersion string `json:"rubric_version,omitempty"`
	// TargetVersion: the target's version then.
	TargetVersion string `json:"target_version,omitempty"`
}

// Issue is a tracked finding as its tracker last answered.
type Issue struct {
	// Ref is owner/repo#num; for findings kept as files, the file's path in its directory.
	Ref string `json:"ref"`
	// State is open or closed.
	State string `json:"state"`
	// Resolution of a closed one: completed, not_planned, reverted, "" when the tracker does not say.
	Resolution string `json:"resolution,omitempty"`
}
