package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validate "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/finding"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/memory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// documents is every document that a tool reads or writes, in the order of their making.
var documents = []struct {
	kind, from, purpose string
	value               any
}{
	{inventory.Kind, "plugin-inventory", "What a plugin is, before it is used.", inventory.Document{}},
	{inventory.ExplanationsKind, "plugin-inventory explain", "The files and lines behind one number or finding of an inventory.", inventory.Explanations{}},
	{scan.Kind, "offload-scan", "How a plugin, or every plugin, was used, and what that cost.", scan.Document{}},
	{scan.ExplanationKind, "offload-scan explain", "The turns behind one number of a scan, by file and line.", scan.Explanation{}},
	{scan.ReconciliationKind, "offload-scan reconcile", "Our sums against the client's own, session by session.", scan.Reconciliation{}},
	{boundary.CandidatesKind, "boundary-classify propose", "The steps that may be algorithms, with the evidence.", boundary.Candidates{}},
	{boundary.JudgmentsKind, "the analyst", "The answers of whoever judged: the only document that a model writes.", boundary.Judgments{}},
	{boundary.VerdictsKind, "boundary-classify classify", "Where the cut of each step lies and what follows.", boundary.Verdicts{}},
	{boundary.RankingKind, "offload-audit rank", "Which components to look at first.", boundary.Ranking{}},
	{stability.Kind, "stability-classify", "The verdicts after a comparison with earlier windows.", stability.Document{}},
	{stability.ExplanationKind, "offload-audit why", "The whole chain of one verdict, and what would change it.", stability.Explanation{}},
	{finding.Kind, "offload-audit check", "What a check reports, and whether it fails.", finding.Document{}},
	{finding.WaiversKind, "a team, by hand", "Findings to live with for a while, each with its reason and its last day.", finding.Waivers{}},
	{filing.SearchesKind, "filing-plan searches", "Which markers to look for on which tracker, and how.", filing.Searches{}},
	{filing.ExistingKind, "whoever searched the tracker", "What the tracker answered, marker by marker.", filing.Existing{}},
	{filing.PlanKind, "filing-plan plan", "What to file and how; nothing here writes to a tracker.", filing.Plan{}},
	{snapshot.Kind, "audit-snapshot record", "One audit, kept for ever: one line of the store.", snapshot.Document{}},
	{snapshot.DiffKind, "audit-snapshot diff", "What changed between two audits of a plugin.", snapshot.Changes{}},
	{snapshot.TrendKind, "audit-snapshot trend", "What each candidate cost per use, audit by audit.", snapshot.Course{}},
	{snapshot.VerifyKind, "audit-snapshot verify", "Whether a store is whole.", snapshot.Check{}},
	{memory.QueriesKind, "audit-snapshot memory-queries", "What to look up in a memory before judging.", memory.Queries{}},
	{memory.NotesKind, "audit-snapshot memory-notes", "What to write to a memory after an audit.", memory.Notes{}},
}

// schemaOf makes the JSON Schema of a document from its Go type and the comments on it.
func schemaOf(kind, purpose string, value any) (*jsonschema.Schema, error) {
	r := &jsonschema.Reflector{
		Anonymous: true,
		Namer: func(t reflect.Type) string {
			if t.Name() == "" {
				return ""
			}
			return filepath.Base(t.PkgPath()) + "." + t.Name()
		},
	}
	for _, dir := range []string{"audit", "transcript", "inventory", "scan", "boundary", "stability", "filing", "finding", "snapshot", "memory"} {
		if err := r.AddGoComments(module, "internal/"+dir); err != nil {
			return nil, err
		}
	}
	s := r.Reflect(value)
	s.Title, s.Description = kind, purpose
	t := reflect.TypeOf(value)
	allowNull(s.Definitions, t, map[reflect.Type]bool{})
	root := s.Definitions[filepath.Base(t.PkgPath())+"."+t.Name()]
	if root == nil {
		return nil, fmt.Errorf("%s: no definition", kind)
	}
	doc, ok := root.Properties.Get("document")
	if !ok {
		return nil, fmt.Errorf("%s: no member document", kind)
	}
	doc.Const, doc.Description = kind, "This document's kind and version."
	return s, nil
}

// allowNull lets members that are pointers be null where they may not be left out:
// the reflector sees only what a pointer points to.
func allowNull(defs jsonschema.Definitions, t reflect.Type, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
		allowNull(defs, t.Elem(), seen)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[t] {
		return
	}
	seen[t] = true
	mark(defs[filepath.Base(t.PkgPath())+"."+t.Name()], t)
	for i := range t.NumField() {
		allowNull(defs, t.Field(i).Type, seen)
	}
}

func mark(def *jsonschema.Schema, t reflect.Type) {
	if def == nil {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			mark(def, f.Type)
			continue
		}
		if f.Type.Kind() != reflect.Pointer || strings.Contains(options, "omitempty") {
			continue
		}
		if p, ok := def.Properties.Get(name); ok && p.OneOf == nil {
			inner := *p
			inner.Description = ""
			def.Properties.Set(name, &jsonschema.Schema{Description: p.Description, OneOf: []*jsonschema.Schema{&inner, {Type: "null"}}})
		}
	}
}

// inRepository runs f in the repository's root: the reflector wants paths from there.
func inRepository(t *testing.T, f func()) {
	t.Helper()
	t.Chdir("..")
	f()
}

