// Filing-plan says what to file on which tracker, and how. It writes to none.
package main

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"

var tool = &cli.Tool{
	Name:    "filing-plan",
	Purpose: "Say what to file and how: first what to search for, then what to open or comment on.",
	Verbs:   []*cli.Verb{searches, existing, plan},
	Examples: []string{
		"filing-plan searches --stable stable.json > searches.json",
		"filing-plan existing --searches searches.json > existing.json",
		"filing-plan plan --stable stable.json --existing existing.json",
	},
}

func main() { cli.Main(tool) }
