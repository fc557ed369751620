package scan

import (
	"cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// turnRow is one turn that counts: where it stands, what it was taken for, what it cost.
type turnRow struct {
	Place
	class         class
	source        source
	use           *use
	plausible     bool
	agent         string
	session       string
	model         string
	tokens        audit.Tokens
	weighted      int64
	final         bool
	inherited     bool
	blind         bool
	sub           bool
	window, stamp string
}

func rowOf(s *transcript.Session, th *transcript.Thread, t *transcript.Turn, c class, cl *claim, cost int64) turnRow {
	return turnRow{Place: Place{t.File, t.Line}, class: c, source: cl.source, use: cl.use, plausible: cl.plausible, agent: cl.agent,
		session: sessionName(s.ID), model: modelName(t.Model), tokens: t.Tokens, weighted: cost,
		final: t.Final, blind: readStamping(t.Version) != stamps, sub: th.AgentID != "", inherited: cl.inherited, window: cl.window, stamp: cleanName(t.StampSkill)}
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
