package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// text is the gate's answer for people: one line a verdict, then what the auditor got wrong itself.
func text(d *stability.Document) func(io.Writer) error {
	return func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %s\n\n", d.Target.Name, wording.Amount(len(d.Verdicts), "verdict", "verdicts"))
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "candidate\tverdict\tafter the gate\tstability\twhy")
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			var why []string
			if v.Gate != nil {
				why = append(append(why, v.Gate.Flips...), v.Gate.Notes...)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", v.Candidate.ID, v.Verdict.Verdict, v.Final, orDash(string(v.Stability)), orDash(strings.Join(why, ", ")))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, f := range d.SelfFindings {
			fmt.Fprintf(w, "finding about the audit itself: %s: %s\n", f.CandidateID, f.Reason)
		}
		for _, x := range d.Warnings {
			fmt.Fprintf(w, "warning: %s (%s)\n", x.Message, x.Code)
		}
		return nil
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
