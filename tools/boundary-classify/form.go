package main

import (
	"io"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
)

var form = &cli.Verb{
	Name: "form", Purpose: "Print the judgments document to fill in: one open row a candidate.",
	Detail:  "With --format text it is YAML with the questions beside the answers, for somebody to fill in by hand.",
	Formats: []string{cli.JSON, cli.Text},
	Examples: []string{
		"boundary-classify form --inventory inventory.json --scan scan.json > judgments.json",
		"boundary-classify form --inventory inventory.json --scan scan.json --format text > judgments.yaml",
	},
	Setup: func(f *cli.Flags) cli.Run {
		from := newMeasured(f)
		return func(c *cli.Call) error {
			_, _, cands, err := from.read(c)
			if err != nil {
				return err
			}
			return c.Emit(boundary.Form(cands), func(w io.Writer) error { return boundary.WriteForm(w, cands) })
		}
	},
}
