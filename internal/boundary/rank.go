package boundary

import (
	"cmp"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
)

// Rank lists every skill, agent and command of the given plugins once, the ones to
// look at first on top: by score, then plugin, kind, component and path.
func Rank(invs ...*inventory.Document) *Ranking {
	out := &Ranking{Document: RankingKind, Cut: Cut, Rows: []RankingRow{}}
	for _, inv := range invs {
		for i := range inv.Components {
			c := &inv.Components[i]
			r := rate(c)
			out.Rows = append(out.Rows, RankingRow{
				Plugin: inv.Target.Name, Component: c.Name, Kind: c.Kind, Path: c.Path,
				Score: r.score, AboveCut: r.score >= Cut, Label: r.label, Why: reasons(r.reasons),
			})
		}
	}
	slices.SortStableFunc(out.Rows, func(a, b RankingRow) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Component, b.Component), cmp.Compare(a.Path, b.Path))
	})
	return out
}

// reasons is rs, never nil.
func reasons(rs []Reason) []Reason {
	if rs == nil {
		return []Reason{}
	}
	return rs
}
