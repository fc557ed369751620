package plugin

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRepository(t *testing.T) {
	for _, tt := range []struct{ member, want string }{
		{``, ""},
		{`, "repository": "https://example.org/a/b"`, "https://example.org/a/b"},
		{`, "repository": {"type": "git", "url": "git+https://example.org/a/b.git"}`, "git+https://example.org/a/b.git"},
		{`, "repository": "https://me:secret@example.org/a/b"`, "https://example.org/a/b"},
		{`, "repository": "git@example.org:a/b.git"`, "git@example.org:a/b.git"},
		{`, "repository": 7`, ""},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".claude-plugin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".claude-plugin", "plugin.json"), []byte(`{"name": "acme"`+tt.member+`}`), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := Resolve(dir, Options{})
		if err != nil || p.Target.Repository != tt.want {
			t.Errorf("%s: %q (%v), want %q", tt.member, p.Target.Repository, err, tt.want)
		}
	}
}
