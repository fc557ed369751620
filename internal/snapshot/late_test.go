package snapshot_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// A history is in the order of its moments, whatever the order of its lines; snapshots of one
// moment, and those without one, stay where they were recorded.
func TestHistoryIsInTheOrderOfMoments(t *testing.T) {
	var text strings.Builder
	for _, s := range []struct{ id, at string }{
		{"c", "2026-10-03T00:00:00Z"}, {"a", "2026-10-01T01:00:00+02:00"}, {"undated", "once"}, {"b", "2026-10-02T00:00:00Z"}, {"b2", "2026-10-02T02:00:00+02:00"},
	} {
		text.WriteString(`{"document":"snapshot/v1","snapshot_id":"` + s.id + `","created_at":"` + s.at + "\"}\n")
	}
	docs, problems, err := snapshot.ReadHistory(strings.NewReader(text.String()))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	var got []string
	for _, d := range docs {
		got = append(got, d.SnapshotID)
	}
	if want := []string{"a", "undated", "b", "b2", "c"}; !slices.Equal(want, got) {
		t.Errorf("got %v, want %v", got, want)
	}
	if early := snapshot.Earlier(docs, "new", "2026-10-02T00:00:00Z"); len(early) != 4 {
		t.Errorf("%d snapshots are not later than the second of October, want 4", len(early))
	}
	if early := snapshot.Earlier(docs, "b", "2026-10-09T00:00:00Z"); len(early) != 2 {
		t.Errorf("%d snapshots stand before b, want 2", len(early))
	}
}

// A run that is recorded late takes its place in time: latest page, diff, trend and the next
// run's comparison agree, and verify has a note and no defect.
func TestStoreLateRun(t *testing.T) {
	s, err := snapshot.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first, third := mustRecord(t, s, 1, snapshot.Options{}).Snapshot, mustRecord(t, s, 3, snapshot.Options{}).Snapshot
	second := mustRecord(t, s, 2, snapshot.Options{}).Snapshot
	if second.DiffAgainst != first.SnapshotID {
		t.Errorf("the late run compares with %q, want %q", second.DiffAgainst, first.SnapshotID)
	}
	docs, _, err := s.History("acme")
	if err != nil {
		t.Fatal(err)
	}
	course := snapshot.Trend(docs)
	for i, want := range []*snapshot.Document{first, second, third} {
		if docs[i].SnapshotID != want.SnapshotID || course.Moments[i].SnapshotID != want.SnapshotID {
			t.Errorf("place %d: history %s, trend %s, want %s", i, docs[i].SnapshotID, course.Moments[i].SnapshotID, want.SnapshotID)
		}
	}
	latest, err := os.ReadFile(filepath.Join(s.Dir(), filepath.FromSlash(snapshot.LatestPath("acme"))))
	if err != nil || string(latest) != "# "+third.SnapshotID+"\nafter "+second.SnapshotID+"\n" {
		t.Errorf("the latest page is %q, %v", latest, err)
	}
	if fourth := mustRecord(t, s, 4, snapshot.Options{}).Snapshot; fourth.DiffAgainst != third.SnapshotID {
		t.Errorf("the next run compares with %q, want %q", fourth.DiffAgainst, third.SnapshotID)
	}
	check, err := s.Verify()
	if err != nil || len(check.Findings) > 0 || len(check.Notes) != 1 || check.Notes[0].Code != "out-of-order" {
		t.Errorf("verify: %+v, %v", check, err)
	}
}
