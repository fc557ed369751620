package inventory

import (
	"path"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// surface is the document's Surface with the places that only the checks need.
type surface struct {
	Surface
	// hooks and servers are the entries as written, in the order of reading.
	hooks   []hookEntry
	servers []serverEntry
	// broken are configuration files that could not be read as what they are.
	broken []brokenFile
}

// brokenFile is a configuration file or value that the host refuses.
type brokenFile struct {
	kind, path, why string
	line            int
}

func (l *layout) surface() (*surface, error) {
	s := &surface{}
	s.Executables = l.executables()
	s.References, s.Tests = []TextFile{}, []TextFile{}
	for _, f := range l.p.Files {
		switch {
		case f.Again: // counted under its own path
		case l.isReference(f):
			s.References = append(s.References, TextFile{Path: f.Path, Tokens: tokens(f.Size), Lines: l.lines(f.Path)})
		case l.class(f.Path) == "tests" && !l.component[f.Path]:
			s.Tests = append(s.Tests, TextFile{Path: f.Path, Tokens: tokens(f.Size), Lines: l.lines(f.Path)})
		}
	}
	l.hooks(s)
	l.serversOf(s)
	s.Other = l.other()
	s.Sources = l.sources(s)
	return s, nil
}

// config reads a JSON file of the plugin; a defect is noted and nil returned.
func (l *layout) config(s *surface, kind, file string) *plugin.JSON {
	text, err := l.p.Text(file)
	if err != nil {
		s.broken = append(s.broken, brokenFile{kind, file, "cannot be read", 0})
		return nil
	}
	j, jerr := plugin.ParseJSON(text)
	if jerr != nil {
		s.broken = append(s.broken, brokenFile{kind, file, "is not JSON: " + jerr.Msg, jerr.Line})
		return nil
	}
	if !j.IsObj {
		s.broken = append(s.broken, brokenFile{kind, file, "must be an object, is a " + j.Type(), 1})
		return nil
	}
	return &j
}

// Default places of further surfaces: a folder whose files each are one, or one file.
var otherFolders = []struct{ kind, folder, ext string }{
	{"output-style", "output-styles", ".md"},
	{"theme", "themes", ".json"},
	{"workflow", "workflows", ""},
	{"monitor", "monitors", ".json"},
}

// other lists what is neither component, hook, server nor program.
func (l *layout) other() []Other {
	out := []Other{}
	seen := map[Other]bool{}
	add := func(o Other) {
		if !seen[o] {
			seen[o] = true
			out = append(out, o)
		}
	}
	for _, o := range l.p.Manifest.Other {
		name := o.Name
		if o.Path != "" && o.Kind != "experimental" {
			if files := l.p.Under(o.Path); len(files) > 0 && o.Path != "." {
				for _, f := range files {
					add(Other{Kind: o.Kind, Name: stemOf(f.Path), Path: f.Path})
				}
				continue
			}
		}
		add(Other{Kind: o.Kind, Name: name, Path: o.Path})
	}
	for _, d := range otherFolders {
		for _, f := range l.p.Under(d.folder) {
			if d.ext == "" || path.Ext(f.Path) == d.ext {
				add(Other{Kind: d.kind, Name: stemOf(f.Path), Path: f.Path})
			}
		}
	}
	if _, ok := l.p.File("settings.json"); ok {
		add(Other{Kind: "settings", Name: "settings", Path: "settings.json"})
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		if a.Name != b.Name {
			return a.Name < b.Name
		}
		return a.Path < b.Path
	})
	return out
}

func stemOf(file string) string {
	b := path.Base(file)
	return strings.TrimSuffix(b, path.Ext(b))
}

// serverEntry is one server as written.
type serverEntry struct {
	Server
	config plugin.JSON
	line   int
}

// serversOf reads the MCP and LSP servers: the default files, wrapped or bare, and what
// the manifest names or holds.
func (l *layout) serversOf(s *surface) {
	for _, k := range []struct {
		kind, file, key string
		declared        []plugin.Declared
	}{
		{audit.KindMCP, ".mcp.json", "mcpServers", l.p.Manifest.MCP},
		{audit.KindLSP, ".lsp.json", "lspServers", l.p.Manifest.LSP},
	} {
		read := map[string]bool{}
		file := func(rel string) {
			if read[rel] {
				return
			}
			read[rel] = true
			if j := l.config(s, k.kind, rel); j != nil {
				if inner, ok := j.Get(k.key); ok { // wrapped
					j = &inner
				}
				s.addServers(k.kind, rel, *j)
			}
		}
		if _, ok := l.p.File(k.file); ok {
			file(k.file)
		}
		for _, d := range k.declared {
			switch {
			case d.Inline != nil:
				s.addServers(k.kind, d.Source, *d.Inline)
			case path.Ext(d.Rel) == ".mcpb" || path.Ext(d.Rel) == ".dxt": // a bundle: one server, unread
				s.servers = append(s.servers, serverEntry{Server: Server{Kind: k.kind, Name: stemOf(d.Rel), Source: d.Source}, line: d.Line, config: plugin.JSON{}})
			case d.Rel == "":
			default:
				if _, ok := l.p.File(d.Rel); ok {
					file(d.Rel)
				}
			}
		}
	}
	s.Servers = []Server{}
	for _, e := range s.servers {
		s.Servers = append(s.Servers, e.Server)
	}
	sort.SliceStable(s.Servers, func(i, j int) bool {
		a, b := s.Servers[i], s.Servers[j]
		if a.Kind != b.Kind {
			return a.Kind > b.Kind // MCP first
		}
		return a.Name < b.Name
	})
}

func (s *surface) addServers(kind, source string, j plugin.JSON) {
	for _, m := range j.Members {
		if !m.JSON.IsObj {
			continue // "$schema" and the like
		}
		s.servers = append(s.servers, serverEntry{Server: Server{Kind: kind, Name: m.Key, Source: source}, config: m.JSON, line: m.Line})
	}
}
