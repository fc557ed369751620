package transcript

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func userRow(session, uuid, content, more string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":"%s","uuid":"%s","timestamp":"2026-06-01T10:00:00Z","message":{"role":"user","content":%s}%s}`+"\n", session, uuid, content, more)
}

func resultRow(session, call, text, more string) string {
	return userRow(session, "r-"+call, `[{"type":"tool_result","tool_use_id":"`+call+`","content":"`+text+`"}]`, more)
}

// threadsOf describes a history's threads: session/agent type parent's tool turns.
func threadsOf(h *History) (list []string) {
	for s := range h.Sessions() {
		calls := map[uint64]string{}
		for _, th := range s.threads() {
			for i := range th.Turns {
				for _, c := range th.Turns[i].Calls {
					calls[c.ID] = c.Tool
				}
			}
		}
		for _, th := range s.threads() {
			line := fmt.Sprintf("%s/%s type=%s parent=%s turns=%d", s.ID, th.AgentID, th.AgentType, calls[th.ParentCall], len(th.Turns))
			if th.Warmup {
				line += " warmup"
			}
			if th.Compaction {
				line += " compaction"
			}
			list = append(list, line)
		}
		if s.MissingAgents > 0 {
			list = append(list, fmt.Sprintf("%s missing=%d", s.ID, s.MissingAgents))
		}
	}
	return list
}

