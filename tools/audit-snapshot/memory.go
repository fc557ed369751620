package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/memory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

var memoryQueries = &cli.Verb{
	Name: "memory-queries", Args: "PLUGIN", MinArgs: 1, MaxArgs: 1,
	Purpose:  "Print the searches to run in a memory server before grading.",
	Detail:   "Pass each query verbatim. Without a configured server the local notes file answers, in recalled[].",
	Formats:  []string{cli.JSON, cli.Text},
	Examples: []string{"audit-snapshot memory-queries PLUGIN --candidates candidates.json"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newSource(f)
		candidates := f.String("candidates", "", "ask about the candidates of the candidates/v1 document in `FILE`")
		file := notesFlag(f)
		return func(c *cli.Call) error {
			history, _, _, err := from.load(c)
			if err != nil {
				return err
			}
			ids, kinds := []string{}, []string(nil) // of no given candidates: any kind
			if *candidates != "" {
				var doc boundary.Candidates
				if err := c.ReadDocument("candidates", *candidates, boundary.CandidatesKind, &doc); err != nil {
					return err
				}
				for _, x := range doc.Candidates {
					ids, kinds = append(ids, x.ID), append(kinds, x.Kind)
				}
			}
			settings, err := c.Settings()
			if err != nil {
				return err
			}
			q := memory.Ask(c.Args[0], ids, history, settings.MemoryServer)
			if q.Server == "" {
				notes, err := localNotes(c, *from.store, *file)
				if err != nil {
					return err
				}
				q.Recalled = memory.Recall(notes, q.Queries, c.Args[0], kinds)
			}
			return c.Emit(q, func(w io.Writer) error {
				for _, x := range q.Queries {
					fmt.Fprintf(w, "search %s / %s: %s (at most %d)\n", x.Wing, x.Room, x.Query, x.Limit)
				}
				for _, n := range q.Recalled {
					fmt.Fprintf(w, "recalled: %s\n", n.Content)
				}
				return nil
			})
		}
	},
}

var memoryNotes = &cli.Verb{
	Name: "memory-notes", Args: "[PLUGIN]", MaxArgs: 1,
	Purpose:  "Print what to leave in a memory server after a run.",
	Detail:   "Pass each note and triple verbatim. Without a configured server the notes are also added to the local notes file.",
	Formats:  []string{cli.JSON, cli.Text},
	Examples: []string{"audit-snapshot memory-notes PLUGIN"},
	Setup: func(f *cli.Flags) cli.Run {
		from := newSource(f)
		file := notesFlag(f)
		return func(c *cli.Call) error {
			history, _, err := from.read(c)
			if err != nil {
				return err
			}
			settings, err := c.Settings()
			if err != nil {
				return err
			}
			last := &history[len(history)-1]
			n := memory.Leave(last, snapshot.PagePath(history, last), settings.MemoryServer)
			if n.Server == "" {
				if err := keep(c, *from.store, *file, n.Notes); err != nil {
					return err
				}
			}
			return c.Emit(n, func(w io.Writer) error {
				for _, x := range n.Notes {
					fmt.Fprintf(w, "%s / %s: %s\n", x.Wing, x.Room, x.Content)
				}
				return nil
			})
		}
	},
}

func notesFlag(f *cli.Flags) *string {
	return f.String("notes", "", "the local notes `FILE`; default memory/notes.jsonl in the store")
}

// localNotes reads the local notes file; one that is not there is empty.
func localNotes(c *cli.Call, store, flag string) ([]byte, error) {
	if flag == "" {
		st, err := openStore(c, store)
		if err != nil {
			return nil, err
		}
		notes, err := st.ReadFile(snapshot.NotesPath)
		return notes, cli.PathError(err)
	}
	notes, err := os.ReadFile(flag)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return notes, cli.PathError(err)
}

// keep adds notes to the local notes file.
func keep(c *cli.Call, store, flag string, notes []memory.Note) error {
	add := func(old []byte) ([]byte, error) { return memory.Keep(old, notes) }
	if flag == "" {
		st, err := openStore(c, store)
		if err != nil {
			return err
		}
		c.Note("kept in %s of the store", snapshot.NotesPath)
		return cli.PathError(st.Update(snapshot.NotesPath, add))
	}
	old, err := localNotes(c, store, flag)
	if err != nil {
		return err
	}
	text, err := add(old)
	if err != nil {
		return err
	}
	c.Note("kept in %s", flag)
	return cli.WriteFile(flag, text)
}
