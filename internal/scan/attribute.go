package scan

import (
	"slices"
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

// walk is the attribution of one session.
type walk struct {
	*roster
	versions versions
	threads  []*transcript.Thread
	claims   [][]claim
	// calls and agents find the turn that made a dispatch, by the call's id and by the agent's.
	calls  map[uint64]place
	agents map[string]place
	// forks are the uses of skills that ran in an agent of their own, by agent id.
	forks map[string]*use
	// uses are those opened in this session, the latest last.
	uses  []*use
	room  []claim // what claims are cut from: of so many, so many are taken
	taken int
}

// session attributes every turn of s, to components of r: one list of claims a thread, the main
// thread first. They hold until the next session.
func (w *walk) session(r *roster, s *transcript.Session) (threads []*transcript.Thread, claims [][]claim) {
	w.release()
	w.roster = r
	if s.Main != nil {
		w.threads = append(w.threads, s.Main)
	}
	w.threads = append(w.threads, s.Subs...)
	turns := 0
	for _, th := range w.threads {
		turns += len(th.Turns)
	}
	w.room = slices.Grow(w.room, turns)[:turns]
	w.claims = slices.Grow(w.claims, len(w.threads))[:len(w.threads)]
	w.index()
	for i := range w.threads {
		w.thread(i)
	}
	return w.threads, w.claims
}

type place struct{ thread, turn int }

// nowhere is the place of a call that was not found.
var nowhere = place{-1, -1}

// keepRoom is for how many claims room outlives the session that needed it.
const keepRoom = 1 << 12

// release lets the session go. What is kept of it is empty room.
func (w *walk) release() {
	clear(w.threads)
	clear(w.claims)
	clear(w.uses)
	clear(w.room)
	if cap(w.room) > keepRoom {
		w.room = nil
	}
	*w = walk{versions: w.versions, threads: w.threads[:0], claims: w.claims[:0], uses: w.uses[:0], room: w.room[:0]}
}

// index finds the turns that dispatched the subagents.
func (w *walk) index() {
	if len(w.threads) < 2 {
		return
	}
	w.calls, w.agents = map[uint64]place{}, map[string]place{}
	for _, th := range w.threads {
		if th.ParentCall != 0 {
			w.calls[th.ParentCall] = nowhere
		}
	}
	for i, th := range w.threads {
		for j := range th.Turns {
			for k := range th.Turns[j].Calls {
				c := &th.Turns[j].Calls[k]
				if _, asked := w.calls[c.ID]; asked {
					w.calls[c.ID] = place{i, j}
				}
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
	from := w.taken
	w.taken += len(w.threads[i].Turns)
	w.claims[i] = w.room[from:w.taken:w.taken]
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
				if w.versions.stamping(th.Turns[j].Version) == stamps {
					win, last, cleared = nil, nil, cleared || win != nil
				}
			case transcript.MarkBody:
				switch {
				case mark.Call == 0 && typed != "":
					win = w.invoke(typed, mark)
					win.slash, typed = true, ""
				case win != nil && !win.bodied && (mark.Call == win.call || mark.Call == 0):
					w.move(win, named(win.name, mark))
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
	u := w.invoke(name, nil)
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

func (w *walk) invoke(name string, body *transcript.Mark) *use {
	u := w.open(named(name, body), name)
	if body != nil {
		u.of.evidence(body)
		u.bodied = true
	}
	return u
}

// open begins a use in this session.
func (w *walk) open(k key, name string) *use {
	u := w.roster.open(k, name)
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
	case w.versions.stamping(t.Version) == stamps:
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
		w.move(win, k)
		return win
	case last != nil && last.of.key == k:
		return last
	}
	return w.open(k, k.name)
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
				w.move(fork, k)
			}
			if under == nil || under.of.key != k {
				under = w.latest(k, from.use)
			}
			c.use, c.source, c.inherited = under, stamped, typ != "" && under != fork
		case w.versions.stamping(t.Version) != stamps && from.use != nil && !from.use.of.agent:
			c.use, c.source, c.inherited = from.use, inferred, from.use != fork
		case th.Compaction || th.Warmup:
		case typ != "":
			if agent == nil {
				agent = w.open(agentKey(typ, t), typ)
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
	if at, ok := w.calls[th.ParentCall]; ok && at != nowhere {
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
	return w.open(k, k.name)
}
