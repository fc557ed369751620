package boundary

// Remembered is an earlier judgment of a candidate: what a snapshot recorded.
type Remembered struct {
	Judgment Judgment
	// SnapshotID names the snapshot that holds it.
	SnapshotID string
	// RubricVersion it was made under.
	RubricVersion string
}

// Carry is Form with the rows filled in that need not be asked again: a candidate whose
// evidence hashes as it did, under this rubric, keeps its judgment and names the
// snapshot in which it was first made (carried_from). prior maps candidate ids; nil asks
// everything afresh. A carried judgment has no privilege: Classify judges it by the
// ceilings and gates of today's measurement.
func Carry(cands *Candidates, prior map[string]Remembered) *Judgments {
	js := Form(cands)
	for i := range js.Judgments {
		open := &js.Judgments[i]
		was, ok := prior[open.ID]
		if !ok || was.RubricVersion != RubricVersion || open.EvidenceHash == "" ||
			was.Judgment.EvidenceHash != open.EvidenceHash || was.Judgment.Open() {
			continue
		}
		kept := was.Judgment
		kept.ID = open.ID
		if kept.CarriedFrom == "" {
			kept.CarriedFrom = was.SnapshotID
		}
		*open = kept
	}
	return js
}
