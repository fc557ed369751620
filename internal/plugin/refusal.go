package plugin

import (
	"path"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// What the pinned client (2.1.332, observed key by key) does with a manifest that breaks
// its schema: of some keys it drops a value of the wrong type and loads the plugin, of
// those here it refuses the whole plugin.
var refusingTypes = map[string][]string{
	"name": {"string"}, "version": {"string"}, "defaultEnabled": {"boolean"}, "dependencies": {"list"},
	"hooks": {"string", "object", "list"}, "mcpServers": {"string", "object", "list"}, "lspServers": {"string", "object", "list"},
	"settings": {"object"}, "channels": {"list"}, "userConfig": {"object"},
	"outputStyles": {"string", "list"}, "workflows": {"string", "list"},
	"skills": {"string", "list"}, "commands": {"string", "list", "object"}, "agents": {"string", "list"},
}

var (
	pathKeys    = []string{"skills", "commands", "agents", "outputStyles", "workflows", "hooks", "mcpServers", "lspServers"}
	optionName  = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	optionTypes = []string{"string", "number", "boolean", "directory", "file"}
)

// refusal is why the host does not load the plugin at all, "" when it does.
func (m *Manifest) refusal() string {
	if m.Path == "" {
		return ""
	}
	if m.Err != nil {
		return "the manifest is no JSON object"
	}
	for _, mem := range m.Root.Members {
		if types, ok := refusingTypes[mem.Key]; ok && !slices.Contains(types, mem.JSON.Type()) {
			return "the manifest's " + mem.Key + " has the wrong type"
		}
	}
	switch name, ok := m.Root.Get("name"); {
	case !ok:
		return "the manifest has no name"
	case name.Str() == "" || strings.ContainsRune(name.Str(), ' '):
		return "the manifest's name is empty or holds blanks"
	}
	for _, key := range pathKeys {
		v, _ := m.Root.Get(key)
		paths := append([]JSON{v}, v.Items...)
		for _, mem := range v.Members {
			if src, ok := mem.JSON.Get("source"); ok && key == "commands" {
				paths = append(paths, src)
			}
		}
		for _, p := range paths {
			if p.Type() != "string" {
				continue
			}
			if !strings.HasPrefix(p.Str(), "./") {
				return "a path of the manifest's " + key + " does not start with ./"
			}
			if key == "agents" && path.Ext(p.Str()) != ".md" {
				return "the manifest's agents names something that is no .md file"
			}
		}
	}
	conf, _ := m.Root.Get("userConfig")
	for _, o := range conf.Members {
		if !optionName().MatchString(o.Key) || !slices.Contains(optionTypes, o.JSON.Text("type")) || o.JSON.Text("title") == "" || o.JSON.Text("description") == "" {
			return "an option of the manifest's userConfig lacks a type, a title or a description"
		}
	}
	return ""
}

// guarding are the events whose hooks may protect something: where hooks.json declares
// one of them outside its "hooks" member, the host refuses the plugin instead of running
// it unguarded.
var guarding = []string{"PreToolUse", "PermissionRequest", "PreSkillShellCommand"}

// hooksRefusal is the same for hooks/hooks.json.
func (p *Plugin) hooksRefusal() string {
	const file = "hooks/hooks.json"
	if _, ok := p.File(file); !ok {
		return ""
	}
	text, err := p.Text(file)
	if err != nil {
		return ""
	}
	j, jerr := ParseJSON(text)
	if jerr != nil {
		return ""
	}
	outside := slices.ContainsFunc(j.Members, func(m Member) bool { return slices.Contains(guarding, m.Key) })
	if inner, ok := j.Get("hooks"); outside || ok && inner.IsList {
		return file + ` declares hooks outside its "hooks" object`
	}
	return ""
}
