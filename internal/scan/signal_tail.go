package scan

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// minTail is the length from which a trailing run of turns without the component's own
// vocabulary is taken for other work that its stamp merely still covers.
const minTail = 8

// tailer finds the tail of each use in one thread: the run of turns since the last one that
// used the component's own vocabulary.
type tailer struct {
	of  *component
	use *use
	run Spend
}

func (t *tailer) add(c *component, u *use, s Spend, own bool) {
	if t.use != u {
		t.close()
		t.of, t.use = c, u
	}
	if own {
		t.run = Spend{}
		return
	}
	t.run.add(s)
}

func (t *tailer) close() {
	if t.run.Turns >= minTail {
		t.of.tail.add(t.run)
		t.of.own.Turns -= t.run.Turns
		t.of.own.WeightedMilli -= t.run.WeightedMilli
	}
	*t = tailer{}
}

// usesVocabulary: the turn runs one of the component's literal programs, its scripts or its MCP
// tools, or reads a file that the plugin ships.
func usesVocabulary(t *transcript.Turn, vocabulary map[string]bool) bool {
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Shape.Own {
			return true
		}
		for _, w := range vocabularyWords(c.Shape.Sig) {
			if vocabulary[w] {
				return true
			}
		}
		for _, a := range c.Shape.Atoms {
			if a.Own {
				return true
			}
		}
	}
	return false
}

// vocabularyWords are the words by which a signature is recognised as a component's own: the
// programs of a Bash call, whatever their sub-commands; of another tool its name, if it is a
// server's. Reads and edits are everybody's.
func vocabularyWords(sig string) (out []string) {
	rest, ok := strings.CutPrefix(sig, "Bash ")
	if !ok {
		if tool, _, _ := strings.Cut(sig, " "); strings.HasPrefix(tool, "mcp__") {
			out = append(out, tool)
		}
		return out
	}
	for part := range strings.SplitSeq(rest, "; ") {
		program, _, _ := strings.Cut(strings.TrimPrefix(part, "xargs "), " ")
		if program != "<prog>" && !strings.HasPrefix(program, "<path") {
			out = append(out, program)
		}
	}
	return out
}
