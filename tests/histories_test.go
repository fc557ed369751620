package tests

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/histories"
)

// TestHistories: the committed transcripts of the fixture plugins are what their generator writes.
func TestHistories(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(histories.All)) {
		t.Run(name, func(t *testing.T) {
			committed := filepath.Join("testdata", "transcripts", name)
			fresh := t.TempDir()
			if *update {
				if err := os.RemoveAll(committed); err != nil {
					t.Fatal(err)
				}
				fresh = committed
			}
			if err := histories.Write(name, fresh); err != nil {
				t.Fatal(err)
			}
			want, got := folder(t, committed), folder(t, fresh)
			if len(got) == 0 {
				t.Fatal("the generator wrote nothing")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("committed (-) against generated (+), -update writes anew:\n%.2000s", diff)
			}
			if _, err := os.Stat(filepath.Join("testdata", "plugins", name, ".claude-plugin", "plugin.json")); err != nil {
				t.Errorf("a history without its plugin: %v", err)
			}
		})
	}
}

// folder reads every file under dir by its relative path.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		data, err := os.ReadFile(p)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
