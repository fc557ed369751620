package inventory

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signal reads: lines of prose that order a named input to be read: an imperative of
// looking with a file, a folder or a glob as code span. A file is as closed an input as
// a command's output; a text may gather without any command, through the client's
// own reading tools or an MCP tool named in the text.
var (
	lookingWords = wordSet(`read load open list find search scan check get collect fetch parse extract inspect query compare count`)
	pathSpan     = pattern.New(`^(?:[~.]{0,2}/)?(?:[A-Za-z0-9_.*${}<>-]+/)*[A-Za-z0-9_.*${}<>-]*(?:/|\.[A-Za-z0-9*]{1,6})$`)
	mcpRead      = pattern.New(`^(?:mcp__[A-Za-z0-9_-]+__)?(?:(?:list|get|read|search|find|show|describe)_[a-z0-9_]+|[a-z0-9_]+_(?:read|list|get))(?:\(.*\))?$`)
)

func (r *reading) readsInputs() {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if r.aside[i] || b.Kind != plugin.Paragraph {
			continue
		}
		literal := map[int]bool{}
		for _, s := range b.Spans {
			if !s.Dynamic && (pathSpan().MatchString(s.Text) || mcpRead().MatchString(s.Text)) {
				literal[s.Line] = true
			}
		}
		for _, l := range b.Lines {
			if literal[l.N] && looks(l.Prose) {
				r.mark("reads", l.N, 1)
			}
		}
	}
}

// looks: a clause of the line begins with an imperative of looking.
func looks(line string) bool {
	for _, sentence := range splitClauses(line, ".!?;:—–()[],") {
		for _, c := range splitWord(sentence.text, "and", "then") {
			if w, _ := leadingVerb(c); lookingWords[w] {
				return true
			}
		}
	}
	return false
}
