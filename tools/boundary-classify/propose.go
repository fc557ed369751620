package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var propose = &cli.Verb{
	Name: "propose", Purpose: "List the steps that may be algorithms, likeliest first, with the reasons.",
	Formats:  []string{cli.JSON, cli.Text},
	Examples: []string{"boundary-classify propose --inventory inventory.json --scan scan.json --format text"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newMeasured(f)
		return func(c *cli.Call) error {
			_, _, cands, err := from.read(c)
			if err != nil {
				return err
			}
			return c.Emit(cands, candidatesText(cands))
		}
	},
}

func candidatesText(d *boundary.Candidates) func(io.Writer) error {
	return func(w io.Writer) error {
		if len(d.Candidates) == 0 {
			_, err := fmt.Fprintf(w, "%s: no step looks like an algorithm.\n", d.Target.Name)
			return err
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "score\tkind\tevidence\tcandidate")
		for i := range d.Candidates {
			c := &d.Candidates[i]
			fmt.Fprintf(t, "%d.%03d\t%s\t%s\t%s\n", c.Score/1000, c.Score%1000, c.Kind, evidence(c), c.ID)
		}
		return t.Flush()
	}
}

// evidence says in a few words what a candidate rests on.
func evidence(c *boundary.Candidate) string {
	switch {
	case c.AlreadyCut:
		return "already cut"
	case c.Measured == nil:
		return "unmeasured"
	case !c.Measured.Seen():
		return fmt.Sprintf("%s: %s", c.Measured.Strength, c.Measured.Unseen())
	}
	return fmt.Sprintf("%s: %d of %s", c.Measured.Strength, c.Measured.Invocations, wording.Amount(c.Measured.ComponentInvocations, "use", "uses"))
}
