package scan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// told writes a history and scans it.
func told(t *testing.T, story func(h *corpus.Home), change ...func(*Options)) *Document {
	t.Helper()
	dir := t.TempDir()
	h, err := corpus.NewHome(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	story(h)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return scanned(t, dir, change...)
}

// summary is who owned how many turns, and how often it was invoked.
func summary(d *Document) string {
	var out []string
	for _, c := range d.Components {
		out = append(out, fmt.Sprintf("%s %s@%s %d×%d", c.Kind, c.Name, c.Plugin, c.Invocations, c.Usage.Turns))
	}
	return strings.Join(out, ", ")
}

var cache = corpus.PluginBody("market", "acme", "1.0.0", "skills/deploy")

// TestInvocationsAndPlugins: a use is counted once however it was started, and its plugin is what
// its body, the stamps or the installed inventory say, never its prefix alone (FR-3.1).
func TestInvocationsAndPlugins(t *testing.T) {
	const old, now = "2.1.101", "2.1.332"
	say := func(s *corpus.Session, n int) {
		for range n {
			s.Say("ok")
		}
	}
	for _, c := range []struct {
		name, client string
		story        func(s *corpus.Session)
		change       func(*Options)
		want         string
	}{
		{"typed", now, func(s *corpus.Session) { s.Command("acme:deploy", "", cache); say(s, 2) }, nil, "skill acme:deploy@acme 1×2"},
		{"typed, old client", old, func(s *corpus.Session) { s.Command("acme:deploy", "", cache); say(s, 2) }, nil, "skill acme:deploy@acme 1×2"},
		{"typed without its prefix", old, func(s *corpus.Session) { s.Command("deploy", "", cache); say(s, 2) }, nil, "skill acme:deploy@acme 1×2"},
		{"called", old, func(s *corpus.Session) { s.Prompt("go"); s.Do(corpus.Skill("acme:deploy", "", cache)); say(s, 2) }, nil, "skill acme:deploy@acme 1×2"},
		{"typed and relayed by a Skill call", old, func(s *corpus.Session) {
			s.Command("acme:deploy", "", cache)
			s.Do(corpus.Skill("acme:deploy", "", cache))
			say(s, 2)
		}, nil, "skill acme:deploy@acme 1×3"},
		{"relayed, client that stamps", now, func(s *corpus.Session) {
			s.Command("acme:deploy", "", cache)
			s.Do(corpus.Skill("acme:deploy", "", cache))
			say(s, 2)
		}, nil, "skill acme:deploy@acme 1×3"},
		{"called twice", now, func(s *corpus.Session) {
			s.Prompt("go")
			s.Do(corpus.Skill("acme:deploy", "", cache))
			say(s, 1)
			s.Do(corpus.Skill("acme:deploy", "", cache))
			say(s, 1)
		}, nil, "skill acme:deploy@acme 2×3"},
		{"two prompts, two uses", now, func(s *corpus.Session) {
			s.Command("acme:deploy", "", cache)
			say(s, 1)
			s.Command("acme:deploy", "", cache)
			say(s, 1)
		}, nil, "skill acme:deploy@acme 2×2"},
		{"a failing Skill call opens nothing", old, func(s *corpus.Session) { s.Prompt("go"); s.Do(corpus.UnknownSkill("acme:deploy")); say(s, 2) }, nil, ""},
		{"ends at the next prompt", old, func(s *corpus.Session) { s.Command("acme:deploy", "", cache); say(s, 1); s.Prompt("else"); say(s, 3) }, nil, "skill acme:deploy@acme 1×1"},
		{"a command of the client's own ends it and opens nothing", old, func(s *corpus.Session) { s.Command("acme:deploy", "", cache); say(s, 1); s.Builtin("model"); say(s, 3) },
			nil, "skill acme:deploy@acme 1×1"},
		{"a prefix alone is no plugin", old, func(s *corpus.Session) { s.Command("acme:deploy", "", corpus.CommandBody("")); say(s, 1) }, nil, "command acme:deploy@unknown 1×1"},
		{"the installed inventory tells", old, func(s *corpus.Session) { s.Command("acme:deploy", "", corpus.CommandBody("")); say(s, 1) },
			func(o *Options) { o.Installed = map[string]string{"acme:deploy": "acme"} }, "command acme:deploy@acme 1×1"},
		{"a user's own skill has none", old, func(s *corpus.Session) { s.Command("mine", "", corpus.UserBody("mine")); say(s, 1) }, nil, "skill mine@ 1×1"},
		{"an agent is its own", now, func(s *corpus.Session) {
			s.Prompt("go")
			s.Do(corpus.Agent(corpus.Dispatch{Type: "acme:reviewer", Prompt: "p", Run: func(a *corpus.Thread) { a.Say("ok"); a.Say("ok") }}))
		}, nil, "agent acme:reviewer@acme 1×2"},
		{"an old client's agent proves no plugin", old, func(s *corpus.Session) {
			s.Prompt("go")
			s.Do(corpus.Agent(corpus.Dispatch{Type: "acme:reviewer", Prompt: "p", Run: func(a *corpus.Thread) { a.Say("ok") }}))
		}, nil, "agent acme:reviewer@unknown 1×1"},
		{"under a skill an agent's turns are the skill's", now, func(s *corpus.Session) {
			s.Command("acme:deploy", "", cache)
			s.Do(corpus.Agent(corpus.Dispatch{Type: "Explore", Prompt: "p", Run: func(a *corpus.Thread) { a.Say("ok"); a.Say("ok") }}))
		}, nil, "skill acme:deploy@acme 1×3, agent Explore@ 1×0"},
		{"the same for an old client", old, func(s *corpus.Session) {
			s.Command("acme:deploy", "", cache)
			s.Do(corpus.Agent(corpus.Dispatch{Type: "Explore", Prompt: "p", Run: func(a *corpus.Thread) { a.Say("ok"); a.Say("ok") }}))
		}, nil, "skill acme:deploy@acme 1×3, agent Explore@ 1×0"},
		{"stamps elsewhere in the history tell the plugin", old, func(s *corpus.Session) {
			s.Command("acme:deploy", "", corpus.CommandBody("acme"))
			say(s, 1)
			s.Upgrade(now)
			s.Command("acme:deploy", "", corpus.CommandBody("acme"))
			say(s, 1)
		}, nil, "command acme:deploy@acme 2×2"},
	} {
		d := told(t, func(h *corpus.Home) { c.story(h.Session(corpus.SessionOptions{Version: c.client})) }, func(o *Options) {
			if c.change != nil {
				c.change(o)
			}
		})
		if got := summary(d); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOverAttribution: what a stamp claims is split into own work, the tail without the skill's
// vocabulary, and what subagents inherited.
func TestOverAttribution(t *testing.T) {
	story := func(tail int) func(h *corpus.Home) {
		return func(h *corpus.Home) {
			s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
			s.Command("acme:deploy", "", cache)
			s.Do(corpus.Bash("kubectl get pods", "a"))
			s.Do(corpus.Agent(corpus.Dispatch{Type: "Explore", Prompt: "p", Run: func(a *corpus.Thread) { a.Say("ok") }}))
			s.Do(corpus.Bash("cd /x && kubectl get pods | head", "a"))
			for range tail {
				s.Do(corpus.Read("/home/dev/app/x.go", "a"))
			}
		}
	}
	audited := func(o *Options) {
		target("acme", "deploy")(o)
		o.Vocabulary = map[string][]string{"deploy": {"Bash kubectl get"}}
	}
	for _, c := range []struct {
		tail          int
		own, tailWant int64
	}{{7, 10, 0}, {8, 3, 8}, {20, 3, 20}} {
		got := find(t, told(t, story(c.tail), audited), "acme:deploy").Over
		if got.OwnWork.Turns != c.own || got.Tail.Turns != c.tailWant || got.InheritedByAgents.Turns != 1 {
			t.Errorf("%d turns after the last own call: %+v", c.tail, got)
		}
	}
	if got := find(t, told(t, story(20), target("acme", "deploy")), "acme:deploy").Over; got.Tail.Turns != 0 {
		t.Errorf("without a vocabulary there is no tail: %+v", got)
	}
}

// TestOwnExecutables: outside any of its skills, a turn that runs the target's executable is the
// target's; inside, its class says that the cut is made.
func TestOwnExecutables(t *testing.T) {
	audited := func(o *Options) {
		target("acme", "deploy")(o)
		o.Own = signature.Own{Plugin: "acme", Root: "/p", Files: []string{"bin/acme-plan"}, Executables: []string{"bin/acme-plan"}}
	}
	d := told(t, func(h *corpus.Home) {
		s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
		s.Prompt("go")
		s.Do(corpus.Bash("acme-plan --json", "{}"))
		s.Do(corpus.Bash("ls", "a"))
		s.Command("acme:deploy", "", cache)
		s.Do(corpus.Bash("acme-plan --json | jq .x", "{}"))
	}, audited)
	if got := summary(d); got != "skill acme:deploy@acme 1×1, executable acme@acme 0×1" && got != "executable acme@acme 0×1, skill acme:deploy@acme 1×1" {
		t.Errorf("%q", got)
	}
	runs := told(t, func(h *corpus.Home) {
		for range 4 {
			s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
			s.Prompt("go")
			s.Do(corpus.Bash("acme-plan --json | jq .x", "{}").Fail("exit 1"))
			s.Do(corpus.Bash("acme-plan --json | jq .x", "{}"))
		}
	}, audited)
	if len(runs.Sequences)+len(runs.Staples) != 0 || runs.Attribution.OwnExecutableTurns != 8 {
		t.Errorf("%+v %+v", runs.Sequences, runs.Staples)
	}
	if d.Attribution.OwnExecutableTurns != 1 || d.Audited.Turns != 2 || len(d.Composition) != 1 || d.Composition[0].Class != "own-script" {
		t.Errorf("%+v %+v %+v", d.Attribution, d.Audited, d.Composition)
	}
}

// TestHostThreads: compaction and warm-up are classes of their own and nobody's work.
func TestHostThreads(t *testing.T) {
	d := told(t, func(h *corpus.Home) {
		s := h.Session(corpus.SessionOptions{Version: "2.1.14"})
		s.Prompt("go")
		s.Say("ok")
		s.CompactionAgent(corpus.Usage{Input: 5, Output: 900, CacheRead: 1000})
		s.Warmup(corpus.Usage{Input: 5, Output: 3})
	})
	classes := map[string]int64{}
	for _, c := range d.Composition {
		classes[c.Class] = c.Turns
	}
	if classes["compaction"] != 1 || classes["warmup"] != 1 || len(d.Components) != 0 {
		t.Errorf("classes %v, components %s", classes, summary(d))
	}
	m, p := newMeasurement(Options{}).meter(), newPart()
	for _, th := range []*transcript.Thread{{AgentID: "acompact-1", Compaction: true}, {AgentID: "w", Warmup: true}, {AgentID: "x"}} {
		th.Turns = []transcript.Turn{{Version: "2.1.14"}}
		p.add(m.session(&transcript.Session{ID: "s", Subs: []*transcript.Thread{th}}))
	}
	if p.plausible != 1 {
		t.Errorf("%d turns are plausibly somebody's, want those of the agent of which nothing tells the type", p.plausible)
	}
}

// TestHookRuns: each run is counted, and to the component whose turn it followed.
func TestHookRuns(t *testing.T) {
	d := told(t, func(h *corpus.Home) {
		s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
		s.Prompt("go")
		s.Do(corpus.Bash("ls", "a"))
		s.Hook("PostToolUse", "Bash", "x")
		s.Command("acme:deploy", "", cache)
		s.Do(corpus.Bash("ls", "a"))
		s.Hook("PostToolUse", "Bash", "x")
		s.Hook("PostToolUse", "Bash", "y")
	})
	if d.HookRuns != 3 || find(t, d, "acme:deploy").Signals.HookRuns != 2 {
		t.Errorf("%d runs, %d of the skill", d.HookRuns, find(t, d, "acme:deploy").Signals.HookRuns)
	}
}

// TestWindow: time and project decide which turns count, not how they are attributed; the
// observed span is what was seen.
func TestWindow(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 6, d, 12, 0, 0, 0, time.UTC) }
	story := func(h *corpus.Home) {
		for d := 1; d <= 3; d++ {
			cwd := map[int]string{1: "/home/dev/app", 2: "/home/dev/app/sub", 3: "/home/dev/application"}[d]
			s := h.Session(corpus.SessionOptions{Version: "2.1.332", Start: day(d), Cwd: cwd})
			s.Command("acme:deploy", "", cache)
			s.Say("ok")
		}
	}
	for _, c := range []struct {
		name   string
		change func(*Options)
		want   int64
		since  string
	}{
		{"all", func(*Options) {}, 3, "2026-06-01"},
		{"since", func(o *Options) { o.Since = day(2) }, 2, "2026-06-02"},
		{"until", func(o *Options) { o.Until = day(3) }, 2, "2026-06-01"},
		{"project and below it", func(o *Options) { o.Project = "/home/dev/app/" }, 2, "2026-06-01"},
		{"nothing", func(o *Options) { o.Since = day(9) }, 0, ""},
	} {
		d := told(t, story, c.change)
		if d.Usage.Turns != c.want {
			t.Errorf("%s: %d turns, want %d", c.name, d.Usage.Turns, c.want)
		}
		if c.want > 0 && (find(t, d, "acme:deploy").Invocations != c.want || !strings.HasPrefix(*d.Window.Observed.Since, c.since)) {
			t.Errorf("%s: %s, observed %+v", c.name, summary(d), d.Window.Observed)
		}
		if c.want == 0 && (d.Window.Observed != (audit.Span{}) || len(d.Components) != 0) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

// TestSameBytes: two scans of the same history are the same to the byte, whatever the key of the
// identities and the number of readers; and what was written can be read back strictly.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	if _, err := corpus.Plant(dir, corpus.Triage(9)); err != nil {
		t.Fatal(err)
	}
	var outs [][]byte
	for i := range 3 {
		d := scanned(t, dir, func(o *Options) { o.Key, o.Workers = []byte{byte(i), 7}, i+1 })
		var b bytes.Buffer
		if err := jsondoc.Encode(&b, d); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, b.Bytes())
		var back Document
		if err := jsondoc.Decode(b.Bytes(), Kind, &back); err != nil {
			t.Error(err)
		}
	}
	if !bytes.Equal(outs[0], outs[1]) || !bytes.Equal(outs[0], outs[2]) {
		t.Error("scans of the same history differ")
	}
	if bytes.Contains(outs[0], []byte("null,\n    \"models\"")) || bytes.Contains(outs[0], []byte(`"sequences": null`)) {
		t.Error("an empty list is null")
	}
}

