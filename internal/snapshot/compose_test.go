package snapshot

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// week is one run over one week's window, with the candidates that it shows.
func week(n int, candidates ...boundary.Candidate) Input {
	day := func(d int) string { return time.Date(2026, 10, 1+7*n+d, 0, 0, 0, 0, time.UTC).Format(time.RFC3339) }
	since, until := day(0), day(6)
	window := audit.Window{Observed: audit.Span{Since: &since, Until: &until}, Timezone: "UTC"}
	target := audit.Target{Path: "/plugins/acme", Name: "acme", Version: "1.0.0", ResolvedBy: "path"}
	st := &stability.Document{Document: stability.Kind, RubricVersion: "1.0", WeightsVersion: "w1", Target: target, Window: window}
	sc := &scan.Document{Document: scan.Kind, Target: &target, Window: window}
	for _, c := range candidates {
		st.Verdicts = append(st.Verdicts, stability.Verdict{Verdict: boundary.Verdict{Candidate: c}, Final: audit.File, Files: true})
		if c.Measured != nil {
			sc.Components = []scan.Component{{Kind: c.Component.Kind, Name: "acme:" + c.Component.Name, Plugin: "acme", Invocations: c.Measured.ComponentInvocations}}
		}
	}
	return Input{Stable: st, Scan: sc, Now: day(7), ToolVersion: "test"}
}

func candidate(slug, hash string, cost, invocations, share int64) boundary.Candidate {
	return boundary.Candidate{
		ID: "acme/sweep/" + slug, Component: sweepSkill, Slug: slug, SignatureHash: hash,
		Measured: &boundary.MeasuredCase{Strength: audit.Measured, WasteMilli: cost, Invocations: invocations, Occurrences: invocations, ComponentInvocations: invocations, SharePPM: share},
	}
}

// play composes one snapshot after the other and returns the history.
func play(t *testing.T, inputs ...Input) []Document {
	t.Helper()
	var history []Document
	for _, in := range inputs {
		in.History = history
		doc, err := Compose(in)
		if err != nil {
			t.Fatal(err)
		}
		history = append(history, *doc)
	}
	return history
}

func statuses(d *Document) map[string]string {
	m := map[string]string{}
	for _, c := range d.Candidates {
		m[c.Candidate.ID] = c.Status
	}
	for _, a := range d.Absent {
		m[a.ID+" (absent)"] = a.Status
	}
	return m
}

func TestComposeFollowsACandidate(t *testing.T) {
	closed := map[string]audit.Issue{"acme/sweep/gone": {Ref: "o/r#7", State: "closed", Resolution: "completed"}}
	open := map[string]audit.Issue{"acme/sweep/gone": {Ref: "o/r#7", State: "open"}}
	quiet := week(3)
	quiet.Issues = closed
	used := week(4)
	used.Issues = closed
	used.Scan.Components = []scan.Component{{Kind: "skill", Name: "acme:sweep", Plugin: "acme", Invocations: 6}}
	filed := week(1, candidate("gone", "sig1:aa", 1500, 10, 60_000))
	filed.Issues = open
	renamed := week(2, candidate("branches", "sig1:aa", 1500, 10, 60_000))
	renamed.Issues = map[string]audit.Issue{"acme/sweep/branches": {Ref: "o/r#7", State: "closed"}}
	back := week(4, candidate("gone", "sig1:aa", 1500, 10, 60_000))
	back.Now = "2026-11-20T12:00:00Z"
	history := play(t, week(0, candidate("gone", "sig1:aa", 1000, 10, 50_000)), filed, renamed, quiet, used, week(4), back)
	want := []map[string]string{
		{"acme/sweep/gone": StatusNew},
		{"acme/sweep/gone": StatusGrown},
		{"acme/sweep/gone": StatusClaimed}, // closed, still paid for; its new name does not count
		{"acme/sweep/gone (absent)": StatusClaimed},
		{"acme/sweep/gone (absent)": StatusResolved},
		{}, // once resolved it is no longer listed
		{"acme/sweep/gone": StatusClaimed},
	}
	for i := range history {
		if diff := cmp.Diff(want[i], statuses(&history[i])); diff != "" {
			t.Errorf("snapshot %d: %s", i, diff)
		}
	}
	last := history[len(history)-1]
	if last.Candidates[0].FirstSeen != history[0].SnapshotID || last.DiffAgainst != history[5].SnapshotID {
		t.Errorf("first seen %s, diff against %s", last.Candidates[0].FirstSeen, last.DiffAgainst)
	}
	// FR-5, counter-metric: resolved once, paid for again.
	if diff := cmp.Diff(Counters{Filed: 1, Reverted: 1}, last.Counters); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Counters{Filed: 1}, history[4].Counters); diff != "" {
		t.Error(diff)
	}
}

