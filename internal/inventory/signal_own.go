package inventory

import (
	"path"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Signal own_commands: literal commands that run an executable which the plugin
// ships. There the cut is made already; what is left of the step is to call it.
//
// own answers whether a word names such an executable.
type own struct {
	paths map[string]bool     // plugin-relative
	base  map[string][]string // file name → paths
	stem  map[string][]string // file name without extension → paths, for bin names and aliases
}

func newOwn(execs []Executable) *own {
	o := &own{paths: map[string]bool{}, base: map[string][]string{}, stem: map[string][]string{}}
	for _, e := range execs {
		switch e.Folder {
		case "tests", "fixtures", "vendored", "generated":
			continue
		}
		b := path.Base(e.Path)
		o.paths[e.Path] = true
		o.base[b] = append(o.base[b], e.Path)
		o.stem[strings.TrimSuffix(b, path.Ext(b))] = append(o.stem[strings.TrimSuffix(b, path.Ext(b))], e.Path)
	}
	return o
}

// interpreters run the script that their first file argument names.
var interpreters = wordSet(`bash sh zsh dash ksh fish python python2 python3 node deno bun tsx ts-node ruby perl php pwsh
	uv uvx pipx npx Rscript lua osascript source . exec env time sudo`)

// reach: programs that get at a script (find it, test that it is there), which is part of calling it.
var reach = wordSet(`find ls test [ [[ command which chmod cd`)

// resolve returns the shipped executable that a command runs, "" when it runs none.
// dir is the component's folder; vars are variables whose values were seen to name one.
func (o *own) resolve(words []string, dir string, vars map[string]string) string {
	if o == nil || len(o.paths) == 0 || len(words) == 0 {
		return ""
	}
	if p := o.named(words[0], dir, vars); p != "" {
		return p
	}
	program := path.Base(words[0])
	if ps := o.stem[program]; len(ps) > 0 && !strings.ContainsAny(words[0], "/$") && (strings.Contains(program, "-") || strings.Contains(program, "_") || strings.HasPrefix(ps[0], "bin/")) {
		return ps[0]
	}
	if !interpreters[program] && !reach[program] {
		return ""
	}
	for _, w := range words[1:] {
		if p := o.named(w, dir, vars); p != "" {
			return p
		}
	}
	return ""
}

// named: the word is a path or a variable that names a shipped executable.
func (o *own) named(w, dir string, vars map[string]string) string {
	if v := variable(w); v != "" && vars[v] != "" {
		return vars[v]
	}
	if strings.ContainsAny(w, " \t\n;|") {
		return ""
	}
	rest, anchored := w, false
	for _, root := range []string{"${CLAUDE_PLUGIN_ROOT}/", "$CLAUDE_PLUGIN_ROOT/", "${CLAUDE_SKILL_DIR}/", "$CLAUDE_SKILL_DIR/", "{baseDir}/", "${baseDir}/", "./"} {
		if r, ok := strings.CutPrefix(rest, root); ok {
			rest, anchored = r, root != "./"
		}
	}
	for _, p := range []string{path.Join(dir, rest), path.Clean(rest)} {
		if o.paths[p] {
			return p
		}
	}
	return o.byName(rest, anchored || strings.HasPrefix(rest, "$") || strings.HasPrefix(rest, "XX"))
}

// common are file names that every project has; alone they name nothing of the plugin's.
var common = wordSet(`main index setup run test tests app build install deploy start init cli server utils common check lint format`)

// byName finds an executable by the end of its path. rooted: what stands before is a
// variable or a placeholder, so that the file's name has to do; otherwise a bare name
// counts only when it is not everybody's.
func (o *own) byName(w string, rooted bool) string {
	b := path.Base(w)
	ps := o.base[b]
	if len(ps) == 0 {
		return ""
	}
	if rooted {
		return ps[0]
	}
	for _, p := range ps {
		if strings.Contains(w, "/") && strings.HasSuffix("/"+p, "/"+path.Clean(w)) {
			return p
		}
	}
	if !strings.Contains(w, "/") && path.Ext(b) != "" && !common[strings.TrimSuffix(b, path.Ext(b))] {
		return ps[0]
	}
	return ""
}

// variable: "$X", "${X}" or a path that begins with one and names nothing further.
func variable(w string) string {
	v, ok := strings.CutPrefix(w, "$")
	if !ok {
		return ""
	}
	v = strings.TrimSuffix(strings.TrimPrefix(v, "{"), "}")
	for _, r := range v {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return ""
		}
	}
	return v
}

// remember notes the variables of a text whose value names a shipped executable.
func (o *own) remember(s *script, dir string, vars map[string]string) {
	for v, value := range s.Vars {
		for _, w := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\n\"'()=`*", r) }) {
			if p := o.named(w, dir, nil); p != "" {
				vars[v] = p
			}
		}
	}
}

// draws reports whether running an executable means that this component's own cut is
// drawn (signal cut_commands): a skill's script counts for that skill, and for what
// has no folder of its own; a script that stands outside all skills for everybody.
func (r *reading) draws(exec string) bool {
	home, ok := skillOf(exec)
	if !ok || r.ref.Kind != audit.KindSkill {
		return true
	}
	return path.Dir(r.path) == home || strings.HasPrefix(exec, path.Dir(r.path)+"/")
}

// skillOf is the folder of the skill that a path lies in.
func skillOf(p string) (string, bool) {
	parts := strings.Split(p, "/")
	for i := 0; i+2 < len(parts); i++ {
		if parts[i] == "skills" {
			return strings.Join(parts[:i+2], "/"), true
		}
	}
	return "", false
}
