package snapshot

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// Kind of a snapshot, one JSON line of the store, for ever.
const Kind = "snapshot/v1"

// Document is snapshot/v1.
type Document struct {
	Document string `json:"document"`
	// SnapshotID is "snap1:" and 16 hex digits, from the run's inputs and time (see ID).
	SnapshotID string `json:"snapshot_id"`
	// Corrects is the snapshot of the same measurement that this one replaces, because it was judged
	// again; "" for a measurement of its own. No reader counts a corrected snapshot.
	Corrects string `json:"corrects,omitempty"`
	// CreatedAt is RFC 3339 in UTC.
	CreatedAt string `json:"created_at"`
	// ToolVersion: of the writer.
	ToolVersion string `json:"tool_version"`
	// RubricVersion: that it was judged by.
	RubricVersion string `json:"rubric_version"`
	// WeightsVersion: of the token weights.
	WeightsVersion string `json:"weights_version"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	// Window: asked for and observed.
	Window audit.Window `json:"window"`
	// Attribution: how much could be attributed.
	Attribution scan.Attribution `json:"attribution"`
	// Audited is the spend that every share refers to: the target's. Usage is the whole window's.
	Audited scan.Spend `json:"audited"`
	// Usage: the whole window's spend.
	Usage scan.Spend `json:"usage"`
	// Composition: the spend by class of turn.
	Composition []scan.ClassUsage `json:"composition"`
	// Components: the target's own, sorted by kind and name.
	Components []Component `json:"components"`
	// Candidates: sorted by id.
	Candidates []Candidate `json:"candidates"`
	// DriftNotes: ids of candidates that are drift notes.
	DriftNotes []string `json:"drift_notes"`
	// SelfFindings: about the audit itself (FR-6.5).
	SelfFindings []stability.SelfFinding `json:"self_findings"`
	// RecallUsed: the judgments lean on conclusions recalled from memory (FR-9.2).
	RecallUsed bool `json:"recall_used"`
	// Filing: how this run's findings were to be filed.
	Filing Filing `json:"filing"`
	// Absent lists the candidates of earlier snapshots that this window did not show.
	Absent []Absent `json:"absent"`
	// Surface is every component that the target's inventory had; empty when none was given,
	// and then no candidate can be told to be stale.
	Surface []audit.ComponentRef `json:"surface"`
	// Counters: cumulative over the target's history.
	Counters Counters `json:"counters"`
	// DiffAgainst is the previous snapshot's id, "" for the first.
	DiffAgainst string `json:"diff_against"`
	// Notes is the only free text; it never reaches memory.
	Notes []string `json:"notes"`
	// Warnings: doubts of the whole run.
	Warnings []audit.Warning `json:"warnings"`
}

// Statuses of a candidate against the past, in order of precedence (rubric 3.8).
const (
	StatusStale       = "stale"
	StatusResolved    = "resolved"
	StatusClaimed     = "claimed-fixed-unconfirmed"
	StatusDrifted     = "signature-drifted"
	StatusNew         = "new"
	StatusGrown       = "grown"
	StatusShrunk      = "shrunk"
	StatusPersisting  = "persisting"
	StatusNotSeen     = "not-seen"
	TrendComputable   = "computable"
	TrendUncomputable = "not-computable"
)

// What an identity was found again by, in order of precedence.
const (
	ByIssue     = "issue"
	BySignature = "signature-hash"
	BySlug      = "component-slug"
	ByTokens    = "token-similarity"
)

// Component is a component's spend in this window.
type Component struct {
	audit.ComponentRef
	// Invocations: uses in this window.
	Invocations int64 `json:"invocations"`
	// Turns: attributed to it.
	Turns int64 `json:"turns"`
	// WeightedMilli: their weighted tokens.
	WeightedMilli int64 `json:"weighted_milli"`
	// CostUSD: decimal string; null when not priced.
	CostUSD *string `json:"cost_usd"`
	// SharePPM: of the audited spend.
	SharePPM int64 `json:"share_ppm"`
	// Composition: its turns by class.
	Composition []scan.ClassUsage `json:"composition"`
}

// Candidate is a candidate with its stability, issue, status and what it was carried from.
type Candidate struct {
	stability.Verdict
	// Issue is where it is tracked, "" when nowhere; its state and resolution are the tracker's.
	Issue string `json:"issue"`
	// IssueState: open or closed; "" when untracked.
	IssueState string `json:"issue_state"`
	// IssueResolution: completed, not_planned, reverted or "".
	IssueResolution string `json:"issue_resolution"`
	// Status against the latest earlier snapshot that has the candidate (rubric 3.8), one of the
	// Status constants, and StatusWhy in one sentence made of fixed words and numbers.
	Status string `json:"status"`
	// StatusWhy: one sentence of fixed words and numbers.
	StatusWhy string `json:"status_why"`
	// Trend says whether cost per invocation can be compared: computable, not-computable,
	// "" when there is nothing to compare with.
	Trend string `json:"trend"`
	// RatioMilli is cost per invocation now / before, in thousandths; null unless computable.
	RatioMilli *int64 `json:"ratio_milli"`
	// CarriedFrom is the snapshot whose wider reading still stands because this window was too
	// narrow to contradict it; "" otherwise. The judgment has its own carried_from.
	CarriedFrom string `json:"carried_from"`
	// MatchedBy says by what the identity was found again, one of the By constants, "" when it is new.
	MatchedBy string `json:"matched_by"`
	// MatchedIn is the snapshot that the status compares with, "" when it is new.
	MatchedIn string `json:"matched_in"`
	// FirstSeen is the snapshot that froze the id; "" when this one does.
	FirstSeen string `json:"first_seen"`
}

// Absent is a candidate of an earlier snapshot that this window did not show. That alone is no improvement.
type Absent struct {
	// ID: the candidate's.
	ID string `json:"id"`
	// Component: that it was in.
	Component audit.ComponentRef `json:"component"`
	// Status is not-seen, stale, resolved or claimed-fixed-unconfirmed.
	Status string `json:"status"`
	// StatusWhy: one sentence of fixed words and numbers.
	StatusWhy string `json:"status_why"`
	// Invocations of its component in this window: over so many it cost nothing.
	Invocations int64 `json:"invocations"`
	// LastSeen is the latest snapshot that has it.
	LastSeen string `json:"last_seen"`
	// Issue: where it is tracked, "" when nowhere.
	Issue string `json:"issue"`
	// IssueState: open or closed.
	IssueState string `json:"issue_state"`
	// IssueResolution: as the tracker says.
	IssueResolution string `json:"issue_resolution"`
}

// Filing says how this run's findings were to be filed.
type Filing struct {
	// Mode is the channel: github, gitea, delegate, file; "" when nothing was planned.
	Mode string `json:"mode"`
	// Reason says why nothing can be filed, "" when it can.
	Reason string `json:"reason"`
	// Actions: what was planned.
	Actions []Filed `json:"actions"`
}

// Filed is one planned action of this run.
type Filed struct {
	// CandidateID: the candidate's.
	CandidateID string `json:"candidate_id"`
	Action      string `json:"action"` // create, comment
	// Repository: owner/repo; "" for the channel file.
	Repository string `json:"repository"`
	// Issue is the one commented on, or the file written; "" when a tracker will number it.
	Issue string `json:"issue"`
	// Self: about the audit itself, on this plugin's own repository.
	Self bool `json:"self"`
}

// Counters is the counter-metric against over-scripting, cumulative over the target's history.
type Counters struct {
	// Filed: distinct candidates that have ever had an issue.
	Filed int64 `json:"filed"`
	// Wontfix: of those, the ones whose issue was last seen closed as not planned.
	Wontfix int64 `json:"wontfix"`
	// Reverted: of those, the ones whose issue is marked reverted, and those that were resolved
	// once and later cost at least the threshold again, over enough invocations.
	Reverted int64 `json:"reverted"`
}
