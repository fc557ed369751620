package scan

import (
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// TestOtherTools: totals of tools that count rows are told apart by their rule, and what lies
// between them and ours is named, response by response.
func TestOtherTools(t *testing.T) {
	dir := history(t, map[string]string{
		"p/s1.jsonl": row("s1", "mA", "r1", opus, 2, 3, 40000, 0, "") + row("s1", "mA", "r1", opus, 2, 300, 40000, 0, "") +
			strings.ReplaceAll(row("s1", "mC", "r3", opus, 7, 70, 0, 0, ""), `"requestId":"r3",`, ""),
		"p/s1/subagents/agent-b1.jsonl": row("s1", "mA", "r9", opus, 2, 300, 40000, 0, `,"isSidechain":true,"agentId":"b1"`) +
			row("s1", "mB", "r10", opus, 2, 40, 41000, 0, `,"isSidechain":true,"agentId":"b1"`),
	})
	r, err := Reconcile(t.Context(), Options{ConfigDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ReadRows([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	ours := Counters{Input: 11, Output: 410, CacheRead: 81000}
	for _, c := range []struct {
		name, rule string
		theirs     Counters
		causes     string
	}{
		{"the same", "one row per message id, the largest", ours, ""},
		{"first rows", "one row per message id, the first", Counters{Input: 11, Output: 113, CacheRead: 81000, CacheWrite: 0}, "first-row"},
		{"replays again", "one row per message and request id, the largest", Counters{Input: 13, Output: 710, CacheRead: 121000, CacheWrite: 0}, "replayed"},
		{"both", "one row per message and request id, the first", Counters{Input: 13, Output: 413, CacheRead: 121000, CacheWrite: 0}, "first-row replayed"},
		{"neither", "", Counters{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1}, "first-row"},
	} {
		o := rows.Explain("other", "1", r.Ours, c.theirs)
		var causes []string
		for _, x := range o.Causes {
			if x.Difference != (Counters{}) {
				causes = append(causes, x.Cause)
			}
		}
		if o.Ours != ours || o.Rule != c.rule || c.rule != "" && strings.Join(causes, " ") != c.causes || (o.Unexplained != Counters{}) != (c.rule == "") {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// TestOtherToolsOnEveryClient: over rows as every version wrote them, the largest row of each
// message and what stands in progress rows only is all there is.
func TestOtherToolsOnEveryClient(t *testing.T) {
	for _, client := range []string{"1.0.119", "2.0.60", "2.1.14", "2.1.45", "2.1.101", "2.1.332"} {
		dir := t.TempDir()
		sc := corpus.Triage(1)
		sc.Client = client
		truth, err := corpus.Plant(dir, sc)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Reconcile(t.Context(), Options{ConfigDirs: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Unexplained != 0 {
			t.Errorf("%s: %d sessions unexplained", client, r.Unexplained)
		}
		rows, err := ReadRows([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		o := rows.Explain("other", "", r.Ours, Counters{})
		for _, c := range o.Causes {
			if c.Cause == "other" {
				t.Errorf("%s: rows that only one of the two reads: %+v", client, c)
			}
		}
		if want := truth.Ledger.Total; o.Ours.Output != want.Output || o.Ours.Input != want.Input {
			t.Errorf("%s: %+v, want %+v", client, o.Ours, want)
		}
	}
}
