package inventory

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// measured reads text as the body of a skill of a plugin that ships the given executables.
func measured(t *testing.T, text string, execs ...string) (*Component, *meter) {
	t.Helper()
	p := &plugin.Plugin{}
	p.Target.Name, p.Target.Path = "acme", "/nowhere/acme"
	var list []Executable
	for _, e := range execs {
		p.Files = append(p.Files, plugin.File{Path: e})
		list = append(list, Executable{Path: e, Folder: "scripts"})
	}
	m := newMeter(p, list)
	c := &Component{Kind: "skill", Name: "deploy", Path: "skills/deploy/SKILL.md"}
	m.measure(c, plugin.ParseMarkdown(text, 1))
	return c, m
}

func TestStepTitle(t *testing.T) {
	for in, want := range map[string]string{
		"Step 1: Fetch": "Fetch", "Step 2a — Compare": "Compare", "Phase B: Plan": "Plan", "STEP THREE": "",
		"1. Verify": "Verify", "2) Sort": "Sort", "3.1 Sub-step": "Sub-step", "1a. Check": "Check", "4 - Report": "Report",
		"Stage 2": "",
	} {
		if got, ok := stepTitle(in); !ok || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"Steps", "Step by step", "Phases of the moon", "2026 roadmap", "3 ways to do it", "Strategy 1: Merge", "API v1.2", ""} {
		if got, ok := stepTitle(in); ok {
			t.Errorf("%q is taken for a step titled %q", in, got)
		}
	}
}

func TestConditionals(t *testing.T) {
	for in, want := range map[string]int{
		"If the branch is gone, delete it. Otherwise keep it.": 2,
		"For each issue: look at its labels.":                  1,
		"Report it; if it is old, close it.":                   2 - 1,
		"When done → if green, merge":                          2,
		"Say what to do if it fails":                           0,
		"The condition when it holds":                          0,
		"Ifs and buts":                                         0,
	} {
		if got := conditionals(in); got != want {
			t.Errorf("%q: %d conditions, want %d", in, got, want)
		}
	}
}

func TestAsks(t *testing.T) {
	for in, want := range map[string]bool{
		"Use AskUserQuestion to confirm": true, "Ask the user which one": true, "Wait for confirmation": true,
		"Get the user's approval before it": true, "The user asks for it": false, "task the users": false,
	} {
		if got := asks().MatchString(in); got != want {
			t.Errorf("%q: asks %v, want %v", in, got, want)
		}
	}
}

func TestReadsFirst(t *testing.T) {
	for _, c := range []struct {
		prose   string
		literal bool
		want    bool
	}{
		{"First read " + plugin.Inline + ".", true, true},
		{"Always run " + plugin.Inline + " at the start.", true, true},
		{"Before you begin, load the style guide.", true, true},
		{"First read it.", false, false},
		{"Read " + plugin.Inline + " when it exists first.", true, false},
		{"Never run " + plugin.Inline + " first.", true, false},
		{"Then read " + plugin.Inline + ".", true, false},
	} {
		if got := readsFirst(c.prose, c.literal); got != c.want {
			t.Errorf("%q (literal %v): %v, want %v", c.prose, c.literal, got, c.want)
		}
	}
}

func TestTables(t *testing.T) {
	for name, c := range map[string]struct {
		text           string
		rules, command int
	}{
		"condition and action": {"| Condition | Action |\n|---|---|\n| a | b |\n| c | d |\n", 1, 0},
		"the other way round":  {"| Category | Criteria |\n|---|---|\n| stale | old |\n| draft | flag |\n", 1, 0},
		"comparisons":          {"| Metric | Red |\n|---|---|\n| runs | > 10 % |\n| length | > 10 min |\n", 1, 0},
		"announced":            {"Classify by the first row that fits:\n\n| branch | class |\n|---|---|\n| main | main |\n| gone | old |\n", 1, 0},
		"one row only":         {"| Condition | Action |\n|---|---|\n| a | b |\n", 0, 0},
		"when to use":          {"| Use this skill when | Use another when |\n|---|---|\n| status | result |\n| a | b |\n", 0, 0},
		"trouble":              {"| Error | Solution |\n|---|---|\n| a | b |\n| c | d |\n", 0, 0},
		"commands":             {"| Context | Command |\n|---|---|\n| a | `git log -1` |\n| b | `gh pr list` |\n", 0, 1},
		"flags":                {"| Flag | Default | Status |\n|---|---|---|\n| a | b | c |\n| d | e | f |\n", 0, 0},
		"plain":                {"| Name | Colour |\n|---|---|\n| a | b |\n| c | d |\n", 0, 0},
		"beside":               {"## See also\n\n| Condition | Action |\n|---|---|\n| a | b |\n| c | d |\n", 0, 0},
	} {
		got, _ := measured(t, c.text)
		if got.Signals.RuleTables != c.rules || got.Signals.CommandTables != c.command || got.Signals.Tables != 1 {
			t.Errorf("%s: %d rule and %d command tables of %d, want %d and %d of 1", name,
				got.Signals.RuleTables, got.Signals.CommandTables, got.Signals.Tables, c.rules, c.command)
		}
		if len(got.RuleTables) != c.rules {
			t.Errorf("%s: %d rule tables listed, want %d", name, len(got.RuleTables), c.rules)
		}
	}
}

