package scan

import (
	"cmp"
	"slices"
)

// chosen is a pattern that was chosen, or may be: with the occurrences that it claims.
type chosen struct {
	found
	waste int64
}

// chooser takes patterns so that no call is counted in two sequences.
type chooser struct {
	t       *text
	support int
	claimed []bool
	mine    []int32 // the round in which a token was last looked at
	round   int32
	queue   []candidate
}

// candidate is a pattern in the queue: what it would claim if it came first.
type candidate struct {
	found
	waste int64
	n     int
}

// compare orders candidates: greedily by what their mechanical turns cost. Of equals the shorter
// goes first (a repeat is not a longer step), then the one whose symbols came first.
func (a candidate) compare(b candidate) int {
	return cmp.Or(cmp.Compare(b.waste, a.waste), cmp.Compare(len(a.syms), len(b.syms)), slices.Compare(a.syms, b.syms))
}

// choose takes patterns greedily, the dearest first; where most of its occurrences go on in the
// same way, the longer one instead: one that stops early is a start that did not run to its end.
// A part of a chosen sequence, with or without a call left out, is no sequence of its own.
func (t *text) choose(patterns []found, support int) []chosen {
	c := &chooser{t: t, support: support, claimed: make([]bool, len(t.tokens)), mine: make([]int32, len(t.tokens))}
	for _, f := range patterns {
		if places, waste := c.fit(f); places != nil {
			c.queue = append(c.queue, candidate{f, waste, len(places)})
		}
	}
	slices.SortFunc(c.queue, candidate.compare)
	var out []chosen
	for len(c.queue) > 0 {
		best := c.queue[0]
		c.queue = c.queue[1:]
		if partOfAny(best.syms, out) {
			continue
		}
		places, waste := c.fit(best.found)
		if places == nil {
			continue
		}
		if waste < best.waste { // others have claimed some of it: back to its place
			best.waste, best.n = waste, len(places)
			at, _ := slices.BinarySearchFunc(c.queue, best, candidate.compare)
			c.queue = slices.Insert(c.queue, at, best)
			continue
		}
		for longer := c.goesOn(best); longer != nil; longer = c.goesOn(best) {
			best = *longer
		}
		places, waste = c.fit(best.found)
		for _, p := range places {
			for _, tok := range p {
				c.claimed[tok] = true
			}
		}
		out = append(out, chosen{found{best.syms, places}, waste})
	}
	return out
}

// fit is what a pattern can still claim: its occurrences that neither overlap each other nor
// touch what is claimed, and what they cost; nil below the support.
func (c *chooser) fit(f found) (places [][]int32, waste int64) {
	c.round++
	uses, last := 0, int32(-1)
next:
	for _, p := range f.places {
		for _, tok := range p {
			if c.claimed[tok] || c.mine[tok] == c.round {
				continue next
			}
		}
		for _, tok := range p {
			c.mine[tok] = c.round
		}
		places = append(places, p)
		waste += c.t.cost(p)
		if u := c.t.tokens[p[0]].use; u != last {
			uses, last = uses+1, u
		}
	}
	if uses < c.support {
		return nil, 0
	}
	return places, waste
}

// goesOn is the dearest pattern that holds this one, in which at least half of its occurrences
// go on, and whose other part seldom stands without it: else that part is a step of
// its own, which merely follows.
func (c *chooser) goesOn(short candidate) *candidate {
	for i := range c.queue {
		q := c.queue[i]
		at := within(q.syms, short.syms)
		if 2*q.n < short.n || at < 0 || !bringsNew(q.syms, short.syms) {
			continue
		}
		places, waste := c.fit(q.found)
		if n := len(places); 2*n >= short.n && 2*n >= c.t.count(q.syms[:at]) && 2*n >= c.t.count(q.syms[at+len(short.syms):]) {
			return &candidate{q.found, waste, n}
		}
	}
	return nil
}

// bringsNew: the longer one holds a call that the short one does not. Mere repeats are a loop
// that ran longer.
func bringsNew(long, short []int32) bool {
	return slices.ContainsFunc(long, func(s int32) bool { return !slices.Contains(short, s) })
}

