package summary

import (
	"fmt"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

func turns(n int64) string { return wording.Amount(n, "turn", "turns") }

// counted is the counter-metric against over-scripting in a sentence.
func counted(c snapshot.Counters) string {
	if c.Filed == 0 {
		return "No candidate has been filed yet."
	}
	return fmt.Sprintf("Of %s ever filed: %d closed as won't-fix, %s reverted.",
		wording.Amount(c.Filed, "candidate", "candidates"), c.Wontfix, wording.Amount(c.Reverted, "offload", "offloads"))
}

// because are the codes of the verdict ladder in words; an argument follows a colon.
var because = map[string]string{
	"kind":              "logic stands both in a hook script and in prose",
	"unjudged":          "nobody has judged it yet",
	"already-cut":       "the plugin's own scripts do it already",
	"below-value":       "measured below 2 % of the audited spend",
	"every-gate-passed": "passed every gate",
	"residue":           "all of it is judgment",
	"confidence":        "confidence",
	"cap":               "capped for",
	"triple":            "the falsifiability triple is incomplete:",
	"undecided_share":   "percent of rows left undecided:",
	"T1":                "closed inputs", "T2": "one answer", "T3": "stated rule", "T4": "checkable", "T5": "known edge",
}

// reasons says why a verdict fell, in words.
func reasons(codes []string) string {
	words := make([]string, 0, len(codes))
	for _, code := range codes {
		key, arg, _ := strings.Cut(code, ":")
		w, known := because[key]
		switch {
		case !known:
			w = code
		case arg != "" && key != "kind" && key != "residue":
			w += " " + arg
		}
		words = append(words, w)
	}
	return strings.Join(words, "; ")
}

// question says why a candidate is one, and whose judgment that rests on.
func question(c *snapshot.Candidate) string {
	s := reasons(c.Reasons)
	if isCarried(c) {
		s += ", judgment carried"
	}
	return s
}

// text is free text on one line of Markdown, without HTML.
func text(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "<", "&lt;")
}

// code quotes an identifier.
func code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }

// name is a plugin's name as a heading may hold it.
func name(s string) string { return text(s) }

func version(v string) string {
	if v == "" {
		return ""
	}
	return " " + text(v)
}

func inBrackets(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + text(reason) + ")"
}

func issue(ref, state string) string {
	if ref == "" {
		return "none yet"
	}
	return ref + " " + state
}

// positionOf is a candidate's position. That of one which nobody judged is what the
// arithmetic makes of five unknown answers, and is not shown as if it had been found.
func positionOf(c *snapshot.Candidate) string {
	if unjudged(c) {
		return "-"
	}
	return string(c.Position)
}
