package scan

import (
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// tally sums turns, model by model: they are few.
type tally struct {
	models   []modelTally
	turns    int64
	weighted int64
}

// modelTally is one model's part.
type modelTally struct {
	model                            string
	turns, calls, notFinal, weighted int64
	tokens                           audit.Tokens
	money                            pricing.Money
	// unpriced is set as soon as one response of the model had no price.
	unpriced bool
}

func (t *tally) model(id string) *modelTally {
	for i := range t.models {
		if t.models[i].model == id {
			return &t.models[i]
		}
	}
	t.models = append(t.models, modelTally{model: id})
	return &t.models[len(t.models)-1]
}

// priced is what one model answered within a turn, with its price.
type priced struct {
	model    string
	tokens   audit.Tokens
	weighted int64
	money    pricing.Money
	ok       bool
}

// add counts a turn. parts are the response itself and its advisors' (priceTurn).
func (t *tally) add(turn *transcript.Turn, parts []priced) {
	t.turns++
	for i := range parts {
		p := &parts[i]
		m := t.model(p.model)
		addTokens(&m.tokens, p.tokens)
		m.weighted += p.weighted
		t.weighted += p.weighted
		m.money += p.money
		m.unpriced = m.unpriced || !p.ok
		if i == 0 {
			m.turns++
			m.calls += int64(len(turn.Calls))
			if !turn.Final {
				m.notFinal++
			}
		}
	}
}

func addTokens(to *audit.Tokens, n audit.Tokens) {
	to.Input += n.Input
	to.Output += n.Output
	to.CacheRead += n.CacheRead
	to.CacheWrite5m += n.CacheWrite5m
	to.CacheWrite1h += n.CacheWrite1h
	to.WebSearches += n.WebSearches
}

// usage renders the sum. A cost is null when no model of it has a price.
func (t *tally) usage() Usage {
	u := Usage{Models: []ModelUsage{}, Unpriced: []ModelUsage{}, WeightedMilli: t.weighted}
	var money pricing.Money
	anyPriced := len(t.models) == 0
	for _, m := range t.models {
		row := ModelUsage{Model: m.model, Turns: m.turns, ToolCalls: m.calls, Tokens: m.tokens, WeightedMilli: m.weighted,
			TurnsWithoutFinalUsage: m.notFinal}
		u.Turns += m.turns
		u.ToolCalls += m.calls
		u.TurnsWithoutFinalUsage += m.notFinal
		addTokens(&u.Tokens, m.tokens)
		if m.unpriced {
			u.Unpriced = append(u.Unpriced, row)
		} else {
			row.CostUSD = dollars(m.money)
			anyPriced = true
		}
		money += m.money
		u.Models = append(u.Models, row)
	}
	if anyPriced || money > 0 {
		u.CostUSD = dollars(money)
	}
	byModel := func(a, b ModelUsage) int { return strings.Compare(a.Model, b.Model) }
	slices.SortFunc(u.Models, byModel)
	slices.SortFunc(u.Unpriced, byModel)
	return u
}

// amount is a sum of prices. One that is not known makes the sum unknown: a saving that leaves
// some of its turns out would read as a smaller saving.
type amount struct {
	money   pricing.Money
	unknown bool
}

func (a *amount) add(b amount) {
	a.money += b.money
	a.unknown = a.unknown || b.unknown
}

// part is the amount's n-th part.
func (a amount) part(n int64) amount { return amount{a.money / pricing.Money(n), a.unknown} }

// dollars is null when the amount is unknown.
func (a amount) dollars() *string {
	if a.unknown {
		return nil
	}
	return dollars(a.money)
}

func dollars(m pricing.Money) *string {
	s := m.String()
	return &s
}

// modelName passes on a model's id if it looks like one.
func modelName(s string) string {
	if s == "" || len(s) > 128 {
		return "<model>"
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._:/@-[]", c) >= 0) {
			return "<model>"
		}
	}
	return s
}

// merge adds another sum.
func (t *tally) merge(o *tally) {
	t.turns += o.turns
	t.weighted += o.weighted
	for _, om := range o.models {
		m := t.model(om.model)
		m.turns += om.turns
		m.calls += om.calls
		m.notFinal += om.notFinal
		m.weighted += om.weighted
		addTokens(&m.tokens, om.tokens)
		m.money += om.money
		m.unpriced = m.unpriced || om.unpriced
	}
}
