package signature

import (
	"path"
	"sort"
	"strings"
)

// Own is what the plugin under audit ships. Its files may be named; nobody else's.
type Own struct {
	// Plugin is the manifest's name: its cache directories are recognised by it.
	Plugin string
	// Root is the plugin's absolute directory, with forward slashes.
	Root string
	// Files are all files of the plugin, relative to Root, with forward slashes.
	Files []string
	// Executables are those of Files that run: by mode, shebang or extension.
	Executables []string
}

// own is Own, ready for lookups.
type own struct {
	plugin, root string
	files        map[string]bool // files and directories
	executables  map[string]bool
	bins         map[string]string // bare name of an executable under bin/ → its path
	sorted       []string
}

func newOwn(o Own) own {
	out := own{
		plugin: o.Plugin, root: strings.TrimSuffix(slashed(o.Root), "/"),
		files: map[string]bool{}, executables: map[string]bool{}, bins: map[string]string{},
	}
	for _, f := range o.Files {
		out.files[f] = true
		for d := path.Dir(f); d != "." && d != "/"; d = path.Dir(d) {
			out.files[d] = true
		}
	}
	for _, f := range o.Executables {
		out.files[f], out.executables[f] = true, true
		if path.Dir(f) == "bin" {
			out.bins[path.Base(f)] = f
		}
	}
	for f := range out.files {
		out.sorted = append(out.sorted, f)
	}
	sort.Strings(out.sorted)
	return out
}

// resolve gives the path relative to the plugin's root of a file that the plugin
// ships, however it was written: under its root, through ${CLAUDE_PLUGIN_ROOT} or
// ${CLAUDE_SKILL_DIR}, or in a cache or marketplace directory of that plugin.
func (o *own) resolve(p string) (string, bool) {
	if len(o.files) == 0 {
		return "", false
	}
	p = slashed(p)
	try := func(rel string) (string, bool) {
		rel = path.Clean(rel)
		return rel, o.files[rel]
	}
	if rest, ok := strings.CutPrefix(p, "${CLAUDE_PLUGIN_ROOT}/"); ok {
		return try(rest)
	}
	if rest, ok := strings.CutPrefix(p, "${CLAUDE_SKILL_DIR}/"); ok {
		return o.unique("/" + path.Clean(rest))
	}
	if o.root != "" {
		if rest, ok := strings.CutPrefix(path.Clean(p), o.root+"/"); ok {
			return try(rest)
		}
	}
	if o.plugin == "" {
		return "", false
	}
	if _, rest, ok := strings.Cut(p, "plugins/cache/"); ok {
		// <marketplace>/<plugin>/<version>/<file>
		if parts := strings.SplitN(rest, "/", 4); len(parts) == 4 && parts[1] == o.plugin {
			return try(parts[3])
		}
		return "", false
	}
	if _, rest, ok := strings.Cut(p, "plugins/marketplaces/"); ok {
		if _, file, ok := strings.Cut(rest, "/"+o.plugin+"/"); ok {
			return try(file)
		}
	}
	return "", false
}

// unique is the one shipped file that ends in suffix.
func (o *own) unique(suffix string) (string, bool) {
	found := ""
	for _, f := range o.sorted {
		if strings.HasSuffix(f, suffix) {
			if found != "" {
				return "", false
			}
			found = f
		}
	}
	return found, found != ""
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// isPath: absolute, relative with a directory, a listed base name, or a name with a listed extension.
func isPath(s string) bool {
	if s == "" || strings.ContainsAny(s, "\n\x00") {
		return false
	}
	switch {
	case s == ".", s == "..", s == "~", s[0] == '/', strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasPrefix(s, "~/"):
		return true
	case len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
		return true
	case listed().basenames[s]:
		return true
	case strings.ContainsAny(s, " \t"):
		return false
	case strings.ContainsAny(s, `/\`):
		return true
	}
	return extension(s) != ""
}

// extension is the listed extension of the base name of p, "" when it has none.
func extension(p string) string {
	base := path.Base(slashed(p))
	i := strings.LastIndexByte(base, '.')
	if i < 0 {
		return ""
	}
	if ext := strings.ToLower(base[i+1:]); listed().extensions[ext] {
		return ext
	}
	return ""
}

// path masks a path: the plugin's own stays, a listed base name stays, else <path.ext>.
func (m *Masker) path(p string) string {
	if rel, ok := m.own.resolve(p); ok {
		return "<own:" + rel + ">"
	}
	if base := path.Base(slashed(p)); listed().basenames[base] {
		return base
	}
	if ext := extension(p); ext != "" {
		return "<path." + ext + ">"
	}
	return "<path>"
}