// Wherever a client put its subagents, each becomes a thread of its session, each of
// their turns once, with its type and its dispatch.
func TestAgentLayouts(t *testing.T) {
	dispatch := func(tool, input string) string {
		return rowSpec{session: "s", id: "m1", uuid: "u1", content: "[" + use("t1", tool, input) + "]", tokens: tok(1, 1, 0, 0, 0)}.String()
	}
	agent := func(id string) string {
		return rowSpec{session: "s", id: id, uuid: "u-" + id, side: true, tokens: tok(1, 2, 0, 0, 0)}.String()
	}
	relayed := func(id string) string {
		return `{"type":"progress","sessionId":"s","version":"2.1.38","parentToolUseID":"t1","data":{"type":"agent_progress","agentId":"a1","message":` + strings.TrimSuffix(agent(id), "\n") + `}}` + "\n"
	}
	linked := resultRow("s", "t1", "done", `,"toolUseResult":{"agentId":"a1","totalTokens":44950}`)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"under the session, meta.json names it", map[string]string{
			"projects/p/s.jsonl": dispatch("Agent", `{"prompt":"x"}`), "projects/p/s/subagents/agent-a1.jsonl": agent("x1") + agent("x2"),
			"projects/p/s/subagents/agent-a1.meta.json": `{"agentType":"acme:fetch","toolUseId":"t1"}`},
			[]string{"s/ type= parent= turns=1", "s/a1 type=acme:fetch parent=Agent turns=2"}},
		{"a workflow's", map[string]string{
			"projects/p/s.jsonl": dispatch("Workflow", `{}`), "projects/p/s/subagents/workflows/w1/agent-a1.jsonl": agent("x1"),
			"projects/p/s/subagents/workflows/w1/journal.jsonl": agent("no")},
			[]string{"s/ type= parent= turns=1", "s/a1 type= parent= turns=1"}},
		{"beside the main file, linked by the result", map[string]string{
			"projects/p/s.jsonl": dispatch("Task", `{"subagent_type":"Explore"}`) + linked, "projects/p/agent-a1.jsonl": agent("x1")},
			[]string{"s/ type= parent= turns=1", "s/a1 type=Explore parent=Task turns=1"}},
		{"no type asked for is general-purpose", map[string]string{
			"projects/p/s.jsonl": dispatch("Agent", `{"prompt":"x"}`) + linked, "projects/p/agent-a1.jsonl": agent("x1")},
			[]string{"s/ type= parent= turns=1", "s/a1 type=general-purpose parent=Agent turns=1"}},
		{"inline, naming the agent, and in its file too", map[string]string{
			"projects/p/s.jsonl":        dispatch("Task", `{"subagent_type":"Plan"}`) + strings.Replace(agent("x1"), `"isSidechain":true`, `"isSidechain":true,"agentId":"a1"`, 1) + linked,
			"projects/p/agent-a1.jsonl": agent("x1") + agent("x2")},
			[]string{"s/ type= parent= turns=1", "s/a1 type=Plan parent=Task turns=2"}},
		{"inline without a name", map[string]string{"projects/p/s.jsonl": dispatch("Task", `{}`) + agent("x1") + agent("x2")},
			[]string{"s/ type= parent= turns=1", "s/unnamed type= parent= turns=2"}},
		{"inline without a name, owned by its file", map[string]string{"projects/p/s.jsonl": dispatch("Task", `{}`) + agent("x1"), "projects/p/agent-a1.jsonl": agent("x1")},
			[]string{"s/ type= parent= turns=1", "s/a1 type= parent= turns=1", "s/unnamed type= parent= turns=0"}},
		{"in progress rows only", map[string]string{"projects/p/s.jsonl": dispatch("Task", `{"subagent_type":"Plan"}`) + relayed("x1") + relayed("x2") + linked},
			[]string{"s/ type= parent= turns=1", "s/a1 type=Plan parent=Task turns=2"}},
		{"in progress rows and in its file", map[string]string{"projects/p/s.jsonl": dispatch("Task", `{"subagent_type":"Plan"}`) + relayed("x1") + linked,
			"projects/p/s/subagents/agent-a1.jsonl": agent("x1") + agent("x2")},
			[]string{"s/ type= parent= turns=1", "s/a1 type=Plan parent=Task turns=2"}},
		{"nowhere: its spend is invisible", map[string]string{"projects/p/s.jsonl": dispatch("Agent", `{}`) + linked},
			[]string{"s/ type= parent= turns=1", "s missing=1"}},
		{"a stamp beats the meta file", map[string]string{
			"projects/p/s/subagents/agent-a1.jsonl":     strings.Replace(agent("x1"), `"version"`, `"attributionAgent":"acme:x","version"`, 1),
			"projects/p/s/subagents/agent-a1.meta.json": `{"agentType":"other"}`},
			[]string{"s/a1 type=acme:x parent= turns=1"}},
		{"warm-up and compaction", map[string]string{
			"projects/p/agent-w.jsonl":                      userRow("s", "w1", `"Warmup"`, "") + agent("x1"),
			"projects/p/s/subagents/agent-acompact-1.jsonl": agent("x2")},
			[]string{"s/acompact-1 type= parent= turns=1 compaction", "s/w type= parent= turns=1 warmup"}},
		{"a fork agent repeats its dispatch", map[string]string{
			"projects/p/s.jsonl":                    dispatch("Agent", `{"subagent_type":"fork"}`) + linked,
			"projects/p/s/subagents/agent-a1.jsonl": rowSpec{session: "s", id: "m1", uuid: "other", side: true, content: "[" + use("t1", "Agent", `{"subagent_type":"fork"}`) + "]", tokens: tok(1, 1, 0, 0, 0)}.String() + agent("x1")},
			[]string{"s/ type= parent= turns=1", "s/a1 type=fork parent=Agent turns=1"}},
	} {
		h := open(t, Options{ConfigDirs: []string{tree(t, c.files)}})
		if got := threadsOf(h); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
		warned := len(h.Warnings) == 1 && h.Warnings[0].Code == "agents-missing"
		if missing := strings.HasSuffix(c.want[len(c.want)-1], "missing=1"); missing != warned || !missing && len(h.Warnings) > 0 {
			t.Errorf("%s: warnings %v", c.name, h.Warnings)
		}
	}
}

