// Plugin-inventory says what a plugin is before it is used: every component, what
// it costs to load, and which of its prose looks like a procedure.
package main

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

var tool = &cli.Tool{
	Name:    "plugin-inventory",
	Purpose: "Say what a plugin is before it is used: its components, their cost, their static signals.",
	Root: &cli.Verb{
		Args: "[TARGET]", MaxArgs: 1,
		Detail: "TARGET is a path, a plugin's name, or name@marketplace; --marketplace and --plugin stand in for it.\n" +
			"With --all it is a marketplace folder; JSON is then one inventory a line.",
		Formats: []string{cli.JSON, cli.Text},
		Examples: []string{"plugin-inventory PLUGIN", "plugin-inventory NAME@MARKETPLACE --format text",
			"plugin-inventory MARKETPLACE --all", "plugin-inventory --marketplace MARKETPLACE --plugin NAME"},
		Setup: take,
	},
	Verbs: []*cli.Verb{explain},
}

func main() { cli.Main(tool) }

func take(f *cli.Flags) cli.Run {
	target, all := f.Target(), f.Bool("all", "take every plugin of the marketplace folder TARGET")
	return func(c *cli.Call) error {
		name, err := targetName(c, target)
		if err != nil {
			return err
		}
		if *all {
			return takeAll(c, name, options(c, target))
		}
		p, err := plugin.Resolve(name, options(c, target))
		if err != nil {
			return cli.BadInput(err)
		}
		doc, err := inventory.Take(p)
		if err != nil {
			return err
		}
		return c.Emit(doc, text(doc))
	}
}

// options is where to look for plugins.
func options(c *cli.Call, t *cli.TargetFlags) plugin.Options {
	o := plugin.Options{PluginsRoot: *t.PluginsRoot, MarketplaceFile: *t.Marketplace, EntryName: *t.Plugin}
	if o.PluginsRoot == "" {
		o.PluginsRoot = plugin.DefaultRoot(c.Getenv)
	}
	return o
}
