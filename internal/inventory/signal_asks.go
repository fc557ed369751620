package inventory

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signal asks_user: places where the text puts a question to the user. It is
// reported, and never held against a step: every step that its owner confirmed as
// an offload asked something (consent before acting is no judgment).
var asks = pattern.New(`AskUserQuestion|(?i)\b(?:ask|prompt|confirm with|check with|consult) (?:the |your )?user\b|\b(?:wait for|get|request|require) (?:the )?(?:user'?s? )?(?:confirmation|approval|consent)\b|\buser (?:confirms|approves|chooses|selects|decides)\b`)

func (r *reading) asksUser() {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if b.Kind != plugin.Paragraph && b.Kind != plugin.Heading {
			continue
		}
		for _, l := range b.Lines {
			r.mark("asks_user", l.N, len(asks().FindAllStringIndex(l.Text, -1)))
		}
	}
}
