package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// chain is an explanation for people, in the order in which the verdict came about.
func chain(e *stability.Explanation) func(io.Writer) error {
	return func(w io.Writer) error {
		v := &e.Verdict
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s\n", v.Candidate.ID, v.Final)
		row(&b, "from", e.Source)
		writeEvidence(&b, &v.Candidate)
		writeJudgment(&b, v)
		writeVerdict(&b, v)
		writeGate(&b, v)
		writeChanges(&b, e)
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// indent and screen are the columns at which a row's text begins and should end.
const (
	indent = 12
	screen = 120
)

// row writes one named row; what is too long goes on below its beginning.
func row(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "%-*s", indent, name)
	column := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > screen:
			fmt.Fprintf(b, "\n%*s", indent, "")
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
}

func writeEvidence(b *strings.Builder, c *boundary.Candidate) {
	row(b, "candidate", fmt.Sprintf("%s in the %s %s, score %s", c.Kind, c.Component.Kind, c.Component.Name, points(c.Score)))
	for _, r := range c.Why {
		text := fmt.Sprintf("%s = %d", r.Signal, r.Value)
		if r.Note != "" {
			text += " (" + r.Note + ")"
		}
		if len(r.Evidence) > 0 {
			text += "; see " + strings.Join(clip(r.Evidence, 3), " ")
		}
		row(b, "", text)
	}
	if s := c.Static; s != nil && s.Path != "" {
		row(b, "text", fmt.Sprintf("%s:%d-%d; %s, %d of them the plugin's own; %s, %s", s.Path, s.FirstLine, s.LastLine,
			wording.Amount(s.Commands, "command", "commands"), s.OwnCommands, wording.Amount(s.ScriptVerbs, "script verb", "script verbs"), wording.Amount(s.JudgmentVerbs, "judgment verb", "judgment verbs")))
	}
	m := c.Measured
	if m == nil {
		row(b, "use", "not measured")
		return
	}
	if s := m.Unseen(); s != "" {
		row(b, "use", fmt.Sprintf("%s: %s", m.Strength, s))
		return
	}
	row(b, "use", fmt.Sprintf("%s: in %d of %s, %s, %s", m.Strength, m.Invocations, wording.Amount(m.ComponentInvocations, "use", "uses"),
		wording.Amount(m.Occurrences, "time", "times"), wording.Amount(m.Turns, "turn", "turns")))
	row(b, "value", fmt.Sprintf("%s %% of the audited spend (the threshold is %s %%); recoverable %d weighted tokens%s",
		tenths(m.SharePPM), tenths(boundary.ThresholdPPM), rounded(m.RecoverableMilli, 1000), dollars(m.RecoverableUSD)))
}

func writeJudgment(b *strings.Builder, v *stability.Verdict) {
	j := v.Judgment
	if j == nil {
		row(b, "judgment", "none")
		return
	}
	from := "made in this run"
	if j.CarriedFrom != "" {
		from = "carried from " + j.CarriedFrom + ": the evidence has not changed"
	}
	row(b, "judgment", from)
	row(b, "", "row: "+j.Row)
	row(b, "", "script part: "+j.ScriptPart)
	residue := v.Residue
	if residue == boundary.ResiduePerRun {
		residue += fmt.Sprintf(", %d %% of the rows undecided", v.UndecidedShare)
	}
	row(b, "", "residue: "+residue)
	for _, t := range v.Tests {
		outcome := t.Outcome
		if t.Judged != t.Outcome {
			outcome += " (judged " + t.Judged + ")"
		}
		text := outcome + ": " + t.Why
		if len(t.Evidence) > 0 {
			text = ended(text) + " See " + strings.Join(clip(t.Evidence, 3), " ")
		}
		row(b, t.ID, text)
	}
	for _, x := range v.Contradictions {
		row(b, "ceiling", fmt.Sprintf("%s: %s → %s by %s", x.Test, x.From, x.To, x.Rule))
	}
	if v.Residue != boundary.ResidueAll {
		triple := "complete"
		if !v.TripleComplete {
			triple = v.TripleReason + ": " + v.TripleDetail
		}
		row(b, "triple", triple)
	}
}

func writeVerdict(b *strings.Builder, v *stability.Verdict) {
	if v.Judgment != nil {
		row(b, "position", fmt.Sprintf("%s, confidence %s", v.Position, v.Confidence))
	}
	if len(v.Caps) > 0 {
		row(b, "caps", strings.Join(v.Caps, ", "))
	}
	text := fmt.Sprintf("%s (%s)", v.Verdict.Verdict, strings.Join(v.Reasons, ", "))
	if v.ValueClaim != "" {
		text += "; the value is " + v.ValueClaim
	}
	row(b, "verdict", text)
}

func writeGate(b *strings.Builder, v *stability.Verdict) {
	g := v.Gate
	if g == nil {
		row(b, "stability", "not asked: only what would be filed is compared with earlier windows")
		return
	}
	text := string(v.Stability)
	if g.Prior == nil {
		text += ": there is no earlier reading"
	}
	if len(g.Flips) > 0 {
		text += "; flips: " + strings.Join(g.Flips, ", ")
	}
	if len(g.Suppressed) > 0 {
		text += "; flips that a window this narrow cannot make: " + strings.Join(g.Suppressed, ", ")
	}
	if len(g.Notes) > 0 {
		text += "; " + strings.Join(g.Notes, "; ")
	}
	row(b, "stability", text)
	if p := g.Prior; p != nil {
		row(b, "", fmt.Sprintf("now %s at %s %% over %s; before %s at %s %% over %s%s", g.Current.Strength, tenths(g.Current.SharePPM),
			width(g.CurrentSeconds), p.Strength, tenths(p.SharePPM), width(g.PriorSeconds), snapshotOf(p.SnapshotID)))
	}
}

func writeChanges(b *strings.Builder, e *stability.Explanation) {
	name := "change"
	for _, c := range e.Changes {
		row(b, name, fmt.Sprintf("%s if %s", c.To, strings.Join(c.Answers, " and ")))
		name = ""
	}
	if e.Gate != "" {
		row(b, name, "stable if: "+e.Gate)
		name = ""
	}
	if name != "" {
		row(b, name, "no answer would change this verdict")
	}
}

func snapshotOf(id string) string {
	if id == "" {
		return ""
	}
	return " (" + id + ")"
}

// width is a window's width in days.
func width(seconds *int64) string {
	if seconds == nil {
		return "an unknown span"
	}
	return decimal(*seconds, 86_400) + " days"
}

// ended is a sentence with its full stop.
func ended(s string) string {
	if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// clip keeps the first n of a list and says how many were left out.
func clip(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(append([]string{}, list[:n]...), fmt.Sprintf("(+%d)", len(list)-n))
}
