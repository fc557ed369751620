package summary

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Page renders a run's Markdown page in the order of FR-7.3. history holds the snapshots
// before it, oldest first. The same input gives the same page.
func Page(history []snapshot.Document, d *snapshot.Document) []byte {
	var p page
	p.line("# Audit of %s%s, %s", name(d.Target.Name), version(d.Target.Version), snapshot.Day(d.CreatedAt))
	v := sections(d)
	p.para("%s", verdictLine(d, v))
	if d.Corrects != "" {
		p.para("Corrects `%s`: the same measurement under other answers, which no longer counts.", d.Corrects)
	}
	p.coverage(d)
	p.composition(d)
	p.ranked(v)
	p.changes(history, d)
	p.questions(v)
	p.insufficient(v)
	p.filed(d)
	p.rest(d, v)
	p.line("\n---\n\n`%s`, made by inference-arbitrage %s; rubric %s, %s.", d.SnapshotID, d.ToolVersion, d.RubricVersion, d.WeightsVersion)
	return p.Bytes()
}

// verdictLine is the answer in one sentence (FR-4.4 says it plainly when there is nothing).
func verdictLine(d *snapshot.Document, v view) string {
	settled := len(v.ranked) + len(v.questions) + len(v.unstable) + len(v.insufficient)
	judged := countOf(d, func(c *snapshot.Candidate) bool { return c.Judgment != nil })
	switch {
	case settled+len(v.open) == 0:
		return "**Nothing to offload here.**"
	case judged == 0 && settled == 0:
		return fmt.Sprintf("**Nobody has judged the %s yet.**", wording.Pick(len(v.open), "one candidate", fmt.Sprintf("%d candidates", len(v.open))))
	}
	s := fmt.Sprintf("**%d to offload**, ", len(v.ranked))
	switch {
	case len(v.ranked) > 0:
	case len(v.open) > 0:
		s = "**Nothing to offload so far**, "
	default:
		s = "**Nothing to offload on this evidence**, "
	}
	s += wording.Amount(len(v.questions), "boundary question", "boundary questions")
	if n := len(v.unstable); n > 0 {
		s += fmt.Sprintf(", %d held back", n)
	}
	if n := len(v.open); n > 0 {
		s += fmt.Sprintf(", %d that nobody has judged yet", n)
	}
	if n := len(v.insufficient); n > 0 {
		s += fmt.Sprintf(", %d not judged because the window was too narrow", n)
	}
	return s + "."
}

type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }
func (p *page) para(format string, args ...any) { fmt.Fprintf(p, "\n"+format+"\n", args...) }
func (p *page) head(title string)               { fmt.Fprintf(p, "\n## %s\n\n", title) }

func (p *page) table(columns ...string) {
	p.line("| %s |", strings.Join(columns, " | "))
	p.line("|%s", strings.Repeat("---|", len(columns)))
}

func (p *page) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", `\|`)
	}
	p.line("| %s |", strings.Join(cells, " | "))
}

func (p *page) coverage(d *snapshot.Document) {
	p.head("Coverage and window")
	if d.Window.Observed.Since == nil {
		p.line("- **No measured evidence exists**: no use was observed%s.", unmeasured(d))
	} else {
		p.line("- Observed: %s (%s).", span(d.Window.Observed), d.Window.Timezone)
	}
	if d.Window.Observed.Since != nil && d.Audited.Turns == 0 {
		p.line("- **No measured evidence exists**: none of the plugin's components was used in this window%s.", unmeasured(d))
	}
	if r := d.Window.Requested; r.Since != nil || r.Until != nil {
		p.line("- Asked for: %s to %s.", day(r.Since), day(r.Until))
	}
	a := d.Attribution
	p.line("- Attribution coverage: **%s**%s.", percentOr(a.CoveragePPM, "unknown"), inBrackets(a.Reason))
	p.line("- Attributed turns: %d stamped, %d inferred, %d of agents, %d of own executables; %d blind.",
		a.StampedTurns, a.InferredTurns, a.AgentTurns, a.OwnExecutableTurns, a.BlindTurns)
	p.line("- Audited spend: %s weighted tokens in %s, of %s in %s in the whole window.",
		tokens(d.Audited.WeightedMilli), turns(d.Audited.Turns), tokens(d.Usage.WeightedMilli), turns(d.Usage.Turns))
	if n := countOf(d, isCarried); n > 0 {
		p.line("- Judgments carried over on unchanged evidence: %d.", n)
	}
	if d.RecallUsed {
		p.line("- The judgments lean on recalled conclusions of earlier runs (`recall_used`).")
	}
	for _, w := range d.Warnings {
		p.line("- Warning `%s`: %s", w.Code, text(w.Message))
	}
}

