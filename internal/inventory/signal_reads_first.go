package inventory

import (
	"regexp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signal reads_first: prose that tells the reader to read a named file or run a
// named command before anything else, every time. The host can run it while the
// text loads (a "!`…`" line), so the fact need cost no turn: a static preload.
// Told by a word of order or necessity, a verb of reading or running, and something
// literal to read or run, in one sentence.
var (
	firstWord  = pattern.New(`(?i)\b(?:first|always|must|before (?:you|doing|any|starting|proceeding|beginning|continuing|anything|each)|at the (?:start|beginning)|(?:start|begin) by|immediately|every time|on (?:start|activation|load)|prior to)\b`)
	readOrRun  = pattern.New(`(?i)\b(?:read|load|open|consult|run|execute|call|check|view|fetch)(?:ing)?\b`)
	notOrdered = pattern.New(`(?i)\b(?:never|do not|don't|must not|only if|if|unless|when)\b`)
)

// readsFirst reports whether a line of prose orders an unconditional read or run up
// front. literal: a code span or a link stands in the line.
func readsFirst(prose string, literal bool) bool {
	return literal && firstWord().MatchString(prose) && readOrRun().MatchString(prose) && !notOrdered().MatchString(prose)
}

func (r *reading) readsFirst() {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if b.Kind != plugin.Paragraph || r.aside[i] {
			continue
		}
		literal := map[int]bool{}
		for _, s := range b.Spans {
			if !s.Dynamic && r.readable(s.Text) {
				literal[s.Line] = true
			}
		}
		for _, l := range b.Links {
			literal[l.Line] = literal[l.Line] || !l.Image && relative(l.Target)
		}
		for _, l := range b.Lines {
			if readsFirst(l.Prose, literal[l.N]) {
				r.mark("reads_first", l.N, 1)
			}
		}
	}
}

var fileName = pattern.New(`^[^\s]*[A-Za-z0-9_-]\.(?:md|json|ya?ml|toml|txt|csv)$`)

// readable: a span that names a text file, or is a command.
func (r *reading) readable(s string) bool { return fileName().MatchString(s) || r.looksLikeCommand(s) }

// relative: a link to a file beside the text, not to an address or a heading.
func relative(target string) bool {
	return target != "" && target[0] != '#' && !regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`).MatchString(target)
}
