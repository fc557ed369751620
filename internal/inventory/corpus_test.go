package inventory

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/tree"
)

// publicPlugins are the folders with a manifest among the reference data; none where that is absent.
func publicPlugins(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	var out []string
	for _, pattern := range []string{"plugins/*", "plugins/*/*"} {
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern), ".claude-plugin", "plugin.json"))
		for _, f := range found {
			out = append(out, filepath.Dir(filepath.Dir(f)))
		}
	}
	if len(out) == 0 {
		t.Skip("reference data is absent: neither $SHARED nor ../shared has plugins")
	}
	return out
}

// TestEveryPublicPlugin (S1): no crash, a valid document, and the same one twice.
func TestEveryPublicPlugin(t *testing.T) {
	schema := inventorySchema(t)
	dirs := publicPlugins(t)
	for _, dir := range dirs {
		t.Run(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), func(t *testing.T) {
			wellFormed(t, schema, dir)
		})
	}
}

// TestEveryLayout is the same over the broken plugins.
func TestEveryLayout(t *testing.T) {
	schema := inventorySchema(t)
	files, err := filepath.Glob("testdata/broken/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			archive, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := tree.Write(dir, archive); err != nil {
				t.Fatal(err)
			}
			wellFormed(t, schema, dir)
		})
	}
}

func inventorySchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	s, err := c.Compile(filepath.Join("..", "..", "docs", "schemas", "inventory-v1.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// encode takes the inventory of dir and writes it.
func encode(t testing.TB, dir string) (*Document, []byte) {
	t.Helper()
	p, err := plugin.Resolve(dir, plugin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Take(p)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := jsondoc.Encode(&b, d); err != nil {
		t.Fatal(err)
	}
	return d, b.Bytes()
}

func wellFormed(t *testing.T, schema *jsonschema.Schema, dir string) {
	t.Helper()
	d, raw := encode(t, dir)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v", err)
	}
	var back Document
	if err := jsondoc.Decode(raw, Kind, &back); err != nil {
		t.Errorf("our own reader: %v", err)
	}
	if _, again := encode(t, dir); !bytes.Equal(raw, again) {
		t.Error("two runs differ")
	}
	for _, name := range []string{"hooks", "servers", "executables", "other", "references", "tests", "components", "checks", "warnings", "outline", "steps", "evidence", "duplicates", "drift"} {
		if bytes.Contains(raw, fmt.Appendf(nil, "%q: null", name)) {
			t.Errorf("%s is null, expected []", name)
		}
	}
	consistent(t, d)
	if path := d.Target.Path; bytes.Count(raw, []byte(path)) != 1 {
		t.Errorf("the absolute path stands %d times, expected in the target alone", bytes.Count(raw, []byte(path)))
	}
}

// consistent checks what the document promises of itself.
func consistent(t *testing.T, d *Document) {
	t.Helper()
	if !slices.IsSortedFunc(d.Components, func(a, b Component) int {
		return strings.Compare(a.Kind+"\x00"+a.Name+"\x00"+a.Path, b.Kind+"\x00"+b.Name+"\x00"+b.Path)
	}) {
		t.Error("the components are not sorted")
	}
	seen := map[audit.ComponentRef]string{}
	for _, c := range d.Components {
		ref := audit.ComponentRef{Kind: c.Kind, Name: c.Name}
		if other, twice := seen[ref]; twice && c.Loaded {
			t.Errorf("%s %s is loaded from %s and stands for %s too", c.Kind, c.Name, c.Path, other)
		}
		seen[ref] = c.Path
		if c.Loaded == (c.NotLoaded != "") {
			t.Errorf("%s: loaded %v, and the reason is %q", c.Path, c.Loaded, c.NotLoaded)
		}
		for _, e := range c.Signals.Evidence {
			if e.Path != c.Path || e.Line < 1 || e.Value == 0 {
				t.Errorf("%s: evidence %+v", c.Path, e)
			}
		}
	}
	for _, k := range d.Checks {
		if k.Severity == "" || k.Source == "" || filepath.IsAbs(k.Path) {
			t.Errorf("check %+v", k)
		}
	}
}

// BenchmarkTake measures one inventory, reading included, of every public plugin; -benchmem
// shows what each allocates.
func BenchmarkTake(b *testing.B) {
	for _, dir := range publicPlugins(b) {
		b.Run(filepath.Base(dir), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				encode(b, dir)
			}
		})
	}
}
