package stability

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// Kind of this room's document.
const Kind = "stable/v1"

// Document is stable/v1: the verdicts, each with its stability and why.
type Document struct {
	Document string `json:"document"`
	// RubricVersion: the rules that were applied.
	RubricVersion string `json:"rubric_version"`
	// WeightsVersion: of the token weights.
	WeightsVersion string `json:"weights_version"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	// Window: of the present run.
	Window audit.Window `json:"window"`
	// RecallUsed: the judgments lean on conclusions recalled from memory (FR-9.2).
	RecallUsed bool `json:"recall_used"`
	// Verdicts: one a candidate, in their order.
	Verdicts []Verdict `json:"verdicts"`
	// SelfFindings: one an unstable reading.
	SelfFindings []SelfFinding `json:"self_findings"`
	// Warnings: as in the verdicts.
	Warnings []audit.Warning `json:"warnings"`
}

// Verdict is a boundary verdict after the stability gate.
type Verdict struct {
	boundary.Verdict
	// Final is what stands after the gate: an unstable file is a boundary question.
	Final audit.Verdict `json:"final"`
	// Files says whether filing-plan may file it.
	Files     bool            `json:"files"`
	Stability audit.Stability `json:"stability"` // "" when the gate does not apply
	// Gate is null when the gate does not apply.
	Gate *Comparison `json:"gate"`
}

// Comparison records how the gate decided.
type Comparison struct {
	// Current: this window's reading.
	Current audit.Reading `json:"current"`
	// Prior: the reading compared with; null when there is none.
	Prior *audit.Reading `json:"prior"`
	// Widths in seconds of the observed spans; null when a bound is missing.
	CurrentSeconds *int64 `json:"current_seconds"`
	// PriorSeconds: null when a bound is missing.
	PriorSeconds *int64 `json:"prior_seconds"`
	// FloorSeconds is 0.9 of the prior width, rounded up: a narrower window cannot contradict. Null with that width.
	FloorSeconds *int64 `json:"floor_seconds"`
	// Flips count against the reading (strength, threshold); Suppressed are those that a narrow window cannot make.
	Flips []string `json:"flips"`
	// Suppressed: flips that a narrow window may not cause.
	Suppressed []string `json:"suppressed"`
	// Notes: width-uncomputable, another rubric version, another minor version of the target.
	Notes []string `json:"notes"`
}

// SelfFinding is a finding about the audit itself (FR-6.5).
type SelfFinding struct {
	// CandidateID: whose readings contradict each other.
	CandidateID string `json:"candidate_id"`
	// Reason: which flips.
	Reason string `json:"reason"`
	// Current: this window's reading.
	Current audit.Reading `json:"current"`
	// Prior: the earlier one.
	Prior audit.Reading `json:"prior"`
}
