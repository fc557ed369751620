package boundary

import (
	"math"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
)

func TestLog2Milli(t *testing.T) {
	for x := int64(0); x < 5000; x++ {
		if got, want := log2Milli(x), math.Log2(float64(x+1))*1000; math.Abs(float64(got)-want) > 1.01 || float64(got) > want+1e-6 {
			t.Fatalf("log2(1+%d): %d, want %.2f rounded down", x, got, want)
		}
	}
	for _, x := range []int64{1<<20 - 1, 1<<40 - 1, 1<<62 - 1} {
		if got := log2Milli(x); got%1000 != 0 {
			t.Errorf("log2 of a power of two is %d thousandths", got)
		}
	}
	for _, c := range []struct{ a, t, want int64 }{{0, 20_000, 0}, {20_000, 20_000, 1000}, {60_000, 20_000, 2000}, {140_000, 20_000, 3000}} {
		if got := log2Ratio(c.a, c.t); got < c.want-1 || got > c.want+1 {
			t.Errorf("log2(1 + %d/%d): %d, want %d", c.a, c.t, got, c.want)
		}
	}
}

// procedureWith is a component with the given signals, its commands in two numbered steps.
func procedureWith(s inventory.Signals) *inventory.Component {
	return &inventory.Component{Kind: "skill", Name: "x", Path: "skills/x/SKILL.md", Signals: s, Steps: []inventory.Step{
		{Form: inventory.FormHeading, Commands: 2}, {Form: inventory.FormItem, Commands: 1}, {Form: inventory.FormSection, Commands: 9},
	}}
}

func TestRate(t *testing.T) {
	full := inventory.Signals{Gathers: 7, ShellCommands: 10, OrderedCommands: 10, RuleRows: 3, Conditionals: 3, Pipes: 3, ScriptVerbs: 7}
	with := func(change func(*inventory.Signals)) inventory.Signals { s := full; change(&s); return s }
	for _, c := range []struct {
		name  string
		s     inventory.Signals
		score int64
		label string
	}{
		// gather 3 × (1 + order log2 3 + rules 2 + conditions 2 + logic 2 + verbs 3)
		{"all of it", full, 3000 + 3*1584 + 3*2000*3 + 3*3000, LabelProcedure},
		{"named inputs count half", with(func(s *inventory.Signals) { s.Gathers, s.Reads = 5, 5 }), 3000 + 3*1584 + 3*2000*3 + 3*3000, LabelProcedure},
		{"nothing gathered", with(func(s *inventory.Signals) { s.Gathers = 0 }), 0, LabelProcedure},
		{"saturated", with(func(s *inventory.Signals) { s.Gathers, s.Conditionals = 400, 900 }), 4000 + 4*1584 + 4*2000*2 + 4*4000 + 4*3000, LabelProcedure},
		{"code samples", with(func(s *inventory.Signals) { s.CodeSamples = 7 }), 3000 + 3*1584 + 3*2000*3, LabelProcedure},
		{"half has to be weighed", with(func(s *inventory.Signals) { s.ScriptVerbs, s.JudgmentVerbs = 7, 7 }), (3000 + 3*1584 + 3*2000*3 + 3*3000) / 2, LabelProcedure},
	} {
		got := rate(procedureWith(c.s))
		if d := got.score - c.score; d < -3 || d > 3 || got.label != c.label {
			t.Errorf("%s: %d %s, want %d %s", c.name, got.score, got.label, c.score, c.label)
		}
		if p := points(got.reasons); p != got.score && got.score > 0 {
			t.Errorf("%s: the reasons sum to %d, the score is %d", c.name, p, got.score)
		}
	}
}

