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

// count is how often calls stand one after another, with the gaps that a sequence may have and
// without overlap; 0 of none.
func (t *text) count(syms []int32) (n int) {
	if len(syms) == 0 {
		return 0
	}
	for i := 0; i < len(t.tokens); i++ {
		if end := t.match(syms, i); end > 0 {
			n++
			i = end - 1
		}
	}
	return n
}

// match is the token after an occurrence of syms that begins at token i, 0 when none does.
func (t *text) match(syms []int32, i int) int {
	if !t.tokens[i].mech || t.tokens[i].sym != syms[0] {
		return 0
	}
	at := i
next:
	for _, s := range syms[1:] {
		for p := at + 1; p <= at+1+maxGap && p < len(t.tokens) && t.tokens[p].strand == t.tokens[i].strand; p++ {
			if t.tokens[p].mech && t.tokens[p].sym == s {
				at = p
				continue next
			}
		}
		return 0
	}
	return at + 1
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
				d.amount.add(turn.amount)
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

// starts counts where the sequence begins: its first two symbols (of a pair, its first).
func (t *text) starts(syms []int32) int64 {
	if len(syms) > minLength {
		return int64(t.count(syms[:2]))
	}
	return int64(t.count(syms[:1]))
}

// sequenceData is what a sequence measures.
type sequenceData struct {
	support, occurrences, turns int64
	waste, recoverable          int64
	amount                      amount
	judgmentPPM, questionPPM    int64
	nextStep, agreement         *int64
	fanOut                      bool
	agent                       string
	rows                        []Place
}
