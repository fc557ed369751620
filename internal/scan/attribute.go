package scan

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// claim says whose a turn is.
type claim struct {
	use    *use
	source source
	// inherited: a subagent's turn under a skill that was at work where it was dispatched.
	inherited bool
	// plausible: nobody's, although it probably is somebody's.
	plausible bool
	// window is the name of the inferred window that was open, "" when none was: kept beside a
	// stamp so that the two can be compared.
	window string
	// agent is the type of the agent in whose thread the turn stands.
	agent string
}

// attributor gives each turn of a session its owner. It keeps what it learns about names for
// the whole history; nothing of a session outlives it but the uses it has opened.
type attributor struct {
	components map[key]*component
	order      []*component
	// installed maps invocable names to plugins.
	installed map[string]string
}

func (a *attributor) component(k key) *component {
	c := a.components[k]
	if c == nil {
		c = &component{key: k}
		a.components[k] = c
		a.order = append(a.order, c)
	}
	return c
}

func (a *attributor) open(k key, name string) *use {
	c := a.component(k)
	u := &use{of: c, name: name}
	c.uses = append(c.uses, u)
	return u
}

// move gives a use to another component: the stamp or the body tells better than the name.
func (a *attributor) move(u *use, k key) {
	if u.of.key == k {
		return
	}
	old := u.of
	for i, o := range old.uses {
		if o == u {
			old.uses = append(old.uses[:i], old.uses[i+1:]...)
			break
		}
	}
	u.of = a.component(k)
	u.of.uses = append(u.of.uses, u)
}

// session attributes every turn of s: one list of claims a thread, the main thread first.
func (a *attributor) session(s *transcript.Session) (threads []*transcript.Thread, claims [][]claim) {
	if s.Main != nil {
		threads = append(threads, s.Main)
	}
	threads = append(threads, s.Subs...)
	w := &walk{a: a, threads: threads, claims: make([][]claim, len(threads))}
	w.index()
	for i := range threads {
		w.thread(i)
	}
	return threads, w.claims
}

// walk is the attribution of one session.
type walk struct {
	a       *attributor
	threads []*transcript.Thread
	claims  [][]claim
	// calls finds the turn that made a dispatch, by the call's id and by the agent's.
	calls  map[uint64]place
	agents map[string]place
	// forks are the uses of skills that ran in an agent of their own, by agent id.
	forks map[string]*use
	// uses are those opened in this session, the latest last.
	uses []*use
}

type place struct{ thread, turn int }

func (w *walk) index() {
	if len(w.threads) < 2 {
		return
	}
	w.calls, w.agents = map[uint64]place{}, map[string]place{}
	for i, th := range w.threads {
		for j := range th.Turns {
			for k := range th.Turns[j].Calls {
				c := &th.Turns[j].Calls[k]
				w.calls[c.ID] = place{i, j}
				if c.AgentID != "" {
					w.agents[c.AgentID] = place{i, j}
				}
			}
		}
	}
}

func (w *walk) thread(i int) {
	if w.claims[i] != nil {
		return
	}
	w.claims[i] = make([]claim, len(w.threads[i].Turns))
	if w.threads[i].AgentID == "" {
		w.main(i)
	} else {
		w.sub(i)
	}
}

// main walks a main thread: windows open on Skill calls and typed commands and close at the
// next human row; stamps, where the client writes them, decide.
func (w *walk) main(i int) {
	th, claims := w.threads[i], w.claims[i]
	var win, last *use // the inferred window; the use that the previous turn's stamp named
	cleared := false   // a background report has ended a window: what follows may well be its work
	typed := ""        // a typed command that waits for its body
	m := 0
	for j := range th.Turns {
		for ; m < len(th.Marks) && int(th.Marks[m].Before) <= j; m++ {
			mark := &th.Marks[m]
			switch mark.Kind {
			case transcript.MarkPrompt, transcript.MarkBuiltin, transcript.MarkInterrupt:
				win, last, typed, cleared = nil, nil, "", false
			case transcript.MarkCommand:
				win, last, typed, cleared = nil, nil, cleanName(mark.Name), false
			case transcript.MarkNotification:
				if stampingOf(th.Turns[j].Version) == stamps {
					win, last, cleared = nil, nil, cleared || win != nil
				}
			case transcript.MarkBody:
				switch {
				case mark.Call == 0 && typed != "":
					win = w.open(typed, mark)
					win.slash, typed = true, ""
				case win != nil && !win.bodied && (mark.Call == win.call || mark.Call == 0):
					w.a.move(win, w.a.named(win.name, mark))
					win.of.evidence(mark)
					win.bodied = true
				}
			}
		}
		t := &th.Turns[j]
		claims[j] = w.claimMain(t, win, &last)
		if claims[j].use == nil && cleared {
			claims[j].plausible = true
		}
		if u := claims[j].use; u != nil {
			u.turns++
		}
		for k := range t.Calls {
			if c := &t.Calls[k]; c.Tool == "Skill" && c.Answered && !c.IsError {
				win = w.skillCall(c, win)
			}
		}
	}
}