// TestDocuments: the schemas and the page about them are what the Go types say.
func TestDocuments(t *testing.T) {
	inRepository(t, func() {
		var page strings.Builder
		page.WriteString(pageHead)
		for _, d := range documents {
			fmt.Fprintf(&page, "- [`%s`](#%s) from `%s`: %s\n", d.kind, strings.ReplaceAll(d.kind, "/", ""), d.from, d.purpose)
		}
		for _, d := range documents {
			s, err := schemaOf(d.kind, d.purpose, d.value)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.MarshalIndent(s, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, schemaPath(d.kind), append(text, '\n'))
			describe(t, &page, d.kind, d.from, s)
		}
		golden(t, "docs/documents.md", []byte(page.String()))
	})
}

// TestEveryKindIsDocumented: whatever the sources call a document has a schema and stands on the page.
func TestEveryKindIsDocumented(t *testing.T) {
	kinds := regexp.MustCompile(`(?m)^\s*(?:const )?\w*Kind\s*=\s*"([a-z-]+/v\d+)"`)
	found := map[string]bool{}
	files, _ := filepath.Glob("../internal/*/*.go")
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range kinds.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
	}
	var have []string
	for _, d := range documents {
		have = append(have, d.kind)
	}
	slices.Sort(have)
	if diff := cmp.Diff(have, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("documented (-) against named in the sources (+):\n%s", diff)
	}
}

func schemaPath(kind string) string {
	return "docs/schemas/" + strings.ReplaceAll(kind, "/", "-") + ".schema.json"
}

// golden compares got with the file, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v (write it with -update)", err)
		return
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s is out of date (-committed +now; write it anew with -update):\n%.3000s", path, cmp.Diff(string(want), string(got)))
	}
}

const pageHead = `# Documents

Generated from the Go types by ` + "`make docs`" + `; the types in internal/ are the source. Every document is JSON and begins with
` + "`\"document\"`" + `, its kind and version. Writers put that member first and sort all others; readers refuse another kind, an unknown
member, a wrong type and anything after the end, and name the place (exit code 2). Counts are whole numbers, shares are in parts
per million (ppm), weighted tokens in thousandths of a base-input token (milli), money is a decimal string in dollars with six
places. Empty lists are written as ` + "`[]`" + `; ` + "`null`" + ` says that there is none or that it is not known, never zero. The JSON Schemas are in docs/schemas/.

`

// describe writes a document's members as tables, the definitions below the root in the order in which they are met.
func describe(t *testing.T, page *strings.Builder, kind, from string, s *jsonschema.Schema) {
	t.Helper()
	fmt.Fprintf(page, "\n## %s\n\n%s Written by `%s`.\n", kind, s.Description, from)
	queue := []string{strings.TrimPrefix(s.Ref, "#/$defs/")}
	seen := map[string]bool{queue[0]: true}
	for i := 0; i < len(queue); i++ {
		def := s.Definitions[queue[i]]
		if def == nil {
			t.Errorf("%s: no definition of %q", kind, queue[i])
			continue
		}
		if def.Properties == nil {
			continue
		}
		if i > 0 {
			fmt.Fprintf(page, "\n**%s** %s\n", queue[i], sentence(def.Description))
		}
		page.WriteString("\n| member | type | meaning |\n|---|---|---|\n")
		for p := def.Properties.Oldest(); p != nil; p = p.Next() {
			kindOf, refs := typeName(p.Value)
			if !slices.Contains(def.Required, p.Key) {
				kindOf += ", may be absent"
			}
			if p.Value.Description == "" {
				t.Errorf("%s: %s.%s: the Go type does not say what it means", kind, queue[i], p.Key)
			}
			fmt.Fprintf(page, "| `%s` | %s | %s |\n", p.Key, kindOf, strings.ReplaceAll(sentence(p.Value.Description), "|", "\\|"))
			for _, ref := range refs {
				if !seen[ref] {
					seen[ref] = true
					queue = append(queue, ref)
				}
			}
		}
	}
}

// sentence puts a Go comment on one line, without the field's name at its head.
func sentence(s string) string {
	return fieldHead.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
}

var fieldHead = regexp.MustCompile(`^[A-Z]\w*: `)

// typeName is a schema's type in words, with the definitions that it refers to.
func typeName(s *jsonschema.Schema) (string, []string) {
	switch {
	case s.Ref != "":
		name := strings.TrimPrefix(s.Ref, "#/$defs/")
		return name, []string{name}
	case s.OneOf != nil:
		inner, refs := typeName(s.OneOf[0])
		return inner + " or null", refs
	case s.Type == "array" && s.Items != nil:
		inner, refs := typeName(s.Items)
		return "list of " + inner, refs
	case s.Type == "object" && s.AdditionalProperties != nil:
		inner, refs := typeName(s.AdditionalProperties)
		return "map to " + inner, refs
	case s.Type == "":
		return "any", nil
	}
	return s.Type, nil
}

// compiledSchemas are the committed schemas, by kind.
var compiledSchemas = sync.OnceValue(func() map[string]*validate.Schema {
	schemas := map[string]*validate.Schema{}
	for _, d := range documents {
		schemas[d.kind] = validate.NewCompiler().MustCompile(filepath.Join("..", schemaPath(d.kind)))
	}
	return schemas
})

// checkDocument validates one document against the schema of its own kind and returns that kind.
func checkDocument(schemas map[string]*validate.Schema, data []byte) (string, error) {
	v, err := validate.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	obj, _ := v.(map[string]any)
	kind, _ := obj["document"].(string)
	s, ok := schemas[kind]
	if !ok {
		return kind, fmt.Errorf("no schema for a document of kind %q", kind)
	}
	return kind, s.Validate(v)
}
