// Command gencorpus writes a deterministic Claude Code history with the truth about it.
//
//	gencorpus -kind planted -out DIR [-seed N]      a planted scenario and its plugin
//	gencorpus -kind bulk -out DIR -mib 500 [-seed N] so many MiB of rows, for benchmarks
//
// DIR gets config/ (a configuration directory), truth.json and, for planted, plugin/.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

func main() {
	kind := flag.String("kind", "bulk", "planted or bulk")
	out := flag.String("out", "", "directory to write")
	seed := flag.Uint64("seed", 1, "seed: the same one writes the same bytes")
	mib := flag.Int64("mib", 100, "MiB of rows (bulk)")
	flag.Parse()
	if err := run(*kind, *out, *seed, *mib); err != nil {
		fmt.Fprintln(os.Stderr, "gencorpus:", err)
		os.Exit(1)
	}
}

func run(kind, out string, seed uint64, mib int64) (err error) {
	if out == "" {
		return fmt.Errorf("-out: expected a directory to write")
	}
	config := filepath.Join(out, "config")
	var truth any
	switch kind {
	case "bulk":
		truth, err = corpus.Bulk(config, corpus.BulkOptions{Seed: seed, Bytes: mib << 20})
	case "planted":
		sc := corpus.Triage(seed)
		if err := sc.WritePlugin(filepath.Join(out, "plugin")); err != nil {
			return err
		}
		truth, err = corpus.Plant(config, sc)
	default:
		return fmt.Errorf("-kind %q: expected planted or bulk", kind)
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(truth, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "truth.json"), append(data, '\n'), 0o644)
}