// Every kind of row between turns is told apart.
func TestMarks(t *testing.T) {
	text := func(s string) string { return `"` + s + `"` }
	blocks := func(s string) string { return `[{"type":"text","text":"` + s + `"}]` }
	body := func(path string) string {
		return userRow("s", "b"+path, blocks(`Base directory for this skill: `+path+`\n\nDo it.`), `,"isMeta":true,"sourceToolUseID":"t9"`)
	}
	attachment := func(a string) string {
		return `{"type":"attachment","sessionId":"s","uuid":"a` + a[10:20] + `","attachment":` + a + `}` + "\n"
	}
	for _, c := range []struct{ row, want string }{
		{userRow("s", "1", text("please"), ""), "prompt"},
		{userRow("s", "1", blocks("please"), ""), "prompt"},
		{userRow("s", "1", `[{"type":"image"}]`, ""), "prompt"},
		{userRow("s", "1", blocks("x"), `,"isCompactSummary":true`), "summary"},
		{userRow("s", "1", text("<command-message>x:y</command-message>\\n<command-name>/x:y</command-name>"), ""), "command x:y"},
		{userRow("s", "1", text("<command-name>/clear</command-name>\\n <command-message>clear</command-message>"), ""), "builtin clear"},
		{userRow("s", "1", text("<command-message>init</command-message><command-name>init</command-name>"), ""), "command init"},
		{userRow("s", "1", text("<local-command-stdout>ok</local-command-stdout>"), ""), "builtin "},
		{userRow("s", "1", text("<local-command-caveat>x"), `,"isMeta":true`), ""},
		{userRow("s", "1", text("<task-notification>x"), ""), "notification"},
		{userRow("s", "1", text("done"), `,"origin":{"kind":"task-notification"}`), "notification"},
		{userRow("s", "1", text("[Request interrupted by user for tool use]"), ""), "interrupt"},
		{resultRow("s", "t1", "x", ""), ""},
		{`{"type":"user","sessionId":"s"}` + "\n", ""},
		{`{"type":"system","subtype":"compact_boundary","sessionId":"s","uuid":"c"}` + "\n", "compact"},
		{`{"type":"system","subtype":"turn_duration","sessionId":"s","uuid":"c"}` + "\n", ""},
		{attachment(`{"type":"queued_command","prompt":"more","commandMode":"prompt"}`), "prompt"},
		{attachment(`{"type":"queued_command","prompt":"<task-notification>"}`), "notification"},
		{attachment(`{"type":"hook_success","hookEvent":"PostToolUse"}`), "hook PostToolUse"},
		{attachment(`{"type":"nested_memory","content":"x"}`), ""},
		{`{"type":"progress","sessionId":"s","uuid":"p","data":{"type":"hook_progress","hookEvent":"Stop"}}` + "\n", "hook Stop"},
		{body("/home/dev/.claude/plugins/cache/acme-market/acme/1.2.0/skills/deploy"), "body plugin-cache deploy acme acme-market 1.2.0 call"},
		{body(`C:\\Users\\dev\\.claude\\plugins\\cache\\m\\p\\0.1\\skills\\x`), "body plugin-cache x p m 0.1 call"},
		{body("/home/dev/.claude/skills/mine"), "body user mine    call"},
		{body("/Users/dev/.claude/skills/mine"), "body user mine    call"},
		{body("/home/dev/src/app/.claude/skills/ours"), "body project ours    call"},
		{body("/private/tmp/claude-501/bundled-skills/2.1.198/ce48/dataviz"), "body bundled dataviz    call"},
		{body("/opt/checkout/skills/z"), "body other z    call"},
		{userRow("s", "1", blocks("Follow the steps."), `,"isMeta":true`), "body none    "},
	} {
		dir := tree(t, map[string]string{"projects/p/s.jsonl": c.row + rowSpec{session: "s", id: "m", uuid: "u", tokens: tok(1, 1, 0, 0, 0)}.String()})
		got := ""
		for s := range open(t, Options{ConfigDirs: []string{dir}}).Sessions() {
			for _, m := range s.Main.Marks {
				names := map[MarkKind]string{MarkPrompt: "prompt", MarkCommand: "command " + m.Name, MarkBuiltin: "builtin " + m.Name, MarkNotification: "notification",
					MarkCompact: "compact", MarkSummary: "summary", MarkHook: "hook " + m.Name, MarkInterrupt: "interrupt",
					MarkBody: strings.Join([]string{"body " + m.BaseDir, m.Dir, m.Plugin, m.Marketplace, m.PluginVersion}, " ")}
				got += names[m.Kind]
				if m.Call != 0 {
					got += " call"
				}
				if m.Before != 0 || m.Line != 1 {
					t.Errorf("%s: before %d, line %d", c.row, m.Before, m.Line)
				}
			}
		}
		if got != c.want {
			t.Errorf("%.120s: %q, want %q", c.row, got, c.want)
		}
	}
}

