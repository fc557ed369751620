package memory

// Document kinds of this room.
const (
	QueriesKind = "memory-queries/v1"
	NotesKind   = "memory-notes/v1"
)

// Places in a memory (FR-9.3).
const (
	// TargetRoom, in the wing named as the target: its runs, and what was declined or held back.
	TargetRoom = "inference-arbitrage-audits"
	// LessonsWing and LessonsRoom take every run, whatever its outcome.
	LessonsWing = "claude-plugins"
	LessonsRoom = "inference-arbitrage-lessons"
)

// addedBy signs every note.
const addedBy = "inference-arbitrage"

// Queries is memory-queries/v1: the searches to run before grading.
type Queries struct {
	Document string `json:"document"`
	// Server is the memory server that the user configured, "" for the local notes file.
	Server string `json:"server"`
	// Queries: in the order to run them.
	Queries []Query `json:"queries"`
	// Recalled are the local notes that answer; empty with a server.
	Recalled []Note `json:"recalled"`
}

// Query is one search.
type Query struct {
	// Wing: where to look.
	Wing string `json:"wing"`
	// Room: where in the wing.
	Room string `json:"room"`
	// Query: the words to look for.
	Query string `json:"query"`
	// Limit: how many answers are enough.
	Limit int `json:"limit"`
}

// Notes is memory-notes/v1: what to write after a run.
type Notes struct {
	Document string `json:"document"`
	// Server is the memory server that the user configured, "" for the local notes file.
	Server string `json:"server"`
	// Notes: of this run.
	Notes []Note `json:"notes"`
	// Triples are facts for a knowledge graph.
	Triples []Triple `json:"triples"`
}

// Note is one thing to remember, as a memory server takes it.
type Note struct {
	// Wing: the target's name, or LessonsWing.
	Wing string `json:"wing"`
	// Room: TargetRoom or LessonsRoom.
	Room string `json:"room"`
	// Content: fixed words and allow-listed fields.
	Content string `json:"content"`
	// SourceFile is the run's page, relative to the store.
	SourceFile string `json:"source_file"`
	// AddedBy: always inference-arbitrage.
	AddedBy string `json:"added_by"`
}

// Triple is one fact.
type Triple struct {
	// Subject: a plugin or a candidate.
	Subject string `json:"subject"`
	// Predicate: one of a fixed list.
	Predicate string `json:"predicate"`
	// Object: a value from the snapshot.
	Object string `json:"object"`
	// ValidFrom is the run's moment.
	ValidFrom string `json:"valid_from"`
}
