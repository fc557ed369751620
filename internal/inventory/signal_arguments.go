package inventory

import (
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// Signal arguments: the text is called with arguments, as a function is. One for an
// argument hint, and one for each line that uses an argument's value.
var argument = pattern.New(`\$ARGUMENTS\b|\$\{?ARGUMENTS\[|\$[1-9]\b|\{\{?\s*(?:args?|arguments)\s*\}?\}`)

func (r *reading) arguments() {
	if r.hint != "" {
		r.mark("arguments", 1, 1)
	}
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if _, shell := slices.BinarySearch(r.shells, i); shell {
			continue // "$1" there is the shell's or awk's
		}
		for _, l := range b.Lines {
			if argument().MatchString(l.Text) {
				r.mark("arguments", l.N, 1)
			}
		}
	}
}
