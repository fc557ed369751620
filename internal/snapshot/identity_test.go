package snapshot

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

var sweepSkill = audit.ComponentRef{Kind: audit.KindSkill, Name: "sweep"}
var auditSkill = audit.ComponentRef{Kind: audit.KindSkill, Name: "audit"}

func ident(component audit.ComponentRef, slug, hash, issue string, signatures ...string) identity {
	return identity{"acme/" + component.Name + "/" + slug, component, slug, hash, signatures, issue}
}

// FR-5.2, rubric 3.8: the order of matching, one to one, ties by id.
func TestPair(t *testing.T) {
	five := []string{"Bash git fetch", "Bash git branch <arg>"} // tokens: Bash git fetch branch <arg>
	tests := []struct {
		name           string
		current, known []identity
		want           map[int]pairing
	}{
		{"nothing known", []identity{ident(sweepSkill, "a", "h", "")}, nil, map[int]pairing{}},
		{"issue before hash",
			[]identity{ident(sweepSkill, "a", "h1", "o/r#1")},
			[]identity{ident(sweepSkill, "b", "h1", ""), ident(sweepSkill, "c", "h2", "o/r#1")},
			map[int]pairing{0: {1, ByIssue}}},
		{"hash before slug",
			[]identity{ident(sweepSkill, "a", "h2", "")},
			[]identity{ident(sweepSkill, "a", "h1", ""), ident(sweepSkill, "b", "h2", "")},
			map[int]pairing{0: {1, BySignature}}},
		{"slug before similarity",
			[]identity{ident(sweepSkill, "a", "h3", "", five...)},
			[]identity{ident(sweepSkill, "b", "h1", "", five...), ident(sweepSkill, "a", "h2", "")},
			map[int]pairing{0: {1, BySlug}}},
		{"hash crosses components",
			[]identity{ident(auditSkill, "a", "h1", "")},
			[]identity{ident(sweepSkill, "b", "h1", "")},
			map[int]pairing{0: {0, BySignature}}},
		{"similarity does not cross components",
			[]identity{ident(auditSkill, "a", "h1", "", five...)},
			[]identity{ident(sweepSkill, "b", "h2", "", five...)},
			map[int]pairing{}},
		{"an absent hash or issue matches nothing",
			[]identity{ident(sweepSkill, "a", "", "")},
			[]identity{ident(sweepSkill, "b", "", "")},
			map[int]pairing{}},
		{"four of five tokens are similar",
			[]identity{ident(sweepSkill, "a", "h1", "", "Bash git fetch branch")},
			[]identity{ident(sweepSkill, "b", "h2", "", five...)},
			map[int]pairing{0: {0, ByTokens}}},
		{"three of four are not",
			[]identity{ident(sweepSkill, "a", "h1", "", "Bash git fetch")},
			[]identity{ident(sweepSkill, "b", "h2", "", "Bash git fetch branch")},
			map[int]pairing{}},
		{"the same hash twice: one to one, the same id first",
			[]identity{ident(sweepSkill, "a", "h1", ""), ident(sweepSkill, "b", "h1", "")},
			[]identity{ident(sweepSkill, "b", "h1", "")},
			map[int]pairing{1: {0, BySignature}}},
		{"the same hash twice: ties by id",
			[]identity{ident(sweepSkill, "d", "h1", ""), ident(sweepSkill, "c", "h1", "")},
			[]identity{ident(sweepSkill, "b", "h1", ""), ident(sweepSkill, "a", "h1", "")},
			map[int]pairing{1: {1, BySignature}, 0: {0, BySignature}}},
		{"the most similar first",
			[]identity{ident(sweepSkill, "a", "h1", "", "one two three four five")},
			[]identity{ident(sweepSkill, "b", "h2", "", "one two three four"), ident(sweepSkill, "c", "h3", "", "five four three two one")},
			map[int]pairing{0: {1, ByTokens}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pair(tt.current, tt.known), cmp.AllowUnexported(pairing{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Rubric 3.8: the slug is frozen at the first sighting, and a newcomer cannot take it.
func TestFreeze(t *testing.T) {
	history := []Document{{SnapshotID: "snap1:1", Candidates: []Candidate{recorded("acme/sweep/list-gone", "list-gone", "sig1:aa")}}}
	now := []boundary.Candidate{
		{ID: "acme/sweep/find-stale", Component: sweepSkill, Slug: "find-stale", SignatureHash: "sig1:aa"},
		{ID: "acme/sweep/list-gone", Component: sweepSkill, Slug: "list-gone", SignatureHash: "sig1:bb"},
		{ID: "acme/sweep/list-gone-2", Component: sweepSkill, Slug: "list-gone-2", SignatureHash: "sig1:cc"},
	}
	Freeze(now, history)
	got := []string{now[0].ID, now[0].Slug, now[1].ID, now[1].Slug, now[2].ID, now[2].Slug}
	want := []string{"acme/sweep/list-gone", "list-gone", "acme/sweep/list-gone-2", "list-gone-2", "acme/sweep/list-gone-2-2", "list-gone-2-2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again := append([]boundary.Candidate{}, now...)
	Freeze(again, history)
	if diff := cmp.Diff(now, again); diff != "" {
		t.Errorf("freezing twice: %s", diff)
	}
}

// Verdicts and their judgments go by the frozen names, and the caller's judgment is left alone.
func TestFreezeVerdicts(t *testing.T) {
	history := []Document{{SnapshotID: "snap1:1", Candidates: []Candidate{recorded("acme/sweep/list-gone", "list-gone", "sig1:aa")}}}
	judged := &boundary.Judgment{ID: "acme/sweep/find-stale"}
	v := &boundary.Verdicts{Verdicts: []boundary.Verdict{{
		Candidate: boundary.Candidate{ID: "acme/sweep/find-stale", Component: sweepSkill, Slug: "find-stale", SignatureHash: "sig1:aa"}, Judgment: judged,
	}}}
	FreezeVerdicts(v, history)
	if got := v.Verdicts[0]; got.Candidate.ID != "acme/sweep/list-gone" || got.Judgment.ID != "acme/sweep/list-gone" || judged.ID != "acme/sweep/find-stale" {
		t.Errorf("candidate %s, judgment %s, the caller's %s", got.Candidate.ID, got.Judgment.ID, judged.ID)
	}
}

func recorded(id, slug, hash string) Candidate {
	c := Candidate{Status: StatusNew}
	c.Candidate = boundary.Candidate{ID: id, Component: sweepSkill, Slug: slug, SignatureHash: hash}
	return c
}

// Rubric 3.7: the prior reading is the latest one that is not insufficient-window.
func TestPrior(t *testing.T) {
	snap := func(id string, st audit.Stability, share int64) Document {
		c := recorded("acme/sweep/list-gone", "list-gone", "sig1:aa")
		c.Stability = st
		c.Candidate.Measured = &boundary.MeasuredCase{Strength: audit.Measured, SharePPM: share, Invocations: 12, Occurrences: 12}
		return Document{SnapshotID: id, RubricVersion: "1.0", Candidates: []Candidate{c}}
	}
	wide, narrow := snap("snap1:wide", audit.Unchecked, 50_000), snap("snap1:narrow", audit.InsufficientWindow, 0)
	verdicts := &boundary.Verdicts{Verdicts: []boundary.Verdict{
		{Candidate: boundary.Candidate{ID: "acme/sweep/renamed", Component: sweepSkill, Slug: "renamed", SignatureHash: "sig1:aa"}},
		{Candidate: boundary.Candidate{ID: "acme/sweep/other", Component: sweepSkill, Slug: "other"}},
	}}
	for _, tt := range []struct {
		name    string
		history []Document
		want    string
	}{
		{"none", nil, ""},
		{"one", []Document{wide}, "snap1:wide"},
		{"a narrow one is passed over", []Document{wide, narrow}, "snap1:wide"},
		{"two narrow ones are passed over", []Document{wide, narrow, narrow}, "snap1:wide"},
		{"only narrow ones", []Document{narrow}, ""},
		{"the latest counts", []Document{wide, snap("snap1:later", audit.Stable, 1), narrow}, "snap1:later"},
		{"absent in between", []Document{wide, {SnapshotID: "snap1:empty"}}, "snap1:wide"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			prior := Prior(tt.history, verdicts)
			got := ""
			if r := prior("acme/sweep/renamed"); r != nil {
				got = r.SnapshotID
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if r := prior("acme/sweep/other"); r != nil {
				t.Errorf("another candidate got %+v", r)
			}
		})
	}
}
