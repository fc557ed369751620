// Package pricing is the only place where a token meets a price.
//
// The theory: a request costs the sum of its five counters, each at the rate that
// its own model had on the day of the request. Rates differ per counter (a cache
// read is not a tenth of the input for every model), some models have a dearer
// tier for long prompts that then applies to the whole request, and some a
// multiplier for fast mode. A model that the table does not know has no price:
// the answer is "unknown", never zero and never the price of a model with a
// similar name. Model ids are normalised (vendor, region, date and revision
// decoration is taken off) and then compared as a whole.
//
// Money is an exact integer, so that sums do not depend on their order. Weighted
// tokens are a second view that ages better than dollars: each counter in
// thousandths of one base-input token of the same model.
package pricing

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Money is an amount in picodollars (1e-12 $): one token at $1 per million is 1,000,000.
type Money int64

// String is the amount in dollars with six places, rounded half away from zero.
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	micro := (m + 500_000) / 1_000_000
	if micro == 0 {
		sign = ""
	}
	return fmt.Sprintf("%s%d.%06d", sign, micro/1_000_000, micro%1_000_000)
}

// WeightsVersion names the rule and the embedded table that weights come from.
// A table with user prices has its own: see (*Table).WeightsVersion.
const WeightsVersion = "weights/1"

// Weights are thousandths of a base-input token per token of each counter.
type Weights struct {
	Input, Output, CacheRead, CacheWrite5m, CacheWrite1h int64
}

// unknownWeights hold where a model has no price, or an input price of zero.
var unknownWeights = Weights{1000, 5000, 100, 1250, 2000}

// webSearch is the price of one search that the provider runs, whatever the model: $10 per
// thousand in the public price list, and what the pinned client charges.
const webSearch = 10_000_000_000

// Cost is the price of one request: model as the response named it, atMillis its
// time (Unix milliseconds, 0 when unknown: the newest rate), fast its speed.
// It is false when no rate is known for that model on that day.
func (t *Table) Cost(model string, atMillis int64, fast bool, n audit.Tokens) (Money, bool) {
	r := t.find(model, atMillis)
	if r == nil {
		return 0, false
	}
	at := &r.base
	if r.long != nil && n.Input+n.CacheRead+n.CacheWrite5m+n.CacheWrite1h > r.longOver {
		at = r.long
	}
	sum := n.Input*at.input + n.Output*at.output + n.CacheRead*at.cacheRead +
		n.CacheWrite5m*at.cacheWrite5m + n.CacheWrite1h*at.cacheWrite1h
	if fast && r.fast > 1 {
		sum *= r.fast
	}
	return Money(sum + n.WebSearches*webSearch), true
}

// WeightsFor are the weights of a model on a day: each counter's base rate
// relative to the same model's input rate, rounded to a thousandth. The long-prompt
// tier and fast mode change dollars, not weights.
func (t *Table) WeightsFor(model string, atMillis int64) Weights {
	r := t.find(model, atMillis)
	if r == nil || r.base.input == 0 {
		return unknownWeights
	}
	in := r.base.input
	w := func(rate int64) int64 { return (rate*1000 + in/2) / in }
	return Weights{1000, w(r.base.output), w(r.base.cacheRead), w(r.base.cacheWrite5m), w(r.base.cacheWrite1h)}
}

// Weigh is the request in thousandths of a base-input token of its own model.
func (t *Table) Weigh(model string, atMillis int64, n audit.Tokens) int64 {
	w := t.WeightsFor(model, atMillis)
	return n.Input*w.Input + n.Output*w.Output + n.CacheRead*w.CacheRead +
		n.CacheWrite5m*w.CacheWrite5m + n.CacheWrite1h*w.CacheWrite1h
}
