package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestInvocable: full names of what is installed, a skill under both of its names, and nothing
// of what is gone, broken or not loaded.
func TestInvocable(t *testing.T) {
	root := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := "cache/m/acme/1.0.0/"
	put(at+".claude-plugin/plugin.json", `{"name":"acme","version":"1.0.0","description":"d"}`)
	put(at+"skills/ship/SKILL.md", "---\nname: deploy\ndescription: d\n---\nx\n")
	put(at+"skills/odd/skill.md", "---\nname: odd\ndescription: d\n---\nx\n")
	put(at+"commands/sub/go.md", "---\ndescription: d\n---\nx\n")
	put(at+"agents/a.md", "---\nname: reviewer\ndescription: d\n---\nx\n")
	put("installed_plugins.json", fmt.Sprintf(`{"version":2,"plugins":{"acme@m":[{"scope":"user","installPath":%q,"version":"1.0.0"}],"gone@m":[{"installPath":"/no/such/dir","version":"1"}]}}`,
		filepath.Join(root, filepath.FromSlash(at))))
	got := Invocable(root)
	want := map[string]string{"acme:ship": "acme", "acme:deploy": "acme", "acme:sub:go": "acme", "acme:reviewer": "acme"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, none := range []string{"", t.TempDir()} {
		if got := Invocable(none); len(got) != 0 {
			t.Errorf("%q: %v", none, got)
		}
	}
	put("installed_plugins.json", `{"version":2,`)
	if got := Invocable(root); len(got) != 0 {
		t.Errorf("a broken record: %v", got)
	}
}
