package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// The files of a run folder. prepare writes the first six, finish the others.
const (
	inventoryFile  = "inventory.json"
	scanFile       = "scan.json"
	candidatesFile = "candidates.json"
	judgmentsFile  = "judgments.json"
	digestFile     = "digest.md"
	momentFile     = "prepared_at"
	queriesFile    = "memory-queries.json"

	verdictsFile = "verdicts.json"
	stableFile   = "stable.json"
	searchesFile = "searches.json"
	planFile     = "plan.json"
	snapshotFile = "snapshot.json"
	reportFile   = "report.md"
	notesFile    = "memory-notes.json"
)

// writeRun writes the files of a run into its folder, made if need be, each whole or not at all.
func writeRun(dir string, docs map[string]any, texts map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.PathError(err)
	}
	for name, doc := range docs {
		if err := cli.WriteDocument(filepath.Join(dir, name), doc); err != nil {
			return err
		}
	}
	for name, text := range texts {
		if err := cli.WriteFile(filepath.Join(dir, name), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// prepared is what finish reads back.
type prepared struct {
	inventory  inventory.Document
	scan       scan.Document
	candidates boundary.Candidates
}

// readRun reads a run folder that prepare wrote.
func readRun(dir string) (*prepared, error) {
	var p prepared
	for _, part := range []struct {
		file, kind string
		dst        any
	}{
		{inventoryFile, inventory.Kind, &p.inventory},
		{scanFile, scan.Kind, &p.scan},
		{candidatesFile, boundary.CandidatesKind, &p.candidates},
	} {
		data, err := os.ReadFile(filepath.Join(dir, part.file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, cli.BadInput(fmt.Errorf("%s: expected a run folder that prepare wrote, found no %s in it", dir, part.file))
		}
		if err != nil {
			return nil, cli.BadInput(cli.PathError(err))
		}
		if err := jsondoc.Decode(data, part.kind, part.dst); err != nil {
			return nil, cli.BadInput(fmt.Errorf("%s: %w", filepath.Join(dir, part.file), err))
		}
	}
	return &p, nil
}

// readJudgments finds the judgments: in the file that was named, else on standard input, else
// in the run folder. Those from elsewhere are laid over the folder's, which holds the form and
// the judgments that were carried over; they are returned apart too, nil when there are none.
func readJudgments(c *cli.Call, dir, file string) (all, given *boundary.Judgments, err error) {
	name := file
	var data []byte
	if file != "" {
		data, err = c.ReadInput("judgments", file)
	} else if data, err = c.OfferedInput(); data != nil {
		name = "standard input"
	}
	if err != nil {
		return nil, nil, err
	}
	return layOver(dir, name, data)
}

// layOver lays the judgments in data over the run folder's. Nil data is none.
func layOver(dir, name string, data []byte) (all, given *boundary.Judgments, err error) {
	form, err := readForm(dir)
	if err != nil || data == nil {
		return form, nil, err
	}
	if given, err = boundary.ReadJudgments(data); err != nil {
		return nil, nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	return boundary.Merge(form, given), given, nil
}

// readForm reads the judgments of the run folder: the form as prepare left it or somebody
// filled it in, or YAML beside it.
func readForm(dir string) (*boundary.Judgments, error) {
	name := filepath.Join(dir, judgmentsFile)
	if yaml := strings.TrimSuffix(name, ".json") + ".yaml"; exists(yaml) {
		name = yaml
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, cli.BadInput(cli.PathError(err))
	}
	js, err := boundary.ReadJudgments(data)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	return overForm(dir, js)
}

// overForm lays answers over the form that prepare wrote, whose carried rows need not be
// answered again.
func overForm(dir string, answers *boundary.Judgments) (*boundary.Judgments, error) {
	name := filepath.Join(dir, judgmentsFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return answers, nil
	}
	if err != nil {
		return nil, cli.BadInput(cli.PathError(err))
	}
	form, err := boundary.ReadJudgments(data)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	return boundary.Merge(form, answers), nil
}

// momentOf is when the run was: what --now says, else when it was prepared, so that a run
// finished again after an interruption is the same run and is recorded once.
func momentOf(c *cli.Call, dir, flag string) (string, error) {
	if flag == "" {
		if data, err := os.ReadFile(filepath.Join(dir, momentFile)); err == nil {
			flag = strings.TrimSpace(string(data))
		}
	}
	t, err := c.Now(flag)
	return t.Format(time.RFC3339), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
