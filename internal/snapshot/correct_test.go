package snapshot

import (
	"testing"
)

// A run judged again takes the place of its first reading among the moments, also when another
// run was recorded in between; another version, moment or spend is another measurement.
func TestComposeCorrects(t *testing.T) {
	step := candidate("gone", "sig1:aa", 1000, 10, 50_000)
	history := play(t, week(0, step), week(1, step))
	judgedAgain := func() Input {
		in := week(0, step)
		in.Stable.Verdicts[0].Reasons = []string{"residue"}
		in.History = history
		return in
	}
	doc, err := Compose(judgedAgain())
	if err != nil {
		t.Fatal(err)
	}
	if doc.Corrects != history[0].SnapshotID || doc.SnapshotID == history[0].SnapshotID || doc.DiffAgainst != "" || doc.Candidates[0].Status != StatusNew {
		t.Errorf("corrects %q as %q, compared with %q: %s", doc.Corrects, doc.SnapshotID, doc.DiffAgainst, doc.Candidates[0].Status)
	}
	whole := byMoment(uncorrected(append(play(t, week(0, step), week(1, step)), *doc)))
	if len(whole) != 2 || whole[0].SnapshotID != doc.SnapshotID || whole[1].SnapshotID != history[1].SnapshotID {
		t.Errorf("%d snapshots stand, want the correction before the second run", len(whole))
	}

	// Repeated, it is itself; with the first answers it corrects the correction.
	in := judgedAgain()
	in.History = whole
	if again, err := Compose(in); err != nil || again.SnapshotID != doc.SnapshotID || again.Corrects != doc.Corrects {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	in = week(0, step)
	in.History = whole
	if back, err := Compose(in); err != nil || back.Corrects != doc.SnapshotID || back.SnapshotID == history[0].SnapshotID {
		t.Errorf("back to the first answers: %+v, %v", back, err)
	}

	for what, change := range map[string]func(*Input){
		"version": func(in *Input) { in.Stable.Target.Version = "2.0.0" },
		"moment":  func(in *Input) { in.Now = "2026-10-08T00:00:01Z" },
		"spend":   func(in *Input) { in.Scan.Audited.Turns++ },
		"zone":    func(in *Input) { in.Stable.Window.Timezone = "Europe/Berlin" },
	} {
		in := judgedAgain()
		change(&in)
		if other, err := Compose(in); err != nil || other.Corrects != "" {
			t.Errorf("another %s: corrects %q, %v", what, other.Corrects, err)
		}
	}
}
