package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

var prepare = &cli.Verb{
	Name: "prepare", Args: "TARGET", MinArgs: 1, MaxArgs: 1, Stdin: true,
	Purpose: "Measure a plugin, propose candidates and print what there is to judge.",
	Detail: "Writes a run folder: inventory.json, scan.json, candidates.json, judgments.json (the form to fill in)\n" +
		"and digest.md (what it prints). TARGET is a path, a plugin's name, or name@marketplace.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-audit prepare PLUGIN --since 30d", "offload-audit prepare NAME@MARKETPLACE --run ./run"},
	Setup: func(f *cli.Flags) cli.Run {
		target, history := f.Target(), f.History()
		store := f.String("store", "", "recognise candidates by the audits kept in `DIR`")
		run := f.String("run", "", "write the run folder `DIR`; default runs/<plugin>-<time> in the user's data folder")
		fresh := f.Bool("fresh", "ask again what an earlier audit has judged on the same evidence")
		return func(c *cli.Call) error {
			h, err := history.Read(c)
			if err != nil {
				return err
			}
			past, err := openStore(c, *store)
			if err != nil {
				return err
			}
			facts, docs, err := gather(c, c.Args[0], target, h, past)
			if err != nil {
				return err
			}
			name := facts.inventory.Target.Name
			dir, err := c.RunDir(*run, name+"-"+h.Now.Format("20060102T150405Z"))
			if err != nil {
				return err
			}
			moment := h.Now.Format(time.RFC3339) + "\n"
			if dir, err = claim(dir, *run != "", moment); err != nil {
				return err
			}
			form := boundary.Form(facts.candidates)
			if !*fresh {
				form = boundary.Carry(facts.candidates, snapshot.Remembered(docs))
			}
			remembered, err := recall(c, past, facts.candidates, docs)
			if err != nil {
				return err
			}
			text := digest(facts, form, dir, recallLines(remembered))
			texts := map[string]string{digestFile: text, momentFile: moment}
			if session := c.Getenv(sessionVariable); session != "" {
				texts[sessionFile] = session + "\n"
			}
			err = writeRun(dir, map[string]any{
				inventoryFile: facts.inventory, scanFile: facts.scan, candidatesFile: facts.candidates, judgmentsFile: form, queriesFile: remembered,
			}, texts)
			if err != nil {
				return err
			}
			if c.Format == cli.JSON {
				c.Note("the run folder is %s", dir)
				return c.Emit(facts.candidates, nil)
			}
			_, err = c.Out.WriteString(text)
			return err
		}
	},
}

// maxAlike bounds how many runs of one plugin may begin in the same second.
const maxAlike = 1000

// claim makes the folder of a run and returns it, marked as one by the moment in it. One that
// nobody named is made for this run alone: where another run of the same second has it, -2, -3
// and so on are tried. One that was named may be there: empty, or made by an earlier prepare
// and not yet answered. Anything else in it is somebody's, and nothing is written over it.
func claim(dir string, named bool, moment string) (string, error) {
	if named {
		if err := refuseForeign(dir); err != nil {
			return "", err
		}
		if err := refuseAnswered(dir); err != nil {
			return "", err
		}
	} else {
		if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
			return "", cli.PathError(err)
		}
		first := dir
		err := os.Mkdir(dir, 0o755)
		for n := 2; errors.Is(err, fs.ErrExist) && n <= maxAlike; n++ {
			dir = fmt.Sprintf("%s-%d", first, n)
			err = os.Mkdir(dir, 0o755)
		}
		if err != nil {
			return "", cli.PathError(err)
		}
	}
	return dir, writeRun(dir, nil, map[string]string{momentFile: moment})
}

// refuseForeign keeps prepare from writing among files that are no run's.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return cli.BadInput(fmt.Errorf("--run: %w", cli.PathError(err)))
	}
	if !exists(filepath.Join(dir, momentFile)) {
		return cli.BadInput(fmt.Errorf("--run %s: expected an empty or new folder, or one that prepare made; found other files in it", dir))
	}
	return nil
}

// refuseAnswered keeps prepare from writing an empty form over answers.
func refuseAnswered(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, judgmentsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cli.PathError(err)
	}
	js, err := boundary.ReadJudgments(data)
	if err != nil || slices.ContainsFunc(js.Judgments, func(j boundary.Judgment) bool { return !j.Open() && j.CarriedFrom == "" }) {
		return cli.BadInput(fmt.Errorf("%s holds answers already: expected another --run folder, or that file out of the way", filepath.Join(dir, judgmentsFile)))
	}
	return nil
}

// openStore opens the store that --store names, or the user's own.
func openStore(c *cli.Call, flag string) (*snapshot.Store, error) {
	dir, err := c.StoreDir(flag)
	if err != nil {
		return nil, err
	}
	return snapshot.Open(dir, cli.Git)
}

// pastOf is what the store holds of a plugin, oldest first; what is wrong with it is told.
// Without a store there is no past.
func pastOf(c *cli.Call, store *snapshot.Store, name string) ([]snapshot.Document, error) {
	if store == nil {
		return nil, nil
	}
	docs, problems, err := store.History(name)
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		c.Note("the store's history of %s: %s", name, p)
	}
	return docs, nil
}