func TestComposeStaleAndNotSeen(t *testing.T) {
	without := week(1)
	without.Surface = []audit.ComponentRef{auditSkill}
	with := week(1)
	with.Surface = []audit.ComponentRef{auditSkill, sweepSkill}
	first := week(0, candidate("gone", "sig1:aa", 1000, 10, 50_000))
	for _, tt := range []struct {
		in   Input
		want string
	}{{without, StatusStale}, {with, StatusNotSeen}, {week(1), StatusNotSeen}} {
		h := play(t, first, tt.in)
		if got := h[1].Absent[0].Status; got != tt.want {
			t.Errorf("surface %v: got %s, want %s", tt.in.Surface, got, tt.want)
		}
	}
}

// A won't-fix counts as long as the tracker says so; a new id after a drift is still the old candidate.
func TestCountersAndDrift(t *testing.T) {
	a := candidate("gone", "sig1:aa", 1000, 10, 50_000)
	a.Signatures = []string{"Bash git fetch", "Bash git branch <arg>"}
	b := candidate("gone-branches", "sig1:bb", 1000, 10, 50_000)
	b.Signatures = []string{"Bash git fetch branch"}
	first, second := week(0, a), week(1, b)
	first.Issues = map[string]audit.Issue{"acme/sweep/gone": {Ref: "o/r#7", State: "closed", Resolution: "not_planned"}}
	h := play(t, first, second)
	c := h[1].Candidates[0]
	if c.Candidate.ID != "acme/sweep/gone" || c.MatchedBy != ByTokens || c.Issue != "o/r#7" {
		t.Errorf("got %s by %s with %s", c.Candidate.ID, c.MatchedBy, c.Issue)
	}
	if diff := cmp.Diff(Counters{Filed: 1, Wontfix: 1}, h[1].Counters); diff != "" {
		t.Error(diff)
	}
	second.Issues = map[string]audit.Issue{"acme/sweep/gone-branches": {Ref: "o/r#7", State: "open"}}
	h = play(t, first, second)
	if got := h[1].Candidates[0].Status; got != StatusDrifted {
		t.Errorf("reopened under another signature: got %s", got)
	}
	if diff := cmp.Diff(Counters{Filed: 1}, h[1].Counters); diff != "" {
		t.Error(diff)
	}
}

// A run repeated after an interruption finds itself in the history and is the same run.
func TestComposeAgainIsTheSame(t *testing.T) {
	in := week(1, candidate("gone", "sig1:aa", 1000, 10, 50_000))
	h := play(t, week(0, candidate("gone", "sig1:aa", 1000, 10, 50_000)), in)
	in.History = h
	again, err := Compose(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&h[1], again); diff != "" {
		t.Error(diff)
	}
	in.Now = "2026-10-16T00:00:00Z"
	other, err := Compose(in)
	if err != nil {
		t.Fatal(err)
	}
	if other.SnapshotID == again.SnapshotID || other.Candidates[0].MatchedIn != h[1].SnapshotID {
		t.Errorf("a later run: id %s, compared with %s", other.SnapshotID, other.Candidates[0].MatchedIn)
	}
}

// A step that was resolved is reverted once it is measured again over enough uses, not before.
func TestCountersNeedUse(t *testing.T) {
	run := func(status string, share, invocations int64) Document {
		c := Candidate{Status: status, Issue: "o/r#7", IssueState: "closed"}
		c.Candidate = candidate("gone", "sig1:aa", 1000, invocations, share)
		return Document{Candidates: []Candidate{c}}
	}
	for _, tt := range []struct {
		share, invocations, want int64
	}{{50_000, 3, 1}, {50_000, 2, 0}, {20_000, 3, 1}, {19_999, 3, 0}} {
		got := Count([]Document{run(StatusResolved, 0, 10), run(StatusClaimed, tt.share, tt.invocations)})
		if got.Reverted != tt.want {
			t.Errorf("%d ppm over %d invocations: reverted %d, want %d", tt.share, tt.invocations, got.Reverted, tt.want)
		}
	}
}

// The scan's doubts travel with its numbers, without the names of anybody's files.
func TestComposeKeepsDoubts(t *testing.T) {
	in := week(0)
	in.Stable.Warnings = []audit.Warning{{Code: "of-a-verdict", Message: "m"}}
	in.Scan.Warnings = []audit.Warning{
		{Code: "bad-line", Path: "projects/-home-a-secret/x.jsonl", Line: 3, Message: "not valid JSON"}, {Code: "usage-not-final", Message: "3 of 9 turns"},
		{Code: "bad-line", Path: "projects/-home-a-secret/y.jsonl", Line: 1, Message: "not valid JSON"}, {Code: "a-gap", Path: "projects/z", Message: "n"},
	}
	want := []audit.Warning{
		{Code: "of-a-verdict", Message: "m"}, {Code: "usage-not-final", Message: "3 of 9 turns"},
		{Code: "a-gap", Message: "1 place in the histories; offload-scan lists them"}, {Code: "bad-line", Message: "2 places in the histories; offload-scan lists them"},
	}
	if diff := cmp.Diff(want, play(t, in)[0].Warnings); diff != "" {
		t.Error(diff)
	}
	if len(in.Stable.Warnings) != 1 {
		t.Error("the caller's document was changed")
	}
}
