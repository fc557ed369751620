package scan

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
)

// Every option that can change a document changes the memo's key; a new option must be
// decided here.
func TestMemoKey(t *testing.T) {
	user, err := pricing.Default().WithUser(bytes.NewReader([]byte(`{"models":{"m":{"input":1,"output":2}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]any{
		"ConfigDirs": nil, "CacheDir": nil, "Workers": nil, "Progress": nil, "Sized": nil, // the store's own, or without effect
		"Target": &audit.Target{Name: "x"}, "Own": signature.Own{Plugin: "x"}, "Components": []audit.ComponentRef{{Kind: "skill", Name: "x"}},
		"Vocabulary": map[string][]string{"x": {"y"}}, "Installed": map[string]string{"x": "y"},
		"Since": time.Unix(1, 0), "Until": time.Unix(1, 0), "Location": time.FixedZone("X", 3600), "Project": "/x",
		"Prices": user, "BySession": true, "Key": []byte("k"),
	}
	base := memoKey(Options{})
	typ := reflect.TypeFor[Options]()
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		value, known := changes[name]
		if !known {
			t.Errorf("Options.%s is new: does a document depend on it?", name)
			continue
		}
		var o Options
		if value != nil {
			reflect.ValueOf(&o).Elem().Field(i).Set(reflect.ValueOf(value))
			if memoKey(o) == base {
				t.Errorf("Options.%s does not change the key", name)
			}
		}
	}
}

// A second run over an unchanged history gives the same document to the byte, and does
// not read the transcripts.
func TestMemo(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "projects", "p", "s.jsonl")
	row := `{"type":"assistant","sessionId":"s","uuid":"u","version":"2.1.280","timestamp":"2026-06-01T10:00:00Z","attributionSkill":"acme:deploy","attributionPlugin":"acme","message":{"id":"m","model":"claude-opus-5","stop_reason":"end_turn","content":[],"usage":{"input_tokens":1,"output_tokens":2}}}` + "\nnot json\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(row), 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	text := func(o Options) string {
		t.Helper()
		a, err := Ask(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var text, decoded bytes.Buffer
		if _, err := a.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		doc, err := a.Document()
		if err != nil {
			t.Fatal(err)
		}
		if err := jsondoc.Encode(&decoded, doc); err != nil {
			t.Fatal(err)
		}
		if text.String() != decoded.String() {
			t.Errorf("written:\n%s\nthe document:\n%s", &text, &decoded)
		}
		return text.String()
	}
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	want := text(Options{ConfigDirs: []string{dir}})
	for range 2 {
		if got := text(o); got != want {
			t.Fatalf("with a cache:\n%s\nwithout:\n%s", got, want)
		}
	}
	// Only a memo answers without digests, and leaves none.
	digests := func() []string {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(cache, "*.digests"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if len(digests()) != 1 {
		t.Fatalf("digests: %q", digests())
	}
	if err := os.Remove(digests()[0]); err != nil {
		t.Fatal(err)
	}
	if got := text(o); got != want || len(digests()) > 0 {
		t.Error("an unchanged manifest was read again")
	}
	if o.BySession = true; text(o) == want {
		t.Error("another question got the old answer")
	}
}

// An answer that was kept says the same as one that was measured now, also of a file whose
// name is no text.
func TestMemoOfOddNames(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "projects", "p", "s\xff\xfe.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("bad\n"), 0o644); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	overview := func(cache string) string {
		t.Helper()
		doc, err := Run(context.Background(), Options{ConfigDirs: []string{dir}, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Overview(&b, doc); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := overview("")
	for range 2 {
		if got := overview(cache); got != want {
			t.Errorf("with a cache:\n%s\nwithout:\n%s", got, want)
		}
	}
}

// That there is no history is not kept: it says where it looked, again.
func TestNothingIsNotKept(t *testing.T) {
	o := Options{ConfigDirs: []string{t.TempDir()}, CacheDir: t.TempDir()}
	for range 2 {
		a, err := Ask(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if !a.Empty() {
			t.Error("an empty history is not known to be empty")
		}
	}
}