// TestUnreadResults: big results of which hardly anything is used again are a candidate of their
// own; results that are used are not.
func TestUnreadResults(t *testing.T) {
	log := strings.Repeat("a long line of some log that nobody will ever look at again. ", 400)
	story := func(used string) func(h *corpus.Home) {
		return func(h *corpus.Home) {
			for range 3 {
				s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
				s.Command("acme:deploy", "", cache)
				s.Do(corpus.Bash("journalctl -u app", log))
				s.Say("It is well. " + used)
			}
		}
	}
	sources := func(d *Document) (out []string) {
		for _, s := range d.Sequences {
			out = append(out, fmt.Sprintf("%s %v %d×%d", s.Source, s.Signatures, s.Invocations, s.Occurrences))
			if unread := int64(len(log)) / 4 * 3 * 1000; s.RecoverableMilli != unread {
				t.Errorf("recoverable %d, want %d", s.RecoverableMilli, unread)
			}
		}
		return out
	}
	d := told(t, story(""))
	if got := fmt.Sprint(sources(d)); got != "[read-amplification [Bash journalctl] 3×3]" {
		t.Error(got)
	}
	if amp := find(t, d, "acme:deploy").Signals.ReadAmplificationMilli; amp == nil || *amp != 1_000_000 {
		t.Errorf("amplification %v, want the cap", amp)
	}
	if got := sources(told(t, story(log))); len(got) != 0 {
		t.Errorf("results that are used again: %v", got)
	}
}
