package inventory

import (
	"fmt"
	"strings"
	"testing"
)

const okManifest = "-- .claude-plugin/plugin.json --\n{\"name\": \"sample\", \"version\": \"1.0.0\", \"description\": \"d\", \"author\": {\"name\": \"a\"}}\n"

func withManifest(fields string) string {
	return "-- .claude-plugin/plugin.json --\n{\"name\": \"sample\", \"version\": \"1.0.0\", " + fields + "}\n"
}

func hookLines(d *Document) string {
	var sb strings.Builder
	for _, h := range d.Surface.Hooks {
		fmt.Fprintf(&sb, "%s [%s] %s %s:%d script=%s inline=%d missing=%v", h.Event, h.Matcher, h.Type, h.Source, h.Line, h.Script, h.InlineLOC, h.Missing)
		if h.NotLoaded != "" {
			sb.WriteString(" | " + h.NotLoaded)
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

const stopTrue = `{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}`

func TestHooks(t *testing.T) {
	for _, c := range []struct{ name, archive, want string }{
		{"M09 inline, bare events", withManifest(`"hooks": ` + stopTrue), "Stop [] command .claude-plugin/plugin.json:1 script= inline=1 missing=false\n"},
		{"M09 inline, wrapped", withManifest(`"hooks": {"hooks": ` + stopTrue + `}`), "Stop [] command .claude-plugin/plugin.json:1 script= inline=1 missing=false\n"},
		{"M10 made-up events", withManifest(`"hooks": {"onSave": [{"hooks": [{"type": "command", "command": "true"}]}]}`), "onSave [] command .claude-plugin/plugin.json:1 script= inline=1 missing=false | " + unknownEvent + "\n"},
		{"M11 a file at the root", withManifest(`"hooks": "./hooks.json"`) + "-- hooks.json --\n{\"hooks\": " + stopTrue + "}\n", "Stop [] command hooks.json:1 script= inline=1 missing=false\n"},
		{"M11 a list of files beside the default one", withManifest(`"hooks": ["./a.json", "./hooks/hooks.json"]`) + "-- a.json --\n{\"hooks\": " + stopTrue + "}\n-- hooks/hooks.json --\n{\"hooks\": " + stopTrue + "}\n",
			"Stop [] command a.json:1 script= inline=1 missing=false\nStop [] command hooks/hooks.json:1 script= inline=1 missing=false\n"},
		{"H01 H03 wrapped, with other members", okManifest + "-- hooks/hooks.json --\n{\"$schema\": \"x\", \"description\": \"d\", \"version\": 1, \"configuration\": {},\n\"hooks\": " + stopTrue + "}\n",
			"Stop [] command hooks/hooks.json:2 script= inline=1 missing=false\n"},
		{"H02 a list", okManifest + "-- hooks/hooks.json --\n{\"hooks\": [{\"event\": \"Stop\", \"command\": \"true\"}]}\n",
			"Stop [] command hooks/hooks.json:1 script= inline=1 missing=false | the host refuses the plugin: hooks/hooks.json declares hooks outside its \"hooks\" object\n"},
		{"H03 modules instead of events", okManifest + "-- hooks/hooks.json --\n{\"modules\": [\"./hooks/m.js\"]}\n", ""},
		{"H04 other files in hooks are none", okManifest + "-- hooks/hooks-cursor.json --\n{\"hooks\": " + stopTrue + "}\n-- hooks/package-lock.json --\n{}\n", ""},
		{"H05 H06 events and types are an open list", okManifest + "-- hooks/hooks.json --\n{\"hooks\": {\"PostCompact\": [{\"hooks\": [{\"type\": \"prompt\", \"prompt\": \"p\", \"once\": true}, {\"type\": \"agent\", \"prompt\": \"p\", \"if\": \"Bash(git *)\"}]}]}}\n",
			"PostCompact [] prompt hooks/hooks.json:1 script= inline=0 missing=false\nPostCompact [] agent hooks/hooks.json:1 script= inline=0 missing=false\n"},
		{"H07 matchers: absent, empty, star, expression", okManifest + "-- hooks/hooks.json --\n{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}, {\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"b\"}]},\n {\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"c\"}]}, {\"matcher\": \"Bash|Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"d\"}]}]}}\n",
			"PreToolUse [] command hooks/hooks.json:1 script= inline=1 missing=false\nPreToolUse [] command hooks/hooks.json:1 script= inline=1 missing=false\nPreToolUse [*] command hooks/hooks.json:2 script= inline=1 missing=false\nPreToolUse [Bash|Edit] command hooks/hooks.json:2 script= inline=1 missing=false\n"},
		{"H08 the root, quoted and not, by an interpreter, with a fallback", okManifest + "-- hooks/a.sh --\ntrue\n-- hooks/hooks.json --\n{\"hooks\": {\"Stop\": [{\"hooks\": [\n" +
			"{\"type\": \"command\", \"command\": \"\\\"${CLAUDE_PLUGIN_ROOT}/hooks/a.sh\\\" --x\"},\n{\"type\": \"command\", \"command\": \"bash $CLAUDE_PLUGIN_ROOT/hooks/a.sh\"},\n" +
			"{\"type\": \"command\", \"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/hooks/a.sh\"]},\n{\"type\": \"command\", \"command\": \"test -f x && cat ${CLAUDE_PLUGIN_ROOT}/hooks/b.sh || true\"}]}]}}\n",
			"Stop [] command hooks/hooks.json:2 script=hooks/a.sh inline=0 missing=false\nStop [] command hooks/hooks.json:3 script=hooks/a.sh inline=0 missing=false\n" +
				"Stop [] command hooks/hooks.json:4 script=hooks/a.sh inline=0 missing=false\nStop [] command hooks/hooks.json:5 script=hooks/b.sh inline=0 missing=true\n"},
		{"H08 logic in one line of JSON counts", okManifest + "-- hooks/hooks.json --\n{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"if git diff --quiet; then echo ok; else git status | head -5; fi\"}]}]}}\n",
			"Stop [] command hooks/hooks.json:1 script= inline=4 missing=false\n"},
		{"H08 what the shell's grammar refuses is still a command", okManifest + "-- hooks/hooks.json --\n{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"if then ${CLAUDE_PLUGIN_ROOT}/x.sh (\"}]}]}}\n",
			"Stop [] command hooks/hooks.json:1 script=x.sh inline=0 missing=true\n"},
		{"H09 H10 a missing target, an extensionless one", okManifest + "-- hooks/session-start --\n#!/bin/sh\ntrue\n-- hooks/hooks.json --\n{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"\\\"${CLAUDE_PLUGIN_ROOT}\\\"/hooks/session-start\"}, {\"type\": \"command\", \"command\": \"${CLAUDE_PLUGIN_ROOT}/hooks/gone.sh\"}]}]}}\n",
			"SessionStart [] command hooks/hooks.json:1 script=hooks/session-start inline=0 missing=false\nSessionStart [] command hooks/hooks.json:1 script=hooks/gone.sh inline=0 missing=true\n"},
		{"H12 in frontmatter: a skill's run, an agent's are ignored", okManifest + "-- skills/s/SKILL.md --\n---\nname: s\ndescription: d\nhooks:\n  Stop:\n    - matcher: x\n      hooks:\n        - type: command\n          command: ${CLAUDE_SKILL_DIR}/go.sh\n---\nx\n-- skills/s/go.sh --\ntrue\n" +
			"-- agents/a.md --\n---\nname: a\ndescription: d\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: \"true\"\n---\nx\n",
			"Stop [] command agents/a.md:4 script= inline=1 missing=false | the host ignores hooks in the frontmatter of a plugin's agent\nStop [x] command skills/s/SKILL.md:4 script=skills/s/go.sh inline=0 missing=false\n"},
		{"a command that computes its path", okManifest + "-- hooks/hooks.json --\n{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"${CLAUDE_PLUGIN_ROOT}/hooks/$(uname).sh\"}]}]}}\n",
			"Stop [] command hooks/hooks.json:1 script= inline=2 missing=false\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := hookLines(take(t, c.archive)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestServers(t *testing.T) {
	for _, c := range []struct{ name, archive, want string }{
		{"H11 wrapped", okManifest + "-- .mcp.json --\n{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"b\": {\"type\": \"http\", \"url\": \"u\"}}}\n", "mcp-server a .mcp.json\nmcp-server b .mcp.json\n"},
		{"H11 bare", okManifest + "-- .mcp.json --\n{\"$schema\": \"x\", \"a\": {\"command\": \"x\"}}\n", "mcp-server a .mcp.json\n"},
		{"M12 inline, empty and full", withManifest(`"mcpServers": {}`), ""},
		{"M12 inline", withManifest(`"mcpServers": {"a": {"command": "x"}}`), "mcp-server a .claude-plugin/plugin.json\n"},
		{"M12 a path, a bundle", withManifest(`"mcpServers": ["./servers.json", "./tool.mcpb"]`) + "-- servers.json --\n{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}\n", "mcp-server a servers.json\nmcp-server tool .claude-plugin/plugin.json\n"},
		{"M13 lspServers by path", withManifest(`"lspServers": "./.lsp.json"`) + "-- .lsp.json --\n{\"clangd\": {\"command\": \"clangd\"}}\n", "lsp-server clangd .lsp.json\n"},
		{"both kinds, MCP first", withManifest(`"lspServers": {"l": {"command": "x"}}, "mcpServers": {"m": {"command": "x"}}`), "mcp-server m .claude-plugin/plugin.json\nlsp-server l .claude-plugin/plugin.json\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got strings.Builder
			for _, s := range take(t, c.archive).Surface.Servers {
				fmt.Fprintf(&got, "%s %s %s\n", s.Kind, s.Name, s.Source)
			}
			if got.String() != c.want {
				t.Errorf("got\n%swant\n%s", got.String(), c.want)
			}
		})
	}
}

func TestOtherSurfaces(t *testing.T) {
	d := take(t, withManifest(`"outputStyles": "./styles", "userConfig": {"token": {"type": "string", "title": "t", "description": "d"}}, "settings": {"agent": "x"},
 "channels": [{"server": "s"}], "dependencies": ["one", {"name": "two", "version": "^1.2"}], "experimental": {"monitors": "./monitors.json", "themes": ["./themes"]}, "workflows": "./flows"`)+
		"-- styles/terse.md --\nx\n-- output-styles/loud.md --\nx\n-- themes/dark.json --\n{}\n-- monitors/m.json --\n[]\n-- flows/w.js --\n1\n-- settings.json --\n{}\n")
	var got []string
	for _, o := range d.Surface.Other {
		got = append(got, strings.TrimSpace(o.Kind+" "+o.Name+" "+o.Path))
	}
	want := []string{
		"channel s", "dependency one", "dependency two", // M16
		"experimental monitors monitors.json", "experimental themes themes", "monitor m monitors/m.json", // M15
		"output-style loud output-styles/loud.md", "output-style terse styles/terse.md",
		"settings agent", "settings settings settings.json", "theme dark themes/dark.json", "user-config token", "workflow w flows/w.js",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// M16 in the manner of npm: an object of names.
	d = take(t, withManifest(`"dependencies": {"left": "^1"}`))
	if len(d.Surface.Other) != 1 || d.Surface.Other[0].Name != "left" {
		t.Errorf("%v", d.Surface.Other)
	}
}

func TestExecutables(t *testing.T) {
	d := take(t, `chmod 755 bin/tool
chmod 755 hooks/session-start
chmod 755 README.md
bytes bin/native "\x7fELF\x02\x01"
bytes assets/logo.png "\x89PNG"
chmod 755 assets/logo.png
`+okManifest+`-- bin/tool --
#!/usr/bin/env -S python3 -u
# comment

print(1)
-- bin/win.cmd --
@echo off
:: comment
rem comment
tool.exe
-- hooks/session-start --
#!/bin/sh
true
-- hooks/h.bats --
@test "x" { true; }
-- scripts/a.js --
/* block
comment */
// line
run() /* tail */
-- skills/s/SKILL.md --
---
name: s
description: d
---
x
-- skills/s/scripts/x.py --
x = 1
-- skills/s/helper.rb --
x = 1
-- skills/s/examples/e.sh --
true
-- skills/s/references/r.md --
text
-- src/deep/m.go --
package m
-- tests/t.sh --
true
-- src/a_test.go --
package m
-- fixtures/f.py --
x = 1
-- node_modules/x/i.js --
x
-- dist/b.js --
x
-- lib/types.d.ts --
x
-- root.sh --
true
-- README.md --
hi
`)
	var got []string
	for _, e := range d.Surface.Executables {
		got = append(got, fmt.Sprintf("%s %s %s %d %v", e.Path, e.Folder, e.Interpreter, e.LOC, e.Executable))
	}
	want := []string{
		"bin/native bin native 0 false", "bin/tool bin python3 1 true", "bin/win.cmd bin cmd 2 false", // C13
		"dist/b.js generated node 1 false", "fixtures/f.py fixtures python 1 false",
		"hooks/h.bats tests bats 1 false", "hooks/session-start hooks sh 1 true", // H10
		"node_modules/x/i.js vendored node 1 false", "root.sh root sh 1 false", "scripts/a.js scripts node 1 false",
		"skills/s/examples/e.sh examples sh 1 false", "skills/s/helper.rb skill ruby 1 false", "skills/s/scripts/x.py skill-scripts python 1 false",
		"src/a_test.go tests go 1 false", "src/deep/m.go src go 1 false", "tests/t.sh tests sh 1 false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// bin/tool 1, bin/win.cmd 2, hooks/session-start 1, root.sh 1, scripts/a.js 1, skill 1 + 1, src 1
	if d.Plugin.ScriptLOC != 9 || d.Plugin.ByFolder["bin"] != 3 || d.Plugin.ByFolder["tests"] != 3 {
		t.Errorf("%d lines, %v", d.Plugin.ScriptLOC, d.Plugin.ByFolder)
	}
}

func TestReferencesAndCost(t *testing.T) {
	body := strings.Repeat("word ", 100)
	d := take(t, okManifest+"-- skills/s/SKILL.md --\n---\nname: s\ndescription: It does s.\n---\n"+body+"\n-- skills/s/jobs/a.md --\n12345678\n-- skills/s/knowledge/b.txt --\n1234\n-- skills/s/run.sh --\ntrue\n"+
		"-- skills/quiet/SKILL.md --\n---\nname: quiet\ndescription: Only for users.\ndisable-model-invocation: true\n---\nx\n"+
		"-- skills/low/skill.md --\n---\nname: low\ndescription: Not loaded.\n---\nx\n"+
		"-- agents/a.md --\n---\nname: a\ndescription: An agent.\ntools: Read, Grep\n---\nx\n-- shared/c.md --\n12345\n-- README.md --\nfor people\n-- tests/case.md --\nx\n-- .mcp.json --\n{}\n")
	var refs []string
	for _, r := range d.Surface.References {
		refs = append(refs, fmt.Sprintf("%s=%d", r.Path, r.Tokens))
	}
	if got := strings.Join(refs, " "); got != "shared/c.md=2 skills/s/jobs/a.md=3 skills/s/knowledge/b.txt=2" { // C14; a line end is a byte
		t.Errorf("references %s", got)
	}
	if len(d.Surface.Tests) != 1 || d.Surface.Tests[0].Path != "tests/case.md" {
		t.Errorf("tests %v", d.Surface.Tests)
	}
	costs := map[string]Cost{}
	for _, c := range d.Components {
		costs[c.Name] = c.Tokens
	}
	for name, want := range map[string]Cost{
		"s":     {Trigger: tokens(int64(len("sample:s: It does s."))), Listed: tokens(int64(len("- sample:s: It does s."))), Invoke: tokens(499), Deferred: 5},
		"quiet": {Trigger: tokens(int64(len("sample:quiet: Only for users."))), Listed: 0, Invoke: 1},
		"low":   {Trigger: 0, Listed: 0, Invoke: 1},
		"a":     {Trigger: tokens(int64(len("a: An agent."))), Listed: tokens(int64(len("- sample:a: An agent. (Tools: Read, Grep)"))), Invoke: 1},
	} {
		want.Method = Method
		if costs[name] != want {
			t.Errorf("%s: %+v, expected %+v", name, costs[name], want)
		}
	}
	if d.Plugin.Tokens.Deferred != 7 || d.Plugin.Tokens.Trigger != costs["s"].Trigger+costs["quiet"].Trigger+costs["a"].Trigger {
		t.Errorf("%+v", d.Plugin.Tokens)
	}
}

func TestMetadata(t *testing.T) {
	d := take(t, okManifest+"-- skills/s/SKILL.md --\n---\nname: s\ndescription: Use when the user says \"make it so\" or 'engage'. It's not \"a quotation of a whole long sentence which nobody would ever say to a tool\".\n"+
		"allowed-tools: Bash(git log:*), Read\nargument-hint: [from] \nmodel: opus\nversion: 1.0\ncontext: fork\nuser-invocable: false\ndisable-model-invocation: \"true\"\n---\nx\n"+
		"-- commands/c.md --\n---\ndescription: Go: there\nargument-hint: [a] [b]\n---\nx\n-- commands/d.md --\n---\nargument-hint: [one, two]\nallowed-tools:\n  - Read\n  - Agent(x, y)\n---\nx\n"+
		"-- agents/a.md --\n---\nname: a\ndescription: d\ntools: [Read, Grep]\nhooks:\n  Stop: []\n  PreToolUse: []\n---\nx\n")
	by := map[string]*Component{}
	for i := range d.Components {
		by[d.Components[i].Name] = &d.Components[i]
	}
	s := by["s"].Effective
	if fmt.Sprint(s.TriggerPhrases) != "[make it so engage]" || fmt.Sprint(s.Tools) != "[Bash(git log:*) Read]" || s.ArgumentHint != "[from]" || // F06
		s.Model != "opus" || s.Version != "1.0" || s.Context != "fork" || s.UserInvocable == nil || *s.UserInvocable || !s.DisableModelInvocation { // F12
		t.Errorf("%+v", s)
	}
	c := by["c"]
	if c.Frontmatter != "mended" || c.Effective.Description != "" || c.Recovered == nil || c.Recovered.Description != "Go: there" || c.Recovered.ArgumentHint != "[a] [b]" {
		t.Errorf("%+v", c) // F02 F03 F04
	}
	if c := by["d"].Effective; c.ArgumentHint != "[one, two]" || len(c.Tools) != 2 || by["d"].Recovered != nil {
		t.Errorf("%+v", c)
	}
	if a := by["a"].Effective; fmt.Sprint(a.Tools, a.HookEvents) != "[Read Grep] [PreToolUse Stop]" { // F11 H12
		t.Errorf("%+v", a)
	}
}

func TestOutline(t *testing.T) {
	d := take(t, okManifest+"-- skills/s/SKILL.md --\n---\nname: s\ndescription: d\n---\n# One `x`\n\n### Three\n\n```\n# no heading\n```\n\nTwo\n---\n")
	want := []Heading{{1, 5, "One x"}, {3, 7, "Three"}, {2, 13, "Two"}}
	if got := d.Components[0].Outline; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

func TestListedText(t *testing.T) {
	for in, want := range map[string]string{
		"a <b> => c & d": "a &lt;b&gt; =&gt; c & d", "a\n\n\nb\tc": "a b c", "a    b": "a    b", "a\u200db": "a b", "👩\u200d💻": "👩\u200d💻",
		"a\u00adb\ufeff\u202ec": "a b c", "a\u00a0b": "a\u00a0b", "a\u2028b": "a b", "a\n": "a", "": "",
	} {
		if got := listed(in); got != want {
			t.Errorf("%q: %q, expected %q", in, got, want)
		}
	}
}
