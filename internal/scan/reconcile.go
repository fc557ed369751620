package scan

import (
	"context"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// ReconciliationKind of a reconciliation document.
const ReconciliationKind = "reconciliation/v1"

// Reconciliation compares our sums with the client's own, session by session (2-measure.md 2.1,
// item 14). The whole of each session is compared, whatever window a scan would have.
type Reconciliation struct {
	Document string `json:"document"`
	// Sessions that the client wrote a total for; Without counts those without one.
	Sessions []SessionCheck `json:"sessions"`
	// Without: sessions for which the client wrote no total.
	Without int64 `json:"sessions_without_total"`
	// Exact, Compaction, Fork, NotFinal and Unexplained count the sessions by finding.
	Exact int64 `json:"exact"`
	// Compaction: sessions that differ by compaction requests only.
	Compaction int64 `json:"compaction"`
	// Fork: sessions that differ by their parent's spend only.
	Fork int64 `json:"fork"`
	// NotFinal: sessions with turns that never got their final usage.
	NotFinal int64 `json:"not_final"`
	// Price: sessions of which every counter agrees and the dollars do not.
	Price int64 `json:"price"`
	// Unexplained: sessions that differ without a known cause.
	Unexplained int64 `json:"unexplained"`
	// Ours is the sum over all sessions, with or without a total: what other tools are held against.
	Ours audit.Tokens `json:"ours"`
	// Others are the totals of other tools, where the caller has asked any.
	Others []Other `json:"others"`
	// Warnings: doubts about the input.
	Warnings []audit.Warning `json:"warnings"`
}

// Findings of a SessionCheck.
const (
	// FoundExact: every counter of every model agrees, and the dollars do to a micro-dollar a model.
	FoundExact = "exact"
	// FoundCompaction: the client counts more, and the session was compacted: those requests
	// stand on no line.
	FoundCompaction = "compaction"
	// FoundFork: the client counts more, by no more than what the session it was forked from had
	// used: a fork's total starts with its parent's.
	FoundFork = "fork"
	// FoundNotFinal: only output differs, the client counts more, and the session holds responses
	// that were broken off before their final usage was written: their output is a lower bound.
	FoundNotFinal = "not-final"
	// FoundPrice: every counter agrees and the dollars do not: the client has other prices than
	// the table (or the user's), or prices a model that the table does not know as another one.
	FoundPrice = "price"
	// FoundUnexplained: anything else. It is a defect of ours until shown otherwise.
	FoundUnexplained = "unexplained"
)

// SessionCheck is one session.
type SessionCheck struct {
	// SessionID: as the rows name it.
	SessionID string `json:"session_id"`
	// Finding: exact, compaction, fork, not-final, price or unexplained.
	Finding string `json:"finding"`
	// OursUSD: our cost of it; null when a model has no price.
	OursUSD *string `json:"ours_usd"`
	// ClientUSD: the client's own.
	ClientUSD string `json:"client_usd"`
	// ForkOf is the session it was forked from, "" otherwise.
	ForkOf string `json:"fork_of"`
	// Compactions: compaction boundaries in it.
	Compactions int `json:"compactions"`
	// TurnsNotFinal counts the responses whose final usage was never written.
	TurnsNotFinal int64 `json:"turns_without_final_usage"`
	// samePrice: the dollars agree, each model rounded to a micro-dollar.
	samePrice bool
	// Models on which either side counted something, by name.
	Models []ModelCheck `json:"models"`
}

// ModelCheck is one model of one session. Cache writes are summed: the client does not split them.
type ModelCheck struct {
	// Model: id.
	Model string `json:"model"`
	// Ours: our sums.
	Ours Counters `json:"ours"`
	// Client: the client's own.
	Client Counters `json:"client"`
}

// Counters of one side.
type Counters struct {
	// Input: uncached input.
	Input int64 `json:"input_tokens"`
	// Output: output.
	Output int64 `json:"output_tokens"`
	// CacheRead: read from the cache.
	CacheRead int64 `json:"cache_read_tokens"`
	// CacheWrite: written to either cache.
	CacheWrite int64 `json:"cache_write_tokens"`
	// WebSearches: searches by the provider.
	WebSearches int64 `json:"web_search_requests"`
}

func (c *Counters) add(t audit.Tokens) {
	c.Input += t.Input
	c.Output += t.Output
	c.CacheRead += t.CacheRead
	c.CacheWrite += t.CacheWrite5m + t.CacheWrite1h
	c.WebSearches += t.WebSearches
}

// minus is c − o, counter by counter.
func (c Counters) minus(o Counters) Counters {
	return Counters{c.Input - o.Input, c.Output - o.Output, c.CacheRead - o.CacheRead, c.CacheWrite - o.CacheWrite, c.WebSearches - o.WebSearches}
}

// within says whether every counter lies between zero and the other's.
func (c Counters) within(o Counters) bool {
	in := func(a, b int64) bool { return a >= 0 && a <= b }
	return in(c.Input, o.Input) && in(c.Output, o.Output) && in(c.CacheRead, o.CacheRead) && in(c.CacheWrite, o.CacheWrite) && in(c.WebSearches, o.WebSearches)
}

func (c Counters) positive() bool {
	return c.Input >= 0 && c.Output >= 0 && c.CacheRead >= 0 && c.CacheWrite >= 0 && c.WebSearches >= 0
}

// Reconcile compares every session of the history with the client's own total for it.
func Reconcile(ctx context.Context, o Options) (*Reconciliation, error) {
	return withHistory(ctx, o, "", func(h *transcript.History) (*Reconciliation, error) { return reconcile(ctx, o, h) })
}

func reconcile(ctx context.Context, o Options, h *transcript.History) (*Reconciliation, error) {
	doc := &Reconciliation{Document: ReconciliationKind, Sessions: []SessionCheck{}, Others: []Other{}, Warnings: append([]audit.Warning{}, h.Warnings...)}
	sums := map[string]map[string]Counters{} // of sessions, for their forks
	for s := range h.Sessions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ours, cost, notFinal := sessionSums(s, o.prices(), &doc.Ours)
		sums[s.ID] = ours
		if len(s.Oracle) == 0 {
			doc.Without++
			continue
		}
		c := check(s, ours, notFinal)
		c.OursUSD, c.ClientUSD = cost.dollars(), pricing.Money(s.OracleCostMicroUSD*microDollar).String()
		c.samePrice = !cost.unknown && abs(int64(cost.money)-s.OracleCostMicroUSD*microDollar) <= int64(len(c.Models))*microDollar
		doc.Sessions = append(doc.Sessions, c)
	}
	for i := range doc.Sessions {
		c := &doc.Sessions[i]
		c.Finding = c.find(sums[c.ForkOf])
		switch c.Finding {
		case FoundExact:
			doc.Exact++
		case FoundCompaction:
			doc.Compaction++
		case FoundFork:
			doc.Fork++
		case FoundNotFinal:
			doc.NotFinal++
		case FoundPrice:
			doc.Price++
		default:
			doc.Unexplained++
		}
		c.SessionID, c.ForkOf = sessionName(c.SessionID), clean(c.ForkOf)
	}
	return doc, nil
}

