package scan

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// kindExecutable is the kind of the component that stands for a target's executables when
// they are run outside any of its skills.
const kindExecutable = "executable"

// unresolved marks a plugin that is not known yet: the whole history is evidence.
const unresolved = "?"

// unknown is the plugin of what is not a user's own and of which nothing tells the plugin.
const unknownPlugin = "unknown"

// source says how a turn came to its component.
type source uint8

const (
	nobody source = iota
	stamped
	inferred
	byAgent
	ownExecutable
	sourceCount
)

var sourceNames = [sourceCount]string{"", "stamped", "inferred", "agent", "own-executable"}

// key identifies a component while it is being measured.
type key struct {
	agent, executable bool
	name, plugin      string
}

// component is a skill, command or agent as it is being measured.
type component struct {
	key
	// skillBody and commandBody count invocations whose body had a base directory, and had none.
	skillBody, commandBody int
	bill                   tally
	classes                [classCount]Spend
	sources                [sourceCount]int64
	own, inherited         Spend
	tail                   Spend
	inSkills               Spend
	hookRuns, fanOut       int64
	read                   amplification
	big                    map[int32]*bigReads // by signature
	bigOrder               []*bigReads
	uses                   []*use
}

// use is one invocation of a component.
type use struct {
	of *component
	// counted: some turn of it lies in the window.
	counted bool
	// name as invoked and the call or command that opened it.
	name    string
	call    uint64
	slash   bool
	relayed bool
	// bodied: the body that the host injects was seen; turns claimed so far.
	bodied bool
	turns  int
	// strands are its turns, thread by thread; empty where nothing will be mined from them.
	strands []*strand
}

// strand is the part of a use that stands in one thread, reduced to what mining needs.
type strand struct {
	thread int
	// agent is the type of the subagent whose thread it is; "" in the use's own thread.
	agent string
	turns []strandTurn
	steps []step
	atoms []atom
}

type strandTurn struct {
	cost   int64
	amount amount
	// spared is what not making the turn would save; see unmade.
	spared share
	file   int32
	line   int32
	class  class
	// idle: it holds nothing but bookkeeping, or the Skill call that relays a typed command.
	idle bool
}

// step is one call, or a turn without any (sig textStep).
type step struct {
	identity uint64
	sig      int32
	turn     int32
	// mech: it may be part of a sequence. question: it asks the user.
	mech, question bool
}

// atom is one mechanical atom of a step.
type atom struct {
	identity uint64
	sig      int32
	turn     int32
	// named: an own or listed file; it needs no identity to be recognised.
	named bool
}

// strandOf is the use's strand in a thread, made when it is first asked for.
func (u *use) strandOf(thread int, agent string) *strand {
	for i := len(u.strands) - 1; i >= 0; i-- {
		if u.strands[i].thread == thread {
			return u.strands[i]
		}
	}
	s := &strand{thread: thread, agent: agent}
	u.strands = append(u.strands, s)
	return s
}

// words numbers the signatures that were seen.
type words struct {
	ids  map[string]int32
	list []string
}

// textStep is the number of a turn that calls nothing.
const textStep = 0

func newWords() *words { return wordsIn(map[string]int32{}) }

// wordsIn numbers from the beginning, in an empty map.
func wordsIn(ids map[string]int32) *words {
	ids["<text>"] = textStep
	return &words{ids: ids, list: []string{"<text>"}}
}

func (w *words) id(s string) int32 {
	if id, ok := w.ids[s]; ok {
		return id
	}
	id := int32(len(w.list))
	w.ids[s] = id
	w.list = append(w.list, s)
	return id
}

// evidence notes what a body says of the component: skills have a base directory, commands none.
func (c *component) evidence(m *transcript.Mark) {
	if m.BaseDir == "" || m.BaseDir == "none" {
		c.commandBody++
	} else {
		c.skillBody++
	}
}

// kind is the component's kind by the best evidence: the target's inventory, else the bodies
// that were seen, else skill.
func (c *component) kind(known map[string]string) string {
	switch {
	case c.executable:
		return kindExecutable
	case c.agent:
		return audit.KindAgent
	case known[c.name] != "":
		return known[c.name]
	case c.commandBody > 0 && c.skillBody == 0:
		return audit.KindCommand
	}
	return audit.KindSkill
}

// cleanName passes on a component's name if it is well formed.
func cleanName(s string) string { return signature.Name(s) }
