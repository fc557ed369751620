package scan

import (
	"maps"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// measurement is what a scan asks, ready to measure by: made once and only read.
type measurement struct {
	o         Options
	prices    *pricing.Table
	installed map[string]string // plugins by invocable names
	// own is the vocabulary of the target's components, by their full names.
	own map[string]map[string]bool
	// wantRows says that every turn is wanted, for explain. They are not kept: a history that is
	// opened with a memo must not be asked for them.
	wantRows bool
}

func newMeasurement(o Options) *measurement {
	m := &measurement{o: o, prices: o.prices(), installed: map[string]string{}}
	maps.Copy(m.installed, o.Installed)
	if o.Target != nil {
		m.own = map[string]map[string]bool{}
		for _, c := range o.Components {
			m.installed[o.Target.Name+":"+c.Name] = o.Target.Name
		}
		for name, sigs := range o.Vocabulary {
			set := map[string]bool{}
			for _, s := range sigs {
				for _, w := range vocabularyWords(s) {
					set[w] = true
				}
			}
			m.own[o.Target.Name+":"+name] = set
		}
	}
	return m
}

// meter measures sessions, one after the other, each into a part of its own. What it keeps
// between them is room that is used again.
type meter struct {
	*measurement
	*part
	walk   walk
	ids    map[string]int32
	priced []priced
}

func (m *measurement) meter() *meter { return &meter{measurement: m, ids: map[string]int32{}} }

// counted says whether a turn lies in the window.
func (m *measurement) counted(t *transcript.Turn) bool {
	if !m.o.Since.IsZero() && t.Time < m.o.Since.UnixMilli() || !m.o.Until.IsZero() && t.Time >= m.o.Until.UnixMilli() {
		return false
	}
	if m.o.Project == "" {
		return true
	}
	cwd := strings.TrimSuffix(strings.ReplaceAll(t.Cwd, `\`, "/"), "/")
	dir := strings.TrimSuffix(strings.ReplaceAll(m.o.Project, `\`, "/"), "/")
	return cwd == dir || strings.HasPrefix(cwd, dir+"/")
}

// wanted says whether a component's calls are kept for mining.
func (m *measurement) wanted(c *component) bool {
	switch {
	case c.executable: // what runs a script already needs no sequence
		return false
	case m.o.Target == nil:
		return true
	}
	return c.plugin == m.o.Target.Name || c.plugin == unresolved && strings.HasPrefix(c.name, m.o.Target.Name+":")
}

// session measures one session.
func (m *meter) session(s *transcript.Session) *part {
	clear(m.ids)
	m.part = &part{words: wordsIn(m.ids)}
	threads, claims := m.walk.session(&m.roster, s)
	for i, th := range threads {
		m.thread(s, i, th, claims[i])
		m.hooks(th, claims[i])
	}
	if m.o.BySession && m.total.turns > 0 {
		m.part.session = sessionName(s.ID)
	}
	for _, c := range m.order {
		c.uses = slices.DeleteFunc(c.uses, func(u *use) bool { return !u.counted })
	}
	m.words.ids = nil
	m.walk.release()
	return m.part
}

func (m *meter) thread(s *transcript.Session, index int, th *transcript.Thread, claims []claim) {
	var before *transcript.Call
	mark := 0
	agentThread := th.AgentID != ""
	var tails tailer
	for j := range th.Turns {
		t := &th.Turns[j]
		for ; mark < len(th.Marks) && int(th.Marks[mark].Before) <= j; mark++ {
			if !agentThread && ends(th.Marks[mark].Kind) {
				before = nil
			}
		}
		c := classify(t, before)
		switch {
		case th.Compaction:
			c = compaction
		case th.Warmup:
			c = warmup
		}
		if n := len(t.Calls); n > 0 {
			before = &t.Calls[n-1]
		} else {
			before = nil
		}
		if !m.counted(t) {
			continue
		}
		m.turn(s, index, th, t, c, &claims[j], &tails)
	}
	tails.close()
}

// ends says whether a mark is a human row.
func ends(k transcript.MarkKind) bool {
	switch k {
	case transcript.MarkPrompt, transcript.MarkCommand, transcript.MarkBuiltin, transcript.MarkInterrupt:
		return true
	}
	return false
}

// turn counts one turn everywhere it belongs.
func (m *meter) turn(s *transcript.Session, index int, th *transcript.Thread, t *transcript.Turn, c class, cl *claim, tails *tailer) {
	parts := m.price(t)
	var cost int64
	var paid amount
	for i := range parts {
		cost += parts[i].weighted
		paid.add(amount{parts[i].money, !parts[i].ok})
	}
	spend := Spend{1, cost}
	m.total.add(t, parts)
	m.classes[c].add(spend)
	m.observe(t.Time)
	if m.walk.versions.stamping(t.Version) != stamps {
		m.counts.BlindTurns++
	}
	if t.StampSkill != "" && th.AgentID == "" {
		m.checked++
		if !sameSkill(cleanName(t.StampSkill), cl.window) {
			m.differing++
		}
	}
	if cl.use == nil {
		if m.ownRun(t) {
			cl.use, cl.source = m.executables(), ownExecutable
		}
	}
	m.usesOwnServer(t, cl)
	if m.wantRows {
		m.part.rows = append(m.part.rows, rowOf(s, th, t, c, cl, cost))
	}
	if cl.use == nil {
		m.rest.add(t, parts)
		if cl.plausible {
			m.plausible++
		}
		return
	}
	u := cl.use
	comp := u.of
	u.counted = true
	comp.bill.add(t, parts)
	comp.classes[c].add(spend)
	comp.sources[cl.source]++
	switch cl.source {
	case stamped:
		m.counts.StampedTurns++
	case inferred:
		m.counts.InferredTurns++
	case byAgent:
		m.counts.AgentTurns++
	case ownExecutable:
		m.counts.OwnExecutableTurns++
	}
	switch {
	case cl.inherited:
		comp.inherited.add(spend)
		comp.fanOut++
		m.agentUnderSkill(th, cl, t, spend)
	default:
		comp.own.add(spend)
		if vocabulary := m.own[comp.name]; vocabulary != nil && !comp.agent {
			tails.add(comp, u, spend, usesVocabulary(t, vocabulary))
		}
	}
	for i := range t.Calls {
		comp.read.call(&t.Calls[i])
	}
	if m.wanted(comp) {
		m.bigResults(comp, u, t, c, cost)
		agent := ""
		if cl.inherited {
			agent = cl.agent
		}
		m.keep(u.strandOf(index, agent), t, c, cost, paid)
	}
}

// price prices a response and its advisors, each at its own model.
func (m *meter) price(t *transcript.Turn) []priced {
	p := priced{model: modelName(t.Model), tokens: t.Tokens}
	p.fill(m.prices, t.Model, t.Time, t.Fast)
	m.priced = append(m.priced[:0], p)
	for _, adv := range t.Advisor {
		p := priced{model: modelName(adv.Model), tokens: adv.Tokens}
		p.fill(m.prices, adv.Model, t.Time, false)
		m.priced = append(m.priced, p)
	}
	return m.priced
}

func (p *priced) fill(prices *pricing.Table, model string, at int64, fast bool) {
	p.weighted = prices.Weigh(model, at, p.tokens)
	p.money, p.ok = prices.Cost(model, at, fast, p.tokens)
}

// ownRun: the turn runs an executable of the target.
func (m *measurement) ownRun(t *transcript.Turn) bool {
	if m.o.Target == nil {
		return false
	}
	for i := range t.Calls {
		if t.Calls[i].Shape.Own {
			return true
		}
	}
	return false
}

// executables is the session's one use that stands for the target's executables outside its skills.
func (m *meter) executables() *use {
	c := m.component(key{executable: true, name: m.o.Target.Name, plugin: m.o.Target.Name})
	if len(c.uses) == 0 {
		c.uses = []*use{{of: c, name: c.name}}
	}
	return c.uses[0]
}

// usesOwnServer: a turn that is nobody's but calls the target's MCP server probably is the target's.
func (m *meter) usesOwnServer(t *transcript.Turn, cl *claim) {
	if m.o.Target == nil || cl.use != nil {
		return
	}
	for i := range t.Calls {
		if strings.HasPrefix(t.Calls[i].Tool, "mcp__plugin_"+m.o.Target.Name+"_") {
			cl.plausible = true
		}
	}
}

// agentUnderSkill notes on the agent's own component what a skill's stamp claims of it.
func (m *meter) agentUnderSkill(th *transcript.Thread, cl *claim, t *transcript.Turn, spend Spend) {
	if cl.agent == "" {
		return
	}
	k := agentKey(cl.agent, t)
	if prefix, _, ok := strings.Cut(cl.agent, ":"); ok && t.StampAgent != "" {
		k.plugin = prefix // under a skill the stamped plugin is the skill's
	} else if !ok {
		k.plugin = ""
	}
	c := m.component(k)
	c.inSkills.add(spend)
	if n := len(c.uses); n == 0 || c.uses[n-1].name != th.AgentID {
		c.uses = append(c.uses, &use{of: c, name: th.AgentID, counted: true})
	}
}

// hooks counts the hook runs of a thread, each to the component of the turn before it.
func (m *meter) hooks(th *transcript.Thread, claims []claim) {
	for i := range th.Marks {
		mark := &th.Marks[i]
		at := int(mark.Before) - 1
		if mark.Kind != transcript.MarkHook || at < 0 || at >= len(claims) || !m.counted(&th.Turns[at]) {
			continue
		}
		m.hookRuns++
		switch mark.Name {
		case "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd":
			continue // they belong to what follows, or to nothing
		}
		if u := claims[at].use; u != nil {
			u.of.hookRuns++
		}
	}
}

// keep reduces a turn to what mining needs.
func (m *meter) keep(st *strand, t *transcript.Turn, c class, cost int64, paid amount) {
	n := int32(len(st.turns))
	row := strandTurn{cost: cost, amount: paid, spared: m.spared(t), file: t.File, line: t.Line, class: c, idle: len(t.Calls) > 0}
	if len(t.Calls) == 0 {
		st.steps = append(st.steps, step{sig: textStep, turn: n})
	}
	for i := range t.Calls {
		call := &t.Calls[i]
		if bookkeeping(call.Tool) || call.Tool == "Skill" { // a relay of this use, or the start of the next
			continue
		}
		row.idle = false
		st.steps = append(st.steps, step{sig: m.words.id(call.Shape.Sig), turn: n, identity: call.Shape.Identity,
			mech: c == mechanical, question: isQuestion(call.Tool)})
		for _, a := range call.Shape.Atoms {
			st.atoms = append(st.atoms, atom{sig: m.words.id(a.Sig), turn: n, identity: a.Identity,
				named: a.Own || isNamed(a.Sig)})
		}
	}
	st.turns = append(st.turns, row)
}

// isNamed: a read of a file that a signature may name.
func isNamed(sig string) bool {
	_, file, ok := strings.Cut(sig, "Read ")
	return ok && !strings.HasPrefix(file, "<path")
}

// sessionName passes on a session's id if it looks like one.
func sessionName(id string) string {
	if clean := signature.Name(id); clean != "" {
		return clean
	}
	return "<name>"
}
