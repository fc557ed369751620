package tests

import (
	"path/filepath"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// TestOwnPluginPassesItsOwnChecks (FR-8.1, issue 7): the plugin of this repository and the
// sample plugins have none of the defects that plugin-inventory reports as errors or
// warnings, and everything in them loads.
func TestOwnPluginPassesItsOwnChecks(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("testdata", "plugins", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no sample plugins (%v)", err)
	}
	for _, dir := range append(dirs, "..") {
		p, err := plugin.Resolve(dir, plugin.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := inventory.Take(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Components) == 0 {
			t.Errorf("%s: no component was found", dir)
		}
		for _, c := range d.Components {
			if !c.Loaded {
				t.Errorf("%s: %s is not loaded: %s", dir, c.Path, c.NotLoaded)
			}
		}
		for _, k := range d.Checks {
			if k.Severity != "info" {
				t.Errorf("%s: %s: %s:%d: %s", dir, k.ID, k.Path, k.Line, k.Message)
			}
		}
	}
}
