// Boundary-classify proposes the steps of a plugin that may be algorithms, and draws
// the line between script and judgment in each from the answers of whoever judged.
package main

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

var tool = &cli.Tool{
	Name:    "boundary-classify",
	Purpose: "Propose the steps that may be algorithms, and draw the line between script and judgment in each.",
	Verbs:   []*cli.Verb{propose, form, classify},
	Examples: []string{
		"boundary-classify propose --inventory inventory.json --scan scan.json",
		"boundary-classify classify --inventory inventory.json --scan scan.json --judgments judgments.yaml",
	},
}

func main() { cli.Main(tool) }

// measured are the two documents that every verb reads.
type measured struct{ inventory, scan *string }

func newMeasured(f *cli.Flags) *measured {
	return &measured{
		inventory: f.String("inventory", "", "the inventory/v1 document in `FILE`; - is standard input"),
		scan:      f.String("scan", "", "the scan/v1 document in `FILE`; without it nothing is measured"),
	}
}

// read returns both documents and what they propose. The scan is nil when none was given.
func (m *measured) read(c *cli.Call) (*inventory.Document, *scan.Document, *boundary.Candidates, error) {
	var inv inventory.Document
	if err := c.ReadDocument("inventory", *m.inventory, inventory.Kind, &inv); err != nil {
		return nil, nil, nil, err
	}
	var sc *scan.Document
	if *m.scan != "" {
		sc = &scan.Document{}
		if err := c.ReadDocument("scan", *m.scan, scan.Kind, sc); err != nil {
			return nil, nil, nil, err
		}
	}
	return &inv, sc, boundary.Propose(&inv, sc), nil
}
