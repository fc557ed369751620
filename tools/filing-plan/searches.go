package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

var searches = &cli.Verb{
	Name:    "searches",
	Purpose: "Print which markers to search the tracker for, and how.",
	Detail:  "Run every search, keep what each prints in a file of its own, and give those files to the verb existing.",
	Formats: []string{cli.JSON, cli.Text},
	Examples: []string{
		"filing-plan searches --stable stable.json --channel github --repo OWNER/REPO",
		"filing-plan searches --stable stable.json --channel github --repo OWNER/REPO --format text",
	},
	Setup: func(f *cli.Flags) cli.Run {
		from := newConfig(f)
		history := f.String("history", "", "look up the issues of earlier candidates too, by the snapshots in `FILE`")
		return func(c *cli.Call) error {
			stable, cfg, err := from.read(c)
			if err != nil {
				return err
			}
			earlier, err := trackedIn(c, *history)
			if err != nil {
				return err
			}
			s, err := filing.MakeSearches(stable, cfg, earlier...)
			if err != nil {
				return cli.BadInput(err)
			}
			return c.Emit(s, func(w io.Writer) error { return searchesText(w, s) })
		}
	},
}

// trackedIn is which candidates of a history file stand at an issue.
func trackedIn(c *cli.Call, file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	data, err := c.ReadInput("history", file)
	if err != nil {
		return nil, err
	}
	docs, problems, err := snapshot.ReadHistory(bytes.NewReader(data))
	if err != nil {
		return nil, cli.BadInput(err)
	}
	for _, p := range problems {
		c.Note("%s: %s", file, p)
	}
	return snapshot.Tracked(docs), nil
}

// searchesText is a shell script where a shell can search, else what to hand to whom.
func searchesText(w io.Writer, s *filing.Searches) error {
	if s.Unavailable != "" {
		fmt.Fprintf(w, "# filing: unavailable (%s)\n", s.Unavailable)
	}
	for i, x := range s.Searches {
		if x.Prompt != "" {
			fmt.Fprintf(w, "# search %d, for the delegate; keep its answer in answer-%d.json\n%s\n\n", i+1, i+1, x.Prompt)
			continue
		}
		if s.Channel != filing.Files {
			fmt.Fprintf(w, "%s > answer-%d.json\n", shell(x.Argv), i+1)
		}
	}
	return nil
}

// shell quotes an argument vector for a POSIX shell.
func shell(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+", r)
		}) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
