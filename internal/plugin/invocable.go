package plugin

import (
	"path/filepath"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Invocable maps the full names under which the installed plugins' skills, commands and agents
// can be used ("acme:deploy") to their plugin: a prefix alone proves nothing, for users'
// commands are namespaced too. What is not installed, or cannot be read, is left out; without a
// plugins folder the map is empty.
func Invocable(root string) map[string]string {
	out := map[string]string{}
	if root == "" {
		return out
	}
	doc, err := readHostJSON(filepath.Join(root, "installed_plugins.json"))
	if err != nil || doc == nil {
		return out
	}
	plugins, _ := doc.Get("plugins")
	for _, m := range plugins.Members {
		name, market := cutLast(m.Key)
		found, err := installedPlugins(root, name, market)
		if err != nil {
			continue
		}
		p, err := oneMarket(name, found)
		if err != nil || p == nil {
			continue
		}
		for i := range p.Components {
			if c := &p.Components[i]; c.Loaded() {
				for _, n := range c.invocations() {
					out[p.Target.Name+":"+n] = p.Target.Name
				}
			}
		}
	}
	return out
}

// invocations are the names, without the plugin's prefix, that a component answers to: a skill
// answers to its folder's and to its frontmatter's.
func (c *Component) invocations() []string {
	names := []string{c.Name}
	if own := c.Front.Host().Text("name"); c.Kind == audit.KindSkill && own != "" && own != c.Name {
		names = append(names, own)
	}
	return names
}
