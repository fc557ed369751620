package snapshot

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// Kind of a snapshot, one JSON line of the store, for ever.
const Kind = "snapshot/v1"

// Document is snapshot/v1.
type Document struct {
	Document       string                  `json:"document"`
	SnapshotID     string                  `json:"snapshot_id"`
	CreatedAt      string                  `json:"created_at"`
	ToolVersion    string                  `json:"tool_version"`
	RubricVersion  string                  `json:"rubric_version"`
	WeightsVersion string                  `json:"weights_version"`
	Target         audit.Target            `json:"target"`
	Window         audit.Window            `json:"window"`
	Attribution    scan.Attribution        `json:"attribution"`
	Usage          scan.Spend              `json:"usage"`
	Composition    []scan.ClassUsage       `json:"composition"`
	Components     []Component             `json:"components"`
	Candidates     []Candidate             `json:"candidates"`
	DriftNotes     []string                `json:"drift_notes"`
	SelfFindings   []stability.SelfFinding `json:"self_findings"`
	Filing         Filing                  `json:"filing"`
	Counters       Counters                `json:"counters"`
	// DiffAgainst is the previous snapshot's id, "" for the first.
	DiffAgainst string `json:"diff_against"`
	// Notes is the only free text; it never reaches memory.
	Notes    []string        `json:"notes"`
	Warnings []audit.Warning `json:"warnings"`
}

// Component is a component's spend in this window.
type Component struct {
	audit.ComponentRef
	Invocations   int64             `json:"invocations"`
	Turns         int64             `json:"turns"`
	WeightedMilli int64             `json:"weighted_milli"`
	CostUSD       *string           `json:"cost_usd"`
	SharePPM      int64             `json:"share_ppm"`
	Composition   []scan.ClassUsage `json:"composition"`
}

// Candidate is a candidate with its stability, issue, status and what it was carried from.
type Candidate struct {
	stability.Verdict
	Issue      string `json:"issue"`
	IssueState string `json:"issue_state"`
	// Status against the previous snapshot (rubric 3.8).
	Status      string `json:"status"`
	Trend       string `json:"trend"` // computable, not-computable
	CarriedFrom string `json:"carried_from"`
	MatchedBy   string `json:"matched_by"`
}

// Judgment returns the analyst's answer that this candidate was judged by, nil when nobody judged.
func (c *Candidate) Judged() *boundary.Judgment { return c.Judgment }

// Filing says how this run's findings were to be filed.
type Filing struct {
	Mode   string `json:"mode"`
	Reason string `json:"reason"`
}

// Counters is the counter-metric against over-scripting, cumulative over the target's history.
type Counters struct {
	Filed    int64 `json:"filed"`
	Wontfix  int64 `json:"wontfix"`
	Reverted int64 `json:"reverted"`
}
