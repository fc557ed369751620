// Offload-audit runs one audit from end to end in one process, so that it costs the
// model that judges two requests and not a dozen.
package main

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"

var tool = &cli.Tool{
	Name:    "offload-audit",
	Purpose: "Audit a plugin for inference that an algorithm could replace.",
	Verbs:   []*cli.Verb{prepare, showFacts, answer, finish, rank, check, why, doctor},
	Examples: []string{
		"offload-audit prepare PLUGIN --run ./run",
		"offload-audit finish ./run < judgments.yaml",
		"offload-audit check PLUGIN",
	},
}

func main() { cli.Main(tool) }
