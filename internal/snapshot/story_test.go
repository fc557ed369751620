package snapshot_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

var update = flag.Bool("update", false, "rewrite the history file of the present version")

// historyFile holds the story in the present version. When that changes, the file of the old
// one stays as it is (see TestEveryVersionReads) and a new one begins here.
const historyFile = "../../tests/testdata/history/snapshot-v1.jsonl"

var (
	sweep   = audit.ComponentRef{Kind: audit.KindSkill, Name: "sweep"}
	triage  = audit.ComponentRef{Kind: audit.KindCommand, Name: "triage"}
	keeper  = audit.ComponentRef{Kind: audit.KindAgent, Name: "label-keeper"}
	notes   = audit.ComponentRef{Kind: audit.KindSkill, Name: "release-notes"}
	surface = []audit.ComponentRef{keeper, triage, notes, sweep}
)

// use is how one component was used in one window.
type use struct {
	ref         audit.ComponentRef
	invocations int64
	perUse      int64 // weighted tokens
	mechanical  int64 // percent of them
}

// seen is one candidate in one window.
type seen struct {
	ref       audit.ComponentRef
	slug      string
	kind      string
	hash      string
	calls     []string
	cost      int64 // weighted tokens of its mechanical turns
	support   int64
	share     int64 // ppm
	strength  audit.Strength
	verdict   audit.Verdict
	position  audit.Position
	conf      audit.Confidence
	reasons   []string
	claim     string
	judgments *boundary.Judgment
}

// chapter is one run of the story.
type chapter struct {
	from, to string // days
	at       string
	coverage int64
	uses     []use
	shows    []seen
	issues   map[string]audit.Issue
	surface  []audit.ComponentRef
	version  string
	filed    []snapshot.Filed
}

