package scan

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzScan: whatever stands in a transcript, a scan ends with a document whose parts are the
// whole, and the same once more.
func FuzzScan(f *testing.F) {
	stamp := `,"attributionSkill":"acme:deploy","attributionPlugin":"acme"`
	f.Add(row("s", "m1", "r1", opus, 1, 2, 3, 4, "")+row("s", "m2", "r2", opus, 1, 2, 3, 4, stamp), row("s", "m2", "r2", opus, 1, 2, 3, 4, `,"isSidechain":true,"agentId":"a"`))
	f.Add(`{"type":"user","sessionId":"s","message":{"content":"<command-message>x</command-message>\n<command-name>/acme:x</command-name>"}}
{"type":"user","sessionId":"s","isMeta":true,"message":{"content":[{"type":"text","text":"Base directory for this skill: /p/plugins/cache/m/acme/1/skills/x"}]}}
{"type":"assistant","sessionId":"s","version":"2.1.70","requestId":"r","message":{"id":"m","model":"claude-opus-5","content":[{"type":"tool_use","id":"t","name":"Skill","input":{"skill":"acme:y"}},{"type":"tool_use","id":"u","name":"Task","input":{"subagent_type":"b"}}],"usage":{"input_tokens":1,"output_tokens":2}}}
{"type":"user","sessionId":"s","toolUseResult":{"agentId":"a"},"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"},{"type":"tool_result","tool_use_id":"u","is_error":true,"content":"no"}]}}
`, `{"type":"assistant","sessionId":"s","agentId":"a","version":"2.1.70","requestId":"q","message":{"id":"n","model":"<synthetic>","content":[],"usage":{"input_tokens":-1,"output_tokens":9223372036854775807}}}`)
	f.Fuzz(func(t *testing.T, main, sub string) {
		dir := t.TempDir()
		for path, text := range map[string]string{"p/s.jsonl": main, "p/s/subagents/agent-a.jsonl": sub} {
			path = filepath.Join(dir, "projects", filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		d := scanned(t, dir)
		if again := scanned(t, dir); again.Usage.WeightedMilli != d.Usage.WeightedMilli || len(again.Components) != len(d.Components) {
			t.Error("two scans differ")
		}
		for _, c := range d.Components {
			if cleanName(c.Name) != c.Name || cleanName(c.Plugin) != c.Plugin {
				t.Errorf("component %q of %q", c.Name, c.Plugin)
			}
		}
	})
}
