package inventory

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signal conditionals: sentences that make what follows depend on a fact, or repeat
// it ("If no tag exists, …", "Otherwise …", "For each branch: …"). A rule that is
// written as a condition is a rule that a program can have. Counted at the start
// of a sentence or list item in prose, and inside it where it can be nothing else
// ("only if", "unless"), never in the section that tells when to use
// the text (that is a trigger, not a rule).
var conditional = pattern.New(`(?i)(?:^|[.;:–—]\s+|→\s*)(?:(?:only|but|and|then|else)\s+)?(?:if|unless|otherwise|else|for each|for every|in case|whenever|as soon as|until|while|when)\b|\b(?:only (?:if|when)|unless|or else)\b`)

// conditionals counts the conditional clauses of one line of prose.
func conditionals(line string) int { return len(conditional().FindAllStringIndex(line, -1)) }

func (r *reading) conditionals() {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if r.aside[i] || b.Kind != plugin.Paragraph {
			continue
		}
		for _, l := range b.Lines {
			r.mark("conditionals", l.N, conditionals(l.Prose))
		}
	}
}
