package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
)

var classify = &cli.Verb{
	Name: "classify", Purpose: "Give every candidate its position, confidence and verdict.",
	Detail:   "Without --judgments nobody has judged: what is left to judge is then a boundary question.",
	Formats:  []string{cli.JSON, cli.Text},
	Examples: []string{"boundary-classify classify --inventory inventory.json --scan scan.json --judgments judgments.yaml"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newMeasured(f)
		judgments := f.String("judgments", "", "the judgments/v1 document, JSON or YAML, in `FILE`; - is standard input")
		return func(c *cli.Call) error {
			inv, sc, cands, err := from.read(c)
			if err != nil {
				return err
			}
			var js *boundary.Judgments
			if *judgments != "" {
				data, err := c.ReadInput("judgments", *judgments)
				if err != nil {
					return err
				}
				if js, err = boundary.ReadJudgments(data); err != nil {
					return cli.BadInput(fmt.Errorf("--judgments %s: %w", *judgments, err))
				}
			}
			v, err := boundary.Classify(inv, sc, cands, js)
			if err != nil {
				return cli.BadInput(err)
			}
			return c.Emit(v, verdictsText(v))
		}
	},
}

func verdictsText(d *boundary.Verdicts) func(io.Writer) error {
	return func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "verdict\tposition\tconfidence\tcandidate\twhy")
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", v.Verdict, v.Position, v.Confidence, v.Candidate.ID, strings.Join(v.Reasons, ", "))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, x := range d.Warnings {
			fmt.Fprintf(w, "warning: %s (%s)\n", x.Message, x.Code)
		}
		return nil
	}
}
