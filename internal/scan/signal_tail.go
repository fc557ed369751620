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

// usesVocabulary: the turn runs one of the component's literal programs, its scripts or its MCP tools.
func usesVocabulary(t *transcript.Turn, vocabulary map[string]bool) bool {
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Shape.Own || vocabulary[c.Tool] || vocabulary[c.Shape.Sig] {
			return true
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(c.Shape.Sig, "Bash "), "; ") {
			if vocabulary["Bash "+part] {
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
