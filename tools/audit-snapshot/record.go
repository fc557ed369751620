package main

import (
	"io"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/summary"
)

var record = &cli.Verb{
	Name: "record", Purpose: "Append one run to the store, with its page.",
	Detail: "The store is a folder, or the top of a git work tree: then each run is one commit. A run that was\n" +
		"interrupted may be recorded again with the same --now and is not recorded twice.",
	Formats: []string{cli.JSON, cli.Text},
	Examples: []string{
		"audit-snapshot record --stable stable.json --scan scan.json --inventory inventory.json",
		"audit-snapshot record --stable stable.json --scan scan.json --existing existing.json --plan plan.json --store ~/wiki --push",
	},
	Setup: func(f *cli.Flags) cli.Run {
		store := f.String("store", "", "record in `DIR`; default the user's own store")
		push := f.Bool("push", "send the commit to the remote of the work tree")
		stable := f.String("stable", "", "the stable/v1 document in `FILE`; - is standard input")
		sc := f.String("scan", "", "the scan/v1 document in `FILE`; without it nothing was measured")
		inv := f.String("inventory", "", "the inventory/v1 document in `FILE`, which tells whether a component is gone")
		existing := f.String("existing", "", "the existing/v1 document in `FILE`: what the tracker answered")
		plan := f.String("plan", "", "the plan/v1 document in `FILE`: what is to be filed")
		notes := f.Strings("note", "keep the sentence `TEXT` with the snapshot")
		clock := f.Clock()
		return func(c *cli.Call) error {
			in := snapshot.Input{Stable: &stability.Document{}, Notes: *notes, ToolVersion: cli.Version}
			if err := c.ReadDocument("stable", *stable, stability.Kind, in.Stable); err != nil {
				return err
			}
			if err := readParts(c, &in, *sc, *inv, *existing, *plan); err != nil {
				return err
			}
			now, err := c.Now(*clock)
			if err != nil {
				return err
			}
			in.Now = now.Format(time.RFC3339)
			st, err := openStore(c, *store)
			if err != nil {
				return err
			}
			settings, err := c.Settings()
			if err != nil {
				return err
			}
			out, err := st.Append(c.Context, in.Stable.Target.Name, snapshot.Options{Push: *push || settings.Push && st.InGit(), Page: summary.Page},
				func(history []snapshot.Document) (*snapshot.Run, error) {
					in.History = history
					doc, err := snapshot.Compose(in)
					return &snapshot.Run{Snapshot: doc}, err
				})
			if err != nil {
				return cli.PathError(err)
			}
			tell(c, out)
			return c.Emit(out.Snapshot, func(w io.Writer) error { return summary.Report(w, in.History, out.Snapshot) })
		}
	},
}

// readParts reads the documents that a run may have beside its verdicts.
func readParts(c *cli.Call, in *snapshot.Input, sc, inv, existing, plan string) error {
	if sc != "" {
		in.Scan = &scan.Document{}
		if err := c.ReadDocument("scan", sc, scan.Kind, in.Scan); err != nil {
			return err
		}
	}
	if inv != "" {
		var doc inventory.Document
		if err := c.ReadDocument("inventory", inv, inventory.Kind, &doc); err != nil {
			return err
		}
		in.Surface = []audit.ComponentRef{}
		for _, r := range doc.Components {
			in.Surface = append(in.Surface, audit.ComponentRef{Kind: r.Kind, Name: r.Name})
		}
	}
	var found *filing.Existing
	if existing != "" {
		found = &filing.Existing{}
		if err := c.ReadDocument("existing", existing, filing.ExistingKind, found); err != nil {
			return err
		}
	}
	var planned *filing.Plan
	if plan != "" {
		planned = &filing.Plan{}
		if err := c.ReadDocument("plan", plan, filing.PlanKind, planned); err != nil {
			return err
		}
		in.Filing = snapshot.Filing{Mode: planned.Channel, Reason: planned.Unavailable}
		for _, a := range planned.Actions {
			where := a.Issue
			if where == "" {
				where = a.Path
			}
			in.Filing.Actions = append(in.Filing.Actions, snapshot.Filed{CandidateID: a.CandidateID, Action: a.Action, Repository: a.Repository, Issue: where, Self: a.Self})
		}
	}
	in.Issues = filing.Issues(found, planned)
	return nil
}

// tell says on standard error what a caller should know beside the snapshot.
func tell(c *cli.Call, out *snapshot.Outcome) {
	for _, p := range out.Problems {
		c.Note("the store's history: %s", p)
	}
	if !out.Recorded {
		c.Note("%s was recorded before; nothing was added", out.Snapshot.SnapshotID)
	}
	if out.NotPushed != nil {
		c.Note("recorded, but not pushed: %v", out.NotPushed)
	}
}
