package inventory

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signal outcomes: the values of a closed set into which the text orders something to be
// sorted, named as code spans ("put each into one of `removable`, `dirty`, `locked`").
// It is a rule table written in a line: what comes out is one of so many, and each name
// stands for a case. Three names or more in one paragraph, each a bare word and not a
// command, a file, a flag or a path, all alike: in lower case with dashes, or in
// capitals. A list of values that nothing is sorted into documents an interface.
var (
	lowerName = pattern.New(`^[a-z][a-z0-9]*(?:[-_/][a-z0-9]+)*$`)
	upperName = pattern.New(`^[A-Z][A-Z0-9]*(?:[-_][A-Z0-9]+)*$`)
	sortsInto = pattern.New(`(?i)\b(?:classify|categori[sz]e|put|sort|bucket|assign|label|mark|tag|rate|grade|report|flag|group)\b[^.;]{0,60}\b(?:into|as|one of|under)\b`)
)

// outcomes marks the lines that name a closed set, with the number of its values.
func (r *reading) outcomes() {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if r.aside[i] || b.Kind != plugin.Paragraph {
			continue
		}
		prose := b.Prose()
		lower, upper := []plugin.Span{}, []plugin.Span{}
		for _, s := range b.Spans {
			switch {
			case s.Dynamic || r.known(s.Text) && !strings.Contains(s.Text, "-"):
			case lowerName().MatchString(s.Text):
				lower = append(lower, s)
			case upperName().MatchString(s.Text):
				upper = append(upper, s)
			}
		}
		for _, set := range [][]plugin.Span{lower, upper} {
			if len(set) >= 3 && 2*len(set) > len(b.Spans) && sortsInto().MatchString(prose) {
				for _, s := range set {
					r.mark("outcomes", s.Line, 1)
				}
			}
		}
	}
}
