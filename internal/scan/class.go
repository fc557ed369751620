package scan

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// class is what kind of turn it was (2-measure.md 2.3); a turn has exactly one.
type class uint8

const (
	// compaction and warmup are the threads of those names: costs of the host, not of a skill.
	compaction class = iota
	warmup
	// retry: it calls again after an error, or nearly what it called before.
	retry
	// judgment: a question to the user, a plan for approval, or a long answer without a tool.
	judgment
	// ownScript: every Bash call runs an executable that the target ships: the cut is made.
	ownScript
	// mechanical: all it calls only reads, and it says little.
	mechanical
	// mixed: the same with a long text.
	mixed
	// acting: it calls something that may change something.
	acting
	// talk: no tool and a short text.
	talk
	classCount
)

var classNames = [classCount]string{"compaction", "warmup", "retry", "judgment", "own-script", "mechanical", "mixed", "acting", "talk"}

func (c class) String() string { return classNames[c] }

// longOutput is the number of output tokens from which a turn says much.
const longOutput = 400

// bytesPerToken estimates tokens of visible text where the client never wrote the final usage.
const bytesPerToken = 4

// classify gives the class of a turn of an ordinary thread. before is the last call of the
// previous turn since the last human prompt, nil when there was none.
func classify(t *transcript.Turn, before *transcript.Call) class {
	asks, bash, own, reads, calls := false, 0, 0, true, 0
	var first *transcript.Call
	for i := range t.Calls {
		c := &t.Calls[i]
		if isQuestion(c.Tool) {
			asks = true
		}
		if bookkeeping(c.Tool) && len(t.Calls) > 1 {
			continue
		}
		if first == nil {
			first = c
		}
		calls++
		switch {
		case c.Tool == "Bash":
			bash++
			if c.Shape.Own {
				own++
			} else if !c.Shape.ReadOnly {
				reads = false
			}
		case !signature.ReadsOnly(c.Tool):
			reads = false
		}
	}
	switch long := output(t) >= longOutput; {
	case first != nil && !asks && before != nil && retries(before, first):
		return retry
	case asks || len(t.Calls) == 0 && long:
		return judgment
	case len(t.Calls) == 0:
		return talk
	case bash > 0 && own == bash && reads:
		return ownScript
	case calls > 0 && reads && own == 0 && !long:
		return mechanical
	case calls > 0 && reads && own == 0:
		return mixed
	}
	return acting
}

// output is the turn's output in tokens; where the client never wrote the final count, at
// least what its visible text must have taken.
func output(t *transcript.Turn) int64 {
	if t.Final {
		return t.Tokens.Output
	}
	return max(t.Tokens.Output, int64(t.TextBytes)/bytesPerToken)
}

// retries: the previous result was an error, or the same tool is called with a nearly
// identical signature.
func retries(before, now *transcript.Call) bool {
	if before.IsError {
		return true
	}
	return before.Tool == now.Tool && nearlyEqual(before.Shape.Full, now.Shape.Full)
}

// nearlyEqual: the token edit distance of two signatures of one tool is not zero and at most a
// quarter of the longer one. The tool's name, which they share, is no token.
func nearlyEqual(a, b string) bool {
	if a == b || a == "" || b == "" {
		return false
	}
	x, y := strings.Fields(a)[1:], strings.Fields(b)[1:]
	longer := max(len(x), len(y))
	limit := longer / 4
	if limit == 0 || max(len(x)-len(y), len(y)-len(x)) > limit {
		return false
	}
	d := editDistance(x, y)
	return d > 0 && d*4 <= longer
}

func editDistance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diag := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diag+cost)
		}
	}
	return row[len(b)]
}

// isQuestion: tools by which the model asks the user or lays a plan before them.
func isQuestion(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }

// bookkeeping tools keep lists for the model itself: they neither make nor break a sequence,
// and beside another call they do not change a turn's class.
func bookkeeping(tool string) bool {
	switch tool {
	case "TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "ToolSearch":
		return true
	}
	return false
}
