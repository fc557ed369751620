package memory

import (
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// maxQueries bounds the searches of one run, so that recall stays cheap.
const maxQueries = 8

// Ask returns the searches to run before a target's candidates are graded: about the target,
// about each of these candidates, and for lessons of other audits. history adds the
// candidates that were declined or held back last time.
func Ask(target string, candidates []string, history []snapshot.Document, server string) *Queries {
	q := &Queries{Document: QueriesKind, Server: serverName(server), Queries: []Query{}, Recalled: []Note{}}
	wing := match(identifier, target)
	ids := []string{}
	if n := len(history); n > 0 {
		for i := range history[n-1].Candidates {
			if c := &history[n-1].Candidates[i]; held(c) {
				ids = append(ids, c.Candidate.ID)
			}
		}
	}
	ids = slices.Concat(candidates, ids)
	if wing != refused {
		q.Queries = append(q.Queries, Query{wing, TargetRoom, "offload audit " + wing, 5})
	}
	q.Queries = append(q.Queries, Query{LessonsWing, LessonsRoom, "offload audit lessons", 5})
	seen := map[string]bool{refused: true}
	for _, id := range ids {
		if id = match(identifier, id); seen[id] || wing == refused || len(q.Queries) >= maxQueries {
			continue
		}
		seen[id] = true
		q.Queries = append(q.Queries, Query{wing, TargetRoom, "offload candidate " + id, 3})
	}
	return q
}

func serverName(s string) string {
	if s == "" {
		return ""
	}
	return match(identifier, s)
}