// unmeasured says what that means for the candidates, where there are any.
func unmeasured(d *snapshot.Document) string {
	if len(d.Candidates) == 0 {
		return ""
	}
	return ", so every candidate is unmeasured"
}

func (p *page) composition(d *snapshot.Document) {
	p.head("Composition")
	if m := mechanicalShare(d.Composition); m != "none" {
		p.line("**%s of the audited spend was mechanical**: turns that only made mechanical tool calls.\n", m)
		p.table("turn class", "turns", "weighted tokens", "share")
		for _, c := range ordered(d.Composition) {
			p.row(c.Class, fmt.Sprint(c.Turns), tokens(c.WeightedMilli), Percent(ratioPPM(c.WeightedMilli, d.Audited.WeightedMilli)))
		}
		p.line("")
	}
	if len(d.Components) == 0 {
		p.line("None of the plugin's components was used in this window.")
		return
	}
	p.table("component", "invocations", "turns", "weighted tokens", "share", "mechanical")
	for _, c := range bySpend(d.Components) {
		p.row(fmt.Sprintf("%s %s", c.Kind, c.Name), fmt.Sprint(c.Invocations), fmt.Sprint(c.Turns), tokens(c.WeightedMilli), Percent(c.SharePPM), mechanicalShare(c.Composition))
	}
}

func bySpend(list []snapshot.Component) []snapshot.Component {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b snapshot.Component) int {
		return int(min(1, max(-1, b.WeightedMilli-a.WeightedMilli)))
	})
	return list
}

func mechanicalShare(classes []scan.ClassUsage) string {
	var part, all int64
	for _, c := range classes {
		all += c.WeightedMilli
		if c.Class == "mechanical" {
			part += c.WeightedMilli
		}
	}
	if all == 0 {
		return "none"
	}
	return Percent(ratioPPM(part, all))
}

func (p *page) ranked(v view) {
	p.head("Candidates to offload")
	if len(v.ranked) == 0 {
		p.line("None.")
		return
	}
	p.table("candidate", "position", "recoverable", "value", "evidence", "issue")
	for _, c := range v.ranked {
		saved, value := "unmeasured", "unproven"
		if m := c.Candidate.Measured; m != nil && !m.Seen() {
			saved = "not seen"
		} else if m != nil {
			saved, value = tokens(m.RecoverableMilli), Percent(m.SharePPM)
			if d := priced(m); d != "" {
				saved += " (" + d + ")"
			}
		}
		p.row(code(c.Candidate.ID), string(c.Position), saved, value, evidence(c), issue(c.Issue, c.IssueState))
	}
	p.para("Recoverable is what one call instead of the turns would have saved in this window. Value ranks: the waste, weighted by how often the step recurs, in percent of the audited spend; it can exceed it.")
}

func evidence(c *snapshot.Candidate) string {
	s := string(strength(c))
	m := c.Candidate.Measured
	switch unseen := m.Unseen(); {
	case unseen != "":
		s += ", " + unseen
	case m != nil:
		s += fmt.Sprintf(", %d of %s", m.Invocations, wording.Amount(m.ComponentInvocations, "invocation", "invocations"))
	}
	if c.ValueClaim == "unproven" {
		s += ", value unproven"
	}
	if isCarried(c) {
		s += ", judgment carried"
	}
	return s
}

func (p *page) changes(history []snapshot.Document, d *snapshot.Document) {
	p.head("Since the previous snapshot")
	all := append(slices.Clone(snapshot.Before(history, d.SnapshotID)), *d)
	diff := snapshot.Diff(all, len(all)-2, len(all)-1)
	if diff.From == nil {
		p.line("This is the first snapshot.")
		return
	}
	p.line("Compared with `%s` of %s (%s observed).", diff.From.SnapshotID, snapshot.Day(diff.From.CreatedAt), span(diff.From.Observed))
	for _, n := range diff.Notes {
		p.line("Made otherwise: %s.", n)
	}
	p.line("")
	if len(diff.Rows) == 0 {
		p.line("Neither has a candidate.")
	} else {
		p.table("candidate", "status", "cost per invocation before", "now", "factor", "why")
	}
	for _, r := range diff.Rows {
		before, now := "", ""
		if r.Before != nil {
			before = costPerUse(r.Before)
		}
		if r.After != nil {
			now = costPerUse(r.After)
		}
		factor := ""
		if r.Before != nil && r.After != nil {
			factor = ratio(r.RatioMilli)
		}
		p.row(code(r.CandidateID), r.Status, before, now, factor, r.Why)
	}
	p.para("%s", counted(snapshot.Count(all)))
}

