package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// explain lists the turns behind a number.
var explain = &cli.Verb{
	Name: "explain", Args: "ID", MinArgs: 1, MaxArgs: 1,
	Purpose: "List the turns behind a number of a scan: file, line, class and tokens, never content.",
	Detail: "ID is a sequence's, staple's or retry cluster's id, a component (acme:deploy, agent:Explore), one of its\n" +
		"classes or sources (acme:deploy/retry, acme:deploy/inferred, acme:deploy/inherited), usage, unattributed,\n" +
		"plausible, blind, class:NAME, source:NAME, model:NAME or session:ID. Give the flags of the scan that it is from.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-scan explain PLUGIN:COMPONENT/mechanical --since 7d", "offload-scan explain unattributed --format json"},
	Setup: func(f *cli.Flags) cli.Run {
		source := newSource(f)
		return func(c *cli.Call) error {
			o, err := source.options(c)
			if err != nil {
				return err
			}
			e, err := scan.Explain(c.Context, o, c.Args[0])
			if no := (scan.ErrNoSuchID{}); errors.As(err, &no) {
				return cli.BadInput(err)
			} else if err != nil {
				return err
			}
			return c.Emit(e, func(w io.Writer) error { return writeExplanation(w, e) })
		}
	},
}

func writeExplanation(w io.Writer, e *scan.Explanation) error {
	fmt.Fprintf(w, "%s: %s\n%s, %s%s (input %d, output %d, cache read %d, cache write %d)\n\n", e.ID, e.Says, wording.Amount(e.Turns, "turn", "turns"),
		wording.Amount(e.WeightedMilli/1000, "weighted token", "weighted tokens"), wasted(e.WasteMilli), e.Input, e.Output, e.CacheRead, e.CacheWrite5m+e.CacheWrite1h)
	for _, r := range e.Rows {
		whose := r.Component
		if whose == "" {
			whose = "-"
		}
		if r.Source != "" {
			whose += " (" + r.Source + ")"
		}
		if r.Agent != "" {
			whose += " in " + r.Agent
		}
		mark := ""
		if !r.Final {
			mark = " (output is a lower bound)"
		}
		fmt.Fprintf(w, "%s:%d  %s  %s  %d weighted%s, output %d%s\n", r.Path, r.Line, r.Class, whose, r.WeightedMilli/1000, wasted(r.WasteMilli), r.Output, mark)
	}
	return nil
}

// wasted says what part of weighted tokens counts as waste, of what was mined.
func wasted(milli *int64) string {
	if milli == nil {
		return ""
	}
	return fmt.Sprintf(", %d of them waste", *milli/1000)
}
