package scan

import "slices"

// part is what was measured: of one session, or of all. A session's part comes from that
// session alone, so parts can be measured at once and in any order. They are added up in the
// order of session ids; the sum is what a single pass over all sessions would have found.
type part struct {
	roster
	words       *words
	total, rest tally
	classes     [classCount]Spend
	counts      Attribution
	// plausible turns are nobody's although they probably are somebody's.
	plausible int64
	// checked and differing are the stamped turns of main threads, and those of them for which the
	// inferred window says something else: how far inference can be trusted here.
	checked, differing int64
	first, last        int64 // Unix milliseconds of the turns that count, 0 before the first
	hookRuns           int64
	// session is whose part it is, where sessions were asked for; sessions are those of the sum.
	session  string
	sessions []SessionUsage
	rows     []turnRow // every turn that counts, for explain
}

func newPart() *part { return &part{words: newWords()} }

// add adds another part, whose components and uses are its own from then on.
func (p *part) add(o *part) {
	p.total.merge(&o.total)
	p.rest.merge(&o.rest)
	for i := range p.classes {
		p.classes[i].add(o.classes[i])
	}
	p.counts.add(o.counts)
	p.plausible += o.plausible
	p.checked += o.checked
	p.differing += o.differing
	p.hookRuns += o.hookRuns
	p.observe(o.first)
	p.observe(o.last)
	if o.session != "" {
		p.sessions = append(p.sessions, SessionUsage{SessionID: o.session, Usage: o.total.usage()})
	}
	p.rows = append(p.rows, o.rows...)
	numbers := make([]int32, len(o.words.list))
	for i, word := range o.words.list {
		numbers[i] = p.words.id(word)
	}
	for _, c := range o.order {
		c.renumber(numbers)
		p.component(c.key).absorb(c)
	}
}

// observe widens the span that was seen to a time, 0 being none.
func (p *part) observe(at int64) {
	if at <= 0 {
		return
	}
	if p.first == 0 || at < p.first {
		p.first = at
	}
	p.last = max(p.last, at)
}

func (a *Attribution) add(o Attribution) {
	a.StampedTurns += o.StampedTurns
	a.InferredTurns += o.InferredTurns
	a.AgentTurns += o.AgentTurns
	a.OwnExecutableTurns += o.OwnExecutableTurns
	a.BlindTurns += o.BlindTurns
}

// renumber gives the component's signatures the numbers that they have elsewhere.
func (c *component) renumber(numbers []int32) {
	for _, b := range c.bigOrder {
		b.sig = numbers[b.sig]
	}
	for _, u := range c.uses {
		for _, st := range u.strands {
			for i := range st.steps {
				st.steps[i].sig = numbers[st.steps[i].sig]
			}
			for i := range st.atoms {
				st.atoms[i].sig = numbers[st.atoms[i].sig]
			}
		}
	}
}

// roster is the components that were seen, in the order of their first sight.
type roster struct {
	components map[key]*component
	order      []*component
}

func (r *roster) component(k key) *component {
	c := r.components[k]
	if c == nil {
		c = &component{key: k}
		if r.components == nil {
			r.components = map[key]*component{}
		}
		r.components[k] = c
		r.order = append(r.order, c)
	}
	return c
}

func (r *roster) open(k key, name string) *use {
	c := r.component(k)
	u := &use{of: c, name: name}
	c.uses = append(c.uses, u)
	return u
}

// move gives a use to another component: the stamp or the body tells better than the name.
func (r *roster) move(u *use, k key) {
	if u.of.key == k {
		return
	}
	i := slices.Index(u.of.uses, u)
	u.of.uses = slices.Delete(u.of.uses, i, i+1)
	u.of = r.component(k)
	u.of.uses = append(u.of.uses, u)
}