// within is where short stands in the longer one, call after call; −1 where it does not.
func within(long, short []int32) int {
	for i := 0; i+len(short) <= len(long) && len(short) < len(long); i++ {
		if slices.Equal(long[i:i+len(short)], short) {
			return i
		}
	}
	return -1
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

// sequences mines a component's calls. A run of nothing but files that nobody may name, each
// of them read in the opening of most uses anyway, is left to its staples: they say the same,
// and what to do about it.
func (m *miner) sequences(c *component, staples []stapleData) (out []sequenceData, support int) {
	preloads := map[symbol]bool{}
	for _, s := range staples {
		if s.opening > 0 && s.identity != 0 {
			preloads[symbol{sig: s.sig, identity: s.identity}] = true
		}
	}
	t := m.text(c)
	patterns, support := t.mine()
	for _, ch := range t.choose(patterns, support) {
		d := t.describe(ch)
		if d.recoverable == 0 { // always called in one turn already
			continue
		}
		if slices.ContainsFunc(ch.syms, func(sym int32) bool { return !preloads[t.symbols[sym]] }) {
			out = append(out, d)
		}
	}
	return out, support
}

// minAgreement is the number of observations below which an agreement is not stated.
const minAgreement = 5

// describe measures a chosen sequence.
func (t *text) describe(c chosen) sequenceData {
	d := sequenceData{occurrences: int64(len(c.places)), waste: c.waste}
	for _, sym := range c.syms {
		d.sigs = append(d.sigs, t.symbols[sym].sig)
	}
	var spanTurns, judgments, asked int64
	lastUse := int32(-1)
	followers := make([]int32, len(c.places))
	for n, p := range c.places {
		first, last := &t.tokens[p[0]], &t.tokens[p[len(p)-1]]
		if first.use != lastUse {
			lastUse = first.use
			d.support++
		}
		st := t.strands[first.strand]
		d.fanOut = d.fanOut || st.agent != ""
		if n == 0 {
			d.agent = st.agent
		} else if st.agent != d.agent {
			d.agent = ""
		}
		var prev *strandTurn
		for i, tok := range p {
			turn := t.turn(tok)
			if turn == prev {
				continue
			}
			prev = turn
			d.turns++
			d.rows = append(d.rows, turn.evidence(turn.cost))
			if i > 0 {
				d.recoverable += turn.cost
				d.amount.add(turn.amount)
			}
		}
		from, to := st.steps[first.step].turn, st.steps[last.step].turn
		for n := from; n <= to; n++ {
			spanTurns++
			if st.turns[n].class == judgment {
				judgments++
			}
		}
		for n := first.step; n <= last.step; n++ {
			if st.steps[n].question {
				asked++
				break
			}
		}
		followers[n] = -1 // the strand's end
		if next := last.step + 1; int(next) < len(st.steps) {
			followers[n] = st.steps[next].sig
		}
	}
	d.judgmentPPM = ppm(judgments, spanTurns)
	d.questionPPM = ppm(asked, d.occurrences)
	if d.occurrences >= minAgreement {
		v := ppm(modal(followers), d.occurrences)
		d.nextStep = &v
	}
	if starts := max(t.starts(c.syms), d.occurrences); starts >= minAgreement {
		v := ppm(d.occurrences, starts)
		d.agreement = &v
	}
	return d
}

// modal is how often the most frequent of the values stands in a list, which it sorts.
func modal(list []int32) (most int64) {
	slices.Sort(list)
	run := int64(0)
	for i, v := range list {
		if i > 0 && v != list[i-1] {
			run = 0
		}
		run++
		most = max(most, run)
	}
	return most
}

// sequenceData is what a sequence measures.
type sequenceData struct {
	sigs                        []int32
	support, occurrences, turns int64
	waste, recoverable          int64
	amount                      amount
	judgmentPPM, questionPPM    int64
	nextStep, agreement         *int64
	fanOut                      bool
	agent                       string
	rows                        []evidence
}
