package filing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// titles say what is proposed, by kind.
var titles = map[string]string{
	audit.Preload:  "Load before the first turn",
	audit.Wrapper:  "Wrap a fiddly invocation",
	audit.DigestOf: "Digest before the model reads",
}

func title(v *stability.Verdict) string {
	what, ok := titles[v.Candidate.Kind]
	if !ok {
		what = "Move into a script"
	}
	return fmt.Sprintf("%s: %s of %s %s", what, v.Candidate.Slug, v.Candidate.Component.Kind, v.Candidate.Component.Name)
}

// positions say in a sentence what the cut means.
var positions = map[audit.Position]string{
	audit.PureScript: "a script can do all of this step",
	audit.Compiled:   "a script can do all of this step, once its owner has settled the open constants",
	audit.OverDigest: "a script can decide part of the rows; the model rules only on those that it leaves undecided",
}

// body is the text of a new issue (FR-6, last item).
func body(stable *stability.Document, v *stability.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", Marker(v.Candidate.ID))
	fmt.Fprintf(&b, "`%s` in %s `%s` is paid for as inference, but %s.\n", v.Candidate.ID, v.Candidate.Component.Kind, v.Candidate.Component.Name, positions[v.Position])
	if j := v.Judgment; j != nil {
		section(&b, "What the script does")
		fmt.Fprintf(&b, "- One row: %s\n- Script part: %s\n- What is left for judgment: `%s`", text(j.Row), text(j.ScriptPart), v.Residue)
		if v.Residue == "per_run" {
			fmt.Fprintf(&b, ", about %d %% of the rows", j.UndecidedShare)
		}
		b.WriteString("\n")
		if j.Triple != nil {
			triple(&b, j.Triple)
		}
	}
	cut(&b, v)
	section(&b, "Evidence")
	evidence(&b, stable, v)
	return b.String()
}

func triple(b *strings.Builder, t *boundary.Triple) {
	if t.Signature != nil {
		params := make([]string, 0, len(t.Signature.Params))
		for _, p := range t.Signature.Params {
			params = append(params, p.Name+" "+p.Type)
		}
		section(b, "Proposed signature")
		block(b, fmt.Sprintf("%s(%s) -> %s", t.Signature.Name, strings.Join(params, ", "), t.Signature.Returns))
	}
	section(b, "Pairs that it must satisfy")
	lines := make([]string, 0, len(t.Pairs))
	for _, p := range t.Pairs {
		edge := ""
		if p.Edge {
			edge = "  (edge)"
		}
		lines = append(lines, compact(p.In)+" -> "+compact(p.Out)+edge)
	}
	block(b, strings.Join(lines, "\n"))
	section(b, "When a human would overrule it")
	for _, o := range t.Overrules {
		seen := "the script cannot tell"
		if o.Detectable {
			seen = "the script can tell, and must hold"
		}
		fmt.Fprintf(b, "- When %s: the script says %s, a human says %s, because %s (%s).\n", text(o.When), text(o.ScriptSays), text(o.HumanSays), text(o.Why), seen)
	}
}

// tests says what each of the five asks.
var tests = map[string]string{
	"T1": "closed inputs", "T2": "one answer", "T3": "stated rule", "T4": "checkable", "T5": "known edge",
}

func cut(b *strings.Builder, v *stability.Verdict) {
	section(b, "Why the cut lies here")
	fmt.Fprintf(b, "Position `%s`, confidence `%s`.\n\n| test | outcome | why |\n|---|---|---|\n", v.Position, v.Confidence)
	for _, t := range v.Tests {
		fmt.Fprintf(b, "| %s %s | %s | %s |\n", t.ID, tests[t.ID], t.Outcome, cell(t.Why))
	}
	for _, c := range v.Contradictions {
		fmt.Fprintf(b, "\n- Measured against the answer: %s lowered from `%s` to `%s` (%s).", c.Test, c.From, c.To, c.Rule)
	}
	if len(v.Contradictions) > 0 {
		b.WriteString("\n")
	}
}

func evidence(b *strings.Builder, stable *stability.Document, v *stability.Verdict) {
	if s := v.Candidate.Static; s != nil {
		fmt.Fprintf(b, "- Definition: `%s` lines %d to %d.\n", s.Path, s.FirstLine, s.LastLine)
	}
	m := v.Candidate.Measured
	if v.ValueClaim != "proven" {
		b.WriteString("- **The value claim is unproven**: filed on the static case alone")
		if s := m.Unseen(); s != "" {
			fmt.Fprintf(b, "; in the window observed its component was %s.\n", s)
			return
		}
		if m == nil || m.Invocations == 0 {
			b.WriteString("; no measured use stands behind it.\n")
			return
		}
		fmt.Fprintf(b, "; only %s measured.\n", wording.Amount(m.Invocations, "invocation was", "invocations were"))
	}
	if m != nil {
		figures(b, stable, v)
	}
}

