// Package stability compares two readings of one candidate and says whether the
// evidence holds across windows.
//
// Nothing is filed on evidence that another window contradicts (FR-4.5); but a narrow
// window cannot contradict a wide one (FR-4.5.1). A step used twice a month is not
// seen in most weeks: a week without it failed to observe it and says nothing against
// the month that did. So when a measured candidate turns thin or unmeasured and the
// present window is narrower than nine tenths of the prior one, the change is no
// finding: the candidate is neither filed nor downgraded, and the prior reading stays
// the one to compare with. Every other flip (of the strength of the measurement, or
// of the share across the threshold) makes the verdict a boundary question, and is a
// finding about the audit itself, for a reading that does not repeat is our defect.
//
// The gate applies to file verdicts only. It is pure: the clock, the store and the
// question which snapshot is prior stay with the caller.
package stability

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// The flips that a comparison can find.
const (
	FlipStrength  = "strength"
	FlipThreshold = "threshold"
)

// NoteWidth is the note of a comparison whose windows could not be measured.
const NoteWidth = "width-uncomputable"

// Gate passes v through the stability gate. prior returns the reading to compare a
// candidate with, nil when there is none: the latest snapshot's with the same identity
// whose own stability there is not insufficient-window. A nil prior knows of none.
func Gate(v *boundary.Verdicts, prior func(id string) *audit.Reading) *Document {
	doc := &Document{
		Document: Kind, RubricVersion: v.RubricVersion, WeightsVersion: v.WeightsVersion,
		Target: v.Target, Window: v.Window, RecallUsed: v.RecallUsed,
		Verdicts: []Verdict{}, SelfFindings: []SelfFinding{}, Warnings: append([]audit.Warning{}, v.Warnings...),
	}
	if prior == nil {
		prior = func(string) *audit.Reading { return nil }
	}
	for _, bv := range v.Verdicts {
		out := Verdict{Verdict: bv, Final: bv.Verdict}
		if bv.Verdict == audit.File {
			out.Gate, out.Stability = Compare(reading(v, &bv), prior(bv.Candidate.ID))
			out.Files = out.Stability == audit.Unchecked || out.Stability == audit.Stable
			if out.Stability == audit.Unstable {
				out.Final = audit.BoundaryQuestion
				doc.SelfFindings = append(doc.SelfFindings, selfFinding(bv.Candidate.ID, out.Gate))
			}
		}
		doc.Verdicts = append(doc.Verdicts, out)
	}
	return doc
}

// reading is this window's measurement of one candidate.
func reading(v *boundary.Verdicts, bv *boundary.Verdict) audit.Reading {
	r := audit.Reading{
		Strength: audit.Unmeasured, Observed: v.Window.Observed,
		RubricVersion: v.RubricVersion, TargetVersion: v.Target.Version,
	}
	if m := bv.Candidate.Measured; m != nil {
		r.Strength, r.SharePPM, r.Invocations = m.Strength, m.SharePPM, m.Invocations
		if !m.Seen() {
			r.Invocations = m.ComponentInvocations
		}
	}
	return r
}

// Compare decides stability by rubric 3.7 and records how. prior is nil when there is
// none; the recorded current reading carries the answer.
func Compare(current audit.Reading, prior *audit.Reading) (*Comparison, audit.Stability) {
	c := &Comparison{
		Current: current, Prior: prior, CurrentSeconds: width(current.Observed),
		Flips: []string{}, Suppressed: []string{}, Notes: []string{},
	}
	c.Current.Stability = c.decide()
	return c, c.Current.Stability
}

// decide fills in what was found on the way to the answer.
func (c *Comparison) decide() audit.Stability {
	if c.Prior == nil {
		return audit.Unchecked
	}
	c.PriorSeconds = width(c.Prior.Observed)
	if c.PriorSeconds != nil {
		floor := (9**c.PriorSeconds + 9) / 10
		c.FloorSeconds = &floor
	}
	c.Notes = append(c.Notes, versionNotes(c.Current, *c.Prior)...)
	flips := flipsOf(c.Current, *c.Prior)
	if len(flips) == 0 {
		return audit.Stable
	}
	if c.Prior.Strength == audit.Measured && c.Current.Strength != audit.Measured {
		switch {
		case c.CurrentSeconds == nil || c.PriorSeconds == nil:
			c.Notes = append(c.Notes, NoteWidth)
		case 10**c.CurrentSeconds < 9**c.PriorSeconds:
			c.Suppressed = flips
			return audit.InsufficientWindow
		}
	}
	c.Flips = flips
	return audit.Unstable
}

// flipsOf names what differs between two readings in a way that matters.
func flipsOf(a, b audit.Reading) []string {
	var flips []string
	if a.Strength != b.Strength {
		flips = append(flips, FlipStrength)
	}
	if (a.SharePPM < boundary.ThresholdPPM) != (b.SharePPM < boundary.ThresholdPPM) {
		flips = append(flips, FlipThreshold)
	}
	return flips
}

// width is until − since in whole seconds; nil when a bound is missing or unreadable, or
// the two stand in the wrong order.
func width(s audit.Span) *int64 {
	if s.Since == nil || s.Until == nil {
		return nil
	}
	since, err := time.Parse(time.RFC3339, *s.Since)
	if err != nil {
		return nil
	}
	until, err := time.Parse(time.RFC3339, *s.Until)
	if err != nil || until.Before(since) {
		return nil
	}
	seconds := int64(until.Sub(since) / time.Second)
	return &seconds
}

// versionNotes annotates a comparison across rubric versions or across minor versions
// of the target; it is made all the same.
func versionNotes(current, prior audit.Reading) []string {
	var notes []string
	if current.RubricVersion != prior.RubricVersion {
		notes = append(notes, fmt.Sprintf("rubric-version: %s, prior %s", orNone(current.RubricVersion), orNone(prior.RubricVersion)))
	}
	if otherMinor(current.TargetVersion, prior.TargetVersion) {
		notes = append(notes, fmt.Sprintf("target-version: %s, prior %s", orNone(current.TargetVersion), orNone(prior.TargetVersion)))
	}
	return notes
}

// otherMinor reports whether two versions differ in more than the patch. Versions that
// are not semver (a commit's hash, none at all) differ when they are not equal.
func otherMinor(a, b string) bool {
	if a == b {
		return false
	}
	va, errA := semver.NewVersion(a)
	vb, errB := semver.NewVersion(b)
	if errA != nil || errB != nil {
		return true
	}
	return va.Major() != vb.Major() || va.Minor() != vb.Minor()
}

func orNone(version string) string {
	if version == "" {
		return "none"
	}
	return version
}

// selfFinding is the finding about the audit that an unstable reading is.
func selfFinding(id string, c *Comparison) SelfFinding {
	reason := "unstable:" + strings.Join(c.Flips, ",")
	if slices.Contains(c.Notes, NoteWidth) {
		reason += " (" + NoteWidth + ")"
	}
	return SelfFinding{CandidateID: id, Reason: reason, Current: c.Current, Prior: *c.Prior}
}