func TestOwnCommands(t *testing.T) {
	execs := []string{"bin/acme-audit", "scripts/shared.sh", "skills/deploy/scripts/check.py", "skills/deploy/scripts/probe.py", "skills/other/scripts/theirs.sh"}
	for command, want := range map[string]struct{ own, cut int }{
		`bash "${CLAUDE_PLUGIN_ROOT}/scripts/shared.sh" --x`: {1, 1},
		`python3 ${CLAUDE_SKILL_DIR}/scripts/check.py`:       {1, 1},
		`python scripts/check.py in.json`:                    {1, 1},
		`./scripts/check.py`:                                 {1, 1},
		`acme-audit --json`:                                  {1, 1},
		`bash skills/other/scripts/theirs.sh`:                {1, 0},
		"S=${CLAUDE_PLUGIN_ROOT}/scripts/shared.sh\n$S run":  {1, 1},
		`find ~ -name "probe.py"`:                            {1, 1},
		`python "$DIR/check.py"`:                             {1, 1},
		`python {baseDir}/scripts/check.py`:                  {1, 1},
		`python check.py`:                                    {0, 0}, // everybody has one
		`python src/check.py`:                                {0, 0},
		`python probe.py`:                                    {1, 1},
		`cat scripts/check.py`:                               {0, 0},
		`git log`:                                            {0, 0},
		`python other.py`:                                    {0, 0},
	} {
		c, _ := measured(t, "```bash\n"+command+"\n```\n", execs...)
		if c.Signals.OwnCommands != want.own || c.Signals.CutCommands != want.cut {
			t.Errorf("%s: %d own, %d cut; want %d, %d", command, c.Signals.OwnCommands, c.Signals.CutCommands, want.own, want.cut)
		}
	}
	c, _ := measured(t, "Run `scripts/check.py` now.\n", execs...)
	if c.Signals.OwnCommands != 1 {
		t.Errorf("a code span that is a shipped script: %d own commands, want 1", c.Signals.OwnCommands)
	}
}

const procedureText = "# Tidy\n\n- Branch: !`git branch --show-current`\n\n## When to use\n\nIf asked. Run `git log -1`.\n\n" +
	"## Execution\n\n### Step 1: Fetch (always)\n\nFetch the branches and list them:\n\n```bash\ngit fetch --prune\ngit branch -vv | grep gone\n```\n\n" +
	"### Step 2: Classify\n\nClassify each by the first row that fits.\n\n| branch | class |\n|---|---|\n| gone | old |\n| main | keep |\n\n" +
	"If none fits, ask the user.\n\n### Step 3: Remove\n\n```bash\ngit branch -D NAME\n```\n\n## Reference\n\n```python\nprint(1)\n```\n"

