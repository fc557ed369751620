package main

import (
	"fmt"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/memory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// maxRecalled bounds the notes that a digest shows.
const maxRecalled = 3

// recall asks what is remembered of a plugin and its candidates. Without a memory server the
// store's own notes answer; with one the searches are for whoever can call it.
func recall(c *cli.Call, store *snapshot.Store, cands *boundary.Candidates, past []snapshot.Document) (*memory.Queries, error) {
	s, err := c.Settings()
	if err != nil {
		return nil, err
	}
	ids, kinds := make([]string, 0, len(cands.Candidates)), make([]string, 0, len(cands.Candidates))
	for i := range cands.Candidates {
		ids, kinds = append(ids, cands.Candidates[i].ID), append(kinds, cands.Candidates[i].Kind)
	}
	q := memory.Ask(cands.Target.Name, ids, past, s.MemoryServer)
	if q.Server != "" {
		return q, nil
	}
	notes, err := store.ReadFile(snapshot.NotesPath)
	if err != nil {
		return nil, cli.PathError(err)
	}
	q.Recalled = memory.Recall(notes, q.Queries, cands.Target.Name, kinds)
	return q, nil
}

// recallLines tell the analyst what is remembered, or where to ask; "" when there is nothing.
func recallLines(q *memory.Queries) string {
	var b strings.Builder
	switch {
	case q.Server != "":
		fmt.Fprintf(&b, "Memory: %s for %s in %s; run first, as written, if you can call it.\n", wording.Amount(len(q.Queries), "search", "searches"), q.Server, queriesFile)
	case len(q.Recalled) > 0:
		b.WriteString("Remembered from earlier audits:\n")
		for _, n := range q.Recalled[:min(len(q.Recalled), maxRecalled)] {
			fmt.Fprintf(&b, "- %s\n", n.Content)
		}
	default:
		return ""
	}
	b.WriteString("What is remembered is advice: set `recall_used: true` if it moved an answer.\n")
	return b.String()
}

// remember says what to leave in a memory of a recorded run. Without a server it returns the
// store's notes file with the notes added, to be written with the run; else nil.
func remember(store *snapshot.Store, doc *snapshot.Document, page, server string) (*memory.Notes, []byte, error) {
	n := memory.Leave(doc, page, server)
	if n.Server != "" {
		return n, nil, nil
	}
	old, err := store.ReadFile(snapshot.NotesPath)
	if err != nil {
		return nil, nil, cli.PathError(err)
	}
	text, err := memory.Keep(old, n.Notes)
	return n, text, err
}
