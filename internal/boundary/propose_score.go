package boundary

import (
	"fmt"
	"math/bits"
	"sort"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
)

// The static score of a component: is it a procedure, and is it mechanical?
//
// The rubric's step is "gather inputs → decide → (act)". Its two halves multiply:
//
//	score = gather × (1 + order + rules + conditions + logic + verbs − samples)
//
// where each term is log2(1 + min(count, 15)): the second command says more than the
// twentieth, and a long text does not win by length. All numbers are integers in
// thousandths. gather counts what a program could fetch by itself: commands that only
// look, and named inputs read, two for one (a text names as many files that it writes or
// mentions as files that it gathers from). The bracket is how much of what happens to
// them is written down as an order, a rule or a program. A cheat-sheet
// has much of the first and little of the second, a methodology the reverse; only a
// product is low for both. Every weight is one: with seven labels to look at, any finer
// weight would be fitted, not argued. docs/CALIBRATION.md has the table and what each
// change of it does.
//
// Three brakes, as factors, each named in the reasons:
//
//	judgment     × script verbs / (script + judgment verbs), from five verbs on
//	already cut  ÷ 3, and never above the cut: its owner has drawn the cut
//	reference    ÷ 2, and never above the cut: loose examples and no rule
const (
	// Cut is the score from which a component is worth an analyst's reading.
	Cut = 18_000
	// saturation: counts above it add nothing.
	saturation = 15
	// orderedPPM: a text with no rule table whose commands stand in numbered steps or
	// programs for less than this share is a reference.
	orderedPPM = 250_000
)

// Labels of a component.
const (
	LabelProcedure  = "procedure"
	LabelReference  = "reference"
	LabelAlreadyCut = "already-cut"
	LabelJudgment   = "judgment"
)

// rating is a component's static score with everything that led to it.
type rating struct {
	score   int64
	label   string
	reasons []Reason
	// raw is the score before the brakes for being cut already or a reference.
	raw int64
}

// log2Milli is log2(1+x) in thousandths, rounded down, for x ≥ 0.
func log2Milli(x int64) int64 {
	n := uint64(x) + 1
	k := int64(bits.Len64(n) - 1)
	// The fraction by repeated squaring of n/2^k in 32 binary places.
	m := n << 32 >> uint(k)
	frac := uint64(0)
	for i := 0; i < 20; i++ {
		hi, lo := bits.Mul64(m, m)
		m = hi<<32 | lo>>32
		frac <<= 1
		if m >= 2<<32 {
			m >>= 1
			frac |= 1
		}
	}
	return k*1000 + int64(frac*1000>>20)
}

// term is log2(1 + min(count, saturation)) in thousandths.
func term(count int64) int64 { return log2Milli(min(count, saturation)) }

// rate scores one component.
func rate(c *inventory.Component) rating {
	s := &c.Signals
	r := rating{}
	inputs := int64(s.Gathers + s.Reads/2)
	gather := term(inputs)
	add := func(signal string, count, sign int64, note string, signals ...string) {
		if count == 0 {
			return
		}
		r.raw += sign * gather * term(count) / 1000
		r.reasons = append(r.reasons, Reason{
			Signal: signal, Value: count, Points: sign * gather * term(count) / 1000, Note: note, Evidence: cite(c, signals...),
		})
	}
	r.raw = gather
	note := "commands that only look, and named inputs read (two for one); multiplies all that follows"
	if inputs == 0 {
		note = "it gathers nothing that a program could fetch"
	}
	r.reasons = append(r.reasons, Reason{Signal: "gathers", Value: inputs, Points: gather, Note: note, Evidence: cite(c, "gathers", "reads")})
	add("order", orderedSteps(c)+int64(s.Programs), 1, "numbered steps that hold commands, and pasted programs", "step_headings", "commands_in_steps", "programs")
	add("rules", int64(s.RuleRows+s.Outcomes), 1, "rows of tables that map a condition to a decision, and values of closed sets named in a sentence", "rule_rows", "outcomes")
	add("conditionals", int64(s.Conditionals), 1, "conditions written in prose", "conditionals")
	add("shell_logic", int64(s.Pipes+s.ControlFlow), 1, "pipes, branches, loops and captured output in shell text", "pipes", "control_flow")
	add("script_verbs", int64(s.ScriptVerbs), 1, "imperatives whose result two programmers would agree on", "script_verbs")
	add("code_samples", int64(s.CodeSamples), -1, "code in other languages: it teaches what to write", "code_samples")
	r.raw = max(r.raw, 0)
	r.brake(c)
	return r
}