// figures are the measurement of one window: shapes and counts only.
func figures(b *strings.Builder, stable *stability.Document, v *stability.Verdict) {
	m := v.Candidate.Measured
	fmt.Fprintf(b, "- Window observed: %s.\n", span(stable.Window))
	fmt.Fprintf(b, "- Seen in %d of %s of its component, %s, %s.\n", m.Invocations, wording.Amount(m.ComponentInvocations, "invocation", "invocations"),
		wording.Amount(m.Occurrences, "time", "times"), wording.Amount(m.Turns, "turn", "turns"))
	if m.ComponentInvocations >= 3 {
		fmt.Fprintf(b, "- Mechanical cost per invocation: %s weighted tokens.\n", tokens(m.WasteMilli/m.ComponentInvocations))
	}
	fmt.Fprintf(b, "- Recoverable in this window: %s weighted tokens", tokens(m.RecoverableMilli))
	if m.RecoverableUSD != nil {
		fmt.Fprintf(b, " (%s)", wording.Dollars(*m.RecoverableUSD))
	} else if m.RecoverableMilli > 0 {
		b.WriteString(" (no price is known)")
	}
	fmt.Fprintf(b, " (%s); it ranks at %s of the audited spend, weighted by how often it recurs.\n", m.Strength, percent(m.SharePPM))
	if v.Stability != "" {
		fmt.Fprintf(b, "- Stability across windows: `%s`.\n", v.Stability)
	}
	if len(v.Candidate.Signatures) > 0 {
		b.WriteString("- Masked calls:\n\n")
		block(b, strings.Join(v.Candidate.Signatures, "\n"))
	}
}

// measurement is the comment on an issue that is there already.
func measurement(stable *stability.Document, v *stability.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nMeasured again: position `%s`, confidence `%s`.\n\n", Marker(v.Candidate.ID), v.Position, v.Confidence)
	evidence(&b, stable, v)
	return b.String()
}

// selfBody is the text of a finding about the audit itself. It names the target's candidate, not its content.
func selfBody(stable *stability.Document, f stability.SelfFinding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nTwo windows gave readings of `%s` that contradict each other (`%s`), so nothing was filed about it.\n\n", StabilityMarker(f.CandidateID), f.CandidateID, f.Reason)
	b.WriteString("| reading | strength | share of spend | invocations | observed | snapshot | rubric |\n|---|---|---|---|---|---|---|\n")
	for _, r := range []struct {
		name string
		r    audit.Reading
	}{{"prior", f.Prior}, {"current", f.Current}} {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %s | %s |\n", r.name, r.r.Strength, percent(r.r.SharePPM), r.r.Invocations,
			span(audit.Window{Observed: r.r.Observed, Timezone: stable.Window.Timezone}), r.r.SnapshotID, r.r.RubricVersion)
	}
	return b.String()
}

func section(b *strings.Builder, heading string) { fmt.Fprintf(b, "\n## %s\n\n", heading) }

// block writes a fenced block that its content cannot close.
func block(b *strings.Builder, content string) {
	fence := fenceFor(content)
	fmt.Fprintf(b, "%s\n%s\n%s\n", fence, noMarker(content), fence)
}

func fenceFor(content string) string {
	fence := "```"
	for strings.Contains(content, fence) {
		fence += "`"
	}
	return fence
}

// noMarker keeps free text from opening an HTML comment, which a later search could take for a marker.
func noMarker(s string) string { return strings.ReplaceAll(s, "<!--", "<!- -") }

// text is free text on one line of Markdown.
func text(s string) string {
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "<", "&lt;")
	return strings.TrimSuffix(s, ".")
}

func cell(s string) string { return strings.ReplaceAll(text(s), "|", `\|`) }

// compact is a value of a pair as one line of JSON.
func compact(v any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // masks such as <path:1> stay readable
	if err := enc.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func span(w audit.Window) string {
	if w.Observed.Since == nil || w.Observed.Until == nil {
		return "none"
	}
	return *w.Observed.Since + " to " + *w.Observed.Until
}

// percent writes parts per million with two decimals, rounded half up.
func percent(ppm int64) string {
	hundredths := (ppm + 50) / 100
	return fmt.Sprintf("%d.%02d %%", hundredths/100, hundredths%100)
}

// tokens writes thousandths of a token as whole tokens, rounded half up, with thousands apart.
func tokens(milli int64) string {
	digits := fmt.Sprint((milli + 500) / 1000)
	var groups []string
	for len(digits) > 3 {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, groups...), ",")
}
