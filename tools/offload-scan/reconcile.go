package main

import (
	"fmt"
	"io"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// reconcile holds our sums against the client's own.
var reconcile = &cli.Verb{
	Name:    "reconcile",
	Purpose: "Compare our sums with the client's own totals, session by session, and say why they differ.",
	Detail: "From about 2.1.300 on the client writes its own total into each session. A session agrees exactly, or differs by\n" +
		"its compaction requests (they stand on no line), by what it inherited from the session it was forked from,\n" +
		"or by the output of responses that were broken off; anything else is unexplained, and the exit code is 1.\n" +
		"Where ccusage or cc-tokens is on PATH, its total is held against ours too, each difference with its cause.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-scan reconcile", "offload-scan reconcile --config-dir ~/.claude --format json"},
	Setup: func(f *cli.Flags) cli.Run {
		history := f.WholeHistory()
		return func(c *cli.Call) error {
			h, err := history.Read(c)
			if err != nil {
				return err
			}
			r, err := scan.Reconcile(c.Context, scan.Options{ConfigDirs: h.ConfigDirs, CacheDir: h.CacheDir, Sized: c.Memory})
			if err != nil {
				return err
			}
			if err := compareOthers(c.Context, h.ConfigDirs, r); err != nil {
				return err
			}
			nothing := ""
			if len(r.Sessions) == 0 && r.Without == 0 && len(r.Warnings) == 0 { // nothing read is not nothing to differ
				if nothing = c.NoHistory(h.ConfigDirs); c.Format != cli.Text {
					c.Note("%s", nothing)
				}
			}
			if err := c.Emit(r, func(w io.Writer) error {
				err := writeReconciliation(w, r)
				if err == nil && nothing != "" {
					_, err = fmt.Fprintf(w, "\nnote: %s\n", nothing)
				}
				return err
			}); err != nil {
				return err
			}
			if r.Unexplained > 0 {
				return cli.ErrFindings
			}
			return nil
		}
	},
}

func writeReconciliation(w io.Writer, r *scan.Reconciliation) error {
	fmt.Fprintf(w, "%s with the client's own total: %d exact, %d %s by compaction, %d by a fork, %d by responses broken off, %d in price only, %d unexplained; %s without one\n",
		wording.Amount(len(r.Sessions), "session", "sessions"), r.Exact, r.Compaction, wording.Pick(r.Compaction, "differs", "differ"), r.Fork, r.NotFinal, r.Price, r.Unexplained, wording.Amount(r.Without, "session", "sessions"))
	for _, s := range r.Sessions {
		if s.Finding == scan.FoundExact {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s", s.SessionID, s.Finding)
		switch s.Finding {
		case scan.FoundCompaction:
			fmt.Fprintf(w, " (%d; their requests stand on no line)", s.Compactions)
		case scan.FoundFork:
			fmt.Fprintf(w, " (its total starts with that of %s)", s.ForkOf)
		case scan.FoundPrice:
			ours := "no price known"
			if s.OursUSD != nil {
				ours = "$" + *s.OursUSD
			}
			fmt.Fprintf(w, " (every counter agrees; %s by our prices, $%s by the client's)", ours, s.ClientUSD)
		case scan.FoundNotFinal:
			fmt.Fprintf(w, " (%s)", wording.Amount(s.TurnsNotFinal, "response was broken off before its final usage was written", "responses were broken off before their final usage was written"))
		}
		fmt.Fprintln(w)
		for _, m := range s.Models {
			fmt.Fprintf(w, "  %s  input %d/%d  output %d/%d  cache read %d/%d  cache write %d/%d  (ours/client's)\n", m.Model, m.Ours.Input, m.Client.Input,
				m.Ours.Output, m.Client.Output, m.Ours.CacheRead, m.Client.CacheRead, m.Ours.CacheWrite, m.Client.CacheWrite)
		}
	}
	writeOthers(w, r.Others)
	return scan.Notes(w, r.Warnings)
}
