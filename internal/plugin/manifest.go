package plugin

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

const (
	manifestPath    = ".claude-plugin/plugin.json"
	marketplacePath = ".claude-plugin/marketplace.json"
)

// Manifest is what a plugin says of itself: its plugin.json, and what its marketplace
// entry adds. It is a reading, not a validation: whatever does not fit is left out here
// and found by the checks, which look at Root.
type Manifest struct {
	// Path is the manifest's path in the plugin; "" when only a marketplace entry describes it.
	Path string
	// Err says why the file is no JSON object; nil when it is one.
	Err *JSONError
	// Root is the whole plugin.json; Entry the marketplace entry, EntryPath its file's
	// name for people.
	Root, Entry JSON
	EntryPath   string

	Name, Version, Description string
	// The component paths, relative and clean. A nil list means the key is missing.
	Skills, Commands, Agents []PathRef
	// Hooks, MCP and LSP servers as written: paths, or objects in place.
	Hooks, MCP, LSP []Declared
	// Other holds every further surface: key, name and path.
	Other []OtherRef
}

// repository is where the plugin's source and issues are said to be: an address, or an
// object with one, as npm writes it. A password in it stays behind.
func (m *Manifest) repository() string {
	for _, doc := range []JSON{m.Root, m.Entry} {
		if r, ok := doc.Get("repository"); ok {
			address := r.Str() + r.Text("url")
			if u, err := url.Parse(address); err == nil && u.User != nil && u.Scheme != "ssh" {
				u.User = nil
				address = u.String()
			}
			if address != "" {
				return address
			}
		}
	}
	return ""
}

// PathRef is one component path of a manifest.
type PathRef struct {
	// Written is the path as it stands, Rel relative to the plugin and clean; Rel is ""
	// when the path is absolute or leaves the plugin.
	Written, Rel string
	Line         int
	// Name is the key of a command declared in an object; Content its text when the
	// object holds that instead of a path.
	Name, Content string
}

// Declared is a hooks or servers value: a path to a JSON file, or the value itself.
type Declared struct {
	PathRef
	// Inline is the value when it is no path; its lines count in Source.
	Inline *JSON
	// Source is the file that holds the declaration.
	Source string
}

// OtherRef is a surface that is neither component, hook nor server.
type OtherRef struct {
	Kind, Name, Path string
	Line             int
}

// keys of manifests that declare components; an entry in a marketplace may hold them too.
var otherPathKeys = []struct{ key, kind string }{
	{"outputStyles", "output-style"}, {"workflows", "workflow"}, {"themes", "theme"}, {"monitors", "monitor"},
}

// readManifest reads text, the content of plugin.json at rel.
func readManifest(text, rel string) Manifest {
	m := Manifest{Path: rel}
	root, err := ParseJSON(text)
	if err == nil && !root.IsObj {
		err = &JSONError{Line: 1, Msg: "expected an object, found a " + root.Type()}
	}
	if err != nil {
		m.Err = err
		return m
	}
	m.Root = root
	m.Name, m.Version, m.Description = root.Text("name"), root.Text("version"), root.Text("description")
	m.components(root, rel)
	return m
}

// merge adds a marketplace entry. The entry's name and version serve only where the
// manifest has none; its component keys add to the manifest's.
func (m *Manifest) merge(entry JSON, source string) {
	m.Entry, m.EntryPath = entry, source
	if m.Name == "" {
		m.Name = entry.Text("name")
	}
	if m.Version == "" {
		m.Version = entry.Text("version")
	}
	if m.Description == "" {
		m.Description = entry.Text("description")
	}
	m.components(entry, source)
}

