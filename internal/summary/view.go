package summary

import (
	"cmp"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// view sorts a snapshot's candidates into the sections of the page; each stands in one.
type view struct {
	// ranked are filed or to be filed, the most recoverable first.
	ranked []*snapshot.Candidate
	// questions are for the target's owner; unstable are the auditor's own defects.
	questions, unstable []*snapshot.Candidate
	// open wait for somebody to judge them.
	open []*snapshot.Candidate
	// insufficient could not be judged by the gate: their window was too narrow.
	insufficient []*snapshot.Candidate
	// declined stay with the model, or are scripts already. drift notes are apart.
	declined, drift []*snapshot.Candidate
}

func sections(d *snapshot.Document) view {
	var v view
	for i := range d.Candidates {
		c := &d.Candidates[i]
		switch {
		case c.Stability == audit.InsufficientWindow:
			v.insufficient = append(v.insufficient, c)
		case c.Stability == audit.Unstable:
			v.unstable = append(v.unstable, c)
		case c.Final == audit.File:
			v.ranked = append(v.ranked, c)
		case unjudged(c):
			v.open = append(v.open, c)
		case c.Final == audit.BoundaryQuestion:
			v.questions = append(v.questions, c)
		case c.Final == audit.DriftNote:
			v.drift = append(v.drift, c)
		default:
			v.declined = append(v.declined, c)
		}
	}
	for _, list := range [][]*snapshot.Candidate{v.ranked, v.questions, v.unstable, v.open, v.insufficient, v.declined, v.drift} {
		slices.SortFunc(list, func(a, b *snapshot.Candidate) int {
			return cmp.Or(cmp.Compare(recoverable(b), recoverable(a)), cmp.Compare(share(b), share(a)),
				cmp.Compare(b.Candidate.Score, a.Candidate.Score), cmp.Compare(a.Candidate.ID, b.Candidate.ID))
		})
	}
	return v
}

func recoverable(c *snapshot.Candidate) int64 {
	if c.Candidate.Measured == nil {
		return 0
	}
	return c.Candidate.Measured.RecoverableMilli
}

func share(c *snapshot.Candidate) int64 {
	if c.Candidate.Measured == nil {
		return 0
	}
	return c.Candidate.Measured.SharePPM
}

func strength(c *snapshot.Candidate) audit.Strength {
	if c.Candidate.Measured == nil {
		return audit.Unmeasured
	}
	return c.Candidate.Measured.Strength
}

// unjudged: the verdict waits for a judgment.
func unjudged(c *snapshot.Candidate) bool { return slices.Contains(c.Reasons, "unjudged") }

// isCarried: an earlier run made the judgment.
func isCarried(c *snapshot.Candidate) bool { return c.Judgment != nil && c.Judgment.CarriedFrom != "" }

// countOf is the number of candidates for which holds is true.
func countOf(d *snapshot.Document, holds func(*snapshot.Candidate) bool) int {
	n := 0
	for i := range d.Candidates {
		if holds(&d.Candidates[i]) {
			n++
		}
	}
	return n
}
