package stability

import (
	"fmt"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

var start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// span is a window of that many seconds; 0 < 0 means: no bound on the side named.
func span(seconds int64) audit.Span {
	since := start.Format(time.RFC3339)
	until := start.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
	return audit.Span{Since: &since, Until: &until}
}

const (
	m  = audit.Measured
	th = audit.Thin
	un = audit.Unmeasured
)

func read(s audit.Strength, share int64, observed audit.Span) audit.Reading {
	return audit.Reading{Strength: s, SharePPM: share, Observed: observed}
}

// TestCompare (FR-4.5, FR-4.5.1, S4): the truth table of rubric 3.7, every branch and
// both sides of every bound.
func TestCompare(t *testing.T) {
	noSince, noUntil, backwards, unreadable := span(100), span(100), span(-5), span(100)
	noSince.Since, noUntil.Until = nil, nil
	odd := "yesterday"
	unreadable.Since = &odd
	for _, row := range []struct {
		name           string
		current, prior audit.Reading
		want           audit.Stability
		flips          string
		suppressed     string
		notes          string
	}{
		{"no flip", read(m, 30_000, span(1000)), read(m, 40_000, span(1000)), audit.Stable, "[]", "[]", "[]"},
		{"no flip, whatever the widths", read(m, 30_000, noSince), read(m, 40_000, noUntil), audit.Stable, "[]", "[]", "[]"},
		{"both thin", read(th, 0, span(10)), read(th, 0, span(1000)), audit.Stable, "[]", "[]", "[]"},
		{"both unmeasured", read(un, 0, noSince), read(un, 0, noSince), audit.Stable, "[]", "[]", "[]"},
		{"shares equal, at the threshold", read(m, 20_000, span(1000)), read(m, 20_000, span(1000)), audit.Stable, "[]", "[]", "[]"},
		{"at and above the threshold", read(m, 20_000, span(1000)), read(m, 20_001, span(1000)), audit.Stable, "[]", "[]", "[]"},
		{"at and below the threshold", read(m, 20_000, span(1000)), read(m, 19_999, span(1000)), audit.Unstable, "[threshold]", "[]", "[]"},

		{"measured to thin, well below parity", read(th, 30_000, span(270)), read(m, 30_000, span(1000)), audit.InsufficientWindow, "[]", "[strength]", "[]"},
		{"measured to unmeasured, below parity", read(un, 0, span(899)), read(m, 30_000, span(1000)), audit.InsufficientWindow, "[]", "[strength threshold]", "[]"},
		{"exactly 0.9 parity", read(un, 0, span(900)), read(m, 30_000, span(1000)), audit.Unstable, "[strength threshold]", "[]", "[]"},
		{"just below 0.9 parity of an odd width", read(th, 0, span(899)), read(m, 0, span(999)), audit.InsufficientWindow, "[]", "[strength]", "[]"},
		{"just above 0.9 parity of an odd width", read(th, 0, span(900)), read(m, 0, span(999)), audit.Unstable, "[strength]", "[]", "[]"},
		{"wider than before", read(th, 30_000, span(2000)), read(m, 30_000, span(1000)), audit.Unstable, "[strength]", "[]", "[]"},
		{"both of no width", read(th, 30_000, span(0)), read(m, 30_000, span(0)), audit.Unstable, "[strength]", "[]", "[]"},

		{"current without since", read(th, 30_000, noSince), read(m, 30_000, span(1000)), audit.Unstable, "[strength]", "[]", "[width-uncomputable]"},
		{"current without until", read(un, 30_000, noUntil), read(m, 30_000, span(1000)), audit.Unstable, "[strength]", "[]", "[width-uncomputable]"},
		{"prior without since", read(th, 30_000, span(10)), read(m, 30_000, noSince), audit.Unstable, "[strength]", "[]", "[width-uncomputable]"},
		{"prior without until", read(th, 30_000, span(10)), read(m, 30_000, noUntil), audit.Unstable, "[strength]", "[]", "[width-uncomputable]"},
		{"bounds in the wrong order", read(th, 30_000, span(10)), read(m, 30_000, backwards), audit.Unstable, "[strength]", "[]", "[width-uncomputable]"},
		{"an unreadable bound", read(th, 30_000, unreadable), read(m, 30_000, span(1000)), audit.Unstable, "[strength]", "[]", "[width-uncomputable]"},

		{"the reverse direction, narrower", read(m, 30_000, span(10)), read(th, 30_000, span(1000)), audit.Unstable, "[strength]", "[]", "[]"},
		{"the reverse direction, wider", read(m, 30_000, span(5000)), read(th, 30_000, span(1000)), audit.Unstable, "[strength]", "[]", "[]"},
		{"unmeasured to measured", read(m, 30_000, span(10)), read(un, 0, span(1000)), audit.Unstable, "[strength threshold]", "[]", "[]"},
		{"thin to unmeasured, narrower", read(un, 0, span(10)), read(th, 0, span(1000)), audit.Unstable, "[strength]", "[]", "[]"},
		{"unmeasured to thin", read(th, 0, span(10)), read(un, 0, span(1000)), audit.Unstable, "[strength]", "[]", "[]"},
		{"threshold crossed, both measured, narrower", read(m, 30_000, span(10)), read(m, 10_000, span(1000)), audit.Unstable, "[threshold]", "[]", "[]"},
		{"threshold crossed, both thin", read(th, 10_000, span(10)), read(th, 30_000, span(1000)), audit.Unstable, "[threshold]", "[]", "[]"},
	} {
		g, got := Compare(row.current, &row.prior)
		if got != row.want || fmt.Sprint(g.Flips) != row.flips || fmt.Sprint(g.Suppressed) != row.suppressed || fmt.Sprint(g.Notes) != row.notes {
			t.Errorf("%s: %s flips %v suppressed %v notes %v, want %s %s %s %s",
				row.name, got, g.Flips, g.Suppressed, g.Notes, row.want, row.flips, row.suppressed, row.notes)
		}
		if *g.Prior != row.prior || g.Current.SharePPM != row.current.SharePPM || g.Current.Stability != got {
			t.Errorf("%s: the readings are not recorded", row.name)
		}
	}
	g, got := Compare(read(m, 30_000, span(10)), nil)
	if got != audit.Unchecked || g.Prior != nil || g.PriorSeconds != nil || g.FloorSeconds != nil || *g.CurrentSeconds != 10 {
		t.Errorf("no prior: %s %+v", got, g)
	}
}

// TestFloor: the recorded floor is the width from which a window may contradict.
func TestFloor(t *testing.T) {
	for prior := range int64(200) {
		p := read(m, 30_000, span(prior))
		g, _ := Compare(read(th, 30_000, span(0)), &p)
		for current := range int64(200) {
			_, got := Compare(read(th, 30_000, span(current)), &p)
			if want := current < *g.FloorSeconds; (got == audit.InsufficientWindow) != want {
				t.Fatalf("prior %d, current %d, floor %d: %s", prior, current, *g.FloorSeconds, got)
			}
		}
	}
}

// TestCalibration: the step that 7, 14, 26 and 60 days saw 0, 2, 12 and 15 times.
func TestCalibration(t *testing.T) {
	day := int64(86_400)
	wide := read(m, 30_000, span(26*day))
	for _, row := range []struct {
		days     int64
		strength audit.Strength
		share    int64
		want     audit.Stability
	}{
		{7, un, 0, audit.InsufficientWindow}, {14, th, 25_000, audit.InsufficientWindow},
		{26, m, 30_000, audit.Stable}, {60, m, 28_000, audit.Stable}, {60, th, 28_000, audit.Unstable},
	} {
		if _, got := Compare(read(row.strength, row.share, span(row.days*day)), &wide); got != row.want {
			t.Errorf("%d days: %s, want %s", row.days, got, row.want)
		}
	}
}

func TestVersionNotes(t *testing.T) {
	for _, row := range []struct {
		rubric, priorRubric, target, priorTarget, want string
	}{
		{"1.0", "1.0", "2.3.4", "2.3.9", "[]"},
		{"1.1", "1.0", "2.3.4", "2.3.4", "[rubric-version: 1.1, prior 1.0]"},
		{"1.0", "1.0", "2.4.0", "2.3.9", "[target-version: 2.4.0, prior 2.3.9]"},
		{"1.0", "1.0", "3.3.0", "2.3.0", "[target-version: 3.3.0, prior 2.3.0]"},
		{"1.0", "", "", "v2.3.0", "[rubric-version: 1.0, prior none target-version: none, prior v2.3.0]"},
		{"1.0", "1.0", "abc123", "def456", "[target-version: abc123, prior def456]"},
		{"1.0", "1.0", "v2.3.0", "2.3.1", "[]"},
	} {
		prior := audit.Reading{Strength: m, RubricVersion: row.priorRubric, TargetVersion: row.priorTarget}
		g, got := Compare(audit.Reading{Strength: m, RubricVersion: row.rubric, TargetVersion: row.target}, &prior)
		if fmt.Sprint(g.Notes) != row.want || got != audit.Stable {
			t.Errorf("%+v: %s %v", row, got, g.Notes)
		}
	}
}

// TestGate: only file verdicts are gated; what files, what becomes a question and what is
// a finding about the audit itself.
func TestGate(t *testing.T) {
	verdict := func(id string, v audit.Verdict, s audit.Strength, share int64) boundary.Verdict {
		c := boundary.Candidate{ID: id}
		if s != un {
			c.Measured = &boundary.MeasuredCase{Strength: s, SharePPM: share, Invocations: 4, Occurrences: 4}
		}
		return boundary.Verdict{Candidate: c, Verdict: v}
	}
	v := &boundary.Verdicts{
		RubricVersion: "1.0", WeightsVersion: "w", Target: audit.Target{Name: "acme", Version: "1.2.3"}, Window: audit.Window{Observed: span(100)},
		Verdicts: []boundary.Verdict{
			verdict("new", audit.File, m, 30_000), verdict("same", audit.File, m, 30_000), verdict("lost", audit.File, un, 0),
			verdict("crossed", audit.File, m, 30_000), verdict("question", audit.BoundaryQuestion, m, 30_000),
			verdict("nothing", audit.NoOffload, m, 30_000), verdict("drift", audit.DriftNote, un, 0),
		},
	}
	prior := map[string]audit.Reading{
		"same": read(m, 40_000, span(100)), "lost": read(m, 40_000, span(1000)), "crossed": read(m, 1, span(1000)),
		"question": read(m, 1, span(1000)), "nothing": read(th, 1, span(1000)),
	}
	doc := Gate(v, func(id string) *audit.Reading {
		if r, ok := prior[id]; ok {
			return &r
		}
		return nil
	})
	want := []string{
		"new file true unchecked", "same file true stable", "lost file false insufficient-window", "crossed boundary-question false unstable",
		"question boundary-question false ", "nothing no-offload false ", "drift drift-note false ",
	}
	for i, got := range doc.Verdicts {
		if s := fmt.Sprintf("%s %s %v %s", got.Candidate.ID, got.Final, got.Files, got.Stability); s != want[i] {
			t.Errorf("%q, want %q", s, want[i])
		}
		if (got.Gate != nil) != (got.Verdict.Verdict == audit.File) {
			t.Errorf("%s: gate %+v", got.Candidate.ID, got.Gate)
		}
	}
	if len(doc.SelfFindings) != 1 || doc.SelfFindings[0].CandidateID != "crossed" || doc.SelfFindings[0].Reason != "unstable:threshold" {
		t.Errorf("self findings: %+v", doc.SelfFindings)
	}
	if r := doc.Verdicts[0].Gate.Current; r.RubricVersion != "1.0" || r.TargetVersion != "1.2.3" || r.Invocations != 4 || r.Stability != audit.Unchecked {
		t.Errorf("current reading: %+v", r)
	}
	if all := Gate(v, nil); all.Verdicts[1].Stability != audit.Unchecked || len(all.SelfFindings) != 0 {
		t.Errorf("no history at all: %+v", all.Verdicts[1].Stability)
	}
	if doc.Document != Kind || doc.Target.Name != "acme" || doc.Warnings == nil {
		t.Errorf("%+v", doc)
	}
}
