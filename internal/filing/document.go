package filing

// Document kinds of this room.
const (
	PlanKind     = "plan/v1"
	ExistingKind = "existing/v1"
	SearchesKind = "searches/v1"
)

// Existing is existing/v1: what the tracker answered, marker by marker.
type Existing struct {
	Document string  `json:"document"`
	Found    []Found `json:"found"`
	// Searched lists every marker that was looked for, found or not.
	Searched []string `json:"searched"`
}

// Found is one issue that carries a marker.
type Found struct {
	Marker string `json:"marker"`
	Issue  string `json:"issue"` // owner/repo#num
	State  string `json:"state"` // open, closed
	// Resolution: completed, not_planned, reverted, "".
	Resolution string `json:"resolution,omitempty"`
}

// Searches is searches/v1: which markers to look for, and how.
type Searches struct {
	Document string   `json:"document"`
	Channel  string   `json:"channel"`
	Searches []Search `json:"searches"`
}

// Search is one marker to look for on one repository.
type Search struct {
	Marker     string   `json:"marker"`
	Repository string   `json:"repository"`
	Argv       []string `json:"argv,omitempty"`
	Prompt     string   `json:"prompt,omitempty"`
	Path       string   `json:"path,omitempty"`
}

// Plan is plan/v1: what to file and how. Nothing here writes to a tracker.
type Plan struct {
	Document string `json:"document"`
	Channel  string `json:"channel"`
	// Unavailable says why nothing can be filed, "" when it can (FR-6.4).
	Unavailable string   `json:"unavailable"`
	Actions     []Action `json:"actions"`
}

// Action is one issue to open or one comment to add.
type Action struct {
	Action      string   `json:"action"` // create, comment
	CandidateID string   `json:"candidate_id"`
	Marker      string   `json:"marker"`
	Repository  string   `json:"repository"`
	Issue       string   `json:"issue,omitempty"`
	Title       string   `json:"title"`
	Labels      []string `json:"labels"`
	Body        string   `json:"body"`
	Argv        []string `json:"argv,omitempty"`
	Prompt      string   `json:"prompt,omitempty"`
	Path        string   `json:"path,omitempty"`
	// Self: a finding about the audit itself, for this plugin's own repository.
	Self bool `json:"self"`
}
