package inventory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

// FuzzTake: whatever a plugin's author wrote into its files, its inventory is taken, and
// is a document that our own strict reader accepts.
func FuzzTake(f *testing.F) {
	manifest := `{"name": "p", "version": "1.0.0", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x | y"}]}]}, "mcpServers": {"m": {"command": "${CLAUDE_PLUGIN_ROOT}/x"}}}`
	skill := "---\nname: s\ndescription: Use when \"x\".\nallowed-tools: Bash(git log:*), Read\n---\n# S\n\n1. Count `a`.\n   ```sh\n   git status | wc -l\n   ```\n| if | then |\n|---|---|\n| a | b |\n"
	hooks := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/h.sh\" $X"}]}]}}`
	f.Add(manifest, skill, hooks)
	f.Add(`{"name": "p"}`, "---\na: [b] [c]\n---\n!`date` $ARGUMENTS\n", `[]`)
	f.Add(`[]`, "", `{"hooks": [{"event": "Stop", "command": "true"}]}`)
	f.Add(`{"name": "p", "skills": ["./skills", 1], "userConfig": {"k": 1}, "experimental": {"monitors": ["./m"]}}`, "---\nhooks:\n  Stop:\n    - command: x\n---\n[l](../x.md)\n", `{"Stop": 1}`)
	f.Fuzz(func(t *testing.T, manifest, skill, hooks string) {
		dir := t.TempDir()
		for name, text := range map[string]string{".claude-plugin/plugin.json": manifest, "skills/s/SKILL.md": skill, "agents/a.md": skill, "commands/c.md": skill, "hooks/hooks.json": hooks, ".mcp.json": hooks, "h.sh": skill} {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		d, raw := encode(t, dir)
		var back Document
		if err := jsondoc.Decode(raw, Kind, &back); err != nil {
			t.Fatal(err)
		}
		if len(d.Components) != 3 {
			t.Fatalf("%d components, expected 3", len(d.Components))
		}
		for _, id := range knownIDs(d) {
			if id != "kind/name" {
				if _, err := Explain(d, id); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
