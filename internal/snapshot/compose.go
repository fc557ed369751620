package snapshot

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// Input is what one run is recorded from.
type Input struct {
	Stable *stability.Document
	// Scan is nil when no transcript was read.
	Scan *scan.Document
	// History is the target's snapshots in the order of their moments. A snapshot of this very run in
	// it (a run repeated after it was interrupted), whatever follows it, and what is of a later
	// moment than Now do not count as earlier; they only keep the names that they gave.
	History []Document
	// Issues are the tracked issues, by candidate id as in Stable.
	Issues map[string]audit.Issue
	// Surface is every component of the inventory; nil when there was none.
	Surface []audit.ComponentRef
	Filing  Filing
	Notes   []string
	// ToolVersion of the writer, and Now in RFC 3339.
	ToolVersion, Now string
}

// Compose makes the snapshot of one run. It is pure: the same input gives the same snapshot.
func Compose(in Input) (*Document, error) {
	st := in.Stable
	verdicts := make([]boundary.Verdict, len(st.Verdicts))
	for i := range st.Verdicts {
		verdicts[i] = st.Verdicts[i].Verdict
	}
	at, err := place(in.History, st.Target, st.Window, verdicts, in.Scan, in.Now)
	if err != nil {
		return nil, err
	}
	if in.History = at.History; at.corrected != nil {
		in.inherit(at.corrected)
	}
	history := at.Earlier
	doc := &Document{
		Document: Kind, SnapshotID: at.ID, Corrects: at.Corrects, CreatedAt: in.Now, ToolVersion: in.ToolVersion,
		RubricVersion: st.RubricVersion, WeightsVersion: st.WeightsVersion,
		Target: st.Target, Window: st.Window,
		Composition: []scan.ClassUsage{}, Components: []Component{}, Candidates: []Candidate{},
		DriftNotes: []string{}, SelfFindings: orEmpty(st.SelfFindings), RecallUsed: st.RecallUsed, Absent: []Absent{},
		Surface: orEmpty(in.Surface), Filing: in.Filing, Notes: orEmpty(in.Notes), Warnings: orEmpty(st.Warnings),
	}
	doc.Filing.Actions = orEmpty(in.Filing.Actions)
	doc.Attribution.Reason = "no transcript was read"
	if in.Scan != nil {
		measured(doc, in.Scan)
		doc.Warnings = append(slices.Clip(doc.Warnings), doubts(in.Scan.Warnings)...)
	}
	if n := len(history); n > 0 {
		doc.DiffAgainst = history[n-1].SnapshotID
	}
	judge(doc, in, history)
	doc.Counters = Count(append(slices.Clone(history), *doc))
	return doc, nil
}

// ID identifies a run by its inputs and its moment, not by what the history made of it, so
// that a run repeated after an interruption is recognised and not recorded twice.
func ID(target audit.Target, verdicts []boundary.Verdict, sc *scan.Document, now string) (string, error) {
	line, err := jsondoc.Line(struct {
		Target   audit.Target       `json:"target"`
		Verdicts []boundary.Verdict `json:"verdicts"`
		Scan     *scan.Document     `json:"scan"`
		Now      string             `json:"now"`
	}{target, verdicts, sc, now})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(line)
	return "snap1:" + hex.EncodeToString(sum[:8]), nil
}

// Before returns the part of a history that stands before the snapshot id; all of it when it has none such.
func Before(history []Document, id string) []Document {
	for i := range history {
		if history[i].SnapshotID == id {
			return history[:i]
		}
	}
	return history
}

