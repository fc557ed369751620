package tests

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// ownPlugin is this repository as a plugin.
func ownPlugin(t *testing.T) *plugin.Plugin {
	t.Helper()
	p, err := plugin.Resolve("..", plugin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Components) == 0 {
		t.Fatal("this plugin has no components: nothing was checked")
	}
	return p
}

// ownTools are the names of the mains.
func ownTools(t *testing.T) []string {
	t.Helper()
	mains, _ := filepath.Glob("../tools/*/main.go")
	var names []string
	for _, m := range mains {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	if len(names) == 0 {
		t.Fatal("no mains found")
	}
	return names
}

func TestVersionsAgree(t *testing.T) {
	text, err := os.ReadFile("../.claude-plugin/plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Name, Version string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Name != "inference-arbitrage" || manifest.Version != cli.Version {
		t.Errorf("the manifest says %s %s, the tools %s", manifest.Name, manifest.Version, cli.Version)
	}
	log, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "## "+cli.Version) {
		t.Errorf("CHANGELOG.md has no heading for %s", cli.Version)
	}
}

// hostTools are the client's tools that our components may name.
var hostTools = []string{"Bash", "Read", "Write", "Grep", "Glob", "Skill", "AskUserQuestion"}

// knownKeys are the frontmatter keys that the host reads, by component kind. The host ignores all others silently.
var knownKeys = map[string][]string{
	audit.KindSkill:   {"name", "description", "allowed-tools", "argument-hint", "disable-model-invocation", "user-invocable", "model"},
	audit.KindCommand: {"description", "allowed-tools", "argument-hint", "disable-model-invocation", "model"},
	audit.KindAgent:   {"name", "description", "tools", "model", "skills", "maxTurns"},
}

func TestOwnFrontmatter(t *testing.T) {
	for _, c := range ownPlugin(t).Components {
		t.Run(c.Path, func(t *testing.T) {
			if !c.Loaded() {
				t.Errorf("the host would not load it: %s", c.NotLoaded)
			}
			if c.Front.State != plugin.Read {
				t.Fatalf("frontmatter is %s: %s", c.Front.State, c.Front.Err)
			}
			fields := c.Front.Host()
			if fields.Text("description") == "" {
				t.Error("no description")
			}
			for _, f := range fields {
				if !slices.Contains(knownKeys[c.Kind], f.Key) {
					t.Errorf("key %q is none that the host reads for a %s", f.Key, c.Kind)
				}
			}
			if c.Kind == audit.KindSkill && fields.Text("name") != c.Name {
				t.Errorf("name %q, folder %q", fields.Text("name"), c.Name)
			}
			tools := fields.List("allowed-tools", "tools")
			if len(tools) == 0 {
				t.Error("no tool list: it could use any tool")
			}
			for _, tool := range tools {
				name, pattern, _ := strings.Cut(tool, "(")
				if !slices.Contains(hostTools, name) {
					t.Errorf("tool %q is not on our list", name)
				}
				if program, _, ok := strings.Cut(pattern, ":"); ok && !slices.Contains(ownTools(t), program) {
					t.Errorf("%s allows a program that is not ours", tool)
				}
			}
			if c.Kind == audit.KindAgent && (slices.Contains(tools, "Agent") || slices.Contains(tools, "Task")) {
				t.Error("FR-8.3: the analyst can start agents")
			}
		})
	}
}

// TestAgentSkillsLoad: a skill that an agent starts with is one of ours, under the plugin's name, and one that the
// client does preload: it passes over a skill that the model may not invoke, and says nothing.
func TestAgentSkillsLoad(t *testing.T) {
	p := ownPlugin(t)
	skills := map[string]plugin.Fields{}
	for _, c := range p.Components {
		if c.Kind == audit.KindSkill {
			skills[p.Target.Name+":"+c.Name] = c.Front.Host()
		}
	}
	n := 0
	for _, c := range p.Components {
		if c.Kind != audit.KindAgent {
			continue
		}
		for _, name := range c.Front.Host().List("skills") {
			n++
			fields, ours := skills[name]
			if !ours {
				t.Errorf("%s starts with %s, which is no skill of ours", c.Path, name)
			}
			if off, _ := fields.Bool("disable-model-invocation"); off {
				t.Errorf("%s starts with %s, which the client does not preload: it has disable-model-invocation", c.Path, name)
			}
		}
	}
	if n == 0 {
		t.Error("no agent starts with a skill: nothing was checked")
	}
}

