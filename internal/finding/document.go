// Package finding says what a check of a plugin reports, and whether the check fails.
//
// A check runs in CI, without a model. It takes the verdicts as they stand (without
// judgments every candidate is a boundary question at best) and reports those that
// reach a level. The levels, the more serious the first:
//
//	file               a candidate that passed every gate
//	boundary-question  a step that somebody should look at: unjudged, or in doubt
//	drift-note         logic that stands both in a hook script and in prose
//
// "nothing to offload" is never a finding, and with it every step that the plugin's own
// executables already do. A candidate whose score is below the ranking's cut is
// reported, and does not fail a check while nobody has judged it: a weak suspicion is
// no reason to stop a build. Two things keep a finding that reached the level from
// failing: it was there before (a baseline holds the same candidate), or a waiver with
// a reason and an expiry covers it. Whatever is reported has exactly one State, and the
// check fails if and only if one is new.
package finding

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// Document kinds of this room.
const (
	Kind        = "findings/v1"
	WaiversKind = "waivers/v1"
)

// Levels of --fail-on, from the most serious; Never reports and does not fail.
const (
	LevelFile     = string(audit.File)
	LevelQuestion = string(audit.BoundaryQuestion)
	LevelDrift    = string(audit.DriftNote)
	LevelNever    = "never"
)

// Levels are all levels, from the most serious.
var Levels = []string{LevelFile, LevelQuestion, LevelDrift, LevelNever}

// States of a finding.
const (
	// New fails the check.
	New = "new"
	// Known: the baseline holds the same candidate.
	Known = "known"
	// Waived: a waiver that has not expired covers it.
	Waived = "waived"
	// BelowCut: nobody judged it, and its score is below the ranking's cut.
	BelowCut = "below-cut"
	// BelowLevel: less serious than the level that fails.
	BelowLevel = "below-level"
)

// Document is findings/v1: what a check found.
type Document struct {
	Document string `json:"document"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	// Window: the scan's window.
	Window audit.Window `json:"window"`
	// FailOn is the level from which a new finding fails the check.
	FailOn string `json:"fail_on"`
	// Failed: at least one finding is new.
	Failed bool `json:"failed"`
	// Baseline names the snapshot compared with, "" for none.
	Baseline string `json:"baseline"`
	// Findings: worst first.
	Findings []Finding `json:"findings"`
	// Counts of findings by state; every state has one.
	Counts map[string]int `json:"counts"`
	// Warnings: doubts about the measurement, and what reading the plugin had to overlook.
	Warnings []audit.Warning `json:"warnings"`
}

// Finding is one candidate that a check reports.
type Finding struct {
	// ID: the candidate's.
	ID string `json:"id"`
	// Component: the component that it is in.
	Component audit.ComponentRef `json:"component"`
	// Kind of the candidate: sequence, preload, procedure, table, wrapper, digest, drift.
	Kind string `json:"kind"`
	// Verdict after the stability gate.
	Verdict audit.Verdict `json:"verdict"`
	// Reasons: why it is a finding.
	Reasons []string `json:"reasons"`
	// State: new, known, waived, below-cut or below-level; only new fails.
	State string `json:"state"`
	// Path is relative to the plugin; FirstLine and LastLine are 1-based, 0 when no line is meant.
	Path string `json:"path"`
	// FirstLine: 1-based; 0 when only measured.
	FirstLine int `json:"first_line"`
	// LastLine: inclusive.
	LastLine int `json:"last_line"`
	// Score ranks, in thousandths.
	Score int64 `json:"score"`
	// Strength: how much measurement stands behind it.
	Strength audit.Strength `json:"strength"`
	// SharePPM of the audited weighted spend and what a single call instead would have saved;
	// null without measurement.
	SharePPM *int64 `json:"share_ppm"`
	// RecoverableMilli: weighted tokens that one call instead would have saved.
	RecoverableMilli *int64 `json:"recoverable_milli"`
	// RecoverableUSD: the same in dollars; null when not priced or unmeasured.
	RecoverableUSD *string `json:"recoverable_usd"`
	// Message is one sentence for people.
	Message string `json:"message"`
	// Waiver is null when none covers the finding.
	Waiver *Waiver `json:"waiver"`
}

// Waivers is waivers/v1: findings that a team has decided to live with for a while.
type Waivers struct {
	Document string `json:"document"`
	// Waivers: in any order.
	Waivers []Waiver `json:"waivers"`
}

// Waiver covers one candidate until a day.
type Waiver struct {
	// ID is the candidate's: plugin/component/slug.
	ID string `json:"id"`
	// Reason says why, for whoever reads the file next.
	Reason string `json:"reason"`
	// Expires is the last day on which the waiver holds, as 2026-12-31.
	Expires string `json:"expires"`
}