// story tells six audits of one plugin: a candidate is filed, grows, drifts, is fixed and
// confirmed; one is held over a narrow week; one contradicts itself; one goes with its agent.
func story(t testing.TB) []snapshot.Document {
	t.Helper()
	gone := func(cost, share int64) seen {
		return seen{sweep, "list-gone-branches", audit.Sequence, "sig1:3f1c0a9be27d5a41", []string{"Bash git fetch --prune", "Bash git branch -vv", "Bash git branch -D <arg>"},
			cost, 11, share, audit.Measured, audit.File, audit.PureScript, audit.High, []string{"every-gate-passed"}, boundary.Proven, judgedGone()}
	}
	ages := func(cost, share int64, v audit.Verdict, conf audit.Confidence, why string) seen {
		s := seen{triage, "sort-by-age", audit.Sequence, "sig1:77aa10c4de0b9921", []string{"Bash gh issue list --json <arg>", "Bash gh issue view <number>"},
			cost, 9, share, audit.Measured, v, audit.OverDigest, conf, []string{why}, "", nil}
		if v == audit.File {
			s.claim = boundary.Proven
		}
		return s
	}
	table := func(cost, share int64, strength audit.Strength, support int64, claim string) seen {
		return seen{keeper, "label-table", audit.Table, "sig1:b0c1d2e3f4051627", []string{"Bash gh label list", "Bash gh issue edit <number> --add-label <arg>"},
			cost, support, share, strength, audit.File, audit.Compiled, audit.High, []string{"every-gate-passed"}, claim, nil}
	}
	prose := seen{notes, "write-summary", audit.Procedure, "", nil, 0, 0, 0, audit.Unmeasured, audit.NoOffload, audit.PureInference, audit.High, []string{"residue:all"}, "", nil}
	drifted := gone(940, 61_000)
	drifted.slug, drifted.hash = "gone-branches", "sig1:9d8c7b6a5f4e3d2c"
	drifted.calls = []string{"Bash git fetch --prune", "Bash git branch -vv", "Bash git branch -D"}
	open := map[string]audit.Issue{"harbor/sweep/list-gone-branches": {Ref: "acme/harbor#41", State: "open"}}
	closed := map[string]audit.Issue{"harbor/sweep/list-gone-branches": {Ref: "acme/harbor#41", State: "closed", Resolution: "completed"}}
	chapters := []chapter{
		{"2026-07-01", "2026-07-30", "2026-07-31", 810_000,
			[]use{{sweep, 12, 1900, 62}, {triage, 14, 2400, 35}, {keeper, 9, 1500, 70}, {notes, 6, 3100, 8}},
			[]seen{gone(800, 54_000), ages(610, 41_000, audit.BoundaryQuestion, audit.Medium, "confidence:medium"), table(520, 33_000, audit.Measured, 9, boundary.Proven), prose},
			nil, surface, "1.2.0", []snapshot.Filed{{CandidateID: "harbor/sweep/list-gone-branches", Action: "create", Repository: "acme/harbor"}}},
		{"2026-08-01", "2026-08-07", "2026-08-08", 840_000,
			[]use{{sweep, 4, 2500, 66}, {triage, 2, 2300, 33}, {keeper, 1, 1600, 68}, {notes, 1, 3000, 9}},
			[]seen{gone(1050, 68_000), table(0, 0, audit.Unmeasured, 0, boundary.Unproven), prose},
			open, surface, "1.2.0", []snapshot.Filed{{CandidateID: "harbor/sweep/list-gone-branches", Action: "comment", Repository: "acme/harbor", Issue: "acme/harbor#41"}}},
		{"2026-08-01", "2026-08-31", "2026-09-01", 870_000,
			[]use{{sweep, 13, 2100, 63}, {triage, 12, 2400, 34}, {keeper, 8, 1480, 69}, {notes, 5, 3200, 8}},
			[]seen{drifted, ages(600, 40_000, audit.File, audit.High, "every-gate-passed"), table(515, 31_000, audit.Measured, 8, boundary.Proven), prose},
			open, surface, "1.3.0", nil},
		{"2026-09-01", "2026-09-30", "2026-10-01", 910_000,
			[]use{{sweep, 11, 2000, 60}, {triage, 13, 2200, 30}, {keeper, 9, 1500, 70}, {notes, 7, 3000, 8}},
			[]seen{drifted, ages(280, 16_000, audit.File, audit.High, "every-gate-passed"), table(530, 34_000, audit.Measured, 9, boundary.Proven), prose},
			open, surface, "1.3.1", nil},
		{"2026-10-01", "2026-10-05", "2026-10-06", 905_000,
			[]use{{sweep, 2, 1100, 20}, {triage, 3, 2250, 31}, {keeper, 2, 1500, 70}},
			[]seen{ages(290, 15_000, audit.BoundaryQuestion, audit.High, "below-value"), prose},
			closed, surface, "1.4.0", nil},
		{"2026-10-01", "2026-10-31", "2026-11-01", 930_000,
			[]use{{sweep, 12, 1050, 12}, {triage, 12, 2240, 30}, {notes, 6, 3100, 8}},
			[]seen{ages(285, 15_500, audit.BoundaryQuestion, audit.High, "below-value"), prose},
			closed, []audit.ComponentRef{triage, notes, sweep}, "2.0.0", nil},
	}
	var history []snapshot.Document
	for _, c := range chapters {
		history = append(history, *c.compose(t, history))
	}
	return history
}

func judgedGone() *boundary.Judgment {
	pass := func(why string) boundary.Answer {
		return boundary.Answer{Outcome: "pass", Why: why, Evidence: []string{"skills/sweep/SKILL.md:12"}}
	}
	return &boundary.Judgment{
		ID: "harbor/sweep/list-gone-branches", Row: "a local branch", ScriptPart: "list branches whose upstream is gone and that are merged", Residue: "none",
		T1: pass("git tells all of it"), T2: pass("set arithmetic"), T3: pass("the step states it"), T4: pass("the reflog shows later regret"), T5: pass("both are visible to git"),
		Triple: &boundary.Triple{
			Signature: &boundary.Signature{Name: "gone_branches", Params: []boundary.Param{{Name: "refs", Type: "list<string>"}}, Returns: "list<string>"},
			Pairs:     []boundary.Pair{{In: map[string]any{"refs": []any{"main"}}, Out: []any{}, Edge: true}},
			Overrules: []boundary.Overrule{{When: "it is checked out elsewhere", ScriptSays: "hold", HumanSays: "delete", Why: "the other tree is stale", Detectable: true}},
		},
	}
}

