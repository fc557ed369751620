package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// comparing measures several texts as skills a, b, c … of one plugin.
func comparing(texts ...string) *meter {
	m := newMeter(&plugin.Plugin{}, nil)
	for i, text := range texts {
		name := string(rune('a' + i))
		m.measure(&Component{Kind: "skill", Name: name, Path: "skills/" + name + "/SKILL.md"}, plugin.ParseMarkdown(text, 1))
	}
	return m
}

func TestDuplicates(t *testing.T) {
	block := "```bash\n# a comment\ngit fetch   --prune\ngit branch -vv\ngit log --oneline -5\n```\n"
	same := "```bash\ngit fetch --prune\n\ngit branch -vv\ngit log --oneline -5\n```\n"
	other := "Run `git log --oneline -9` and `gh pr view 3`.\n"
	type found struct {
		Level      string
		Signatures []string
		In         int
	}
	var got []found
	for _, d := range comparing(block, same, other).duplicates() {
		got = append(got, found{d.Level, d.Signatures, len(d.Components)})
		if len(d.Places) != len(d.Components) {
			t.Errorf("%d places for %d components", len(d.Places), len(d.Components))
		}
	}
	run := []string{"Bash git fetch", "Bash git branch", "Bash git log"}
	want := []found{
		{"block", run, 2},
		{"signature", []string{"Bash git log --oneline -<n>"}, 3},
		{"signature", []string{"Bash git branch -vv"}, 2},
		{"signature", []string{"Bash git fetch --prune"}, 2},
		{"ngram", run, 2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := comparing(block).duplicates(); len(d) != 0 {
		t.Errorf("one component has nothing in common with itself: %v", d)
	}
}

func TestClosedRuns(t *testing.T) {
	long := "```bash\ngit fetch\ngit branch\ngit log\ngit status\n```\n"
	ds := comparing(long, long).runs()
	if len(ds) != 3 {
		t.Fatalf("%d runs of three and four commands, want 3", len(ds))
	}
	var levels []int
	for _, d := range comparing(long, long).duplicates() {
		if d.Level == "ngram" {
			levels = append(levels, len(d.Signatures))
		}
	}
	if d := cmp.Diff([]int{4}, levels); d != "" {
		t.Error("a run inside a longer one of the same components is listed: " + d)
	}
}

func TestDrift(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/bash\n# guards docs/release/notes.md\nif [[ \"$f\" =~ 'v[0-9]+\\.[0-9]+' ]]; then exit 2; fi\n" +
		"case \"$f\" in config/prod/settings.yaml) exit 2;; esac\n[ \"$n\" -gt 400 ] && exit 2\n"
	if err := os.WriteFile(filepath.Join(dir, "guard.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		want map[string]int
	}{
		"the same rule":     {"Never touch config/prod/settings.yaml.\n\nNot more than 400 lines.\n\nSee guard.sh.\n", map[string]int{"path": 1, "threshold": 1, "script-name": 1}},
		"the pattern":       {"Tags match `v[0-9]+\\.[0-9]+`.\n", map[string]int{"pattern": 1}},
		"one path":          {"Look at config/prod/settings.yaml.\n", nil},
		"the name alone":    {"The hook guard.sh guards.\n", nil},
		"a number, no rule": {"About 400 of config/prod/settings.yaml.\n", nil},
		"only a comment":    {"Keep docs/release/notes.md and config/prod/x.yaml.\n", nil},
	} {
		p := &plugin.Plugin{FS: os.DirFS(dir), Files: []plugin.File{{Path: "guard.sh", Real: filepath.Join(dir, "guard.sh")}}}
		p.Target.Path = dir
		m := newMeter(p, nil)
		m.measure(&Component{Kind: "skill", Name: "a", Path: "skills/a/SKILL.md"}, plugin.ParseMarkdown(c.text, 1))
		got := m.drift([]Hook{{Event: "PreToolUse", Script: "guard.sh"}})
		if c.want == nil {
			if len(got) != 0 {
				t.Errorf("%s: %v, want no pair", name, got)
			}
			continue
		}
		if len(got) != 1 {
			t.Errorf("%s: %d pairs, want 1", name, len(got))
			continue
		}
		if d := cmp.Diff(c.want, got[0].Literals); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestLongTexts: a text costs in proportion to its length, whatever it is made of. The
// bound is generous, what it catches is not: quadratic reading takes minutes here.
func TestLongTexts(t *testing.T) {
	for name, unit := range map[string]string{
		"items":     "1. Count the `git log -1` rows.\n2. If it is old, sort it.\n",
		"lists":     "1. `git log -1`\n2. b\n\nx\n\n",
		"headings":  "### Step 1: Fetch\n\nRun it.\n\n```bash\ngit log | sort\n```\n\n",
		"sections":  "## Look\n\n```bash\ngit log | sort\n```\n\n",
		"tables":    "| condition | action |\n|---|---|\n| a | b |\n| c | d |\n\n",
		"sentences": "Count it, sort it and parse it; if it is so, decide. ",
		"spans":     "`git log -1` `a` `b` ",
		"fence":     "```\nls\n",
	} {
		start := time.Now()
		comparing(strings.Repeat(unit, 200_000/len(unit)))
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%s: %v for 200 kB", name, d)
		}
	}
}
