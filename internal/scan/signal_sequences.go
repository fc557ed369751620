package scan

import (
	"cmp"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
)

// chosen is a pattern that was chosen, with the occurrences that it claimed.
type chosen struct {
	found
	waste int64
}

// choose takes patterns greedily by what their mechanical turns cost, so that no call is
// counted in two sequences. Of equals the shorter goes first (a repeat is not a longer step),
// then the one whose symbols came first. A part of a chosen sequence, with or
// without a call left out, is no sequence of its own.
func (t *text) choose(patterns []found, support int) []chosen {
	claimed := make([]bool, len(t.tokens))
	mine := make([]int32, len(t.tokens))
	round := int32(0)
	fit := func(f found) (places [][]int32, waste int64) {
		round++
		uses, last := 0, int32(-1)
	next:
		for _, p := range f.places {
			for _, tok := range p {
				if claimed[tok] || mine[tok] == round {
					continue next
				}
			}
			for _, tok := range p {
				mine[tok] = round
			}
			places = append(places, p)
			waste += t.cost(p)
			if u := t.tokens[p[0]].use; u != last {
				uses, last = uses+1, u
			}
		}
		if uses < support {
			return nil, 0
		}
		return places, waste
	}
	queue := make([]chosen, 0, len(patterns))
	for _, f := range patterns {
		if places, waste := fit(f); places != nil {
			queue = append(queue, chosen{found{f.syms, f.places}, waste})
		}
	}
	less := func(a, b chosen) int {
		return cmp.Or(cmp.Compare(b.waste, a.waste), cmp.Compare(len(a.syms), len(b.syms)), slices.Compare(a.syms, b.syms))
	}
	slices.SortFunc(queue, less)
	var out []chosen
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		if partOfAny(c.syms, out) {
			continue
		}
		places, waste := fit(c.found)
		if places == nil {
			continue
		}
		if waste < c.waste { // others have claimed some of it: back to its place
			c.waste = waste
			at, _ := slices.BinarySearchFunc(queue, c, less)
			queue = slices.Insert(queue, at, c)
			continue
		}
		for _, p := range places {
			for _, tok := range p {
				claimed[tok] = true
			}
		}
		out = append(out, chosen{found{c.syms, places}, waste})
	}
	return out
}

// partOfAny: syms stand in one of the chosen in this order, with no more between two neighbours
// than a sequence itself may have between them.
func partOfAny(syms []int32, of []chosen) bool {
	for _, c := range of {
		for from := range c.syms {
			at := from
			for i, s := range syms {
				gap := slices.Index(c.syms[at:], s)
				if gap < 0 || gap > maxGap || i == 0 && gap > 0 {
					break
				}
				at += gap + 1
				if i == len(syms)-1 {
					return true
				}
			}
		}
	}
	return false
}

// cost is what the turns of one occurrence cost, each once.
func (t *text) cost(p []int32) int64 {
	var sum int64
	var last *strandTurn
	for _, tok := range p {
		if turn := t.turn(tok); turn != last {
			sum += turn.cost
			last = turn
		}
	}
	return sum
}

// minAgreement is the number of observations below which an agreement is not stated.
const minAgreement = 5

// describe measures a chosen sequence.
func (t *text) describe(c chosen) sequenceData {
	d := sequenceData{occurrences: int64(len(c.places)), waste: c.waste}
	uses, agents := map[int32]bool{}, map[string]bool{}
	followers := map[int32]int64{}
	var spanTurns, judgments, asked int64
	for _, p := range c.places {
		first, last := p[0], p[len(p)-1]
		uses[t.tokens[first].use] = true
		agents[t.strands[t.tokens[first].strand].agent] = true
		var prev *strandTurn
		for i, tok := range p {
			turn := t.turn(tok)
			if turn == prev {
				continue
			}
			prev = turn
			d.turns++
			d.rows = append(d.rows, Place{turn.file, turn.line})
			if i > 0 {
				d.recoverable += turn.cost
				d.money += pricing.Money(turn.money)
			}
		}
		st := t.strands[t.tokens[first].strand]
		from, to := st.steps[t.tokens[first].step].turn, st.steps[t.tokens[last].step].turn
		for n := from; n <= to; n++ {
			spanTurns++
			if st.turns[n].class == judgment {
				judgments++
			}
		}
		for n := t.tokens[first].step; n <= t.tokens[last].step; n++ {
			if st.steps[n].question {
				asked++
				break
			}
		}
		follow := int32(-1) // the strand's end
		if next := t.tokens[last].step + 1; int(next) < len(st.steps) {
			follow = st.steps[next].sig
		}
		followers[follow]++
	}
	for agent := range agents {
		d.fanOut = d.fanOut || agent != ""
		if len(agents) == 1 {
			d.agent = agent
		}
	}
	d.support = int64(len(uses))
	d.judgmentPPM = ppm(judgments, spanTurns)
	d.questionPPM = ppm(asked, d.occurrences)
	if d.occurrences >= minAgreement {
		var modal int64
		for _, n := range followers {
			modal = max(modal, n)
		}
		v := ppm(modal, d.occurrences)
		d.nextStep = &v
	}
	if starts := max(t.starts(c.syms), d.occurrences); starts >= minAgreement {
		v := ppm(d.occurrences, starts)
		d.agreement = &v
	}
	return d
}

// starts counts where the sequence begins: its first two symbols (of a pair, its first),
// without overlap.
func (t *text) starts(syms []int32) int64 {
	head := syms[:1]
	if len(syms) > minLength {
		head = syms[:2]
	}
	var n int64
	for i := 0; i < len(t.tokens); i++ {
		if t.tokens[i].sym != head[0] || !t.tokens[i].mech {
			continue
		}
		if len(head) == 1 {
			n++
			continue
		}
		for p := i + 1; p <= i+1+maxGap && p < len(t.tokens) && t.tokens[p].strand == t.tokens[i].strand; p++ {
			if t.tokens[p].sym == head[1] && t.tokens[p].mech {
				n++
				i = p
				break
			}
		}
	}
	return n
}

// sequenceData is what a sequence measures.
type sequenceData struct {
	support, occurrences, turns int64
	waste, recoverable          int64
	money                       pricing.Money
	judgmentPPM, questionPPM    int64
	nextStep, agreement         *int64
	fanOut                      bool
	agent                       string
	rows                        []Place
}
