// Package tests holds the repository to its own shape and tells its behaviour as
// stories: rooms_test.go checks which package may import which, script_test.go
// plays every testdata/script/*.txtar against the real tools, plugin_test.go
// checks the plugin's own text, documents_test.go the schemas and their page.
package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kotkan/claude-plugin-inference-arbitrage"

// arrows says which rooms each room may import; whatever those may import it may too.
// jsondoc, audit, pattern and wording are words and paper: every room may have them.
var arrows = map[string][]string{
	"jsondoc":    {},
	"audit":      {},
	"wording":    {},
	"pattern":    {},
	"signature":  {},
	"pricing":    {},
	"plugin":     {},
	"transcript": {},
	"inventory":  {"plugin", "signature"},
	"scan":       {"transcript", "signature", "pricing"},
	"boundary":   {"inventory", "scan"},
	"stability":  {"boundary"},
	"filing":     {"stability"},
	"finding":    {"stability"},
	"snapshot":   {"stability", "scan"},
	"summary":    {"snapshot"},
	"memory":     {"snapshot"},
	"evaluation": {"inventory"},
	"dispatch":   {"transcript", "pricing"},
	"digest":     {"transcript", "pricing"},
	"cli":        {},
	"hook":       {},
}

// everywhere may be imported by every room but themselves.
var everywhere = []string{"audit", "jsondoc", "pattern", "wording"}

// doors are the only rooms that may touch the process's surroundings.
var doors = []string{"cli", "hook"}

const (
	maxMainLines  = 60
	maxAuditLines = 200
	maxFileLines  = 450
)

// source is one Go file of the repository as far as its shape matters.
type source struct {
	path    string // relative to the repository, slashes forward
	lines   int
	imports []string
	doc     bool // the file carries a package comment
	calls   []string
	funcs   int
}

// readSources parses every Go file under root that is not a test.
func readSources(root string) ([]source, error) {
	var list []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if name := d.Name(); rel != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "dist" || name == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		list = append(list, shapeOf(rel, text, file))
		return nil
	})
	return list, err
}

func shapeOf(rel string, text []byte, file *ast.File) source {
	s := source{path: rel, lines: strings.Count(string(text), "\n"), doc: file.Doc != nil}
	for _, imp := range file.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		s.imports = append(s.imports, p)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				s.calls = append(s.calls, x.Name+"."+n.Sel.Name)
			}
		case *ast.FuncDecl:
			s.funcs++
		}
		return true
	})
	return s
}

// reach is everything that a room may import: its arrows, theirs, and so on.
func reach(arrows map[string][]string, room string) map[string]bool {
	seen := map[string]bool{}
	var walk func(string)
	walk = func(r string) {
		for _, next := range arrows[r] {
			if !seen[next] {
				seen[next] = true
				walk(next)
			}
		}
	}
	walk(room)
	if !slices.Contains(everywhere, room) {
		for _, r := range everywhere {
			seen[r] = true
		}
	}
	return seen
}

// outside names what only a door may use.
var outside = map[string]bool{
	"os.Getenv": true, "os.LookupEnv": true, "os.Environ": true, "os.Setenv": true, "os.Exit": true, "os.Args": true,
	"os.Stdin": true, "os.Stdout": true, "os.Stderr": true, "os.UserHomeDir": true, "os.UserCacheDir": true,
	"os.UserConfigDir": true, "time.Now": true, "exec.Command": true, "exec.CommandContext": true,
}

