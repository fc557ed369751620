package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var diff = &cli.Verb{
	Name: "diff", Args: "[PLUGIN]", MaxArgs: 1,
	Purpose:  "Say what became of each candidate between two snapshots, by cost per invocation.",
	Formats:  []string{cli.JSON, cli.Text},
	Examples: []string{"audit-snapshot diff PLUGIN --format text", "audit-snapshot diff PLUGIN --from SNAPSHOT --to SNAPSHOT"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newSource(f)
		older := f.String("from", "", "the earlier snapshot's `ID`; default the one before --to")
		newer := f.String("to", "", "the later snapshot's `ID`; default the latest")
		return func(c *cli.Call) error {
			history, _, err := from.read(c)
			if err != nil {
				return err
			}
			to, err := at(history, "to", *newer, len(history)-1)
			if err != nil {
				return err
			}
			since, err := at(history, "from", *older, to-1)
			if err != nil {
				return err
			}
			if since >= to {
				return cli.Usage("--from: expected a snapshot before %s", history[to].SnapshotID)
			}
			doc := snapshot.Diff(history, since, to)
			return c.Emit(doc, func(w io.Writer) error { return diffText(w, doc) })
		}
	},
}

func diffText(w io.Writer, d *snapshot.Changes) error {
	if d.From == nil {
		fmt.Fprintf(w, "%s: %s is the first snapshot\n", d.Target.Name, d.To.SnapshotID)
	} else {
		fmt.Fprintf(w, "%s: %s of %s against %s of %s\n", d.Target.Name, d.To.SnapshotID, snapshot.Day(d.To.CreatedAt), d.From.SnapshotID, snapshot.Day(d.From.CreatedAt))
	}
	for _, n := range d.Notes {
		fmt.Fprintf(w, "made otherwise: %s\n", n)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "\nstatus\tcost per invocation before\tnow\tcandidate\twhy")
	for _, r := range d.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.Status, perInvocation(r.Before), perInvocation(r.After), r.CandidateID, r.Why)
	}
	return t.Flush()
}

// perInvocation is a point's normalised cost in weighted tokens, rounded half up.
func perInvocation(p *snapshot.Point) string {
	switch {
	case p == nil:
		return "-"
	case p.PerInvocationMilli == nil:
		return fmt.Sprintf("(%s)", wording.Amount(p.Invocations, "use", "uses"))
	}
	return fmt.Sprint((*p.PerInvocationMilli + 500) / 1000)
}
