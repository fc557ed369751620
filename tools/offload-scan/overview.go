package main

import (
	"io"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// overview tells where the money goes.
var overview = &cli.Verb{
	Name:     "overview",
	Purpose:  "Tell where the money went: by plugin, skill, agent and model, with shares.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-scan overview --since 7d", "offload-scan overview --project ~/work/app"},
	Setup: func(f *cli.Flags) cli.Run {
		source := newSource(f)
		return func(c *cli.Call) error {
			o, err := source.options(c)
			if err != nil {
				return err
			}
			doc, err := scan.Run(c.Context, o)
			if err != nil {
				return err
			}
			return c.Emit(doc, func(w io.Writer) error { return scan.Overview(w, doc) })
		}
	},
}