// skillCall opens a window, unless the call only relays the command that opened the present one.
func (w *walk) skillCall(c *transcript.Call, win *use) *use {
	name := cleanName(c.Skill)
	if name == "" {
		return win
	}
	if win != nil && win.slash && !win.relayed && sameSkill(win.name, name) {
		win.relayed = true
		return win
	}
	u := w.open(name, nil)
	u.call = c.ID
	if c.AgentID != "" { // it ran in an agent of its own: nothing opens here
		if w.forks == nil {
			w.forks = map[string]*use{}
		}
		w.forks[c.AgentID] = u
		return win
	}
	return u
}

func (w *walk) open(name string, body *transcript.Mark) *use {
	u := w.a.open(w.a.named(name, body), name)
	if body != nil {
		u.of.evidence(body)
		u.bodied = true
	}
	w.uses = append(w.uses, u)
	return u
}

func (w *walk) claimMain(t *transcript.Turn, win *use, last **use) claim {
	var c claim
	if win != nil {
		c.window = win.of.name
	}
	switch {
	case t.StampSkill != "":
		c.use, c.source = w.stampedUse(t, win, *last), stamped
		*last = c.use
	case stampingOf(t.Version) == stamps:
		c.plausible = win != nil
		*last = nil
	case win != nil:
		c.use, c.source = win, inferred
	}
	return c
}

// stampedUse finds the use that a stamp belongs to: the open window if it is that skill's (or
// has no turn yet: it was called by another name), else the use of the previous turn, else a
// new one.
func (w *walk) stampedUse(t *transcript.Turn, win, last *use) *use {
	k := stampKey(t)
	switch {
	case win != nil && (sameSkill(win.of.name, k.name) || win.turns == 0):
		w.a.move(win, k)
		return win
	case last != nil && last.of.key == k:
		return last
	}
	u := w.a.open(k, k.name)
	w.uses = append(w.uses, u)
	return u
}

func stampKey(t *transcript.Turn) key {
	return key{name: cleanName(t.StampSkill), plugin: cleanName(t.StampPlugin)}
}

// sub walks a subagent's thread: it inherits the skill that was at work where it was
// dispatched, else it is the agent's own.
func (w *walk) sub(i int) {
	th, claims := w.threads[i], w.claims[i]
	var from claim
	if at, ok := w.parent(th); ok && at.thread != i {
		w.thread(at.thread)
		from = w.claims[at.thread][at.turn]
	}
	fork := w.forks[th.AgentID]
	if fork != nil {
		from = claim{use: fork}
	}
	var agent, under *use
	for j := range th.Turns {
		t := &th.Turns[j]
		typ := cleanName(t.StampAgent)
		if typ == "" {
			typ = cleanName(th.AgentType)
		}
		c := claim{agent: typ}
		switch {
		case t.StampSkill != "" && !agentsPlugin(t):
			k := stampKey(t)
			if fork != nil && sameSkill(fork.of.name, k.name) {
				w.a.move(fork, k)
			}
			if under == nil || under.of.key != k {
				under = w.latest(k, from.use)
			}
			c.use, c.source, c.inherited = under, stamped, typ != "" && under != fork
		case stampingOf(t.Version) != stamps && from.use != nil && !from.use.of.agent:
			c.use, c.source, c.inherited = from.use, inferred, from.use != fork
		case th.Compaction || th.Warmup:
		case typ != "":
			if agent == nil {
				agent = w.a.open(w.a.agentKey(typ, t), typ)
				w.uses = append(w.uses, agent)
			}
			c.use, c.source = agent, byAgent
		default:
			c.plausible = true
		}
		claims[j] = c
	}
}

// agentsPlugin: the stamped plugin is the agent's, because the skill at work has none (a user's
// own). The client gives the turn to that plugin, so it is its agent's.
func agentsPlugin(t *transcript.Turn) bool {
	return t.StampPlugin != "" && strings.HasPrefix(t.StampAgent, t.StampPlugin+":") && !strings.HasPrefix(t.StampSkill, t.StampPlugin+":")
}

// parent finds the turn that dispatched a thread.
func (w *walk) parent(th *transcript.Thread) (place, bool) {
	if at, ok := w.calls[th.ParentCall]; ok && th.ParentCall != 0 {
		return at, true
	}
	at, ok := w.agents[th.AgentID]
	return at, ok
}

// latest is the dispatching use if it is k's, else the session's latest use of k, else a new one.
func (w *walk) latest(k key, from *use) *use {
	if from != nil && from.of.key == k {
		return from
	}
	for i := len(w.uses) - 1; i >= 0; i-- {
		if w.uses[i].of.key == k {
			return w.uses[i]
		}
	}
	u := w.a.open(k, k.name)
	w.uses = append(w.uses, u)
	return u
}