func TestSignals(t *testing.T) {
	c, _ := measured(t, procedureText)
	s := c.Signals
	got := map[string]int{
		"step_headings": s.StepHeadings, "shell_blocks": s.ShellBlocks, "shell_commands": s.ShellCommands, "inline": s.InlineCommands,
		"in_steps": s.CommandsInSteps, "gathers": s.Gathers, "pipes": s.Pipes, "control": s.ControlFlow, "conditionals": s.Conditionals,
		"rule_tables": s.RuleTables, "rule_rows": s.RuleRows, "samples": s.CodeSamples, "dynamic": s.DynamicLines, "script": s.ScriptVerbs,
		"judgment": s.JudgmentVerbs, "asks": s.AsksUser, "ordered": s.OrderedCommands,
	}
	want := map[string]int{
		"step_headings": 3, "shell_blocks": 2, "shell_commands": 4, "inline": 1, "in_steps": 4, "gathers": 3, "pipes": 1, "control": 0,
		"conditionals": 1, "rule_tables": 1, "rule_rows": 2, "samples": 1, "dynamic": 1, "script": 3, "judgment": 0, "asks": 1, "ordered": 4,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	total := map[string]int64{}
	for _, e := range s.Evidence {
		total[e.Signal] += e.Value
		if e.Path != c.Path || e.Line < 1 {
			t.Errorf("evidence %+v has no place", e)
		}
	}
	if total["gathers"] != int64(s.Gathers) || total["script_verbs"] != int64(s.ScriptVerbs) {
		t.Error("the evidence does not sum to the totals")
	}
}

func TestSteps(t *testing.T) {
	c, _ := measured(t, procedureText)
	var got []string
	for _, s := range c.Steps {
		got = append(got, s.Form+" "+s.Group+"/"+s.Slug)
	}
	want := []string{"heading execution/fetch", "heading execution/classify", "heading execution/remove"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Bash git fetch", "Bash git branch", "Bash grep"}, c.Steps[0].Signatures); d != "" {
		t.Error(d)
	}
	if !c.Steps[1].RuleTable || c.Steps[1].Conditionals != 1 || !c.Steps[1].AsksUser || c.Steps[0].Gathers != 2 {
		t.Errorf("steps: %+v", c.Steps)
	}

	c, _ = measured(t, "## Implementation\n\n1. **Locate**: run `oc get pods`.\n   - If none, stop.\n2. **Report**:\n   ```bash\n   oc get events\n   ```\n\n## Notes\n\n1. One.\n2. Two.\n\n## Extra\n\n```bash\noc logs x\n```\n")
	got = nil
	for _, s := range c.Steps {
		got = append(got, s.Form+" "+s.Group+"/"+s.Slug)
	}
	if d := cmp.Diff([]string{"item implementation/locate", "item implementation/report", "section /extra"}, got); d != "" {
		t.Error(d)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Fetch org-level billing (if org)":                      "fetch-org-level-billing",
		"Überprüfe die Äste":                                    "berpr-fe-die-ste",
		"a very long title that goes on and on until it is cut": "a-very-long-title-that-goes-on-and-on",
		"???": "",
	} {
		if got := slug(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	used := map[string]int{}
	if got := []string{unique("a", used), unique("a", used), unique("a-2", used), unique("", used)}; !slices.Equal(got, []string{"a", "a-2", "a-2-2", "step"}) {
		t.Errorf("%q", got)
	}
}

// TestTextHash: a line without a signal, and where a line stands, do not change the hash; a marked line does.
func TestTextHash(t *testing.T) {
	base, _ := measured(t, procedureText)
	moved, _ := measured(t, "Some words.\n\n"+procedureText+"\nMore words.\n")
	changed, _ := measured(t, strings.Replace(procedureText, "Classify each", "Classify and rank each", 1))
	if base.Signals.TextHash != moved.Signals.TextHash {
		t.Error("prose without a signal changed the hash")
	}
	if base.Signals.TextHash == changed.Signals.TextHash {
		t.Error("a new instruction did not change the hash")
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add(procedureText)
	f.Add("1. a\n   ```\n   x\n```!\n| a |\n|--|\n| `git log -1` |\n\n**Step 1**: ")
	f.Fuzz(func(t *testing.T, text string) {
		p := &plugin.Plugin{}
		m := newMeter(p, []Executable{{Path: "scripts/x.sh", Folder: "scripts"}})
		doc := plugin.ParseMarkdown(text, 1)
		c := &Component{Kind: "skill", Name: "x", Path: "skills/x/SKILL.md"}
		m.measure(c, doc)
		for _, e := range c.Signals.Evidence {
			if e.Value < 1 || e.Line < 1 || e.Line > doc.LastLine+1 {
				t.Fatalf("evidence %+v in a text of %d lines", e, doc.LastLine)
			}
		}
		seen := map[string]bool{}
		for _, s := range c.Steps {
			if s.FirstLine > s.LastLine || s.Slug == "" || seen[s.Slug] {
				t.Fatalf("step %+v", s)
			}
			seen[s.Slug] = true
		}
		m.duplicates()
	})
}

func TestOutcomes(t *testing.T) {
	for text, want := range map[string]int{
		"Put each into one of: `removable`, `dirty`, `no-remote-upstream`.": 3,
		"Mark it as `MERGEABLE`, `CONFLICTING` or `UNKNOWN`.":               3,
		"Classify as `root` or `child`.":                                    0,
		"Status values: `queued`, `done`, `failed`.":                        0,
		"Report it as `a/b.md`, `--flag` or `x y`.":                         0,
		"Sort them into `x.md`, `one`, `two`, `ls`, `a b`, `--c`.":          0,
	} {
		c, _ := measured(t, text+"\n")
		if c.Signals.Outcomes != want {
			t.Errorf("%q: %d outcomes, want %d", text, c.Signals.Outcomes, want)
		}
	}
}

func TestDensity(t *testing.T) {
	for text, want := range map[string]int64{
		"Some words.\n\nSome more words.\n":                          0,
		"1. Count the rows.\n2. Sort them by age.\n":                 1_000_000,
		"A list of it.\n\nSort the rows.\n\n```bash\ngit log\n```\n": 666_666,
	} {
		c, _ := measured(t, text)
		if got := c.Signals.ProceduralDensityPPM; got == nil || *got != want {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
	if c, _ := measured(t, ""); c.Signals.ProceduralDensityPPM != nil {
		t.Error("an empty text has a density")
	}
}
