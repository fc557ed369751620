package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
)

// doctorReport is doctor/v1: what was looked at, in a fixed order, and how it stands.
type doctorReport struct {
	Document string    `json:"document"`
	Findings []finding `json:"findings"`
}

// finding is one thing that was looked at.
type finding struct {
	// Check names it: client, settings, history, attribution, plugin, store, tracker, memory, hooks.
	Check string `json:"check"`
	// State is ok, note (works, but know this) or broken.
	State string `json:"state"`
	Says  string `json:"says"`
	// Mend says what to do; "" where there is nothing to do.
	Mend string `json:"mend"`
}

const (
	fine   = "ok"
	note   = "note"
	broken = "broken"
)

var doctor = &cli.Verb{
	Name:    "doctor",
	Purpose: "Look at everything an audit rests on, and say how to mend what does not hold.",
	Detail: "The client and which attributions it writes, the histories, this plugin's installation, the store, the\n" +
		"tracker channel, the memory server, the hooks, the settings. Exits with 1 when something is broken.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-audit doctor", "offload-audit doctor --format json"},
	Setup: func(f *cli.Flags) cli.Run {
		history := f.History()
		store := f.String("store", "", "look at the store `DIR`")
		return func(c *cli.Call) error {
			report := doctorReport{Document: "doctor/v1", Findings: diagnose(examine(c, history, *store))}
			if err := c.Emit(report, report.text); err != nil {
				return err
			}
			for _, f := range report.Findings {
				if f.State == broken {
					return cli.ErrFindings
				}
			}
			return nil
		}
	},
}

func (r doctorReport) text(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-7s %-12s %s\n", f.State, f.Check, f.Says)
		if f.Mend != "" {
			fmt.Fprintf(&b, "%20s → %s\n", "", f.Mend)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
