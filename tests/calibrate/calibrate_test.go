package main

import (
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// TestBounds holds what docs/CALIBRATION.md records, so that it cannot rot: a change of
// a signal that costs the ranking its worth fails here. The bounds are a little below
// what is measured, because an honest fix of a signal may move a rank by some places.
func TestBounds(t *testing.T) {
	root, ok := reference()
	if !ok {
		t.Skip("reference data is absent: neither $SHARED nor ../shared holds plugins/" + marketplace)
	}
	r, err := calibrate(root)
	if err != nil {
		t.Fatal(err)
	}
	if r.skills != 353 || r.scriptless != 336 {
		t.Errorf("skills %d, script-less %d; want 353 and 336", r.skills, r.scriptless)
	}
	if len(r.places) != len(confirmed) {
		t.Errorf("found %d of %d confirmed skills", len(r.places), len(confirmed))
	}
	if r.aucPPM < 970_000 {
		t.Errorf("area under the curve %s, want 0.970 or more", ppm(r.aucPPM))
	}
	for _, l := range r.leftOut {
		if l.aucPPM < 965_000 {
			t.Errorf("without %s the area under the curve is %s, want 0.965 or more", l.name, ppm(l.aucPPM))
		}
	}
	if r.recall[50] != len(confirmed) {
		t.Errorf("recall at 50 is %d of %d", r.recall[50], len(confirmed))
	}
	for _, p := range r.places {
		if !p.above {
			t.Errorf("%s is below the cut", p.name)
		}
		if p.inPlugin > 8 {
			t.Errorf("%s is %d of %d in its plugin, want among the first 8", p.name, p.inPlugin, p.of)
		}
	}
	if above, _ := r.confusion(); above > 67 {
		t.Errorf("%d of %d skills are above the cut; a list of more than a fifth is not short", above, r.scriptless)
	}
	for _, f := range r.folders {
		if !f.met {
			t.Errorf("%s: expected %s; above the cut: %v, candidates: %v", f.folder, f.why, f.above, f.candidates)
		}
	}
	var out strings.Builder
	r.print(&out)
	if !strings.Contains(out.String(), "area under the curve") {
		t.Error("the report does not state the area under the curve")
	}
}

func TestAUC(t *testing.T) {
	row := func(name string, score int64) (r boundary.RankingRow) {
		r.Component, r.Plugin, r.Score = name, "p", score
		return r
	}
	rows := []boundary.RankingRow{row("a", 9), row("b", 5), row("c", 5), row("d", 1)}
	for _, c := range []struct {
		positive string
		want     int64
	}{{"a", 1_000_000}, {"b", 500_000}, {"d", 0}} {
		if got := auc(rows, map[string]bool{"p/" + c.positive: true}); got != c.want {
			t.Errorf("%s: %d, want %d", c.positive, got, c.want)
		}
	}
}
