package inventory

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// interpreterOf names what runs a file, by its extension. Programs stand everywhere in
// real plugins (in skills/*/scripts far more often than in bin), so the place is no
// condition, only reported.
var interpreterOf = map[string]string{
	".sh": "sh", ".bash": "bash", ".zsh": "zsh", ".fish": "fish", ".ksh": "ksh", ".bats": "bats",
	".py": "python", ".rb": "ruby", ".pl": "perl", ".php": "php", ".lua": "lua", ".r": "Rscript", ".jl": "julia", ".exs": "elixir", ".tcl": "tclsh", ".awk": "awk", ".jq": "jq",
	".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node", ".mts": "node", ".cts": "node", ".tsx": "node", ".jsx": "node",
	".go": "go", ".rs": "rust", ".java": "java", ".kt": "kotlin", ".swift": "swift", ".c": "c", ".cc": "c++", ".cpp": "c++", ".cs": "dotnet",
	".ps1": "pwsh", ".psm1": "pwsh", ".cmd": "cmd", ".bat": "cmd", ".exe": "native", ".wasm": "wasm", ".nu": "nu", ".applescript": "osascript",
}

// executables lists every file that runs: by extension, by shebang, by being a native
// binary, or by an execute bit where no extension says what it is.
func (l *layout) executables() []Executable {
	out := []Executable{}
	for _, f := range l.p.Files {
		ext := strings.ToLower(path.Ext(f.Path))
		if strings.HasSuffix(f.Path, ".d.ts") || strings.HasPrefix(f.Path, ".claude-plugin/") || f.Size == 0 && !f.Exec || f.Again {
			continue
		}
		named, known := interpreterOf[ext]
		if !known && (isText(f.Path) || ext != "" && !f.Exec && !strings.HasPrefix(f.Path, "bin/")) {
			continue
		}
		b, err := l.p.Read(f.Path)
		if err != nil {
			continue
		}
		e := Executable{Path: f.Path, Folder: l.class(f.Path), Executable: f.Exec, Interpreter: shebang(b)}
		switch {
		case e.Interpreter != "":
		case native(b):
			e.Interpreter = "native"
		case known:
			e.Interpreter = named
		case !f.Exec || ext != "" || binary(b):
			continue
		}
		if e.Interpreter != "native" && e.Interpreter != "wasm" {
			e.LOC, e.Lines = loc(b, e.Interpreter), l.lines(f.Path)
		}
		out = append(out, e)
	}
	return out
}

// shebang is the interpreter of a first line "#!…": the program's name, behind env too.
func shebang(b []byte) string {
	if !bytes.HasPrefix(b, []byte("#!")) {
		return ""
	}
	line, _, _ := bytes.Cut(b[2:min(len(b), 256)], []byte("\n"))
	words := strings.Fields(string(line))
	for len(words) > 0 && (path.Base(words[0]) == "env" || strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	return path.Base(words[0])
}

func native(b []byte) bool {
	for _, magic := range []string{"\x7fELF", "MZ\x90", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xfe\xed\xfa\xcf"} {
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	return false
}

func binary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 512)], 0) >= 0 }

// loc counts the lines that are neither blank nor comment. A string that spans lines
// counts, a comment behind code does not. Of a file longer than plugin.MaxText the rest
// is not counted: only bundles are that long.
func loc(b []byte, interpreter string) int {
	text, _ := plugin.DecodeText(b)
	hash, slash := true, false
	switch interpreter {
	case "node", "deno", "bun", "tsx", "go", "rust", "java", "kotlin", "swift", "c", "c++", "dotnet", "scala":
		hash, slash = false, true
	case "php":
		slash = true
	}
	n, block := 0, false
	for _, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		if block {
			_, rest, closed := strings.Cut(l, "*/")
			if !closed {
				continue
			}
			block, l = false, strings.TrimSpace(rest)
		}
		if slash && strings.HasPrefix(l, "/*") {
			_, rest, closed := strings.Cut(l, "*/")
			if block = !closed; block {
				continue
			}
			l = strings.TrimSpace(rest)
		}
		switch {
		case l == "", hash && strings.HasPrefix(l, "#"), slash && strings.HasPrefix(l, "//"):
		case interpreter == "lua" && strings.HasPrefix(l, "--"):
		case interpreter == "cmd" && (strings.HasPrefix(l, "::") || strings.HasPrefix(strings.ToLower(l), "rem ")):
		default:
			n++
		}
	}
	return n
}

// Folder classes that do not count as what the plugin runs.
func apart(class string) bool {
	switch class {
	case "tests", "fixtures", "examples", "vendored", "generated":
		return true
	}
	return false
}

var testName = pattern.New(`(?i)(^test[-_]|[-_]test\.|\.test\.|\.spec\.|_spec\.|\.bats$|^conftest\.py$|^test\.)`)

// class says where a program stands, and so whether it counts: the classes that
// stand apart are found at any depth, the others by the first folder.
func (l *layout) class(file string) string {
	dirs := strings.Split(path.Dir(file), "/")
	has := func(names ...string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(d, n) })
		})
	}
	base := path.Base(file)
	switch {
	case has("node_modules", "vendor", "third_party", "site-packages", ".venv", "venv", "bower_components"):
		return "vendored"
	case has("fixtures", "__fixtures__", "testdata", "mocks", "__mocks__", "fixture"):
		return "fixtures"
	case has("test", "tests", "__tests__", "spec", "specs", "e2e"), testName().MatchString(base):
		return "tests"
	case has("dist", "build", "out", "target", "coverage") && dirs[0] != "bin", strings.HasSuffix(base, ".min.js"), strings.HasSuffix(base, ".map"):
		return "generated"
	case has("examples", "example", "templates", "template", "samples"):
		return "examples"
	}
	if l.owner(file) != "" {
		if has("scripts") || has("bin") {
			return "skill-scripts"
		}
		return "skill"
	}
	switch dirs[0] {
	case "bin", "hooks", "scripts", "src":
		return dirs[0]
	case ".":
		return "root"
	}
	return "other"
}
