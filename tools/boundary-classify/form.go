package main

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
)

var form = &cli.Verb{
	Name: "form", Purpose: "Print the judgments document to fill in: one open row a candidate.",
	Formats:  []string{cli.JSON},
	Examples: []string{"boundary-classify form --inventory inventory.json --scan scan.json > judgments.json"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newMeasured(f)
		return func(c *cli.Call) error {
			_, _, cands, err := from.read(c)
			if err != nil {
				return err
			}
			return c.Emit(boundary.Form(cands), nil)
		}
	},
}
