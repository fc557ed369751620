// Stability-classify compares the verdicts of one window with earlier ones, so that
// nothing is filed on the strength of a window that happened to look so.
package main

import (
	"bytes"
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

var tool = &cli.Tool{
	Name:    "stability-classify",
	Purpose: "Say which verdicts hold across windows, and which only this window shows.",
	Root: &cli.Verb{
		Formats:  []string{cli.JSON, cli.Text},
		Examples: []string{"stability-classify --verdicts verdicts.json --history STORE/snapshots/PLUGIN.jsonl"},
		Setup:    gate,
	},
}

func main() { cli.Main(tool) }

func gate(f *cli.Flags) cli.Run {
	verdicts := f.String("verdicts", "", "the verdicts/v1 document in `FILE`; - is standard input")
	history := f.String("history", "", "earlier snapshots of the same plugin in `FILE`, a line each; an empty file is an empty history")
	return func(c *cli.Call) error {
		var v boundary.Verdicts
		if err := c.ReadDocument("verdicts", *verdicts, boundary.VerdictsKind, &v); err != nil {
			return err
		}
		data, err := c.ReadInput("history", *history)
		if err != nil {
			return err
		}
		docs, problems, err := snapshot.ReadHistory(bytes.NewReader(data))
		if err != nil {
			return cli.BadInput(fmt.Errorf("--history %s: %w", *history, err))
		}
		for _, p := range problems {
			c.Note("%s: %s", *history, p)
		}
		snapshot.FreezeVerdicts(&v, docs)
		doc := stability.Gate(&v, snapshot.Prior(docs, &v))
		return c.Emit(doc, text(doc))
	}
}
