package scan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// sharedDir is a directory of the shared data; the test is skipped where it is absent.
func sharedDir(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("shared data absent: %s (set SHARED to its directory)", filepath.Join(parts...))
	}
	return dir
}

// history writes files (path under projects → rows) into a fresh configuration directory.
func history(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range files {
		path := filepath.Join(dir, "projects", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(rows), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// scanned runs a scan of one directory.
func scanned(t testing.TB, dir string, change ...func(*Options)) *Document {
	t.Helper()
	o := Options{ConfigDirs: []string{dir}, BySession: true}
	for _, f := range change {
		f(&o)
	}
	doc, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, doc)
	return doc
}

// allRows are the turns that count.
func allRows(t testing.TB, dir string) (result, *transcript.History) {
	t.Helper()
	o := Options{ConfigDirs: []string{dir}}
	h, err := open(t.Context(), o, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := measureRows(t.Context(), o, h)
	if err != nil {
		t.Fatal(err)
	}
	return r, h
}

// checkSums holds every document to what must always hold: no sum exceeds the whole, and the
// parts are the whole.
func checkSums(t testing.TB, d *Document) {
	t.Helper()
	var parts, weighted int64
	for _, c := range d.Components {
		parts += c.Usage.Turns
		weighted += c.Usage.WeightedMilli
		over := c.Over.OwnWork.Turns + c.Over.Tail.Turns + c.Over.InheritedByAgents.Turns
		if over != c.Usage.Turns {
			t.Errorf("%s: own work, tail and inherited are %d of %d turns", c.Name, over, c.Usage.Turns)
		}
		var classes, sources int64
		for _, x := range c.Composition {
			classes += x.Turns
		}
		for _, n := range c.Sources {
			sources += n
		}
		if classes != c.Usage.Turns || sources != c.Usage.Turns {
			t.Errorf("%s: %d turns by class, %d by source, %d in all", c.Name, classes, sources, c.Usage.Turns)
		}
	}
	if d.Target == nil && (parts+d.Unattributed.Usage.Turns != d.Usage.Turns || weighted+d.Unattributed.Usage.WeightedMilli != d.Usage.WeightedMilli) {
		t.Errorf("components %d + unattributed %d turns are not the window's %d", parts, d.Unattributed.Usage.Turns, d.Usage.Turns)
	}
	a := d.Attribution
	if n := a.StampedTurns + a.InferredTurns + a.AgentTurns + a.OwnExecutableTurns; n+d.Unattributed.Usage.Turns != d.Usage.Turns {
		t.Errorf("%d turns attributed, %d not, %d in all", n, d.Unattributed.Usage.Turns, d.Usage.Turns)
	}
}

// find returns a component by name; a missing one fails the test.
func find(t testing.TB, d *Document, name string) Component {
	t.Helper()
	for _, c := range d.Components {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no component %q in %d", name, len(d.Components))
	return Component{}
}

// target restricts a scan to a plugin of that name.
func target(name string, components ...string) func(*Options) {
	return func(o *Options) {
		o.Target = &audit.Target{Path: "/p", Name: name, ResolvedBy: "path"}
		for _, c := range components {
			o.Components = append(o.Components, audit.ComponentRef{Kind: audit.KindSkill, Name: c})
		}
	}
}
