package scan

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// named is the key of a skill or command that was invoked by name, with what its body tells:
// a base directory in a plugin cache names the plugin for certain; one in the user's, a
// project's or the client's own skills says that there is none. Without either the plugin is
// unresolved: a prefix alone is no plugin.
func named(name string, body *transcript.Mark) key {
	if body != nil {
		name = byFolder(name, body)
		switch body.BaseDir {
		case "plugin-cache":
			plugin := cleanName(body.Plugin)
			if !strings.HasPrefix(name, plugin+":") {
				name = plugin + ":" + name
			}
			return key{name: name, plugin: plugin}
		case "user", "project", "bundled":
			return key{name: name, plugin: ""}
		}
	}
	return key{name: name, plugin: unresolved}
}

// byFolder replaces a skill's own name by its folder's: it answers to both, and stamps use the
// folder. A folder that only continues the name is left alone: the body's line may run on.
func byFolder(name string, body *transcript.Mark) string {
	dir := cleanName(body.Dir)
	prefix, last := name[:strings.LastIndexByte(name, ':')+1], name[strings.LastIndexByte(name, ':')+1:]
	if body.BaseDir == "" || body.BaseDir == "none" || dir == "" || dir == "<name>" || strings.HasPrefix(dir, last) {
		return name
	}
	return prefix + dir
}

// agentKey is the key of an agent. Agents that the client itself stamped carry their plugin as
// prefix, and a stamp without a skill names it; a type that comes from an old client's call
// does not prove anything.
func agentKey(typ string, t *transcript.Turn) key {
	k := key{agent: true, name: typ, plugin: unresolved}
	prefix, _, prefixed := strings.Cut(typ, ":")
	switch {
	case t.StampAgent != "" && t.StampPlugin != "":
		k.plugin = cleanName(t.StampPlugin)
	case t.StampAgent != "" && prefixed:
		k.plugin = prefix
	case !prefixed:
		k.plugin = "" // built-in and users' own agents have none
	}
	return k
}

// sameSkill: the same name, or one of them is the other without its prefix.
func sameSkill(a, b string) bool {
	return a == b || strings.HasSuffix(a, ":"+b) || strings.HasSuffix(b, ":"+a)
}

// resolve settles the plugins that single sessions could not tell: by what the history itself
// stamped under the same full name, then by the installed plugins' inventory; else unknown.
// Components that turn out to be the same are put together.
func (r *roster) resolve(installed map[string]string) []*component {
	learned := map[string]string{}
	ambiguous := map[string]bool{}
	for _, c := range r.order {
		if c.plugin == unresolved || c.plugin == "" {
			continue
		}
		if p, ok := learned[c.name]; ok && p != c.plugin {
			ambiguous[c.name] = true
		}
		learned[c.name] = c.plugin
	}
	merged := map[key]*component{}
	var out []*component
	for _, c := range r.order {
		k := c.key
		if k.plugin == unresolved {
			switch {
			case learned[k.name] != "" && !ambiguous[k.name]:
				k.plugin = learned[k.name]
			case installed[k.name] != "":
				k.plugin = installed[k.name]
			default:
				k.plugin = unknownPlugin
			}
		}
		into := merged[k]
		if into == nil {
			c.key = k
			merged[k] = c
			out = append(out, c)
			continue
		}
		into.absorb(c)
	}
	return out
}

// absorb adds what was measured under another key of the same component.
func (c *component) absorb(o *component) {
	c.skillBody += o.skillBody
	c.commandBody += o.commandBody
	c.bill.merge(&o.bill)
	for i := range c.classes {
		c.classes[i].add(o.classes[i])
	}
	for i := range c.sources {
		c.sources[i] += o.sources[i]
	}
	c.own.add(o.own)
	c.inherited.add(o.inherited)
	c.tail.add(o.tail)
	c.inSkills.add(o.inSkills)
	c.hookRuns += o.hookRuns
	c.fanOut += o.fanOut
	c.read.add(o.read)
	for _, b := range o.bigOrder {
		c.bigRead(b.sig).merge(b)
	}
	for _, u := range o.uses {
		u.of = c
	}
	c.uses = append(c.uses, o.uses...)
}

func (s *Spend) add(o Spend) {
	s.Turns += o.Turns
	s.WeightedMilli += o.WeightedMilli
}
