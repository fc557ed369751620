package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsable: what a manifest must have before anything is measured, each refusal with its line.
func TestUsable(t *testing.T) {
	for _, row := range []struct{ name, manifest, want string }{
		{"a name is enough", `{"name": "desk"}`, ""},
		{"blanks in it are the inventory's to report", `{"name": "my desk"}`, ""},
		{"cut off", "{\n\"name\": \"desk\"", "plugin.json:2: ends before it is complete, expected a JSON object"},
		{"empty", "", "plugin.json:1: ends before it is complete, expected a JSON object"},
		{"a list", "[]", "plugin.json:1: expected an object, found a list"},
		{"no name", "{}", `plugin.json:1: has no name, expected a "name"`},
		{"a number", "{\n\n\"name\": 3}", "plugin.json:3: name must be a string, is a number"},
		{"an empty name", `{"name": " "}`, "plugin.json:1: the name is empty"},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".claude-plugin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".claude-plugin", "plugin.json"), []byte(row.manifest), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := Resolve(dir, Options{})
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		switch err := p.Usable(); {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: %v, want %s", row.name, err, row.want)
		}
	}
}
