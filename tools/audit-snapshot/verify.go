package main

import (
	"fmt"
	"io"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var verify = &cli.Verb{
	Name:     "verify",
	Purpose:  "Check the whole store: every line, id, order and page. Exit 1 when something is wrong.",
	Formats:  []string{cli.JSON, cli.Text},
	Examples: []string{"audit-snapshot verify --store ~/wiki --format text"},
	Setup: func(f *cli.Flags) cli.Run {
		store := f.String("store", "", "check the store in `DIR`; default the user's own")
		return func(c *cli.Call) error {
			s, err := openStore(c, *store)
			if err != nil {
				return err
			}
			check, err := s.Verify()
			if err != nil {
				return cli.BadInput(err)
			}
			if err := c.Emit(check, func(w io.Writer) error { return checkText(w, check) }); err != nil {
				return err
			}
			if len(check.Findings) > 0 {
				return cli.ErrFindings
			}
			return nil
		}
	},
}

func checkText(w io.Writer, check *snapshot.Check) error {
	for _, f := range check.Findings {
		fmt.Fprintf(w, "%s: %s: %s\n", place(f), f.Code, f.Message)
	}
	for _, f := range check.Notes {
		fmt.Fprintf(w, "note: %s: %s: %s\n", place(f), f.Code, f.Message)
	}
	_, err := fmt.Fprintf(w, "%s of %s, %s\n", wording.Amount(check.Snapshots, "snapshot", "snapshots"),
		wording.Amount(check.Targets, "plugin", "plugins"), wording.Amount(len(check.Findings), "defect", "defects"))
	return err
}

func place(f snapshot.Finding) string {
	if f.Line == 0 {
		return f.Path
	}
	return fmt.Sprintf("%s:%d", f.Path, f.Line)
}
