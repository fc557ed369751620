package scan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
)

// row is an assistant row as the cases need it.
func row(session, id, request, model string, in, out, read, write1h int64, more string) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":%q,"requestId":%q,"uuid":"u-%s-%s","timestamp":"2026-06-01T10:00:00Z","version":"2.1.280"%s,"message":{"id":%q,"model":%q,"stop_reason":"end_turn","content":[{"type":"text","text":"Looking."}],"usage":{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":%d}}}}`+"\n",
		session, request, id, request, more, id, model, in, out, read, write1h, write1h)
}

const opus, sonnet = "claude-opus-4-8", "claude-sonnet-4-6"

func wantUsage(t *testing.T, u Usage, turns, out int64, cost string) {
	t.Helper()
	got := "null"
	if u.CostUSD != nil {
		got = *u.CostUSD
	}
	if u.Turns != turns || u.Output != out || got != cost {
		t.Errorf("%d turns, output %d, $%s; want %d, %d, $%s", u.Turns, u.Output, got, turns, out, cost)
	}
}

// D1: one response written as three rows is one turn with all its blocks.
func TestD1OneResponseThreeRows(t *testing.T) {
	line := func(block string) string {
		return `{"type":"assistant","sessionId":"s1","requestId":"r1","version":"2.1.280","timestamp":"2026-06-01T10:00:00Z","message":{"id":"m1","model":"claude-opus-4-8","stop_reason":"tool_use","content":[` + block + `],"usage":{"input_tokens":4,"output_tokens":212,"cache_read_input_tokens":9000,"cache_creation_input_tokens":1500,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":1500}}}}` + "\n"
	}
	d := scanned(t, history(t, map[string]string{"p/s1.jsonl": line(`{"type":"thinking","thinking":"x"}`) + line(`{"type":"text","text":"Looking."}`) +
		line(`{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}`)}))
	wantUsage(t, d.Usage, 1, 212, "0.024820")
	if d.Usage.ToolCalls != 1 || d.Usage.CacheWrite1h != 1500 || d.Usage.Input != 4 || d.Usage.CacheRead != 9000 {
		t.Errorf("usage %+v", d.Usage)
	}
	if len(d.Composition) != 1 || d.Composition[0].Class != "mechanical" || d.Composition[0].Turns != 1 {
		t.Errorf("composition %+v", d.Composition)
	}
}

// D2: the largest output of a response counts, wherever it stands.
func TestD2LargestOutput(t *testing.T) {
	for _, c := range []struct {
		outs []int64
		want int64
		cost string
	}{{[]int64{9, 9, 159}, 159, "0.013203"}, {[]int64{1, 427, 3}, 427, "0.017223"}} {
		rows := ""
		for _, out := range c.outs {
			rows += row("s1", "m1", "r1", sonnet, 6, out, 20000, 800, "")
		}
		wantUsage(t, scanned(t, history(t, map[string]string{"p/s1.jsonl": rows})).Usage, 1, c.want, c.cost)
	}
}

// D3: a sidechain that replays its parent's message under a new request adds nothing.
func TestD3SidechainReplay(t *testing.T) {
	side := `,"isSidechain":true,"agentId":"b1","attributionAgent":"Explore"`
	d := scanned(t, history(t, map[string]string{
		"p/s1.jsonl":                    row("s1", "mA", "r1", opus, 2, 300, 40000, 1000, `,"isSidechain":false`),
		"p/s1/subagents/agent-b1.jsonl": row("s1", "mA", "r9", opus, 2, 300, 40000, 1000, side) + row("s1", "mB", "r10", opus, 2, 40, 41000, 300, side),
	}))
	wantUsage(t, d.Usage, 2, 340, "0.062020")
	wantUsage(t, find(t, d, "Explore").Usage, 1, 40, "0.024510")
	wantUsage(t, d.Unattributed.Usage, 1, 300, "0.037510")
}

// D4: a forked session's copies belong to the session they came from, in whatever order the
// files are read and however the client writes the copies.
func TestD4ForkedSession(t *testing.T) {
	m1 := func(session, more string) string { return row(session, "m1", "r1", opus, 3, 100, 0, 12000, more) }
	m2 := func(session, more string) string { return row(session, "m2", "r2", opus, 1, 50, 12000, 400, more) }
	for name, copies := range map[string]string{
		"original session id": m1("aaa", "") + m2("aaa", ""),
		"rewritten":           m1("bbb", `,"requestSessionId":"aaa"`) + m2("bbb", `,"requestSessionId":"aaa"`),
	} {
		for _, files := range [][2]string{{"aaa", "bbb"}, {"zzz", "bbb"}} { // the original first, and last
			d := scanned(t, history(t, map[string]string{
				"p/" + files[0] + ".jsonl": m1("aaa", "") + m2("aaa", ""),
				"p/" + files[1] + ".jsonl": copies + row("bbb", "m3", "r3", opus, 1, 70, 12400, 200, ""),
			}))
			t.Run(name, func(t *testing.T) {
				wantUsage(t, d.Usage, 3, 220, "0.143725")
				if len(d.Sessions) != 2 {
					t.Fatalf("sessions %+v", d.Sessions)
				}
				wantUsage(t, d.Sessions[0].Usage, 2, 150, "0.133770")
				wantUsage(t, d.Sessions[1].Usage, 1, 70, "0.009955")
			})
		}
	}
}

// D5: cache writes by their lifetimes, a remainder and a missing split at five minutes.
func TestD5CacheWrites(t *testing.T) {
	for _, c := range []struct {
		usage, cost string
	}{
		{`"cache_creation_input_tokens":10000,"cache_creation":{"ephemeral_5m_input_tokens":1000,"ephemeral_1h_input_tokens":5000}`, "0.081250"},
		{`"cache_creation_input_tokens":10000`, "0.062500"},
		{`"cache_creation_input_tokens":4000,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":6000}`, "0.040000"},
		{`"cache_creation_input_tokens":1000000,"cache_creation":{"ephemeral_5m_input_tokens":600000,"ephemeral_1h_input_tokens":400000}`, "7.750000"},
	} {
		d := scanned(t, history(t, map[string]string{"p/s.jsonl": `{"type":"assistant","sessionId":"s","requestId":"r","timestamp":"2026-06-01T10:00:00Z","message":{"id":"m","model":"claude-opus-4-8","stop_reason":"end_turn","content":[],"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,` + c.usage + `}}}` + "\n"}))
		wantUsage(t, d.Usage, 1, 0, c.cost)
	}
}

// D6: an API error is neither a turn nor a model.
func TestD6Synthetic(t *testing.T) {
	d := scanned(t, history(t, map[string]string{"p/s1.jsonl": row("s1", "m1", "r1", opus, 4, 212, 9000, 1500, "") +
		`{"type":"assistant","sessionId":"s1","isApiErrorMessage":true,"message":{"id":"x1","model":"<synthetic>","content":[{"type":"text","text":"API Error: 529"}],"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}` + "\n"}))
	wantUsage(t, d.Usage, 1, 212, "0.024820")
	if len(d.Usage.Models) != 1 || d.Usage.Models[0].Model != opus {
		t.Errorf("models %+v", d.Usage.Models)
	}
}

// D7: an unknown model makes the total partial, and says so; a price of zero is a price.
func TestD7UnknownModel(t *testing.T) {
	dir := history(t, map[string]string{"p/s1.jsonl": row("s1", "m1", "r1", opus, 4, 212, 9000, 1500, "") + row("s1", "m2", "r2", "claude-nova-9", 0, 1_000_000, 0, 0, "")})
	d := scanned(t, dir)
	wantUsage(t, d.Usage, 2, 1_000_212, "0.024820")
	if len(d.Usage.Unpriced) != 1 || d.Usage.Unpriced[0].Output != 1_000_000 || d.Usage.Unpriced[0].CostUSD != nil {
		t.Errorf("unpriced %+v", d.Usage.Unpriced)
	}
	if !hasWarning(d, "model-unpriced") {
		t.Error("no warning that the cost is partial")
	}
	prices, err := pricing.Default().WithUser(strings.NewReader(`{"models":{"claude-nova-9":{"input":0,"output":0}}}`))
	if err != nil {
		t.Fatal(err)
	}
	d = scanned(t, dir, func(o *Options) { o.Prices = prices })
	wantUsage(t, d.Usage, 2, 1_000_212, "0.024820")
	if len(d.Usage.Unpriced) != 0 || hasWarning(d, "model-unpriced") {
		t.Errorf("unpriced although the user gave a price: %+v", d.Usage.Unpriced)
	}
	only := scanned(t, history(t, map[string]string{"p/s.jsonl": row("s", "m", "r", "claude-nova-9", 1, 1, 0, 0, "")}))
	wantUsage(t, only.Usage, 1, 1, "null")
}

// D7 for savings: what no price is known for is recoverable in tokens, and in dollars unknown.
func TestUnpricedSaving(t *testing.T) {
	for model, priced := range map[string]bool{opus: true, "claude-nova-9": false} {
		files := map[string]string{}
		for i := range 3 {
			s := fmt.Sprintf("s%d", i)
			call := func(n, command string) string {
				r := row(s, s+n, s+"r"+n, model, 1, 10, 9000, 0, `,"attributionSkill":"acme:tidy","attributionPlugin":"acme"`)
				return strings.Replace(r, `{"type":"text","text":"Looking."}`, `{"type":"tool_use","id":"t`+s+n+`","name":"Bash","input":{"command":"`+command+`"}}`, 1)
			}
			files["p/"+s+".jsonl"] = call("1", "git status") + call("2", "git log")
		}
		d := scanned(t, history(t, files))
		if len(d.Sequences) != 1 || d.Sequences[0].RecoverableMilli == 0 || (d.Sequences[0].RecoverableUSD != nil) != priced {
			t.Errorf("%s: sequences %+v", model, d.Sequences)
		}
		for _, s := range d.Staples {
			if (s.RecoverableUSD != nil) != priced {
				t.Errorf("%s: staple %+v", model, s)
			}
		}
		if len(d.Staples) == 0 {
			t.Error("no staple")
		}
	}
}

// 2.1 item 8: agents that were dispatched but left no transcript here spent what nobody counts.
func TestMissingAgents(t *testing.T) {
	rows := strings.Replace(row("s1", "m1", "r1", opus, 1, 10, 100, 0, ""), `{"type":"text","text":"Looking."}`, `{"type":"tool_use","id":"t1","name":"Agent","input":{"prompt":"x"}}`, 1) +
		`{"type":"user","sessionId":"s1","uuid":"u2","timestamp":"2026-06-01T10:00:01Z","version":"2.1.280","toolUseResult":{"agentId":"a77","status":"completed"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}}` + "\n"
	if d := scanned(t, history(t, map[string]string{"p/s1.jsonl": rows})); !hasWarning(d, "agents-missing") {
		t.Errorf("warnings %+v", d.Warnings)
	}
	agent := row("s1", "m2", "r2", opus, 1, 10, 100, 0, `,"isSidechain":true,"agentId":"a77"`)
	if d := scanned(t, history(t, map[string]string{"p/s1.jsonl": rows, "p/s1/subagents/agent-a77.jsonl": agent})); hasWarning(d, "agents-missing") {
		t.Errorf("warnings %+v", d.Warnings)
	}
}

func hasWarning(d *Document, code string) bool {
	for _, w := range d.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// D8: advisor calls are billed on top, at their own model, once.
func TestD8Advisor(t *testing.T) {
	line := `{"type":"assistant","sessionId":"s","requestId":"r","timestamp":"2026-06-01T10:00:00Z","version":"2.1.280","message":{"id":"m","model":"claude-sonnet-4-6","stop_reason":"end_turn","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":10,"output_tokens":200,"cache_read_input_tokens":30000,"cache_creation_input_tokens":0,"iterations":[{"type":"message","input_tokens":10,"output_tokens":200,"cache_read_input_tokens":30000},{"type":"advisor_message","model":"claude-opus-4-8","input_tokens":32000,"output_tokens":900}]}}}` + "\n"
	d := scanned(t, history(t, map[string]string{"p/s.jsonl": line + line}))
	wantUsage(t, d.Usage, 1, 1100, "0.194530")
	for _, m := range d.Usage.Models {
		want := map[string]string{opus: "0.182500", sonnet: "0.012030"}[m.Model]
		if m.CostUSD == nil || *m.CostUSD != want {
			t.Errorf("%s: %v, want %s", m.Model, m.CostUSD, want)
		}
	}
}

// D9: broken lines are counted by file and line; what stands beside them counts.
func TestD9BrokenLines(t *testing.T) {
	m := func(id, text string) string {
		return `{"type":"assistant","sessionId":"s","requestId":"r` + id + `","timestamp":"2026-06-01T10:00:00Z","message":{"id":"` + id + `","model":"claude-opus-4-8","stop_reason":"end_turn","content":[{"type":"text","text":"` + text + `"}],"usage":{"input_tokens":1,"output_tokens":1,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}`
	}
	d := scanned(t, history(t, map[string]string{"p/s.jsonl": strings.Join([]string{
		m("m1", "a"), `{"type":"user","message":{"content":"cut he`, "", `{"type":"user","text":"\p"}`, `[1,2]`, m("m2", strings.Repeat("x", 5<<20)),
		`{"type":"file-history-snapshot","snapshot":"` + strings.Repeat("y", 3<<20) + `"}`, m("m3", "c")}, "\n")}))
	wantUsage(t, d.Usage, 3, 3, "0.000090")
	if d.Input.Bad != 2 || d.Input.Unexpected != 1 || d.Input.TooLong != 0 {
		t.Errorf("input %+v", d.Input)
	}
	lines := []int{}
	for _, w := range d.Warnings {
		if w.Line > 0 {
			if w.Path != "projects/p/s.jsonl" {
				t.Errorf("warning in %q", w.Path)
			}
			lines = append(lines, w.Line)
		}
	}
	if fmt.Sprint(lines) != "[2 4 5]" {
		t.Errorf("warnings at lines %v, want 2, 4 and 5", lines)
	}
}

// D10: a skill gets what was stamped with it and nothing else; an old client's silence is no zero.
func TestD10Attribution(t *testing.T) {
	session := func(version string, stamp func(skill, plugin string) string) map[string]string {
		turn := func(id string, out int64, block, stamps string) string {
			return fmt.Sprintf(`{"type":"assistant","sessionId":"s","requestId":"r%s","timestamp":"2026-06-01T10:00:00Z","version":%q%s,"message":{"id":%q,"model":"claude-opus-4-8","stop_reason":"end_turn","content":[%s],"usage":{"input_tokens":0,"output_tokens":%d,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}`+"\n",
				id, version, stamps, id, block, out)
		}
		text := `{"type":"text","text":"x"}`
		return map[string]string{"p/s.jsonl": turn("a", 100, `{"type":"tool_use","id":"t","name":"Skill","input":{"skill":"acme:deploy"}}`, "") +
			turn("b", 40, text, stamp("acme:deploy", "acme")) + turn("c", 60, text, stamp("acme:deploy", "acme")) +
			turn("d", 500, text, stamp("other:deploy", "other")) + turn("e", 30, text, "")}
	}
	with := func(skill, plugin string) string {
		return fmt.Sprintf(`,"attributionSkill":%q,"attributionPlugin":%q`, skill, plugin)
	}
	d := scanned(t, history(t, session("2.1.280", with)))
	if a, o := find(t, d, "acme:deploy"), find(t, d, "other:deploy"); a.Usage.Output != 100 || o.Usage.Output != 500 || d.Unattributed.Usage.Output != 130 ||
		d.Usage.Output != 730 || a.Plugin != "acme" || o.Plugin != "other" || a.Invocations != 1 || o.Invocations != 1 {
		t.Errorf("acme %+v, other %+v, rest %+v", a.Usage, o.Usage, d.Unattributed.Usage)
	}
	if !hasWarning(d, "inference-differs") { // no result says that the Skill call succeeded
		t.Error("nothing says that inference would not have found these turns")
	}
	d = scanned(t, history(t, session("2.1.280", with)), target("acme"))
	if len(d.Components) != 1 || d.Components[0].Name != "acme:deploy" || d.Usage.Output != 730 || d.Unattributed.Usage.Output != 130 {
		t.Errorf("audit of acme: %+v", d.Components)
	}
	if d.Audited.Turns != 2 {
		t.Errorf("audited spend %+v, want the target's", d.Audited)
	}
	d = scanned(t, history(t, session("2.1.110", func(string, string) string { return "" })))
	if a := d.Attribution; a.CoveragePPM != nil || !strings.Contains(a.Reason, "attribution not recorded by this version") || len(d.Components) != 0 {
		t.Errorf("attribution %+v, components %+v", a, d.Components)
	}
}