// brake applies the three factors and sets the label.
func (r *rating) brake(c *inventory.Component) {
	s := &c.Signals
	if n := int64(s.ScriptVerbs + s.JudgmentVerbs); n >= 5 && s.JudgmentVerbs > 0 {
		lost := r.raw * int64(s.JudgmentVerbs) / n
		r.raw -= lost
		r.take("judgment_verbs", int64(s.JudgmentVerbs), lost, fmt.Sprintf("of %d imperatives these have to be weighed", n), cite(c, "judgment_verbs"))
	}
	r.score = r.raw
	switch {
	case alreadyCut(c):
		r.label = LabelAlreadyCut
		r.lower(r.raw/3, "own_commands", int64(s.OwnCommands), "it calls an executable that the plugin ships: the cut is drawn", cite(c, "own_commands"))
	case isCheatSheet(c):
		r.label = LabelReference
		r.lower(r.raw/2, "loose_commands", int64(s.ShellCommands+s.InlineCommands-s.OrderedCommands), "examples in no order and no rule: a reference", nil)
	case r.score >= Cut:
		r.label = LabelProcedure
	default:
		r.label = leaning(s)
	}
}

// lower sets the score to at most to and below the cut, and says why.
func (r *rating) lower(to int64, signal string, value int64, note string, evidence []string) {
	to = min(to, Cut-1)
	r.take(signal, value, r.score-to, note, evidence)
	r.score = to
}

func (r *rating) take(signal string, value, points int64, note string, evidence []string) {
	r.reasons = append(r.reasons, Reason{Signal: signal, Value: value, Points: -points, Note: note, Evidence: evidence})
}

// leaning labels what is below the cut: a text whose imperatives are mostly to be
// weighed is judgment; one that gathers, or states rules, is a procedure with little
// that is mechanical; of the rest one that shows code or tables is a reference, and
// what only says what to achieve is judgment.
func leaning(s *inventory.Signals) string {
	switch {
	case s.JudgmentVerbs > s.ScriptVerbs:
		return LabelJudgment
	case s.Gathers+s.Reads > 0 || s.RuleRows > 0 || s.StepHeadings > 0 && s.ScriptVerbs > 0:
		return LabelProcedure
	case s.CodeSamples > 0 || s.Tables > 0:
		return LabelReference
	}
	return LabelJudgment
}

// minExamples: a text with fewer commands is no collection of them.
const minExamples = 5

// isCheatSheet: commands are shown, not ordered, and no table decides anything.
func isCheatSheet(c *inventory.Component) bool {
	commands := int64(c.Signals.ShellCommands + c.Signals.InlineCommands)
	return commands >= minExamples && c.Signals.RuleRows == 0 && int64(c.Signals.OrderedCommands)*1_000_000 < orderedPPM*commands
}

// alreadyCut: two thirds of the literal commands run shipped executables, or the text
// runs one that is its own (in its folder, or shared by the plugin). Running the
// script of another skill is using a tool, not a cut of this step.
func alreadyCut(c *inventory.Component) bool {
	s := &c.Signals
	commands := s.ShellCommands + s.InlineCommands
	return s.CutCommands > 0 || s.OwnCommands > 0 && 3*s.OwnCommands >= 2*commands
}

// orderedSteps counts the numbered steps that hold commands.
func orderedSteps(c *inventory.Component) int64 {
	n := int64(0)
	for i := range c.Steps {
		if c.Steps[i].Form != inventory.FormSection && c.Steps[i].Commands > 0 {
			n++
		}
	}
	return n
}

// maxCited bounds the lines that one reason cites.
const maxCited = 12

// cite lists where signals were counted, as path:line, each line once.
func cite(c *inventory.Component, signals ...string) []string {
	lines := map[int]bool{}
	for _, e := range c.Signals.Evidence {
		for _, s := range signals {
			if e.Signal == s {
				lines[e.Line] = true
			}
		}
	}
	sorted := make([]int, 0, len(lines))
	for n := range lines {
		sorted = append(sorted, n)
	}
	sort.Ints(sorted)
	out := []string{}
	for i, n := range sorted {
		if i == maxCited {
			break
		}
		out = append(out, fmt.Sprintf("%s:%d", c.Path, n))
	}
	return out
}
