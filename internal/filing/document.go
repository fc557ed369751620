package filing

// Document kinds of this room.
const (
	PlanKind     = "plan/v1"
	ExistingKind = "existing/v1"
	SearchesKind = "searches/v1"
)

// Existing is existing/v1: what the tracker answered, marker by marker.
type Existing struct {
	Document string `json:"document"`
	// Channel that was searched; absent where whoever searched did not say.
	Channel string `json:"channel,omitempty"`
	// Found: the issues that carry a marker.
	Found []Found `json:"found"`
	// Searched lists every marker that was looked for, found or not.
	Searched []string `json:"searched"`
}

// Found is one issue that carries a marker.
type Found struct {
	// Marker: the marker in its body.
	Marker string `json:"marker"`
	Issue  string `json:"issue"` // owner/repo#num or an issue's address; for the channel "file" the file's path
	State  string `json:"state"` // open, closed
	// Resolution: completed, not_planned, reverted, "".
	Resolution string `json:"resolution,omitempty"`
}

// Searches is searches/v1: which markers to look for, and how.
type Searches struct {
	Document string `json:"document"`
	// Channel: github, gitea, delegate or file.
	Channel string `json:"channel"`
	// Searches: one a marker.
	Searches []Search `json:"searches"`
	// Unavailable says why nothing can be searched, "" when it can (FR-6.4).
	Unavailable string `json:"unavailable"`
}

// Search is one marker to look for on one repository.
type Search struct {
	// Marker: what an issue's body must contain.
	Marker     string `json:"marker"`
	Repository string `json:"repository"` // owner/repo; "" for the channel "file"
	// Argv answers on standard output what `filing-plan existing` reads (github, gitea, file).
	Argv []string `json:"argv,omitempty"`
	// Prompt is what to hand to the delegate.
	Prompt string `json:"prompt,omitempty"`
	// Path is the folder to look into (file).
	Path string `json:"path,omitempty"`
}

// Plan is plan/v1: what to file and how. Nothing here writes to a tracker.
type Plan struct {
	Document string `json:"document"`
	// Channel: github, gitea, delegate or file.
	Channel string `json:"channel"`
	// Unavailable says why nothing can be filed, "" when it can (FR-6.4).
	Unavailable string `json:"unavailable"`
	// Delegate is the agent to hand the prompts to (channel delegate).
	Delegate string `json:"delegate"`
	// Labels are the argument vectors that make the labels in use; each fails harmlessly where its label exists.
	Labels [][]string `json:"labels"`
	// Actions: in the order of the candidates, findings about the audit last.
	Actions []Action `json:"actions"`
}

// Action is one issue to open or one comment to add.
type Action struct {
	Action string `json:"action"` // create, comment
	// CandidateID: the candidate's.
	CandidateID string `json:"candidate_id"`
	// Marker stands in the body and is searched for before anything is filed.
	Marker     string `json:"marker"`
	Repository string `json:"repository"` // owner/repo; "" for the channel "file"
	// Issue is the one to comment on.
	Issue string `json:"issue,omitempty"`
	// Title: of a new issue.
	Title string `json:"title"`
	// Labels: of a new issue; [] for a comment.
	Labels []string `json:"labels"`
	// Body: Markdown that begins with the marker.
	Body string `json:"body"`
	// Argv, Prompt or Path is how: the one that the channel has.
	Argv []string `json:"argv,omitempty"`
	// Prompt: what to hand to the delegate (channel delegate).
	Prompt string `json:"prompt,omitempty"`
	// Path: the file, relative to the folder of findings (channel file).
	Path string `json:"path,omitempty"`
	// Self: a finding about the audit itself, for this plugin's own repository.
	Self bool `json:"self"`
}
