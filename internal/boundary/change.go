package boundary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Change is one smallest set of changes that would move a verdict.
type Change struct {
	// To is the verdict that would then stand.
	To audit.Verdict `json:"to"`
	// Answers are the changes, all of them needed: "T4: partial → pass".
	Answers []string `json:"answers"`
}

// maxChanges bounds how many equally small sets are listed for one verdict.
const maxChanges = 4

// Changes says what would move v: for each other verdict that answers can reach, the
// sets with the fewest changes, and of those the ones that change least. It is empty
// where no answer matters: a drift note, and a step that is already cut. Where a
// measured ceiling holds an answer down, the change names the ceiling, for the answer
// alone would be lowered again.
func Changes(v *Verdict) []Change {
	if v.Candidate.Kind == audit.Drift || v.Candidate.AlreadyCut {
		return []Change{}
	}
	now := standingOf(v)
	if !now.judged {
		return []Change{{To: audit.File, Answers: []string{"judge it: nobody has answered the five tests"}}}
	}
	best := map[audit.Verdict][]found{}
	for _, s := range neighbours(now) {
		o := s.decide()
		if o.verdict == v.Verdict {
			continue
		}
		f := found{answers: differences(v, now, s)}
		f.count, f.steps = len(f.answers), distance(now, s)
		have := best[o.verdict]
		switch {
		case len(have) == 0 || f.less(have[0]):
			best[o.verdict] = []found{f}
		case !have[0].less(f):
			best[o.verdict] = append(have, f)
		}
	}
	out := []Change{}
	for _, to := range []audit.Verdict{audit.File, audit.BoundaryQuestion, audit.NoOffload} {
		slices.SortFunc(best[to], func(a, b found) int { return slices.Compare(a.answers, b.answers) })
		for i, f := range best[to] {
			if i < maxChanges {
				out = append(out, Change{To: to, Answers: f.answers})
			}
		}
	}
	return out
}

// found is one set of changes: how many answers, and how far they move in all.
type found struct {
	answers      []string
	count, steps int
}

func (f found) less(g found) bool {
	return f.count < g.count || f.count == g.count && f.steps < g.steps
}

// standingOf is what the ladder saw of v.
func standingOf(v *Verdict) standing {
	s := standing{
		kind: v.Candidate.Kind, judged: v.Judgment != nil, caps: v.Caps, alreadyCut: v.Candidate.AlreadyCut,
		tripleReason: v.TripleReason, strength: v.Candidate.strength(), sharePPM: v.Candidate.sharePPM(),
		cut: cut{residue: v.Residue, share: v.UndecidedShare},
	}
	for i, id := range testIDs {
		s.cut.outcomes[i] = Unknown
		for _, t := range v.Tests {
			if t.ID == id {
				s.cut.outcomes[i] = t.Outcome
			}
		}
	}
	return s
}

// neighbours are all standings that other answers, a complete triple, or a share at the
// threshold could give; a few thousand, in a fixed order.
func neighbours(now standing) []standing {
	residues := []cut{
		{residue: ResidueNone}, {residue: ResidueOnce}, {residue: ResiduePerRun, share: 50},
		{residue: ResiduePerRun, share: 80}, {residue: ResiduePerRun, share: 81}, {residue: ResidueAll},
	}
	if own := (cut{residue: now.cut.residue, share: now.cut.share}); !slices.Contains(residues, own) {
		residues = append(residues, own)
	}
	triples := []string{now.tripleReason}
	if now.tripleReason != "" || now.cut.residue == ResidueAll {
		triples = []string{"", now.tripleReason}
	}
	shares := []int64{now.sharePPM}
	if now.strength == audit.Measured && now.sharePPM < ThresholdPPM {
		shares = append(shares, ThresholdPPM)
	}
	// Nobody changes an answer to unknown: 0 keeps the answer, the others give one.
	all := [4]string{"", Fail, Partial, Pass}
	var out []standing
	for _, r := range residues {
		for code := range 4 * 4 * 4 * 4 * 4 {
			s := now
			s.cut = r
			s.cut.outcomes = now.cut.outcomes
			twice := false
			for i, n := 0, code; i < len(s.cut.outcomes); i, n = i+1, n/4 {
				if to := all[n%4]; to != "" {
					twice = twice || to == now.cut.outcomes[i]
					s.cut.outcomes[i] = to
				}
			}
			if twice {
				continue
			}
			for _, s.tripleReason = range triples {
				for _, s.sharePPM = range shares {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// distance is how far the answers of b are from those of a, in steps.
func distance(a, b standing) int {
	steps := 0
	for i := range a.cut.outcomes {
		steps += abs(rung(a.cut.outcomes[i]) - rung(b.cut.outcomes[i]))
	}
	return steps + abs(a.cut.residueRung()-b.cut.residueRung())
}

// rung orders the outcomes; unknown stands between fail and partial.
func rung(outcome string) int {
	if outcome == Fail {
		return 0
	}
	return 1 + rank(outcome)
}

// residueRung orders residue and share as the arithmetic tells them apart.
func (c cut) residueRung() int {
	switch {
	case c.residue == ResidueNone:
		return 0
	case c.residue == ResidueOnce:
		return 1
	case c.residue == ResidueAll:
		return 5
	case c.share > 80:
		return 4
	case c.share > 50:
		return 3
	}
	return 2
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// differences words what changes from a to b.
func differences(v *Verdict, a, b standing) []string {
	out := []string{}
	for i, id := range testIDs {
		if from, to := a.cut.outcomes[i], b.cut.outcomes[i]; from != to {
			out = append(out, fmt.Sprintf("%s: %s → %s%s", id, from, to, held(v, id, rung(to) > rung(from))))
		}
	}
	if a.cut.residue != b.cut.residue {
		to := b.cut.residue
		if to == ResiduePerRun {
			to += fmt.Sprintf(" (undecided_share %d)", b.cut.share)
		}
		out = append(out, fmt.Sprintf("residue: %s → %s%s", a.cut.residue, to, held(v, "residue", b.cut.residueRung() < a.cut.residueRung())))
	} else if a.cut.share != b.cut.share {
		out = append(out, fmt.Sprintf("undecided_share: %d → %d", a.cut.share, b.cut.share))
	}
	if a.tripleReason != b.tripleReason {
		out = append(out, fmt.Sprintf("triple: %s → complete", a.tripleReason))
	}
	if a.sharePPM != b.sharePPM {
		from, to := percents(a.sharePPM, b.sharePPM)
		out = append(out, fmt.Sprintf("measured share: %s %% → %s %% of the audited spend", from, to))
	}
	return out
}

// held names the ceilings that keep an answer from rising.
func held(v *Verdict, test string, rises bool) string {
	if test == testIDs[knownEdge] && rises {
		return " (more overrule cases that the script recognises)"
	}
	var rules []string
	for _, c := range v.Contradictions {
		if rises && c.Test == test {
			rules = append(rules, c.Rule)
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return " (held down by " + strings.Join(rules, ", ") + ")"
}

// percents writes two different shares, in parts per million, as percentages: with one decimal
// rounded half up, or in full where that would hide the difference.
func percents(a, b int64) (string, string) {
	x, y := (a+500)/1_000, (b+500)/1_000
	if x == y {
		return fmt.Sprintf("%d.%04d", a/10_000, a%10_000), fmt.Sprintf("%d.%04d", b/10_000, b%10_000)
	}
	return fmt.Sprintf("%d.%d", x/10, x%10), fmt.Sprintf("%d.%d", y/10, y%10)
}
