package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Policy is what a check is asked for.
type Policy struct {
	// FailOn is one of Levels.
	FailOn string
	// Cut is the ranking's: an unjudged candidate below it does not fail.
	Cut int64
	// Baseline names a snapshot, "" for none; Known tells whether it holds a candidate.
	Baseline string
	Known    func(id string) bool
	Waivers  []Waiver
	// Warnings are the inventory's: what of the plugin was not read, or not as it stands.
	Warnings []audit.Warning
	// Path returns the file of a component, relative to the plugin, "" when unknown.
	Path func(audit.ComponentRef) string
}

// Select makes the report of a check from gated verdicts. It is pure and total; findings
// are ordered by seriousness, then score, then id. A waiver that covers nothing is a
// warning, for the file should shrink with the findings.
func Select(doc *stability.Document, p Policy) *Document {
	out := &Document{
		Document: Kind, Target: doc.Target, Window: doc.Window, FailOn: p.FailOn, Baseline: p.Baseline,
		Findings: []Finding{}, Warnings: append(append([]audit.Warning{}, doc.Warnings...), p.Warnings...),
		Counts: map[string]int{New: 0, Known: 0, Waived: 0, BelowCut: 0, BelowLevel: 0},
	}
	used := map[string]bool{}
	for i := range doc.Verdicts {
		v := &doc.Verdicts[i]
		if seriousness(string(v.Final)) < 0 {
			continue
		}
		f := describe(v, p.Path)
		for j := range p.Waivers {
			if p.Waivers[j].ID == f.ID {
				f.Waiver, used[f.ID] = &p.Waivers[j], true
			}
		}
		f.State = p.state(v, f.Waiver != nil)
		out.Counts[f.State]++
		out.Findings = append(out.Findings, f)
	}
	for _, w := range p.Waivers {
		if !used[w.ID] {
			out.Warnings = append(out.Warnings, audit.Warning{Code: "waiver-unused", Message: fmt.Sprintf("the waiver of %s covers no finding; delete it", w.ID)})
		}
	}
	slices.SortFunc(out.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(seriousness(string(b.Verdict)), seriousness(string(a.Verdict))),
			cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID),
		)
	})
	out.Failed = out.Counts[New] > 0
	return out
}

// seriousness orders the levels; −1 is no finding at all.
func seriousness(level string) int {
	switch level {
	case LevelNever:
		return 4
	case LevelFile:
		return 3
	case LevelQuestion:
		return 2
	case LevelDrift:
		return 1
	}
	return -1
}

// state is the first that applies.
func (p Policy) state(v *stability.Verdict, waived bool) string {
	switch {
	case seriousness(string(v.Final)) < seriousness(p.FailOn):
		return BelowLevel
	case v.Judgment == nil && v.Candidate.Kind != audit.Drift && v.Candidate.Score < p.Cut:
		return BelowCut
	case waived:
		return Waived
	case p.Known != nil && p.Known(v.Candidate.ID):
		return Known
	}
	return New
}

// describe puts one verdict into a finding.
func describe(v *stability.Verdict, path func(audit.ComponentRef) string) Finding {
	c := &v.Candidate
	f := Finding{
		ID: c.ID, Component: c.Component, Kind: c.Kind, Verdict: v.Final, Reasons: append([]string{}, v.Reasons...),
		Score: c.Score, Strength: audit.Unmeasured,
	}
	if v.Stability == audit.Unstable || v.Stability == audit.InsufficientWindow {
		f.Reasons = append(f.Reasons, "stability:"+string(v.Stability))
	}
	if c.Static != nil && c.Static.Path != "" {
		f.Path, f.FirstLine, f.LastLine = c.Static.Path, c.Static.FirstLine, c.Static.LastLine
	} else if path != nil {
		f.Path = path(c.Component)
	}
	if m := c.Measured; m != nil {
		share, recoverable := m.SharePPM, m.RecoverableMilli
		f.Strength, f.SharePPM, f.RecoverableMilli, f.RecoverableUSD = m.Strength, &share, &recoverable, m.RecoverableUSD
	}
	f.Message = sentence(&f, c.Measured.Unseen())
	return f
}

// whatItIs says what a candidate of each kind is, in words that end a sentence.
var whatItIs = map[string]string{
	audit.Sequence:  "repeats the same calls in most of its uses; a script could make them in one",
	audit.Preload:   "reads the same facts at the start of most uses; they could be loaded with it",
	audit.Procedure: "tells the model a procedure of mechanical steps; a script could run it",
	audit.Table:     "tells the model a rule table; a script could look it up",
	audit.Wrapper:   "calls a command that often has to be retried; a wrapper could call it right",
	audit.DigestOf:  "reads far more than it uses; a script could read and hand over the rest",
	audit.Drift:     "repeats in prose what a hook script does; the two can drift apart",
}

// sentence is a finding for people; unseen says that the component was used without the step.
func sentence(f *Finding, unseen string) string {
	s := fmt.Sprintf("%s %s %s", f.Component.Kind, f.Component.Name, whatItIs[f.Kind])
	switch {
	case f.SharePPM == nil:
		s += "; not measured"
	case unseen != "":
		s += "; " + unseen
	case f.RecoverableUSD != nil:
		s += "; about " + wording.Dollars(*f.RecoverableUSD) + " recoverable in this window"
	default:
		s += fmt.Sprintf("; %s %% of the audited spend", percent(*f.SharePPM))
	}
	return s + " (" + strings.Join(f.Reasons, ", ") + ")."
}

// percent writes parts per million as a percentage with one decimal, rounded half up.
func percent(ppm int64) string {
	tenths := (ppm + 500) / 1_000
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}
