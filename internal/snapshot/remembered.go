package snapshot

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"

// Remembered is the latest judgment of every candidate in a history, by candidate id, for
// boundary.Carry. Candidates that nobody judged are not in it.
func Remembered(history []Document) map[string]boundary.Remembered {
	out := map[string]boundary.Remembered{}
	for i := range history {
		for j := range history[i].Candidates {
			c := &history[i].Candidates[j]
			if c.Judgment == nil {
				continue
			}
			out[c.Candidate.ID] = boundary.Remembered{
				Judgment: *c.Judgment, SnapshotID: history[i].SnapshotID, RubricVersion: history[i].RubricVersion,
			}
		}
	}
	return out
}
