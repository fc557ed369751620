package cli_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
)

// A verb is one variable in a file of its own in the tool's main package, listed in the tool.
var explain = &cli.Verb{
	Name: "explain", Args: "ID", MinArgs: 1, MaxArgs: 1,
	Purpose:  "Show where a number comes from.",
	Examples: []string{"tally explain turns"},
	Formats:  []string{cli.JSON, cli.Text},
	Setup: func(f *cli.Flags) cli.Run {
		deep := f.Bool("deep", "down to the rows")
		return func(c *cli.Call) error {
			doc := map[string]any{"document": "explanation/v1", "id": c.Args[0], "deep": *deep}
			return c.Emit(doc, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s, deep: %v\n", c.Args[0], *deep)
				return err
			})
		}
	},
}

func Example() {
	tally := &cli.Tool{Name: "tally", Purpose: "Count things.", Verbs: []*cli.Verb{explain}}
	// A main would call cli.Main(tally).
	sys := cli.Sys{Stdout: os.Stdout, Stderr: os.Stdout, Getenv: os.Getenv, Now: time.Now}
	cli.Do(context.Background(), tally, []string{"explain", "turns", "--format", "text", "--deep"}, sys)
	cli.Do(context.Background(), tally, []string{"explain"}, sys)
	// Output:
	// turns, deep: true
	// tally explain: too few words: expected ID (see tally explain --help)
}
