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

// Merge fills a form (Carry's or Form's) with answers: an answer replaces the row of its
// id, a carried one too; a row left open or left out stays as the form has it. An answer
// about no row of the form is kept, for Classify to refuse or to take.
func Merge(form, answers *Judgments) *Judgments {
	out := &Judgments{
		Document: JudgmentsKind, Target: answers.Target, RecallUsed: form.RecallUsed || answers.RecallUsed,
		Judgments: append([]Judgment{}, form.Judgments...),
	}
	at := map[string]int{}
	for i, j := range out.Judgments {
		at[j.ID] = i
	}
	for _, j := range answers.Judgments {
		switch i, known := at[j.ID]; {
		case !known:
			out.Judgments = append(out.Judgments, j)
		case !j.Open():
			out.Judgments[i] = j
		}
	}
	return out
}