var toolName = regexp.MustCompile(`\b(?:offload|boundary|stability|audit|filing|plugin|dispatch|output)-(?:audit|scan|inventory|classify|snapshot|plan|eval|evaluator|digest)\b`)

// TestNamedToolsExist: every program that our prose runs is one that we ship, with a verb that it has.
func TestNamedToolsExist(t *testing.T) {
	tools := ownTools(t)
	named := map[string]bool{}
	for _, c := range ownPlugin(t).Components {
		for i := range c.Doc.Blocks {
			b := &c.Doc.Blocks[i]
			for _, s := range b.Spans {
				checkCommand(t, tools, named, c.Path, s.Text)
			}
			if b.Kind == plugin.Fence {
				for _, l := range b.Lines {
					checkCommand(t, tools, named, c.Path, l.Text)
				}
			}
		}
	}
	if len(named) == 0 {
		t.Error("no component names a tool: nothing was checked")
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if !strings.Contains(string(readme), "`"+tool) {
			t.Errorf("README.md does not name %s", tool)
		}
	}
	t.Logf("named: %v", slices.Sorted(maps.Keys(named)))
}

// checkCommand checks one line of code that begins with a name like ours.
func checkCommand(t *testing.T, tools []string, named map[string]bool, path, line string) {
	words := strings.Fields(line)
	if len(words) == 0 || toolName.FindString(words[0]) != words[0] || !strings.Contains(line, " ") {
		return
	}
	if !slices.Contains(tools, words[0]) {
		t.Errorf("%s names %s, which is no tool of ours", path, words[0])
		return
	}
	named[words[0]] = true
	args := []string{"--help"}
	if regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(words[1]) {
		args = []string{words[1], "--help"}
	}
	if out, errs, code := runTool(t, nil, "", words[0], args...); code != 0 || out == "" {
		t.Errorf("%s runs %q, but %s %s says %s", path, line, words[0], strings.Join(args, " "), errs)
	}
}

// TestArgumentsAreInert: what the user types after the command reaches a shell only as a
// quoted here-document of a tool that expands nothing, and only the user can start it.
func TestArgumentsAreInert(t *testing.T) {
	checked := 0
	for _, c := range ownPlugin(t).Components {
		places := strings.Count(c.Body, "$ARGUMENTS") + strings.Count(c.Body, "$0") + strings.Count(c.Body, "$1")
		if places == 0 {
			continue
		}
		checked++
		safe := regexp.MustCompile("(?m)^```!\n[a-z-]+ [a-z-]+ --stdin <<'([A-Z_]+)'\n\\$ARGUMENTS\n([A-Z_]+)\n```$").FindStringSubmatch(c.Body)
		if places != 1 || safe == nil || safe[1] != safe[2] {
			t.Errorf("%s: the arguments stand elsewhere than alone in a quoted here-document of --stdin", c.Path)
		}
		if user, _ := c.Front.Host().Bool("disable-model-invocation"); !user {
			t.Errorf("%s: a model could start it with arguments of its own", c.Path)
		}
	}
	if checked == 0 {
		t.Error("no component takes arguments: nothing was checked")
	}
}

// TestLinksResolve: a link to a file in this repository leads somewhere.
func TestLinksResolve(t *testing.T) {
	pages, _ := filepath.Glob("../docs/*.md")
	pages = append(pages, "../README.md", "../CHANGELOG.md")
	for _, c := range ownPlugin(t).Components {
		pages = append(pages, filepath.Join("..", filepath.FromSlash(c.Path)))
	}
	seen := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		doc := plugin.ParseMarkdown(string(text), 1)
		for i := range doc.Blocks {
			for _, l := range doc.Blocks[i].Links {
				target, _, _ := strings.Cut(l.Target, "#")
				if target == "" || strings.Contains(target, "://") {
					continue
				}
				seen++
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(target))); err != nil {
					t.Errorf("%s: %s leads nowhere", page, l.Target)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no links found: nothing was checked")
	}
}
