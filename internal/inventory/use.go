package inventory

import (
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
)

// What a scan of a plugin's use needs to know of its definition.

// Own is what the plugin ships: the files that a signature may name, and those that run.
func (d *Document) Own(p *plugin.Plugin) signature.Own {
	own := signature.Own{Plugin: d.Target.Name, Root: d.Target.Path, Files: p.OwnFiles()}
	for _, e := range d.Surface.Executables {
		own.Executables = append(own.Executables, e.Path)
	}
	return own
}

// Refs are the components, each kind and name once.
func (d *Document) Refs() []audit.ComponentRef {
	refs := []audit.ComponentRef{}
	for i := range d.Components {
		if r := (audit.ComponentRef{Kind: d.Components[i].Kind, Name: d.Components[i].Name}); !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	return refs
}

// Vocabulary gives for each component that names commands, by its name, their signatures:
// what its own work looks like, besides running what the plugin ships.
func (d *Document) Vocabulary() map[string][]string {
	words := map[string][]string{}
	for i := range d.Components {
		c := &d.Components[i]
		var list []string
		for _, s := range c.Steps {
			list = append(list, s.Signatures...)
		}
		if len(list) == 0 {
			continue
		}
		list = append(words[c.Name], list...)
		slices.Sort(list)
		words[c.Name] = slices.Compact(list)
	}
	return words
}
