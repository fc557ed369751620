// Audit-snapshot keeps the audits: it records a run in the store and tells what changed.
package main

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"

var tool = &cli.Tool{
	Name:    "audit-snapshot",
	Purpose: "Keep audits for ever, and say what became of each candidate and whether the bill moved.",
	Verbs:   []*cli.Verb{record, diff, trend, summarise, html, memoryQueries, memoryNotes, verify},
	Examples: []string{
		"audit-snapshot record --stable stable.json --scan scan.json",
		"audit-snapshot trend PLUGIN --format text",
	},
}

func main() { cli.Main(tool) }
