package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// guide is how to answer: all that an analyst needs to know of the rubric.
//
//go:embed guide.md
var guide string

// What the digest may take of the context, in bytes (about four to a token): the candidates
// together, and the lines cited for one. Whoever is left out is named, and stays unjudged.
const (
	candidatesBytes = 14_000
	citedBytes      = 1_700
)

// maxSignatures bounds the signatures shown of one candidate, maxLeftNamed the candidates
// named that found no room.
const (
	maxSignatures = 8
	maxLeftNamed  = 5
)

// digest is what the analyst reads: where this stands, how to answer, and each open candidate
// with the lines and the numbers behind it, likeliest first. remembered is what a memory says.
func digest(f *facts, form *boundary.Judgments, run, remembered string) string {
	var b strings.Builder
	t := f.inventory.Target
	fmt.Fprintf(&b, "# Audit of %s %s\n\nRun folder: %s\n", t.Name, t.Version, run)
	b.WriteString(measuredLine(f.scan, len(f.candidates.Candidates)))
	open, kept := []string{}, []string{}
	for i := range form.Judgments {
		j := &form.Judgments[i]
		if j.CarriedFrom != "" {
			kept = append(kept, j.ID)
		} else {
			open = append(open, j.ID)
		}
	}
	settled := len(f.candidates.Candidates) - len(form.Judgments)
	fmt.Fprintf(&b, "Candidates: %d to judge, %d judged before on the same evidence, %d that %s no judgment (already cut, or drift).\n",
		len(open), len(kept), settled, wording.Pick(settled, "needs", "need"))
	if len(open) == 0 {
		b.WriteString("\nThere is nothing to judge.\n")
		return b.String()
	}
	b.WriteString(remembered)
	b.WriteString("\n" + guide)
	b.WriteString("\n## Candidates\n")
	var left []string
	room := candidatesBytes
	for i := range f.candidates.Candidates {
		c := &f.candidates.Candidates[i]
		if !slices.Contains(open, c.ID) {
			continue
		}
		text := describe(f, c)
		if len(text) > room {
			left = append(left, c.ID)
			continue
		}
		room -= len(text)
		b.WriteString(text)
	}
	if n := len(left); n > 0 {
		more := ""
		if n > maxLeftNamed {
			left, more = left[:maxLeftNamed], fmt.Sprintf(" and %d more", n-maxLeftNamed)
		}
		fmt.Fprintf(&b, "\nLeft for another audit, which asks only what is still open: %s%s\n", strings.Join(left, ", "), more)
	}
	return b.String()
}

// measuredLine says what stands behind the numbers.
func measuredLine(sc *scan.Document, candidates int) string {
	switch {
	case sc.Usage.Turns == 0 && candidates == 0:
		return "No transcript was measured.\n"
	case sc.Usage.Turns == 0:
		return "No transcript was measured: every candidate is unmeasured, judged on its text alone.\n"
	}
	coverage := "coverage not known: " + sc.Attribution.Reason
	if p := sc.Attribution.CoveragePPM; p != nil {
		coverage = "coverage " + percent(*p)
	}
	return fmt.Sprintf("Measured: %s to %s, %s, %s.\n", bound(sc.Window.Observed.Since), bound(sc.Window.Observed.Until), wording.Amount(sc.Usage.Turns, "turn", "turns"), coverage)
}

// describe is one candidate: its numbers, its signatures and its lines.
func describe(f *facts, c *boundary.Candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s in the %s %s; evidence: %s\n", c.ID, c.Kind, c.Component.Kind, c.Component.Name, strings.Join(evidenceOf(c), ", "))
	for _, r := range c.Why {
		fmt.Fprintf(&b, "- %s = %d", r.Signal, r.Value)
		if r.Note != "" {
			fmt.Fprintf(&b, " (%s)", r.Note)
		}
		b.WriteString("\n")
	}
	if s := c.Measured.Unseen(); s != "" {
		fmt.Fprintf(&b, "- measured (%s): %s\n", c.Measured.Strength, s)
	}
	if m := c.Measured; m.Seen() {
		fmt.Fprintf(&b, "- measured (%s): in %d of %s, %s, %s; one call instead would have saved %d weighted tokens%s\n",
			m.Strength, m.Invocations, wording.Amount(m.ComponentInvocations, "use", "uses"), wording.Amount(m.Occurrences, "time", "times"), wording.Amount(m.Turns, "turn", "turns"),
			rounded(m.RecoverableMilli, 1000), dollars(m.RecoverableUSD))
		if m.NextStepAgreementPPM != nil {
			fmt.Fprintf(&b, "- what follows is the same step in %s of cases\n", percent(*m.NextStepAgreementPPM))
		}
	}
	if len(c.Signatures) > 0 {
		fmt.Fprintf(&b, "- signatures: %s\n", distinct(c.Signatures))
	}
	if s := c.Static; s != nil && s.Path != "" {
		fmt.Fprintf(&b, "\n%s:\n\n%s", s.Path, cited(f, s))
	}
	return b.String()
}

// evidenceOf lists what an answer about c may refer to, besides its lines.
func evidenceOf(c *boundary.Candidate) []string {
	var refs []string
	if c.SignatureHash != "" {
		refs = append(refs, c.SignatureHash)
	}
	if c.Measured != nil {
		refs = append(refs, c.Measured.Evidence...)
	}
	if c.Static != nil && c.Static.FirstLine > 0 {
		refs = append(refs, c.Static.Path+":"+strconv.Itoa(c.Static.FirstLine))
	}
	return refs
}

// cited is what a step's own text says, with its line numbers.
func cited(f *facts, s *boundary.StaticCase) string {
	text, err := f.plugin.Text(s.Path)
	if err != nil {
		return "    (cannot be read)\n"
	}
	return excerpt(text, s.FirstLine, s.LastLine, citedBytes)
}

// distinct are a candidate's first signatures, each once, and how many more there are.
func distinct(sigs []string) string {
	var kept []string
	more := 0
	for _, s := range sigs {
		switch {
		case slices.Contains(kept, s):
		case len(kept) < maxSignatures:
			kept = append(kept, s)
		default:
			more++
		}
	}
	text := strings.Join(kept, " → ")
	if more > 0 {
		text += fmt.Sprintf(" → %d more", more)
	}
	return text
}

func bound(at *string) string {
	if at == nil {
		return "unknown"
	}
	return *at
}

func dollars(usd *string) string {
	if usd == nil {
		return ""
	}
	return " (" + wording.Dollars(*usd) + ")"
}
