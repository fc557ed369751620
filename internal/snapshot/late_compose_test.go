package snapshot

import (
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// A run that is recorded late is compared with what there was at its moment, yet a candidate
// keeps the name that a later run gave it; a diff across it is decided anew, and what it filed
// counts in the trend.
func TestComposeLate(t *testing.T) {
	history := play(t,
		week(0, candidate("gone", "sig1:aa", 1000, 10, 50_000)),
		week(2, candidate("gone", "sig1:aa", 2000, 10, 50_000), candidate("ages", "sig1:bb", 500, 10, 30_000)))
	late := week(1, candidate("gone", "sig1:aa", 2000, 10, 50_000), candidate("by-age", "sig1:bb", 500, 10, 30_000))
	late.Issues = map[string]audit.Issue{"acme/sweep/gone": {Ref: "o/r#7", State: "open"}}
	late.History = history
	doc, err := Compose(late)
	if err != nil {
		t.Fatal(err)
	}
	if doc.DiffAgainst != history[0].SnapshotID {
		t.Errorf("compared with %s, want %s", doc.DiffAgainst, history[0].SnapshotID)
	}
	for _, c := range doc.Candidates {
		if want := map[string]string{"acme/sweep/gone": StatusGrown, "acme/sweep/ages": StatusNew}[c.Candidate.ID]; c.Status != want {
			t.Errorf("%s is %q, want %q", c.Candidate.ID, c.Status, want)
		}
	}
	whole := byMoment(append(history, *doc))
	if rows := Diff(whole, 1, 2).Rows; len(rows) != 2 || rows[1].Status != StatusPersisting || whole[2].Candidates[1].Status != StatusGrown {
		t.Errorf("across the late run: %+v", rows)
	}
	if rows := Diff(whole, 0, 1).Rows; rows[1].Status != StatusGrown {
		t.Errorf("of the late run: %+v", rows)
	}
	if n := Trend(whole).Counters.Filed; n != 1 || whole[2].Counters.Filed != 0 {
		t.Errorf("the trend counts %d filed, the last run %d", n, whole[2].Counters.Filed)
	}
}
