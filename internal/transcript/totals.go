package transcript

import (
	"math"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// costState emits the client's own cumulative totals.
func (w *walker) costState(r *row) {
	if len(r.modelUsage) == 0 {
		return
	}
	t := &w.total
	t.cost, t.models = microDollars(r.totalCost), t.models[:0]
	gjson.ParseBytes(r.modelUsage).ForEach(func(model, v gjson.Result) bool {
		count := func(name string) int64 { return parseCount([]byte(v.Get(name).Raw)) }
		t.models = append(t.models, modelTotal{
			model: w.desk.plain([]byte(model.String())),
			input: count("inputTokens"), output: count("outputTokens"),
			read: count("cacheReadInputTokens"), write: count("cacheCreationInputTokens"),
			write1h:  count("cacheCreationEphemeral1hInputTokens"),
			searches: count("webSearchRequests"), cost: microDollars([]byte(v.Get("costUSD").Raw)),
		})
		return true
	})
	w.enter(r, nil)
	w.pack.total(t, w.line)
}

// microDollars reads a proved number of dollars; anything else is 0.
func microDollars(raw []byte) int64 {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(f > 0) || f > 1e9 {
		return 0
	}
	return int64(math.Round(f * 1e6))
}

// tokens are the counters of a usage object, its cache writes split: the split clamped
// to the aggregate (where there is one), what is left and what has no split counted as
// 5-minute.
func (u *usage) tokens() audit.Tokens {
	t := audit.Tokens{Input: u.input, Output: u.output, CacheRead: u.read, WebSearches: u.searches}
	write := u.write
	if !u.aggregate {
		write = u.write5m + u.write1h
	}
	t.CacheWrite1h = min(u.write1h, write)
	t.CacheWrite5m = write - t.CacheWrite1h
	return t
}
