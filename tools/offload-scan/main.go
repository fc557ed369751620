// Offload-scan says how plugins were used and what that cost, from the transcripts
// that Claude Code keeps.
package main

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

var tool = &cli.Tool{
	Name:    "offload-scan",
	Purpose: "Say how plugins were used and what that cost, from Claude Code's transcripts.",
	Root: &cli.Verb{
		Formats: []string{cli.JSON, cli.Text},
		Examples: []string{
			"offload-scan --since 7d",
			"offload-scan --target PLUGIN --since 2026-11-01 --until 2026-11-30 --timezone Europe/Berlin",
		},
		Setup: measure,
	},
	Verbs: []*cli.Verb{explain, overview, reconcile},
}

func main() { cli.Main(tool) }

func measure(f *cli.Flags) cli.Run {
	source := newSource(f)
	return func(c *cli.Call) error {
		o, err := source.options(c)
		if err != nil {
			return err
		}
		a, err := scan.Ask(c.Context, o)
		if err != nil {
			return err
		}
		return tell(c, o, a)
	}
}