func (c chapter) compose(t testing.TB, history []snapshot.Document) *snapshot.Document {
	t.Helper()
	since, until := c.from+"T08:00:00Z", c.to+"T18:00:00Z"
	window := audit.Window{Observed: audit.Span{Since: &since, Until: &until}, Timezone: "UTC"}
	target := audit.Target{Path: "/plugins/harbor", Name: "harbor", Version: c.version, ResolvedBy: "path"}
	sc := &scan.Document{Document: scan.Kind, Target: &target, Window: window}
	sc.Attribution.CoveragePPM = &c.coverage
	for _, u := range c.uses {
		total := u.invocations * u.perUse * 1000
		mechanical := total * u.mechanical / 100
		comp := scan.Component{
			Kind: u.ref.Kind, Name: "harbor:" + u.ref.Name, Plugin: "harbor", Invocations: u.invocations,
			Usage: scan.Usage{Turns: u.invocations * 9, WeightedMilli: total},
			Composition: []scan.ClassUsage{
				{Class: "acting", Turns: u.invocations, WeightedMilli: (total - mechanical) / 3},
				{Class: "judgment", Turns: u.invocations * 2, WeightedMilli: (total - mechanical) / 2},
				{Class: "mechanical", Turns: u.invocations * 5, WeightedMilli: mechanical},
				{Class: "retry", Turns: u.invocations, WeightedMilli: total - mechanical - (total-mechanical)/3 - (total-mechanical)/2},
			},
		}
		sc.Components = append(sc.Components, comp)
		sc.Audited.Turns += comp.Usage.Turns
		sc.Audited.WeightedMilli += total
		sc.Usage.Turns += comp.Usage.Turns + 40
		sc.Usage.WeightedMilli += 3 * total
		sc.Attribution.StampedTurns += comp.Usage.Turns
		sc.Composition = merge(sc.Composition, comp.Composition)
	}
	for i := range sc.Components {
		sc.Components[i].SharePPM = sc.Components[i].Usage.WeightedMilli * 1_000_000 / sc.Audited.WeightedMilli
	}
	v := &boundary.Verdicts{Document: boundary.VerdictsKind, RubricVersion: "1.0", WeightsVersion: "w1", Target: target, Window: window}
	for _, s := range c.shows {
		v.Verdicts = append(v.Verdicts, s.judged(c.uses))
	}
	cands := make([]boundary.Candidate, len(v.Verdicts))
	for i := range cands {
		cands[i] = v.Verdicts[i].Candidate
	}
	snapshot.Freeze(cands, history)
	for i := range cands {
		v.Verdicts[i].Candidate = cands[i]
	}
	filing := snapshot.Filing{Mode: "github", Actions: c.filed}
	doc, err := snapshot.Compose(snapshot.Input{
		Stable: stability.Gate(v, snapshot.Prior(history, v)), Scan: sc, History: history, Issues: c.issues,
		Surface: c.surface, Filing: filing, ToolVersion: "0.1.0", Now: c.at + "T09:00:00Z",
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func (s seen) judged(uses []use) boundary.Verdict {
	cand := boundary.Candidate{
		ID: "harbor/" + s.ref.Name + "/" + s.slug, Component: s.ref, Slug: s.slug, Kind: s.kind, SignatureHash: s.hash, Signatures: s.calls, Score: 1000,
		Static: &boundary.StaticCase{Path: "skills/" + s.ref.Name + "/SKILL.md", FirstLine: 10, LastLine: 20},
	}
	for _, u := range uses {
		if u.ref == s.ref && s.cost > 0 {
			saved := s.cost * u.invocations * 1000 * 2 / 3
			usd := "0.42"
			cand.Measured = &boundary.MeasuredCase{
				Strength: s.strength, Invocations: min(s.support, u.invocations), ComponentInvocations: u.invocations, Occurrences: u.invocations, Turns: 5 * u.invocations,
				WasteMilli: s.cost * u.invocations * 1000, SharePPM: s.share, RecoverableMilli: saved, RecoverableUSD: &usd,
			}
		}
	}
	v := boundary.Verdict{
		Candidate: cand, Judgment: s.judgments, Residue: "none", Valid: s.position != audit.PureInference, Position: s.position, Confidence: s.conf,
		TripleComplete: s.verdict == audit.File, Verdict: s.verdict, Reasons: s.reasons, ValueClaim: s.claim,
	}
	for _, id := range []string{"T1", "T2", "T3", "T4", "T5"} {
		v.Tests = append(v.Tests, boundary.Test{ID: id, Judged: "pass", Outcome: "pass", Why: "as its definition says", Evidence: []string{}})
	}
	return v
}

func merge(all, part []scan.ClassUsage) []scan.ClassUsage {
	for _, p := range part {
		found := false
		for i := range all {
			if all[i].Class == p.Class {
				all[i].Turns, all[i].WeightedMilli, found = all[i].Turns+p.Turns, all[i].WeightedMilli+p.WeightedMilli, true
			}
		}
		if !found {
			all = append(all, p)
		}
	}
	return all
}

// The story's statuses: FR-5.3, FR-5.5, FR-4.5.1 over a whole history.
func TestStory(t *testing.T) {
	history := story(t)
	var got []map[string]string
	for i := range history {
		m := map[string]string{}
		for _, c := range history[i].Candidates {
			m[c.Candidate.ID] = c.Status + " " + string(c.Stability)
		}
		for _, a := range history[i].Absent {
			m[a.ID] = "absent: " + a.Status
		}
		got = append(got, m)
	}
	const gone, ages, table, prose = "harbor/sweep/list-gone-branches", "harbor/triage/sort-by-age", "harbor/label-keeper/label-table", "harbor/release-notes/write-summary"
	want := []map[string]string{
		{gone: "new unchecked", ages: "new ", table: "new unchecked", prose: "new "},
		{gone: "grown stable", ages: "absent: not-seen", table: "persisting insufficient-window", prose: "persisting "},
		{gone: "signature-drifted stable", ages: "persisting stable", table: "persisting stable", prose: "persisting "},
		{gone: "persisting stable", ages: "shrunk unstable", table: "persisting stable", prose: "persisting "},
		{gone: "absent: claimed-fixed-unconfirmed", ages: "persisting ", table: "absent: not-seen", prose: "persisting "},
		{gone: "absent: resolved", ages: "persisting ", table: "absent: stale", prose: "persisting "},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(snapshot.Counters{Filed: 1}, history[len(history)-1].Counters); diff != "" {
		t.Error(diff)
	}
	if n := len(history[3].SelfFindings); n != 1 {
		t.Errorf("%d findings about the audit itself in the fourth run, want 1", n)
	}
}

// The kept history file is this story, byte for byte, as long as its version is the present one.
func TestHistoryFile(t *testing.T) {
	var text bytes.Buffer
	for _, d := range story(t) {
		line, err := jsondoc.Line(d)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(line)
	}
	if *update {
		if err := os.WriteFile(historyFile, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(historyFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, text.Bytes()) {
		t.Errorf("%s is not the story; if the change of %s is meant and readers of the old lines are unharmed, run with -update", historyFile, snapshot.Kind)
	}
}

// A diff over two windows tells costs per invocation, and a trend follows them (S6).
func TestStoryDiffAndTrend(t *testing.T) {
	history := story(t)
	d := snapshot.Diff(history, 0, 1)
	for _, r := range d.Rows {
		if r.CandidateID == "harbor/sweep/list-gone-branches" {
			if r.DeltaMilli == nil || *r.DeltaMilli != 250_000 || *r.RatioMilli != 1312 {
				t.Errorf("per-invocation change: %+v", r)
			}
		}
	}
	course := snapshot.Trend(history)
	for _, c := range course.Candidates {
		if c.CandidateID != "harbor/sweep/list-gone-branches" {
			continue
		}
		// Four sightings and the measured absence; that of the narrow window is none.
		if len(c.Points) != 5 || c.Trend != snapshot.TrendComputable || *c.RatioMilli != 0 || *c.DeltaMilli != -800_000 || c.Status != snapshot.StatusResolved {
			t.Errorf("course: %+v", c)
		}
	}
	// Absent before and now: the row stays, compares with the last sighting, and tells what was saved.
	found := false
	for _, r := range snapshot.Diff(history, 4, 5).Rows {
		if r.CandidateID == "harbor/sweep/list-gone-branches" {
			found = true
			if r.Status != snapshot.StatusResolved || r.DeltaMilli == nil || *r.DeltaMilli != -940_000 || r.After.Invocations != 12 {
				t.Errorf("resolved: %+v", r)
			}
		}
	}
	if !found {
		t.Error("the resolved candidate has no row")
	}
	skip := snapshot.Diff(history, 0, 5)
	for _, r := range skip.Rows {
		if r.CandidateID == "harbor/triage/sort-by-age" && (r.Status != snapshot.StatusShrunk || r.DeltaMilli == nil) {
			t.Errorf("over five runs: %+v", r)
		}
	}
	if first := snapshot.Diff(history, -1, 0); first.From != nil || len(first.Rows) != 4 {
		t.Errorf("the first snapshot: %+v", first)
	}
}