func (m *Manifest) components(o JSON, source string) {
	m.Skills = append(m.Skills, pathRefs(o, "skills")...)
	m.Commands = append(m.Commands, pathRefs(o, "commands")...)
	m.Agents = append(m.Agents, pathRefs(o, "agents")...)
	m.Hooks = append(m.Hooks, declared(o, "hooks", source)...)
	m.MCP = append(m.MCP, declared(o, "mcpServers", source)...)
	m.LSP = append(m.LSP, declared(o, "lspServers", source)...)
	for _, k := range otherPathKeys {
		for _, r := range pathRefs(o, k.key) {
			m.Other = append(m.Other, OtherRef{Kind: k.kind, Name: stem(r.Rel), Path: r.Rel, Line: r.Line})
		}
	}
	m.named(o, "userConfig", "user-config")
	m.named(o, "settings", "settings")
	m.named(o, "channels", "channel")
	m.named(o, "dependencies", "dependency")
	if exp, ok := o.Get("experimental"); ok {
		for _, mem := range exp.Members {
			m.Other = append(m.Other, OtherRef{Kind: "experimental", Name: mem.Key, Path: firstPath(mem.JSON), Line: mem.Line})
		}
	}
}

// named lists the keys of an object, or the names in a list of strings or of objects with
// a name (M16 has both forms).
func (m *Manifest) named(o JSON, key, kind string) {
	v, ok := o.Get(key)
	if !ok {
		return
	}
	for _, mem := range v.Members {
		m.Other = append(m.Other, OtherRef{Kind: kind, Name: mem.Key, Line: mem.Line})
	}
	for _, it := range v.Items {
		name := it.Str()
		for _, k := range []string{"name", "server", "source"} {
			if name == "" {
				name = it.Text(k)
			}
		}
		m.Other = append(m.Other, OtherRef{Kind: kind, Name: name, Line: it.Line})
	}
}

func firstPath(v JSON) string {
	if s := v.Str(); s != "" {
		return cleanRel(s)
	}
	for _, it := range v.Items {
		if s := it.Str(); s != "" {
			return cleanRel(s)
		}
	}
	return ""
}

// pathRefs reads a string, a list of strings, or (commands) an object of named sources.
func pathRefs(o JSON, key string) []PathRef {
	v, ok := o.Get(key)
	if !ok {
		return nil
	}
	out := []PathRef{}
	add := func(j JSON, name string) {
		if s := j.Str(); s != "" {
			out = append(out, PathRef{Written: s, Rel: cleanRel(s), Line: j.Line, Name: name})
		}
	}
	add(v, "")
	for _, it := range v.Items {
		add(it, "")
	}
	for _, mem := range v.Members {
		if src, ok := mem.JSON.Get("source"); ok {
			add(src, mem.Key)
		} else if c := mem.JSON.Text("content"); c != "" {
			out = append(out, PathRef{Name: mem.Key, Content: c, Line: mem.Line})
		}
	}
	return out
}

func declared(o JSON, key, source string) []Declared {
	v, ok := o.Get(key)
	if !ok {
		return nil
	}
	var out []Declared
	one := func(j JSON) {
		if s := j.Str(); s != "" {
			out = append(out, Declared{PathRef: PathRef{Written: s, Rel: cleanRel(s), Line: j.Line}, Source: source})
		} else if j.IsObj {
			out = append(out, Declared{PathRef: PathRef{Line: j.Line}, Inline: &j, Source: source})
		}
	}
	one(v)
	for _, it := range v.Items {
		one(it)
	}
	return out
}

// cleanRel makes a manifest path relative and clean with slashes; "" when it is absolute
// or leaves the plugin. "." is the plugin itself.
func cleanRel(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	s = strings.TrimPrefix(s, "${CLAUDE_PLUGIN_ROOT}/")
	if s == "" || path.IsAbs(s) || filepath.VolumeName(s) != "" || len(s) > 1 && s[1] == ':' {
		return ""
	}
	s = path.Clean(s)
	if s == ".." || strings.HasPrefix(s, "../") {
		return ""
	}
	return s
}

func stem(rel string) string {
	b := path.Base(rel)
	return strings.TrimSuffix(b, path.Ext(b))
}

// declaredPaths are all paths that the manifest names inside the plugin.
func (m *Manifest) declaredPaths() []string {
	var out []string
	for _, list := range [][]PathRef{m.Skills, m.Commands, m.Agents} {
		for _, r := range list {
			if r.Rel != "" && r.Rel != "." {
				out = append(out, r.Rel)
			}
		}
	}
	return out
}

// describe names the manifest for an error.
func (m *Manifest) describe() string {
	if m.Path != "" {
		return m.Path
	}
	return fmt.Sprintf("the entry in %s", m.EntryPath)
}
