package main

import (
	"fmt"
	"io"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// overview tells where the money goes.
var overview = &cli.Verb{
	Name:     "overview",
	Purpose:  "Tell where the money went: by plugin, skill, agent and model, with shares.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-scan overview --since 7d", "offload-scan overview --project ~/work/app"},
	Setup: func(f *cli.Flags) cli.Run {
		source := newSource(f)
		return func(c *cli.Call) error {
			o, err := source.options(c)
			if err != nil {
				return err
			}
			doc, err := scan.Run(c.Context, o)
			if err != nil {
				return err
			}
			return tell(c, o, doc)
		}
	},
}

// tell writes what was measured. Where there was nothing to read it says where it looked:
// nothing read is not nothing spent.
func tell(c *cli.Call, o scan.Options, doc *scan.Document) error {
	none := doc.Input.Files == 0 && len(doc.Warnings) == 0
	if none && c.Format != cli.Text {
		c.Note("%s", c.NoHistory(o.ConfigDirs))
	}
	return c.Emit(doc, func(w io.Writer) error {
		err := scan.Overview(w, doc)
		if err == nil && none {
			_, err = fmt.Fprintf(w, "\nnote: %s\n", c.NoHistory(o.ConfigDirs))
		}
		return err
	})
}
