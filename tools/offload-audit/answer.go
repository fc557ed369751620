package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// refusedFile stands in a run folder while a part of its answers was refused: finish, which may
// follow in the same response, must not record an audit that lacks it.
const refusedFile = "refused"

// answer keeps a part of the judgments. Claude Code's permission check refuses a Bash command
// of more than 10,000 characters, and a large audit's answers are longer: they come as several
// calls of one response, all but the last through this verb.
var answer = &cli.Verb{
	Name: "answer", Args: "RUN", MinArgs: 1, MaxArgs: 1,
	Purpose: "Keep a part of the judgments in a prepared run, where all are too long for one call.",
	Detail:  "Judgments come from standard input (YAML or JSON). What was kept before stays, unless it is answered anew.",
	Examples: []string{
		"offload-audit answer ./run < first-half.yaml && offload-audit finish ./run < second-half.yaml",
	},
	Setup: func(f *cli.Flags) cli.Run {
		return func(c *cli.Call) (err error) {
			dir := c.Args[0]
			run, err := readRun(dir)
			if err != nil {
				return err
			}
			data, err := c.ReadInput("judgments", "-")
			if err != nil {
				return err
			}
			if len(bytes.TrimSpace(data)) == 0 { // nothing was answered, so nothing of it can be missing
				return cli.BadInput(errors.New("standard input: empty, expected judgments (YAML or JSON)"))
			}
			refused := filepath.Join(dir, refusedFile)
			defer func() { err = errors.Join(err, mark(refused, err != nil)) }()
			answers, _, err := layOver(dir, "standard input", data)
			if err != nil {
				return err
			}
			// Classified for its refusals only, so that nothing is kept which finish would refuse.
			if _, err := boundary.Classify(&run.inventory, &run.scan, &run.candidates, answers); err != nil {
				return cli.BadInput(err)
			}
			if err := cli.WriteDocument(filepath.Join(dir, judgmentsFile), answers); err != nil {
				return err
			}
			answered := 0
			for _, j := range answers.Judgments {
				if !j.Open() {
					answered++
				}
			}
			// No list of what is still open: it would be paid for as context, and finish names it.
			fmt.Fprintf(c.Out, "Kept: %s answered.\n", wording.Of(answered, len(answers.Judgments), "candidate", "candidates", "is", "are"))
			return nil
		}
	},
}

// mark makes or removes the mark of a refused part.
func mark(path string, refused bool) error {
	if refused {
		return os.WriteFile(path, nil, 0o644)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.PathError(err)
	}
	return nil
}

// nothingRefused says what has to come before the run can be finished, where a part of the
// answers was refused: that part again, or one document that answers for every candidate. It
// returns whether there is such a mark, which is to go once the document has proved valid.
func nothingRefused(dir string, all, given *boundary.Judgments) (marked bool, err error) {
	if !exists(filepath.Join(dir, refusedFile)) {
		return false, nil
	}
	answered := map[string]bool{}
	if given != nil {
		for i := range given.Judgments {
			answered[given.Judgments[i].ID] = !given.Judgments[i].Open()
		}
	}
	for i := range all.Judgments {
		if j := &all.Judgments[i]; !answered[j.ID] && j.CarriedFrom == "" {
			return true, cli.BadInput(fmt.Errorf("%s: a part of the answers was refused; expected it again, mended, through offload-audit answer, or the answers to all candidates at once", dir))
		}
	}
	return true, nil
}
