package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// source is where a verb finds the snapshots of one plugin.
type source struct{ store, history *string }

func newSource(f *cli.Flags) *source {
	return &source{
		store:   f.String("store", "", "read the store in `DIR`; default the user's own"),
		history: f.String("history", "", "read the history `FILE`, one snapshot a line, in place of a store"),
	}
}

// read returns the history of the plugin that the word names, or of the only one that there
// is. What is wrong with it is told on standard error.
func (s *source) read(c *cli.Call) (history []snapshot.Document, name string, err error) {
	docs, problems, name, err := s.load(c)
	if err != nil {
		return nil, "", err
	}
	for _, p := range problems {
		c.Note("the history of %s: %s", name, p)
	}
	if len(docs) == 0 {
		return nil, "", cli.BadInput(fmt.Errorf("%s: no snapshot of it; record one first", name))
	}
	return docs, name, nil
}

func (s *source) load(c *cli.Call) ([]snapshot.Document, []snapshot.Problem, string, error) {
	if *s.history != "" {
		data, err := c.ReadInput("history", *s.history)
		if err != nil {
			return nil, nil, "", err
		}
		docs, problems, err := snapshot.ReadHistory(bytes.NewReader(data))
		if err != nil {
			err = cli.BadInput(fmt.Errorf("--history %s: %w", *s.history, err))
		}
		return docs, problems, *s.history, err
	}
	store, err := openStore(c, *s.store)
	if err != nil {
		return nil, nil, "", err
	}
	name := ""
	if len(c.Args) > 0 {
		name = c.Args[0]
	} else {
		names, err := store.Targets()
		if err != nil {
			return nil, nil, "", cli.PathError(err)
		}
		if len(names) != 1 {
			return nil, nil, "", cli.Usage("which plugin? %s has %s", store.Dir(), orNone(strings.Join(names, ", ")))
		}
		name = names[0]
	}
	docs, problems, err := store.History(name)
	return docs, problems, name, cli.PathError(err)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// openStore opens the store that --store names, or the user's own.
func openStore(c *cli.Call, flag string) (*snapshot.Store, error) {
	dir, err := c.StoreDir(flag)
	if err != nil {
		return nil, err
	}
	store, err := snapshot.Open(dir, cli.Git)
	return store, cli.BadInput(err)
}

// at finds a snapshot by its id or the beginning of it; "" is fallback.
func at(history []snapshot.Document, flag, id string, fallback int) (int, error) {
	if id == "" {
		return fallback, nil
	}
	found := -1
	for i := range history {
		_, short, _ := strings.Cut(history[i].SnapshotID, ":")
		if history[i].SnapshotID == id || strings.HasPrefix(short, id) {
			if found >= 0 {
				return 0, cli.Usage("--%s %q: several snapshots begin so", flag, id)
			}
			found = i
		}
	}
	if found < 0 {
		return 0, cli.Usage("--%s %q: no such snapshot; the latest is %s", flag, id, history[len(history)-1].SnapshotID)
	}
	return found, nil
}
