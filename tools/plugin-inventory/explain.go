package main

import (
	"fmt"
	"io"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// explain shows the files and lines behind a number or a finding.
var explain = &cli.Verb{
	Name: "explain", Args: "ID TARGET", MinArgs: 2, MaxArgs: 2,
	Purpose: "Show the files and lines behind a signal, a cost or a check.",
	Detail: "ID is a check (hook-matcher), a component (skill/deploy), one of its signals or its cost\n" +
		"(skill/deploy/pipes, skill/deploy/tokens), a signal of all components (pipes), or tokens or\n" +
		"script_coverage of the whole plugin.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"plugin-inventory explain skill/NAME/script_verbs PLUGIN", "plugin-inventory explain link-broken PLUGIN --format json"},
	Setup:    runExplain,
}

func runExplain(f *cli.Flags) cli.Run {
	target := f.Target()
	return func(c *cli.Call) error {
		p, err := plugin.Resolve(c.Args[1], options(c, target))
		if err != nil {
			return cli.BadInput(err)
		}
		doc, err := inventory.Take(p)
		if err != nil {
			return err
		}
		found, err := inventory.Explain(doc, c.Args[0])
		if err != nil {
			return cli.BadInput(err)
		}
		return c.Emit(found, func(w io.Writer) error {
			writeExplanations(w, found.Explanations)
			return nil
		})
	}
}

func writeExplanations(w io.Writer, found []inventory.Explanation) {
	for i, e := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n  %s\n", e.ID, e.Says)
		for _, p := range e.Places {
			fmt.Fprintf(w, "  %s  %s %d\n", place(p.Path, p.Line), p.Signal, p.Value)
		}
		if e.Remedy != "" {
			fmt.Fprintf(w, "  mend: %s\n", e.Remedy)
		}
	}
}
