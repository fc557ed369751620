package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/summary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var trend = &cli.Verb{
	Name: "trend", Args: "[PLUGIN]", MaxArgs: 1,
	Purpose:  "Follow a plugin through all its snapshots, normalised by use.",
	Formats:  []string{cli.JSON, cli.Text},
	Examples: []string{"audit-snapshot trend PLUGIN --format text"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newSource(f)
		return func(c *cli.Call) error {
			history, _, err := from.read(c)
			if err != nil {
				return err
			}
			doc := snapshot.Trend(history)
			return c.Emit(doc, func(w io.Writer) error { return trendText(w, doc) })
		}
	},
}

func trendText(w io.Writer, d *snapshot.Course) error {
	fmt.Fprintf(w, "%s: %s; ever filed %d, closed as won't-fix %d, offloads reverted %d\n\n",
		d.Target.Name, wording.Amount(len(d.Moments), "snapshot", "snapshots"), d.Counters.Filed, d.Counters.Wontfix, d.Counters.Reverted)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "candidate\tstatus\tfirst\tlast\tfactor\tvalue\tissue")
	for _, c := range d.Candidates {
		first, last := &c.Points[0], &c.Points[len(c.Points)-1]
		factor := snapshot.TrendUncomputable
		if c.RatioMilli != nil {
			factor = fmt.Sprintf("%d.%03d", *c.RatioMilli/1000, *c.RatioMilli%1000)
		}
		value := "-"
		if last.Strength != audit.Unmeasured {
			value = summary.Percent(last.SharePPM)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.CandidateID, orNone(c.Status), perInvocation(first), perInvocation(last), factor, value, orNone(c.Issue))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nfirst and last are weighted tokens per invocation; (n uses) is too few to say. value ranks: the waste, weighted by how often the step recurs, in percent of the audited spend")
	for _, n := range d.Notes {
		fmt.Fprintln(w, n)
	}
	return nil
}
