package snapshot

import (
	"cmp"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// DiffKind is the kind of what Diff returns.
const DiffKind = "diff/v1"

// Changes is diff/v1: what differs between two snapshots of one target.
type Changes struct {
	Document string `json:"document"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	From   *Moment      `json:"from"` // null for a first snapshot
	// To: the later snapshot.
	To Moment `json:"to"`
	// Rows are sorted by candidate id.
	Rows []Change `json:"rows"`
	// Notes say what the two snapshots do not share: rubric, weights, version of the target.
	Notes []string `json:"notes"`
}

// Moment is one snapshot as a point of a comparison. All costs are normalised; Spend is context only.
type Moment struct {
	// SnapshotID: of the snapshot.
	SnapshotID string `json:"snapshot_id"`
	// CreatedAt: RFC 3339.
	CreatedAt string `json:"created_at"`
	// Observed: the span that was seen.
	Observed audit.Span `json:"observed"`
	// CoveragePPM: attribution coverage; null when not known.
	CoveragePPM *int64 `json:"coverage_ppm"`
	// Spend: the whole window's.
	Spend scan.Spend `json:"spend"`
	// MechanicalPPM is the share of mechanical turns in Spend by weight; null without spend.
	MechanicalPPM *int64 `json:"mechanical_ppm"`
	// Counters: as they stood then.
	Counters Counters `json:"counters"`
}

// Point is one candidate in one snapshot.
type Point struct {
	// SnapshotID: of the snapshot.
	SnapshotID string `json:"snapshot_id"`
	// Invocations of its component: what the cost is divided by.
	Invocations int64 `json:"invocations"`
	// CostMilli is the weighted milli-tokens of its mechanical turns: context only.
	CostMilli int64 `json:"cost_milli"`
	// PerInvocationMilli is CostMilli / Invocations, rounded down; null under 3 invocations.
	PerInvocationMilli *int64 `json:"per_invocation_milli"`
	// SharePPM: of the audited spend.
	SharePPM int64 `json:"share_ppm"`
	// Strength: of its reading.
	Strength audit.Strength `json:"strength"`
	// Status: as it stood then.
	Status string `json:"status"`
}

// Change is one candidate in both snapshots.
type Change struct {
	// CandidateID: the candidate's.
	CandidateID string `json:"candidate_id"`
	// Component: that it is in.
	Component audit.ComponentRef `json:"component"`
	// Status: against the earlier snapshot.
	Status string `json:"status"`
	// Why: one sentence of fixed words and numbers.
	Why string `json:"why"`
	// MatchedBy: by what it was recognised.
	MatchedBy string `json:"matched_by"`
	// Trend: computable or not-computable.
	Trend  string `json:"trend"`
	Before *Point `json:"before"` // null when it is new
	After  *Point `json:"after"`  // null when it is absent, unless that was measured (resolved)
	// DeltaMilli is cost per invocation after − before; null unless computable. RatioMilli is after / before.
	DeltaMilli *int64 `json:"delta_milli"`
	// RatioMilli: cost per invocation after / before, in thousandths; null unless computable.
	RatioMilli *int64 `json:"ratio_milli"`
	// Issue: where it is tracked, "" when nowhere.
	Issue string `json:"issue"`
	// IssueState: open or closed.
	IssueState string `json:"issue_state"`
}

// Diff compares the snapshot at index to with the one at index from of a target's history; a
// from below 0 stands for nothing. Between neighbours the statuses are those recorded, unless a
// run between the two that were compared was recorded late.
// Otherwise they are decided anew from the two snapshots, joined by id; a candidate that
// neither has is left out.
func Diff(history []Document, from, to int) *Changes {
	cur := &history[to]
	d := &Changes{Document: DiffKind, Target: cur.Target, To: moment(cur), Rows: []Change{}, Notes: []string{}}
	var old *Document
	if from >= 0 {
		old = &history[from]
		m := moment(old)
		d.From, d.Notes = &m, unlike(old, cur)
	}
	recorded := from == to-1 && (old == nil || cur.DiffAgainst == "" || cur.DiffAgainst == old.SnapshotID)
	before := map[string]*Candidate{}
	if old != nil {
		for i := range old.Candidates {
			before[old.Candidates[i].Candidate.ID] = &old.Candidates[i]
		}
	}
	for i := range cur.Candidates {
		c := &cur.Candidates[i]
		row := Change{
			CandidateID: c.Candidate.ID, Component: c.Candidate.Component, Status: c.Status, Why: c.StatusWhy,
			MatchedBy: c.MatchedBy, Trend: c.Trend, RatioMilli: c.RatioMilli,
			After: point(cur, c), Issue: c.Issue, IssueState: c.IssueState,
		}
		b, have := before[c.Candidate.ID]
		delete(before, c.Candidate.ID)
		if have {
			row.Before = point(old, b)
		}
		if recorded && !have && c.MatchedIn != "" {
			row.Before = find(history[:to], c.MatchedIn, c.Candidate.ID)
		}
		if !recorded {
			j := status(between(old, b, cur, c))
			row.Status, row.Why, row.Trend, row.RatioMilli = j.status, j.why, j.trend, j.ratioMilli
		}
		row.delta()
		d.Rows = append(d.Rows, row)
	}
	for _, a := range cur.Absent {
		b, have := before[a.ID]
		delete(before, a.ID)
		row := Change{
			CandidateID: a.ID, Component: a.Component, Status: a.Status, Why: a.StatusWhy,
			Issue: a.Issue, IssueState: a.IssueState, Before: find(history[:to], a.LastSeen, a.ID),
		}
		if have {
			row.Before = point(old, b)
		}
		if a.Status == StatusResolved {
			row.After = measuredAbsence(cur, a)
			row.delta()
		}
		if have || recorded {
			d.Rows = append(d.Rows, row)
		}
	}
	slices.SortFunc(d.Rows, func(a, b Change) int { return cmp.Compare(a.CandidateID, b.CandidateID) })
	return d
}

// delta fills in the difference of the costs per invocation, where both are known.
func (c *Change) delta() {
	if c.Before == nil || c.After == nil || c.Before.PerInvocationMilli == nil || c.After.PerInvocationMilli == nil {
		return
	}
	d := *c.After.PerInvocationMilli - *c.Before.PerInvocationMilli
	c.DeltaMilli = &d
}

// measuredAbsence is the point of a candidate that is resolved: it cost nothing over the
// invocations of its component.
func measuredAbsence(doc *Document, a Absent) *Point {
	return &Point{
		SnapshotID: doc.SnapshotID, Invocations: a.Invocations, Strength: audit.Measured, Status: a.Status,
		PerInvocationMilli: perInvocation(measure{invocations: a.Invocations}),
	}
}

// between is the standing of a candidate when two snapshots that are no neighbours are compared.
func between(old *Document, b *Candidate, cur *Document, c *Candidate) standing {
	s := standing{
		gone:  gone(cur.Surface, c.Candidate.Component),
		issue: audit.Issue{Ref: c.Issue, State: c.IssueState, Resolution: c.IssueResolution},
		now:   measureOf(c.Candidate.Measured, cur.Window.Observed),
	}
	if b != nil {
		s.compare(c.Candidate.Measured, b.Candidate.Measured, cur.Window.Observed, old.Window.Observed)
		s.drifted = drifted(BySlug, &c.Candidate, &b.Candidate)
	}
	return s
}

func find(history []Document, snapshot, id string) *Point {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].SnapshotID != snapshot {
			continue
		}
		for j := range history[i].Candidates {
			if c := &history[i].Candidates[j]; c.Candidate.ID == id {
				return point(&history[i], c)
			}
		}
	}
	return nil
}

func point(doc *Document, c *Candidate) *Point {
	m := measureOf(c.Candidate.Measured, doc.Window.Observed)
	if c.Status == StatusResolved && !c.Candidate.Measured.Seen() && c.Candidate.Measured != nil {
		m.invocations = c.Candidate.Measured.ComponentInvocations // that it cost nothing was measured
	}
	return &Point{
		SnapshotID: doc.SnapshotID, Invocations: m.invocations, CostMilli: m.cost, PerInvocationMilli: perInvocation(m),
		SharePPM: m.sharePPM, Strength: reading(doc, c).Strength, Status: c.Status,
	}
}

func perInvocation(m measure) *int64 {
	if m.invocations < enough {
		return nil
	}
	n := m.cost / m.invocations
	return &n
}

func moment(d *Document) Moment {
	return Moment{
		SnapshotID: d.SnapshotID, CreatedAt: d.CreatedAt, Observed: d.Window.Observed,
		CoveragePPM: d.Attribution.CoveragePPM, Spend: d.Audited, MechanicalPPM: mechanical(d.Composition), Counters: d.Counters,
	}
}

// mechanical is the weighted share of mechanical turns, null when nothing was spent.
func mechanical(classes []scan.ClassUsage) *int64 {
	var part, all int64
	for _, c := range classes {
		all += c.WeightedMilli
		if c.Class == "mechanical" {
			part += c.WeightedMilli
		}
	}
	if all == 0 {
		return nil
	}
	n := ppm(part, all)
	return &n
}

// ppm is part / whole in parts per million, rounded down; 0 of nothing.
func ppm(part, whole int64) int64 {
	if whole == 0 {
		return 0
	}
	n := product(part, 1_000_000)
	return n.Quo(n, product(whole, 1)).Int64()
}

// unlike says what two snapshots were not made alike in.
func unlike(old, cur *Document) []string {
	notes := []string{}
	add := func(what, a, b string) {
		if a != b {
			notes = append(notes, what+" "+orNone(a)+" before, "+orNone(b)+" now")
		}
	}
	add("rubric version", old.RubricVersion, cur.RubricVersion)
	add("weights version", old.WeightsVersion, cur.WeightsVersion)
	add("target version", old.Target.Version, cur.Target.Version)
	return notes
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