func TestBrakes(t *testing.T) {
	full := inventory.Signals{Gathers: 15, ShellCommands: 15, OrderedCommands: 15, RuleRows: 15, Conditionals: 15, Pipes: 15, ScriptVerbs: 15}
	for _, c := range []struct {
		name   string
		change func(*inventory.Signals)
		label  string
	}{
		{"its own script", func(s *inventory.Signals) { s.OwnCommands, s.CutCommands = 1, 1 }, LabelAlreadyCut},
		{"mostly others' scripts", func(s *inventory.Signals) { s.OwnCommands = 10 }, LabelAlreadyCut},
		{"loose examples, no rule", func(s *inventory.Signals) { s.OrderedCommands, s.RuleRows = 3, 0 }, LabelReference},
	} {
		s := full
		c.change(&s)
		if r := rate(procedureWith(s)); r.score >= Cut || r.label != c.label || points(r.reasons) != r.score {
			t.Errorf("%s: %d %s (reasons %d), want below the cut and %s", c.name, r.score, r.label, points(r.reasons), c.label)
		}
	}
	for _, c := range []struct {
		name   string
		change func(*inventory.Signals)
	}{
		{"another skill's script is a tool", func(s *inventory.Signals) { s.OwnCommands = 1 }},
		{"loose examples with a rule table", func(s *inventory.Signals) { s.OrderedCommands = 0 }},
		{"questions do not disqualify", func(s *inventory.Signals) { s.AsksUser = 9 }},
	} {
		s := full
		c.change(&s)
		if r := rate(procedureWith(s)); r.score < Cut || r.label != LabelProcedure {
			t.Errorf("%s: %d %s, want a procedure above the cut", c.name, r.score, r.label)
		}
	}
}

func TestLeaning(t *testing.T) {
	for _, c := range []struct {
		s    inventory.Signals
		want string
	}{
		{inventory.Signals{}, LabelJudgment},
		{inventory.Signals{JudgmentVerbs: 2, ScriptVerbs: 1, Gathers: 1}, LabelJudgment},
		{inventory.Signals{Gathers: 1}, LabelProcedure},
		{inventory.Signals{Reads: 1}, LabelProcedure},
		{inventory.Signals{RuleRows: 3, Tables: 1}, LabelProcedure},
		{inventory.Signals{StepHeadings: 3, ScriptVerbs: 1}, LabelProcedure},
		{inventory.Signals{StepHeadings: 3}, LabelJudgment},
		{inventory.Signals{CodeSamples: 1}, LabelReference},
		{inventory.Signals{Tables: 1}, LabelReference},
	} {
		if got := leaning(&c.s); got != c.want {
			t.Errorf("%+v: %s, want %s", c.s, got, c.want)
		}
	}
}

// TestScoreIsMonotone: more of what is mechanical never lowers a score, more of a brake never raises it.
func TestScoreIsMonotone(t *testing.T) {
	base := inventory.Signals{Gathers: 3, ShellCommands: 9, OrderedCommands: 9, RuleRows: 2, Conditionals: 2, Pipes: 1, ScriptVerbs: 4, JudgmentVerbs: 2, CodeSamples: 1}
	before := rate(procedureWith(base)).score
	for name, up := range map[string]func(*inventory.Signals){
		"gathers": func(s *inventory.Signals) { s.Gathers++ }, "rows": func(s *inventory.Signals) { s.RuleRows++ },
		"conditions": func(s *inventory.Signals) { s.Conditionals++ }, "pipes": func(s *inventory.Signals) { s.Pipes++ },
		"control": func(s *inventory.Signals) { s.ControlFlow++ }, "verbs": func(s *inventory.Signals) { s.ScriptVerbs++ },
	} {
		s := base
		up(&s)
		if after := rate(procedureWith(s)).score; after < before {
			t.Errorf("more %s lowers the score from %d to %d", name, before, after)
		}
	}
	for name, down := range map[string]func(*inventory.Signals){
		"judgment": func(s *inventory.Signals) { s.JudgmentVerbs++ }, "samples": func(s *inventory.Signals) { s.CodeSamples++ },
		"own": func(s *inventory.Signals) { s.OwnCommands, s.CutCommands = 1, 1 },
	} {
		s := base
		down(&s)
		if after := rate(procedureWith(s)).score; after > before {
			t.Errorf("more %s raises the score from %d to %d", name, before, after)
		}
	}
}
