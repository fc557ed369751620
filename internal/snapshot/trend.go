package snapshot

import (
	"cmp"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// TrendKind is the kind of what Trend returns.
const TrendKind = "trend/v1"

// Course is trend/v1: a target over all its snapshots, normalised by use.
type Course struct {
	Document string `json:"document"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	// Moments are the snapshots, oldest first.
	Moments []Moment `json:"moments"`
	// Components: sorted by kind and name.
	Components []ComponentTrend `json:"components"`
	// Candidates: sorted by id.
	Candidates []CandidateTrend `json:"candidates"`
	// Counters over all the snapshots.
	Counters Counters `json:"counters"`
	// Notes say between which snapshots rubric, weights or the target's version changed.
	Notes []string `json:"notes"`
}

// ComponentTrend is one component's spend over the snapshots that saw it used.
type ComponentTrend struct {
	audit.ComponentRef
	// Points: one a snapshot that has it, oldest first.
	Points []ComponentPoint `json:"points"`
}

// ComponentPoint is one component in one snapshot.
type ComponentPoint struct {
	// SnapshotID: of the snapshot.
	SnapshotID string `json:"snapshot_id"`
	// Invocations: in its window.
	Invocations        int64  `json:"invocations"`
	PerInvocationMilli *int64 `json:"per_invocation_milli"` // null under 3 invocations
	// SharePPM: of the audited spend.
	SharePPM int64 `json:"share_ppm"`
	// MechanicalPPM: of its weighted tokens.
	MechanicalPPM *int64 `json:"mechanical_ppm"`
}

// CandidateTrend is one candidate over the snapshots that have it, and the one in which its
// absence was measured: resolved, at no cost.
type CandidateTrend struct {
	// CandidateID: the candidate's.
	CandidateID string `json:"candidate_id"`
	// Component: that it is in.
	Component audit.ComponentRef `json:"component"`
	// Points: one a snapshot that has it, oldest first.
	Points []Point `json:"points"`
	// Status is that of the latest snapshot, the absent ones included; "" once it was closed there and is gone since.
	Status string `json:"status"`
	// Issue: where it is tracked, "" when nowhere.
	Issue string `json:"issue"`
	// Trend is computable when two points at least have a cost per invocation; RatioMilli and
	// DeltaMilli compare the last such point with the first.
	Trend string `json:"trend"`
	// RatioMilli: last / first, in thousandths; null when not computable.
	RatioMilli *int64 `json:"ratio_milli"`
	// DeltaMilli: cost per invocation, last minus first; null when not computable.
	DeltaMilli *int64 `json:"delta_milli"`
}

// Trend follows a target through its history; nil for an empty one.
func Trend(history []Document) *Course {
	if len(history) == 0 {
		return nil
	}
	last := &history[len(history)-1]
	t := &Course{
		Document: TrendKind, Target: last.Target, Moments: []Moment{}, Components: []ComponentTrend{},
		Candidates: []CandidateTrend{}, Counters: Count(history), Notes: []string{},
	}
	components, candidates := map[audit.ComponentRef]*ComponentTrend{}, map[string]*CandidateTrend{}
	for i := range history {
		d := &history[i]
		t.Moments = append(t.Moments, moment(d))
		if i > 0 {
			for _, n := range unlike(&history[i-1], d) {
				t.Notes = append(t.Notes, d.SnapshotID+": "+n)
			}
		}
		for j := range d.Components {
			c := &d.Components[j]
			if components[c.ComponentRef] == nil {
				components[c.ComponentRef] = &ComponentTrend{ComponentRef: c.ComponentRef}
			}
			ct := components[c.ComponentRef]
			ct.Points = append(ct.Points, ComponentPoint{
				SnapshotID: d.SnapshotID, Invocations: c.Invocations, SharePPM: c.SharePPM, MechanicalPPM: mechanical(c.Composition),
				PerInvocationMilli: perInvocation(measure{cost: c.WeightedMilli, invocations: c.Invocations}),
			})
		}
		for j := range d.Candidates {
			c := &d.Candidates[j]
			id := c.Candidate.ID
			if candidates[id] == nil {
				candidates[id] = &CandidateTrend{CandidateID: id}
			}
			ct := candidates[id]
			ct.Component = c.Candidate.Component
			ct.Points = append(ct.Points, *point(d, c))
			if c.Issue != "" {
				ct.Issue = c.Issue
			}
		}
		for _, a := range d.Absent {
			if ct := candidates[a.ID]; ct != nil && a.Status == StatusResolved {
				ct.Points = append(ct.Points, *measuredAbsence(d, a))
			}
		}
	}
	for i := range last.Candidates {
		candidates[last.Candidates[i].Candidate.ID].Status = last.Candidates[i].Status
	}
	for _, a := range last.Absent {
		if ct := candidates[a.ID]; ct != nil {
			ct.Status = a.Status
		}
	}
	for _, c := range components {
		t.Components = append(t.Components, *c)
	}
	for _, c := range candidates {
		course(c)
		t.Candidates = append(t.Candidates, *c)
	}
	slices.SortFunc(t.Components, func(a, b ComponentTrend) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(t.Candidates, func(a, b CandidateTrend) int { return cmp.Compare(a.CandidateID, b.CandidateID) })
	return t
}

// course compares a candidate's last normalised point with its first.
func course(c *CandidateTrend) {
	var first, last *Point
	for i := range c.Points {
		if p := &c.Points[i]; p.PerInvocationMilli != nil {
			if first == nil {
				first = p
			}
			last = p
		}
	}
	c.Trend = TrendUncomputable
	if first == last {
		return
	}
	c.Trend = TrendComputable
	c.RatioMilli = ratioMilli(measure{cost: first.CostMilli, invocations: first.Invocations}, measure{cost: last.CostMilli, invocations: last.Invocations})
	delta := *last.PerInvocationMilli - *first.PerInvocationMilli
	c.DeltaMilli = &delta
}
