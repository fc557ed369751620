package main

import (
	"fmt"
	"io"
	"os"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var existing = &cli.Verb{
	Name: "existing", Args: "[ANSWER…]", MaxArgs: -1,
	Purpose: "Turn what the searches printed into the document that plan asks for.",
	Detail:  "One answer file a search, in any order. The channel file needs none: its folder is looked into here.",
	Formats: []string{cli.JSON, cli.Text},
	Examples: []string{
		"filing-plan existing --searches searches.json answer-1.json answer-2.json > existing.json",
		"filing-plan existing --searches searches.json > existing.json",
	},
	Setup: func(f *cli.Flags) cli.Run {
		from := f.String("searches", "", "the searches/v1 document in `FILE`")
		return func(c *cli.Call) error {
			var s filing.Searches
			if err := c.ReadDocument("searches", *from, filing.SearchesKind, &s); err != nil {
				return err
			}
			e, err := answer(c, &s)
			if err != nil {
				return err
			}
			return c.Emit(e, func(w io.Writer) error {
				for _, f := range e.Found {
					fmt.Fprintf(w, "%s: %s, %s %s\n", f.Marker, f.Issue, f.State, f.Resolution)
				}
				_, err := fmt.Fprintf(w, "%s searched for, %s found\n", wording.Amount(len(e.Searched), "marker", "markers"), wording.Amount(len(e.Found), "issue", "issues"))
				return err
			})
		}
	},
}

func answer(c *cli.Call, s *filing.Searches) (*filing.Existing, error) {
	if s.Channel == filing.Files && len(c.Args) == 0 {
		dir := "."
		if len(s.Searches) > 0 {
			dir = s.Searches[0].Path
		}
		e, err := filing.LookIn(os.DirFS(dir), s)
		return e, cli.PathError(err)
	}
	outputs := make([][]byte, 0, len(c.Args))
	for _, name := range c.Args {
		data, err := c.ReadInput("answer", name)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, data)
	}
	e, err := filing.Answers(s, outputs)
	return e, cli.BadInput(err)
}