func clean(id string) string {
	if id == "" {
		return ""
	}
	return sessionName(id)
}

// microDollar in picodollars.
const microDollar = 1_000_000

func abs(n int64) int64 { return max(n, -n) }

func sessionSums(s *transcript.Session, prices *pricing.Table, all *audit.Tokens) (sums map[string]Counters, cost amount, notFinal int64) {
	sums = map[string]Counters{}
	count := func(model string, at int64, fast bool, t audit.Tokens) {
		money, ok := prices.Cost(model, at, fast, t)
		cost.add(amount{money, !ok})
		c := sums[modelName(model)]
		c.add(t)
		sums[modelName(model)] = c
		addTokens(all, t)
	}
	for _, th := range append([]*transcript.Thread{s.Main}, s.Subs...) {
		if th == nil {
			continue
		}
		for i := range th.Turns {
			t := &th.Turns[i]
			count(t.Model, t.Time, t.Fast, t.Tokens)
			if !th.Turns[i].Final {
				notFinal++
			}
			for _, a := range th.Turns[i].Advisor {
				count(a.Model, t.Time, false, a.Tokens)
			}
		}
	}
	return sums, cost, notFinal
}

func check(s *transcript.Session, ours map[string]Counters, notFinal int64) SessionCheck {
	c := SessionCheck{SessionID: s.ID, ForkOf: s.ForkOf, Compactions: s.Compactions, TurnsNotFinal: notFinal, Models: []ModelCheck{}}
	client := map[string]Counters{}
	for _, m := range s.Oracle {
		n := client[modelName(m.Model)]
		n.Input += m.Tokens.Input
		n.Output += m.Tokens.Output
		n.CacheRead += m.Tokens.CacheRead
		n.CacheWrite += m.CacheWrite
		n.WebSearches += m.Tokens.WebSearches
		client[modelName(m.Model)] = n
	}
	for model, n := range client {
		c.Models = append(c.Models, ModelCheck{Model: model, Ours: ours[model], Client: n})
	}
	for model, n := range ours {
		if _, both := client[model]; !both && n != (Counters{}) {
			c.Models = append(c.Models, ModelCheck{Model: model, Ours: n})
		}
	}
	slices.SortFunc(c.Models, func(a, b ModelCheck) int { return strings.Compare(a.Model, b.Model) })
	return c
}

// find names the cause of the difference; parent is what the session it was forked from used.
func (c *SessionCheck) find(parent map[string]Counters) string {
	exact, more, inherited, cut := true, true, c.ForkOf != "", c.TurnsNotFinal > 0
	for _, m := range c.Models {
		d := m.Client.minus(m.Ours)
		exact = exact && d == Counters{}
		more = more && d.positive()
		inherited = inherited && d.within(parent[m.Model])
		cut = cut && d.Output >= 0 && d == Counters{Output: d.Output}
	}
	switch {
	case exact && c.samePrice:
		return FoundExact
	case exact:
		return FoundPrice
	case inherited:
		return FoundFork
	case more && c.Compactions > 0:
		return FoundCompaction
	case cut:
		return FoundNotFinal
	}
	return FoundUnexplained
}
