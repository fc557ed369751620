package main

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// overview tells where the money goes.
var overview = &cli.Verb{
	Name:     "overview",
	Purpose:  "Tell where the money went: by plugin, skill, agent and model, with shares.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-scan overview --since 7d", "offload-scan overview --project ~/work/app"},
	Setup:    measure,
}

// tell writes what was measured. Where there was nothing to read it says where it looked:
// nothing read is not nothing spent.
func tell(c *cli.Call, o scan.Options, a *scan.Answer) error {
	if c.Format != cli.Text {
		if a.Empty() {
			c.Note("%s", c.NoHistory(o.ConfigDirs))
		}
		_, err := a.WriteTo(c.Out)
		return err
	}
	doc, err := a.Document()
	if err != nil {
		return err
	}
	if err = scan.Overview(c.Out, doc); err == nil && a.Empty() {
		_, err = fmt.Fprintf(c.Out, "\nnote: %s\n", c.NoHistory(o.ConfigDirs))
	}
	return err
}