// checkRooms returns every way in which the sources break the shape, sorted.
func checkRooms(sources []source, arrows map[string][]string) []string {
	var bad []string
	add := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	documented, rooms := map[string]bool{}, map[string]bool{}
	for _, s := range sources {
		dir := path.Dir(s.path)
		documented[dir] = documented[dir] || s.doc
		if s.lines > maxFileLines {
			add("%s: %d lines, at most %d: a second noun is hiding in it", s.path, s.lines, maxFileLines)
		}
		switch path.Base(dir) {
		case "util", "utils", "common", "helper", "helpers", "shared", "base", "misc", "lib":
			add("%s: a package named for being shared", dir)
		}
		room, inside := strings.CutPrefix(dir, "internal/")
		if !inside {
			if strings.HasPrefix(dir, "tools/") && path.Base(s.path) == "main.go" && s.lines > maxMainLines {
				add("%s: %d lines, a main has at most %d", s.path, s.lines, maxMainLines)
			}
			continue
		}
		room, _, _ = strings.Cut(room, "/")
		rooms[room] = true
		if _, known := arrows[room]; !known {
			add("%s: room %q is not on the plan", s.path, room)
			continue
		}
		may := reach(arrows, room)
		for _, imp := range s.imports {
			target, ours := strings.CutPrefix(imp, module+"/")
			if !ours {
				continue
			}
			other, internal := strings.CutPrefix(target, "internal/")
			other, _, _ = strings.Cut(other, "/")
			if !internal || (other != room && !may[other]) {
				add("%s: %s may not import %s", s.path, room, target)
			}
		}
		if room == "audit" && s.lines > maxAuditLines {
			add("%s: %d lines, the vocabulary has at most %d", s.path, s.lines, maxAuditLines)
		}
		if room == "audit" && s.funcs > 0 {
			add("%s: the vocabulary has no functions", s.path)
		}
		if !slices.Contains(doors, room) {
			for _, call := range s.calls {
				if outside[call] {
					add("%s: %s belongs to cli, hook or tools", s.path, call)
				}
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			add("%s: no package comment", dir)
		}
	}
	if len(rooms) == 0 {
		add("no rooms found under internal/: nothing was checked")
	}
	sort.Strings(bad)
	return slices.Compact(bad)
}

func TestRooms(t *testing.T) {
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range checkRooms(sources, arrows) {
		t.Error(problem)
	}
	for room := range arrows {
		if reach(arrows, room)[room] {
			t.Errorf("the plan itself goes in a circle at %s", room)
		}
	}
}

// TestRoomsCheckBites turns arrows on purpose: a check that cannot fail checks nothing.
func TestRoomsCheckBites(t *testing.T) {
	good := source{path: "internal/scan/scan.go", lines: 10, doc: true, imports: []string{"fmt", module + "/internal/transcript", module + "/internal/audit"}}
	if bad := checkRooms([]source{good}, arrows); len(bad) != 0 {
		t.Errorf("a sound room was refused: %q", bad)
	}
	for _, tt := range []struct {
		name, want string
		s          source
	}{
		{"turned arrow", "pricing may not import internal/scan", source{path: "internal/pricing/x.go", doc: true, imports: []string{module + "/internal/scan"}}},
		{"vocabulary imports a room", "audit may not import internal/jsondoc", source{path: "internal/audit/x.go", doc: true, imports: []string{module + "/internal/jsondoc"}}},
		{"room imports a tool", "scan may not import tools/offload-scan", source{path: "internal/scan/x.go", doc: true, imports: []string{module + "/tools/offload-scan"}}},
		{"unknown room", `room "attic" is not on the plan`, source{path: "internal/attic/x.go", doc: true}},
		{"shared package", "a package named for being shared", source{path: "internal/util/x.go", doc: true}},
		{"no package comment", "internal/scan: no package comment", source{path: "internal/scan/x.go"}},
		{"long main", "61 lines, a main has at most 60", source{path: "tools/offload-scan/main.go", doc: true, lines: 61}},
		{"long file", "451 lines, at most 450", source{path: "internal/scan/x.go", doc: true, lines: 451}},
		{"vocabulary with logic", "the vocabulary has no functions", source{path: "internal/audit/x.go", doc: true, funcs: 1}},
		{"a room reads the clock", "time.Now belongs to cli, hook or tools", source{path: "internal/scan/x.go", doc: true, calls: []string{"time.Now"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := checkRooms([]source{good, tt.s}, arrows)
			if tt.name == "no package comment" {
				bad = checkRooms([]source{tt.s}, arrows)
			}
			if !slices.ContainsFunc(bad, func(b string) bool { return strings.Contains(b, tt.want) }) {
				t.Errorf("want a problem with %q, got %q", tt.want, bad)
			}
		})
	}
	if bad := checkRooms(nil, arrows); len(bad) != 1 || !strings.Contains(bad[0], "nothing was checked") {
		t.Errorf("an empty repository passed: %q", bad)
	}
}