// costPerUse is a candidate's cost per invocation, or why there is none.
func costPerUse(p *snapshot.Point) string {
	if p.PerInvocationMilli == nil && p.Invocations == 0 && p.Strength != audit.Unmeasured {
		return "not seen"
	}
	return tokensOr(p.PerInvocationMilli, "too few uses")
}

func (p *page) questions(v view) {
	p.head("Boundary questions")
	p.line("For the owner of the plugin: what would have to be known to draw the line.\n")
	p.list(v.questions)
	if len(v.open) > 0 {
		p.para("### Not judged yet\n")
		p.list(v.open)
	}
	p.para("### Defects of the audit, not of the plugin\n")
	if len(v.unstable) == 0 {
		p.line("None: no reading contradicted an earlier one.")
		return
	}
	p.line("Two windows contradict each other; the stability gate held these back.\n")
	for _, c := range v.unstable {
		flips := ""
		if c.Gate != nil {
			flips = strings.Join(slices.Concat(c.Gate.Flips, c.Gate.Notes), ", ")
			if c.Gate.Prior != nil {
				flips += fmt.Sprintf("; prior %s at %s (%s), now %s at %s (%s)", c.Gate.Prior.Strength, Percent(c.Gate.Prior.SharePPM), span(c.Gate.Prior.Observed),
					c.Gate.Current.Strength, Percent(c.Gate.Current.SharePPM), span(c.Gate.Current.Observed))
			}
		}
		p.line("- %s: %s.", code(c.Candidate.ID), flips)
	}
}

func (p *page) list(candidates []*snapshot.Candidate) {
	if len(candidates) == 0 {
		p.line("None.")
	}
	for _, c := range candidates {
		drawn := ""
		if p := positionOf(c); p != "-" {
			drawn = fmt.Sprintf(" (`%s`, confidence `%s`)", p, c.Confidence)
		}
		p.line("- %s: %s%s.", code(c.Candidate.ID), question(c), drawn)
	}
}

func (p *page) insufficient(v view) {
	p.head("Not judged: insufficient window")
	if len(v.insufficient) == 0 {
		p.line("None.")
		return
	}
	for _, c := range v.insufficient {
		p.line("- %s: this window is too narrow to contradict `%s`, whose reading stands.", code(c.Candidate.ID), c.CarriedFrom)
	}
}

func (p *page) filed(d *snapshot.Document) {
	p.head("Issues")
	switch {
	case d.Filing.Mode == "":
		p.line("Nothing was planned in this run.")
	case d.Filing.Reason != "":
		p.line("filing: unavailable (%s). The candidates stand on this page only.", text(d.Filing.Reason))
	case d.Filing.Mode == "file":
		p.line("The channel `file` keeps these in the store itself, below `Issues`; no tracker is written to.")
	default:
		p.line("Planned by the channel `%s`; nothing was filed by this run.", d.Filing.Mode)
	}
	own, ours := "On the plugin's own tracker", "On the tracker of inference-arbitrage itself"
	if d.Filing.Mode == "file" {
		own, ours = "About the plugin", "About inference-arbitrage itself"
	}
	for _, part := range []struct {
		title string
		self  bool
	}{{own, false}, {ours, true}} {
		p.para("### %s\n", part.title)
		n := 0
		for _, a := range d.Filing.Actions {
			if a.Self != part.self {
				continue
			}
			n++
			where := a.Issue
			if where == "" {
				where = "a new issue on " + a.Repository
			}
			p.line("- %s: %s %s.", code(a.CandidateID), a.Action, where)
		}
		if n == 0 {
			p.line("None.")
		}
	}
}

func (p *page) rest(d *snapshot.Document, v view) {
	if len(v.declined)+len(v.drift)+len(d.Notes) == 0 {
		return
	}
	p.head("Not for offloading")
	for _, c := range v.drift {
		p.line("- %s: logic stands both in a hook script and in prose.", code(c.Candidate.ID))
	}
	for _, c := range v.declined {
		p.line("- %s: %s.", code(c.Candidate.ID), reasons(c.Reasons))
	}
	for _, n := range d.Notes {
		p.line("- Note: %s", text(n))
	}
}
