package inventory

import (
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

const manifestFile = ".claude-plugin/plugin.json"

// manifestTypes are the keys that the client accepts in plugin.json, with their types.
var manifestTypes = map[string][]string{
	"$schema": {"string"}, "name": {"string"}, "version": {"string"}, "description": {"string"}, "author": {"object"},
	"homepage": {"string"}, "repository": {"string"}, "license": {"string"}, "keywords": {"list"},
	"displayName": {"string"}, "defaultEnabled": {"boolean"}, "dependencies": {"list"},
	"commands": {"string", "list", "object"}, "agents": {"string", "list"}, "skills": {"string", "list"},
	"hooks": {"string", "object", "list"}, "mcpServers": {"string", "object", "list"}, "lspServers": {"string", "object", "list"},
	"outputStyles": {"string", "list"}, "workflows": {"string", "list"}, "channels": {"list"}, "userConfig": {"object"},
	"settings": {"object"}, "experimental": {"object"}, "engines": {"object"}, "network": {"object"}, "metadata": {"object"}, "icon": {"string"},
}

var (
	marketKeys = wordSet("category tags strict source relevance id")
	experiment = wordSet("themes monitors")
	kebabName  = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// entry compares a marketplace's entry with the manifest that it leads to.
func (c *checker) entry(m *plugin.Manifest) {
	if m.Path == "" || m.Err != nil || !m.Entry.IsObj {
		return
	}
	if name := m.Entry.Text("name"); name != "" && name != m.Root.Text("name") {
		c.add("entry-name-differs", m.EntryPath, lineOf(m.Entry, "name"), "the marketplace calls the plugin %q, its manifest %q", clip(name, 40), clip(m.Root.Text("name"), 40))
	}
	if v := m.Entry.Text("version"); v != "" && m.Root.Text("version") != "" && v != m.Root.Text("version") {
		c.add("entry-version-differs", m.EntryPath, lineOf(m.Entry, "version"), "the marketplace says version %q, the manifest %q", clip(v, 40), clip(m.Root.Text("version"), 40))
	}
}

// manifest checks plugin.json's own fields.
func (c *checker) manifest() {
	m := &c.p.Manifest
	c.entry(m)
	if c.p.Refused != "" {
		c.add("plugin-refused", manifestFile, 0, "the client loads nothing of it: %s", c.p.Refused)
	}
	if m.Path == "" {
		return // an entry describes it; the marketplace is checked by its owner
	}
	if m.Err != nil {
		c.add("manifest-json", manifestFile, m.Err.Line, "%s", m.Err.Msg)
		return
	}
	root := m.Root
	for _, d := range root.Duplicates() {
		c.add("manifest-duplicate-key", manifestFile, d.Line, "%q stands twice", clip(d.Key, 40))
	}
	for _, mem := range root.Members {
		c.manifestMember(mem)
	}
	line := func(key string) int { return lineOf(root, key) }
	switch name, ok := root.Get("name"); {
	case !ok:
		c.add("manifest-name", manifestFile, 1, "has no name")
	case name.Str() == "" && name.Type() == "string", strings.ContainsAny(name.Str(), " \t"):
		c.add("manifest-name", manifestFile, line("name"), "the name is empty or holds blanks")
	case name.Type() == "string" && !kebabName().MatchString(name.Str()):
		c.add("manifest-name-case", manifestFile, line("name"), "the name is not kebab-case")
	}
	if _, ok := root.Get("version"); !ok {
		c.add("manifest-version", manifestFile, 1, "has no version")
	} else if _, err := semver.StrictNewVersion(root.Text("version")); err != nil && root.Text("version") != "" {
		c.add("manifest-version-form", manifestFile, line("version"), "the version is not semantic (MAJOR.MINOR.PATCH)")
	}
	if _, ok := root.Get("description"); !ok {
		c.add("manifest-description", manifestFile, 1, "has no description")
	}
	if _, ok := root.Get("author"); !ok {
		c.add("manifest-author", manifestFile, 1, "has no author")
	}
	c.userConfig(root)
	for _, f := range c.p.Under(".claude-plugin") {
		if base := path.Base(f.Path); base != "plugin.json" && base != "marketplace.json" && !strings.HasPrefix(base, "icon.") && base != ".gitkeep" {
			c.add("manifest-folder", f.Path, 0, "is nothing that the client reads")
		}
	}
}

func (c *checker) manifestMember(m plugin.Member) {
	types, known := manifestTypes[m.Key]
	switch {
	case known && !slices.Contains(types, m.JSON.Type()):
		c.add("manifest-type", manifestFile, m.Line, "%s must be %s, is a %s", m.Key, orList(types), m.JSON.Type())
	case known && m.Key == "author":
		if name, ok := m.JSON.Get("name"); !ok || name.Type() != "string" {
			c.add("manifest-type", manifestFile, m.Line, "author needs a name, a string")
		}
	case known && (m.Key == "keywords"):
		for _, it := range m.JSON.Items {
			if it.Type() != "string" {
				c.add("manifest-type", manifestFile, it.Line, "every keyword must be a string")
			}
		}
	case known:
	case marketKeys[m.Key]:
		c.add("manifest-market-key", manifestFile, m.Line, "%q is a key of marketplace entries", m.Key)
	case experiment[m.Key]:
		c.add("manifest-experimental", manifestFile, m.Line, "%q stands at the top", m.Key)
	default:
		c.add("manifest-unknown-key", manifestFile, m.Line, "%q is no key of a manifest", clip(m.Key, 40))
	}
}

func orList(types []string) string {
	if len(types) == 1 {
		return "a " + types[0]
	}
	return "a " + strings.Join(types[:len(types)-1], ", a ") + " or a " + types[len(types)-1]
}

func lineOf(o plugin.JSON, key string) int {
	for _, m := range slices.Backward(o.Members) {
		if m.Key == key {
			return m.Line
		}
	}
	return 0
}

var optionTypes = wordSet("string number boolean directory file")

func (c *checker) userConfig(root plugin.JSON) {
	conf, ok := root.Get("userConfig")
	if !ok {
		return
	}
	for _, o := range conf.Members {
		switch {
		case !o.JSON.IsObj:
			c.add("user-config-option", manifestFile, o.Line, "option %q must be an object", clip(o.Key, 40))
		case !optionTypes[o.JSON.Text("type")]:
			c.add("user-config-option", manifestFile, o.Line, "option %q has no known type", clip(o.Key, 40))
		case o.JSON.Text("title") == "" || o.JSON.Text("description") == "":
			c.add("user-config-option", manifestFile, o.Line, "option %q lacks a title or a description", clip(o.Key, 40))
		}
	}
}

// componentPaths checks the paths of the manifest, its entry's too.
func (c *checker) componentPaths() {
	m := &c.p.Manifest
	where := manifestFile
	if m.Path == "" {
		where = m.EntryPath
	}
	one := func(key string, r plugin.PathRef, agents bool) {
		switch {
		case r.Content != "" || r.Written == "":
		case r.Rel == "" || slices.Contains(strings.Split(r.Written, "/"), "..") || !strings.HasPrefix(r.Written, "./") && m.Path != "":
			c.add("component-path-form", where, r.Line, "a path of %s does not start with ./ or leaves the plugin", key)
		case !c.p.Exists(r.Rel):
			c.add("component-path-missing", where, r.Line, "a path of %s does not exist", key)
		case agents && !c.isFile(r.Rel):
			c.add("agents-path-folder", where, r.Line, "agents names a folder")
		}
	}
	for _, k := range []struct {
		key  string
		refs []plugin.PathRef
	}{{"skills", m.Skills}, {"commands", m.Commands}, {"agents", m.Agents}} {
		for _, r := range k.refs {
			one(k.key, r, k.key == "agents" && m.Path != "")
		}
	}
	for _, k := range []struct {
		key string
		ds  []plugin.Declared
	}{{"hooks", m.Hooks}, {"mcpServers", m.MCP}, {"lspServers", m.LSP}} {
		for _, d := range k.ds {
			if d.Inline == nil {
				one(k.key, d.PathRef, false)
			}
		}
	}
}