// measured copies what the scan says of the window and of the target's own components.
func measured(doc *Document, sc *scan.Document) {
	doc.Attribution = sc.Attribution
	doc.Audited = sc.Audited
	doc.Usage = scan.Spend{Turns: sc.Usage.Turns, WeightedMilli: sc.Usage.WeightedMilli}
	doc.Composition = orEmpty(sc.Composition)
	for i := range sc.Components {
		c := &sc.Components[i]
		if c.Plugin != doc.Target.Name {
			continue
		}
		doc.Components = append(doc.Components, Component{
			ComponentRef: audit.ComponentRef{Kind: c.Kind, Name: strings.TrimPrefix(c.Name, doc.Target.Name+":")},
			Invocations:  c.Invocations, Turns: c.Usage.Turns, WeightedMilli: c.Usage.WeightedMilli,
			CostUSD: c.Usage.CostUSD, SharePPM: ppm(c.Usage.WeightedMilli, sc.Audited.WeightedMilli), Composition: orEmpty(c.Composition),
		})
	}
	slices.SortFunc(doc.Components, func(a, b Component) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
}

// doubts are a scan's warnings as a store may keep them, which may be a public wiki: what is
// about the whole stands as it is, what names files becomes one line a code, with the count.
func doubts(list []audit.Warning) []audit.Warning {
	var out []audit.Warning
	places := map[string]int{}
	for _, w := range list {
		if w.Path == "" {
			out = append(out, w)
		} else {
			places[w.Code]++
		}
	}
	for _, code := range slices.Sorted(maps.Keys(places)) {
		where := "place"
		if places[code] > 1 {
			where = "places"
		}
		out = append(out, audit.Warning{Code: code, Message: fmt.Sprintf("%d %s in the histories; offload-scan lists them", places[code], where)})
	}
	return out
}

// judge fills the candidates with their identity and status, and lists the absent ones.
func judge(doc *Document, in Input, history []Document) {
	candidates := make([]boundary.Candidate, len(in.Stable.Verdicts))
	for i := range in.Stable.Verdicts {
		candidates[i] = in.Stable.Verdicts[i].Candidate
	}
	issues := make([]audit.Issue, len(candidates))
	for i := range candidates {
		issues[i] = in.Issues[candidates[i].ID]
	}
	everSeen := sightings(slices.DeleteFunc(slices.Clone(in.History), func(d Document) bool { return d.SnapshotID == doc.SnapshotID }))
	pairs := recognise(candidates, everSeen, in.Issues)
	name(candidates, pairs, everSeen)
	seen := sightings(history)
	then := map[string]sighting{}
	for _, k := range seen {
		then[k.candidate.Candidate.ID] = k
	}
	found := map[string]bool{}
	for i := range candidates {
		c := Candidate{Verdict: in.Stable.Verdicts[i]}
		rename(&c.Verdict.Verdict, candidates[i])
		s := standing{
			gone: gone(doc.Surface, candidates[i].Component), issue: issues[i],
			now: measureOf(candidates[i].Measured, doc.Window.Observed),
		}
		p := pairs[i]
		if k, ok := then[candidates[i].ID]; ok {
			s.compare(candidates[i].Measured, k.candidate.Candidate.Measured, doc.Window.Observed, k.doc.Window.Observed)
			s.drifted = drifted(p.by, &candidates[i], &k.candidate.Candidate)
			s.issue = known(s.issue, k)
			c.MatchedBy, c.MatchedIn, c.FirstSeen = p.by, k.doc.SnapshotID, k.first
			found[k.candidate.Candidate.ID] = true
		}
		j := status(s)
		c.Status, c.StatusWhy, c.Trend, c.RatioMilli = j.status, j.why, j.trend, j.ratioMilli
		c.Issue, c.IssueState, c.IssueResolution = s.issue.Ref, s.issue.State, s.issue.Resolution
		if c.Stability == audit.InsufficientWindow && c.Gate != nil && c.Gate.Prior != nil {
			c.CarriedFrom = c.Gate.Prior.SnapshotID
		}
		doc.Candidates = append(doc.Candidates, c)
		if c.Final == audit.DriftNote {
			doc.DriftNotes = append(doc.DriftNotes, c.Candidate.ID)
		}
	}
	slices.SortFunc(doc.Candidates, func(a, b Candidate) int { return cmp.Compare(a.Candidate.ID, b.Candidate.ID) })
	slices.Sort(doc.DriftNotes)
	for _, k := range seen {
		if !found[k.candidate.Candidate.ID] {
			if a, open := absent(doc, k, in.Issues, history); open {
				doc.Absent = append(doc.Absent, a)
			}
		}
	}
}

// known is the issue's state as the tracker answered now, else as it was known last.
func known(now audit.Issue, k sighting) audit.Issue {
	if now.Ref != "" {
		return now
	}
	return audit.Issue{Ref: k.candidate.Issue, State: k.candidate.IssueState, Resolution: k.candidate.IssueResolution}
}

// drifted says whether a recognised candidate goes by other signatures than before. What a
// window measured of a step and what its text says are signatures of two sorts: a candidate
// that is measured in one window only has not drifted.
func drifted(by string, now, before *boundary.Candidate) bool {
	if now.Measured.Seen() != before.Measured.Seen() {
		return false
	}
	return by == ByTokens ||
		now.SignatureHash != "" && before.SignatureHash != "" && now.SignatureHash != before.SignatureHash
}

// gone says whether an inventory that was taken lacks the component.
func gone(surface []audit.ComponentRef, c audit.ComponentRef) bool {
	return len(surface) > 0 && !slices.Contains(surface, c)
}

// absent judges a candidate that this window does not show. Its cost is nothing over as many
// invocations as its component had. open is false once an earlier snapshot has closed it.
func absent(doc *Document, k sighting, issues map[string]audit.Issue, history []Document) (a Absent, open bool) {
	c := k.candidate
	id := c.Candidate.ID
	issue := known(issues[id], k)
	for i := range history {
		for _, old := range history[i].Absent {
			if old.ID != id || old.LastSeen != k.doc.SnapshotID {
				continue
			}
			if old.Status == StatusStale || old.Status == StatusResolved {
				return Absent{}, false
			}
			if issues[id].Ref == "" {
				issue = audit.Issue{Ref: old.Issue, State: old.IssueState, Resolution: old.IssueResolution}
			}
		}
	}
	now := measure{until: doc.Window.Observed.Until}
	for _, m := range doc.Components {
		if m.ComponentRef == c.Candidate.Component {
			now.invocations = m.Invocations
		}
	}
	before := measureOf(c.Candidate.Measured, k.doc.Window.Observed)
	j := status(standing{gone: gone(doc.Surface, c.Candidate.Component), issue: issue, now: now, before: &before, unseen: true})
	return Absent{
		ID: id, Component: c.Candidate.Component, Status: j.status, StatusWhy: j.why, Invocations: now.invocations, LastSeen: k.doc.SnapshotID,
		Issue: issue.Ref, IssueState: issue.State, IssueResolution: issue.Resolution,
	}, true
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
