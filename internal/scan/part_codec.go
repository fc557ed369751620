package scan

import (
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// partCodec packs a session's part and unpacks it again. Files are said by their position
// among those that hold rows of the session: their indices in the history may be others by then.
type partCodec struct {
	codec
	files []int32
	words int // how many signatures the part numbers
}

// pack is a part in bytes, which hold until the next one is packed.
func (c *partCodec) pack(p *part, files []int32) []byte {
	c.reading, c.bad, c.out, c.files = false, false, slices.Grow(c.out[:0], p.packedSize()), files
	c.part(p)
	return c.out
}

// packedSize is about how many bytes a part takes: to let them grow would take several times
// as many, of a history that is one session as much as all else.
func (p *part) packedSize() int {
	n := 1 << 10
	for _, c := range p.order {
		n += 1 << 8
		for _, u := range c.uses {
			for _, st := range u.strands {
				n += 8 + 28*len(st.turns) + 14*len(st.steps) + 13*len(st.atoms)
			}
		}
	}
	return n
}

// unpack is the part that was packed, nil where the bytes make no sense.
func (c *partCodec) unpack(packed []byte, files []int32) *part {
	c.reading, c.bad, c.in, c.files = true, false, packed, files
	if c.known == nil {
		c.known = map[string]string{}
	}
	p := &part{words: &words{}}
	if c.part(p); c.bad || len(c.in) > 0 {
		return nil
	}
	return p
}

func (c *partCodec) part(p *part) {
	list(&c.codec, &p.words.list, c.text)
	c.words = len(p.words.list)
	c.tally(&p.total)
	c.tally(&p.rest)
	c.classes(&p.classes)
	integers(&c.codec, &p.counts.StampedTurns, &p.counts.InferredTurns, &p.counts.AgentTurns, &p.counts.OwnExecutableTurns, &p.counts.BlindTurns,
		&p.plausible, &p.checked, &p.differing, &p.first, &p.last, &p.hookRuns)
	c.text(&p.session)
	pointers(&c.codec, &p.order, c.component)
}

func (c *partCodec) tally(t *tally) {
	integers(&c.codec, &t.turns, &t.weighted)
	list(&c.codec, &t.models, func(m *modelTally) {
		c.text(&m.model)
		integers(&c.codec, &m.turns, &m.calls, &m.notFinal, &m.weighted)
		c.tokens(&m.tokens)
		integer(&c.codec, &m.money)
		c.flags(&m.unpriced)
	})
}

func (c *partCodec) tokens(t *audit.Tokens) {
	integers(&c.codec, &t.Input, &t.Output, &t.CacheRead, &t.CacheWrite5m, &t.CacheWrite1h, &t.WebSearches)
}

func (c *partCodec) classes(list *[classCount]Spend) {
	for i := range list {
		c.spend(&list[i])
	}
}

func (c *partCodec) spend(s *Spend) { integers(&c.codec, &s.Turns, &s.WeightedMilli) }

func (c *partCodec) amount(a *amount) { integer(&c.codec, &a.money) }

func (c *partCodec) component(k *component) {
	c.flags(&k.agent, &k.executable)
	c.text(&k.name)
	c.text(&k.plugin)
	integers(&c.codec, &k.skillBody, &k.commandBody)
	c.tally(&k.bill)
	c.classes(&k.classes)
	for i := range k.sources {
		integer(&c.codec, &k.sources[i])
	}
	for _, s := range [...]*Spend{&k.own, &k.inherited, &k.tail, &k.inSkills} {
		c.spend(s)
	}
	integers(&c.codec, &k.hookRuns, &k.fanOut, &k.read.result, &k.read.reused)
	pointers(&c.codec, &k.bigOrder, c.bigReads)
	pointers(&c.codec, &k.uses, func(u *use) { pointers(&c.codec, &u.strands, c.strand) })
}

func (c *partCodec) bigReads(b *bigReads) {
	below(&c.codec, &b.sig, c.words)
	integers(&c.codec, &b.result, &b.reused, &b.support, &b.calls, &b.turns, &b.waste, &b.unread)
	c.flags(&b.amount.unknown)
	c.amount(&b.amount)
	list(&c.codec, &b.rows, func(e *evidence) {
		c.place(&e.File, &e.Line)
		integer(&c.codec, &e.waste)
	})
}

// place is a row of one of the session's files.
func (c *partCodec) place(file, line *int32) {
	at := int32(0)
	if !c.reading {
		at = int32(slices.Index(c.files, *file))
	}
	if below(&c.codec, &at, len(c.files)); !c.bad {
		*file = c.files[at]
	}
	integer(&c.codec, line)
}

func (c *partCodec) strand(s *strand) {
	c.text(&s.agent)
	list(&c.codec, &s.turns, c.turn)
	last := int32(0)
	list(&c.codec, &s.steps, func(st *step) {
		known := !c.reading && st.identity != 0
		c.flags(&st.mech, &st.question, &known)
		c.call(&st.sig, &st.turn, &last, len(s.turns))
		if known {
			c.hash(&st.identity)
		}
	})
	last = 0
	list(&c.codec, &s.atoms, func(a *atom) {
		c.flags(&a.named)
		c.call(&a.sig, &a.turn, &last, len(s.turns))
		c.hash(&a.identity)
	})
}

// call is a signature and its turn: among so many, the last call's or a later one.
func (c *partCodec) call(sig, turn, last *int32, turns int) {
	below(&c.codec, sig, c.words)
	later := int32(0)
	if !c.reading {
		later = *turn - *last
	}
	below(&c.codec, &later, turns)
	if *turn = *last + later; int(*turn) >= turns {
		c.fail()
		*turn = 0
	}
	*last = *turn
}

func (c *partCodec) turn(t *strandTurn) {
	c.flags(&t.idle, &t.amount.unknown, &t.spared.amount.unknown)
	below(&c.codec, &t.class, int(classCount))
	integers(&c.codec, &t.cost, &t.spared.cost)
	c.amount(&t.amount)
	c.amount(&t.spared.amount)
	c.place(&t.file, &t.line)
}