// A file is found once, however many ways lead to it; what leads nowhere is no error.
func TestFind(t *testing.T) {
	row := rowSpec{session: "s", id: "m", uuid: "u", tokens: tok(1, 1, 0, 0, 0)}.String()
	dir := tree(t, map[string]string{
		"projects/a/s.jsonl": row, "projects/a/deep/er/x.jsonl": row, "projects/a/notes.txt": "no", "projects/a/s/subagents/workflows/w/journal.jsonl": row,
		"elsewhere/e.jsonl": row, "elsewhere/sub/f.jsonl": row, "other.jsonl": row, "projects/b/q.jsonl/inside.jsonl": row,
	})
	link := func(to, at string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	link(filepath.Join(dir, "projects", "a", "s.jsonl"), "projects/0again.jsonl")
	link(filepath.Join(dir, "elsewhere"), "projects/linked")
	link(filepath.Join(dir, "elsewhere"), "projects/linked-twice")
	link(filepath.Join(dir, "projects"), "projects/a/loop")
	link(filepath.Join(dir, "nowhere"), "projects/dangling.jsonl")
	link(filepath.Join(dir, "other.jsonl"), "projects/single.jsonl")
	whole := filepath.Join(t.TempDir(), "config")
	if err := os.MkdirAll(whole, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "projects"), filepath.Join(whole, "projects")); err != nil {
		t.Fatal(err)
	}
	h := open(t, Options{ConfigDirs: []string{dir, whole, t.TempDir()}})
	var got []string
	for _, f := range h.Files {
		got = append(got, f.Path)
	}
	want := []string{"projects/a/deep/er/x.jsonl", "projects/a/s.jsonl", "projects/b/q.jsonl/inside.jsonl", "projects/linked/e.jsonl", "projects/linked/sub/f.jsonl", "projects/single.jsonl"}
	if !slices.Equal(got, want) || len(h.Warnings) > 0 {
		t.Errorf("found %q, want %q; warnings %v", got, want, h.Warnings)
	}
	if got := sum(h); got.Turns != 1 {
		t.Errorf("%d turns of copies of one", got.Turns)
	}
	for _, bad := range []string{filepath.Join(dir, "nowhere"), filepath.Join(dir, "other.jsonl")} {
		if _, err := Open(context.Background(), Options{ConfigDirs: []string{bad}}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}

// What stands between the copied turns of a fork goes with them, in the original's file
// and in the copy alike, and counts once.
func TestForkTakesItsMarksAlong(t *testing.T) {
	head := func(session, origin string) string {
		return userRow(session, "p1", `"<command-message>x:y</command-message><command-name>/x:y</command-name>"`, "") +
			rowSpec{session: session, origin: origin, id: "m1", uuid: "u1", tokens: tok(1, 1, 0, 0, 0), content: "[" + use("t1", "Read", `{}`) + "]"}.String() +
			resultRow(session, "t1", "x", "")
	}
	tail := userRow("new", "p2", `"go on"`, "") + rowSpec{session: "new", id: "m2", uuid: "u2", tokens: tok(1, 1, 0, 0, 0)}.String()
	for name, files := range map[string]map[string]string{
		"both files":           {"projects/p/old.jsonl": head("old", ""), "projects/p/new.jsonl": head("new", "old") + tail},
		"the copy alone":       {"projects/p/new.jsonl": head("new", "old") + tail},
		"an older client":      {"projects/p/old.jsonl": head("old", ""), "projects/p/new.jsonl": head("old", "") + tail},
		"the copy comes first": {"projects/a/new.jsonl": head("new", "old") + tail, "projects/p/old.jsonl": head("old", "")},
	} {
		var got []string
		for s := range open(t, Options{ConfigDirs: []string{tree(t, files)}}).Sessions() {
			answered := 0
			for i := range s.Main.Turns {
				for _, c := range s.Main.Turns[i].Calls {
					if c.Answered {
						answered++
					}
				}
			}
			got = append(got, fmt.Sprintf("%s of %q: %d turns, %d marks, %d answered", s.ID, s.ForkOf, len(s.Main.Turns), len(s.Main.Marks), answered))
		}
		want := []string{`new of "old": 1 turns, 1 marks, 0 answered`, `old of "": 1 turns, 1 marks, 1 answered`}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A line longer than the limit is counted and passed over, whole or at the file's end.
func TestTooLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 130 MiB")
	}
	row := func(id string) string { return rowSpec{session: "s", id: id, tokens: tok(1, 1, 0, 0, 0)}.String() }
	long := `{"x":"` + strings.Repeat("y", maxLine) + `"}`
	dir := tree(t, map[string]string{"projects/p/s.jsonl": row("a") + long + "\n" + row("b") + long})
	for _, p := range []pieces{{above: 1 << 40, size: 1}, {}} {
		h := open(t, Options{ConfigDirs: []string{dir}, pieces: p})
		if got := sum(h); got.Turns != 2 || h.Input.Lines != 4 || h.Input.TooLong != 2 || h.Input.Bad != 0 {
			t.Errorf("pieces %v: %d turns, input %+v", p, got.Turns, h.Input)
		}
	}
}

// Reuse: what of a result the next turn says again, in runs of eight tokens.
func TestReuse(t *testing.T) {
	var words []string
	for i := range 600 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	result := strings.Join(words, " ")
	quote := func(from, to int) string { return strings.Join(words[from:to], " ") }
	for _, c := range []struct {
		name, said string
		want       int
	}{
		{"nothing", "all is well with this result and nothing of it is repeated here", 0},
		{"a sentence", "it says " + quote(100, 130) + " as we know", len(quote(100, 130))},
		{"seven tokens are too few", "it says " + quote(100, 107) + " and that is all", 0},
		{"two stretches", quote(10, 30) + " then " + quote(400, 440), len(quote(10, 30)) + len(quote(400, 440))},
		{"said twice counts once", quote(50, 70) + " and again " + quote(50, 70), len(quote(50, 70))},
		{"half a token is none", "x" + quote(200, 220), len(quote(201, 220))},
		{"everything", result, len(result)},
	} {
		for where, content := range map[string]string{"text": `[{"type":"text","text":"` + c.said + `"}]`, "input": "[" + use("t2", "Write", `{"content":"`+c.said+`"}`) + "]"} {
			dir := tree(t, map[string]string{"projects/p/s.jsonl": rowSpec{session: "s", id: "m1", uuid: "u1", content: "[" + use("t1", "Read", "{}") + "]"}.String() +
				resultRow("s", "t1", result, "") + rowSpec{session: "s", id: "m2", uuid: "u2", content: content}.String() +
				rowSpec{session: "s", id: "m3", uuid: "u3", content: `[{"type":"text","text":"` + quote(300, 350) + `"}]`}.String()})
			for s := range open(t, Options{ConfigDirs: []string{dir}}).Sessions() {
				call := s.Main.Turns[0].Calls[0]
				if int(call.ReusedBytes) != c.want || int(call.ResultBytes) != len(result) {
					t.Errorf("%s in %s: %d of %d bytes, want %d", c.name, where, call.ReusedBytes, call.ResultBytes, c.want)
				}
			}
		}
	}
}
