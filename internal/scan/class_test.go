package scan

import (
	"fmt"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// TestClassify is the truth table of turn classes (2-measure.md 2.3).
func TestClassify(t *testing.T) {
	call := func(tool string, s transcript.Shape) transcript.Call { return transcript.Call{Tool: tool, Shape: s} }
	reads := call("Bash", transcript.Shape{Full: "Bash git log --oneline", ReadOnly: true})
	writes := call("Bash", transcript.Shape{Full: "Bash git commit"})
	own := call("Bash", transcript.Shape{Full: "Bash <own:bin/x>", Own: true})
	failed := call("Bash", transcript.Shape{Full: "Bash make"})
	failed.IsError = true
	ok := call("Bash", transcript.Shape{Full: "Bash git log --oneline -<n> <arg> --author <arg>"})
	near := call("Bash", transcript.Shape{Full: "Bash git log --oneline -<n> <arg> --author <str>", ReadOnly: true})
	far := call("Bash", transcript.Shape{Full: "Bash git diff", ReadOnly: true})
	tool := func(name string) transcript.Call { return call(name, transcript.Shape{Full: name}) }
	for _, c := range []struct {
		name   string
		out    int64
		before *transcript.Call
		calls  []transcript.Call
		want   class
	}{
		{"read-only Bash", 10, nil, []transcript.Call{reads}, mechanical},
		{"read-only Bash with a long text", 400, nil, []transcript.Call{reads}, mixed},
		{"just below long", 399, nil, []transcript.Call{reads}, mechanical},
		{"writing Bash", 10, nil, []transcript.Call{writes}, acting},
		{"reading beside writing", 10, nil, []transcript.Call{reads, writes}, acting},
		{"several readers", 10, nil, []transcript.Call{reads, tool("Read"), tool("Grep"), tool("Glob"), tool("LS"), tool("ToolSearch")}, mechanical},
		{"MCP that lists", 10, nil, []transcript.Call{tool("mcp__a__list_x")}, mechanical},
		{"MCP that reads", 10, nil, []transcript.Call{tool("mcp__a__x_read")}, mechanical},
		{"MCP that creates", 10, nil, []transcript.Call{tool("mcp__a__create_x")}, acting},
		{"an edit", 10, nil, []transcript.Call{tool("Edit")}, acting},
		{"a list kept beside a read", 10, nil, []transcript.Call{reads, tool("TodoWrite")}, mechanical},
		{"a list kept alone", 10, nil, []transcript.Call{tool("TodoWrite")}, acting},
		{"own script", 10, nil, []transcript.Call{own}, ownScript},
		{"own script with a long text", 900, nil, []transcript.Call{own}, ownScript},
		{"own script beside a read", 10, nil, []transcript.Call{own, tool("Read")}, ownScript},
		{"own script beside other Bash", 10, nil, []transcript.Call{own, reads}, acting},
		{"a question", 10, nil, []transcript.Call{tool("AskUserQuestion")}, judgment},
		{"a plan", 10, nil, []transcript.Call{reads, tool("ExitPlanMode")}, judgment},
		{"a long answer", 400, nil, nil, judgment},
		{"a short answer", 399, nil, nil, talk},
		{"after an error", 10, &failed, []transcript.Call{reads}, retry},
		{"a question after an error", 10, &failed, []transcript.Call{tool("AskUserQuestion")}, judgment},
		{"an answer after an error", 10, &failed, nil, talk},
		{"nearly the same again", 10, &ok, []transcript.Call{near}, retry},
		{"exactly the same again", 10, &near, []transcript.Call{near}, mechanical},
		{"something else", 10, &ok, []transcript.Call{far}, mechanical},
	} {
		turn := &transcript.Turn{Tokens: audit.Tokens{Output: c.out}, Final: true, Calls: c.calls}
		if got := classify(turn, c.before); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	unfinished := &transcript.Turn{Tokens: audit.Tokens{Output: 2}, TextBytes: 1600}
	if got := classify(unfinished, nil); got != judgment {
		t.Errorf("a long answer without final usage: %s", got)
	}
}

func TestStampingOf(t *testing.T) {
	for v, want := range map[string]stamping{"2.1.119": blind, "2.1.120": unsure, "2.1.172": unsure, "2.1.173": stamps, "2.1.332": stamps, "3.0.0": stamps,
		"1.0.17": blind, "": unsure, "dev": unsure, "2.1": unsure, "2.1.200-beta.1": stamps, "2.x.1": unsure} {
		if got := readStamping(v); got != want {
			t.Errorf("%q: %d, want %d", v, got, want)
		}
	}
}

func TestLog2AndValue(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 1: 0, 2: 1 << 16, 3: 103872, 4: 2 << 16, 7: 183982, 1000: 653117, 1 << 40: 40 << 16} {
		if got := log2(n); got != want {
			t.Errorf("log2(%d) = %d/65536, want %d", n, got, want)
		}
	}
	for _, c := range []struct{ waste, judgment, n, want int64 }{
		{1000, 0, 1, 1000}, {1000, 0, 2, 2000}, {1000, 0, 8, 4000}, {1000, 500_000, 8, 2000}, {1000, 1_000_000, 8, 0}, {0, 0, 8, 0},
		{1 << 61, 0, 1 << 20, 1<<63 - 1},
	} {
		if got := value(c.waste, c.judgment, c.n); got != c.want {
			t.Errorf("value(%d, %d, %d) = %d, want %d", c.waste, c.judgment, c.n, got, c.want)
		}
	}
}

func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		name             string
		a                Attribution
		turns, plausible int64
		want             int64 // -1: null
	}{
		{"empty", Attribution{}, 0, 0, -1},
		{"nothing used", Attribution{}, 10, 0, -1},
		{"all that should be", Attribution{StampedTurns: 3, AgentTurns: 2}, 10, 0, 1_000_000},
		{"some missing", Attribution{StampedTurns: 3}, 10, 1, 750_000},
		{"half blind", Attribution{StampedTurns: 3, BlindTurns: 5}, 10, 0, 1_000_000},
		{"more than half blind", Attribution{StampedTurns: 3, BlindTurns: 6}, 10, 0, -1},
	} {
		got := coverage(c.a, c.turns, c.plausible)
		v := int64(-1)
		if got.CoveragePPM != nil {
			v = *got.CoveragePPM
		}
		if v != c.want || got.Reason == "" {
			t.Errorf("%s: %d (%s), want %d", c.name, v, got.Reason, c.want)
		}
	}
}

func TestVocabularyWords(t *testing.T) {
	for sig, want := range map[string]string{
		"Bash kubectl get; xargs jq": "[kubectl jq]", "Bash <own:bin/x>; cat": "[<own:bin/x> cat]", "Bash <prog>": "[]", "Bash <path.sh>; ls": "[ls]",
		"mcp__a__get_b": "[mcp__a__get_b]", "Read <path.go>": "[]", "Edit <path.go>": "[]",
	} {
		if got := fmt.Sprint(vocabularyWords(sig)); got != want {
			t.Errorf("%q: %s, want %s", sig, got, want)
		}
	}
}
