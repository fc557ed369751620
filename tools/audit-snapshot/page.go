package main

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/summary"
)

var summarise = &cli.Verb{
	Name: "summary", Args: "[PLUGIN]", MaxArgs: 1,
	Purpose:  "Print the page of one snapshot as Markdown.",
	Examples: []string{"audit-snapshot summary PLUGIN", "audit-snapshot summary PLUGIN --at SNAPSHOT"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newSource(f)
		id := f.String("at", "", "the snapshot's `ID`; default the latest")
		return func(c *cli.Call) error {
			history, _, err := from.read(c)
			if err != nil {
				return err
			}
			i, err := at(history, "at", *id, len(history)-1)
			if err != nil {
				return err
			}
			_, err = c.Out.Write(summary.Page(history[:i], &history[i]))
			return err
		}
	},
}

var html = &cli.Verb{
	Name: "html", Args: "[PLUGIN]", MaxArgs: 1,
	Purpose:  "Print one self-contained HTML page with charts over all snapshots.",
	Examples: []string{"audit-snapshot html PLUGIN > PLUGIN.html"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newSource(f)
		return func(c *cli.Call) error {
			history, _, err := from.read(c)
			if err != nil {
				return err
			}
			return summary.HTML(c.Out, history)
		}
	},
}
