package corpus

import (
	"fmt"
	"maps"
	"slices"
)

// Usage is one response's counters.
type Usage struct {
	Input     int64 `json:"input_tokens"`
	Output    int64 `json:"output_tokens"`
	CacheRead int64 `json:"cache_read_tokens"`
	Write5m   int64 `json:"cache_write_5m_tokens"`
	Write1h   int64 `json:"cache_write_1h_tokens"`
}

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.Write5m + v.Write5m, u.Write1h + v.Write1h}
}

// rate is one model's published prices: the input price in hundredths of a dollar per million
// tokens and the cache-read price in thousandths of it. Output is five times the input price
// for each model here, writes 1.25 and 2 times. Set down by hand from the published list, so
// that the truth owes nothing to the table under test.
type rate struct{ inputCents, readMilli int64 }

var rates = map[string]rate{
	"claude-opus-5-5":            {400, 50},
	"claude-opus-5":              {500, 100},
	"claude-opus-4-8":            {500, 100},
	"claude-opus-4-5-20251101":   {500, 100},
	"claude-sonnet-5-5":          {200, 50},
	"claude-sonnet-5":            {200, 100},
	"claude-sonnet-4-5-20250929": {300, 100},
	"claude-haiku-4-5-20251001":  {100, 100},
}

// WeightedMilli is u in thousandths of a base-input token of the model; a model that is not in
// the corpus's own list weighs as 1000, 100, 1250, 2000, 5000.
func WeightedMilli(model string, u Usage) int64 {
	r, ok := rates[model]
	if !ok {
		r = rate{readMilli: 100}
	}
	return 1000*u.Input + r.readMilli*u.CacheRead + 1250*u.Write5m + 2000*u.Write1h + 5000*u.Output
}

// SparedMilli is what a turn that is not made saves, in thousandths of a base-input token: one
// reading of its whole prompt at the price of the cache, its output, and writing that output to
// the cache, for as long as the turn wrote.
func SparedMilli(model string, u Usage) int64 {
	spared := Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead + u.Write5m + u.Write1h}
	if u.Write1h > 0 {
		spared.Write1h = u.Output
	} else if spared.CacheRead > 0 {
		spared.Write5m = u.Output
	}
	return WeightedMilli(model, spared)
}

// CostPico is u's price in millionths of a millionth of a dollar; false where the corpus knows none.
func CostPico(model string, u Usage) (int64, bool) {
	r, ok := rates[model]
	// cents per million tokens = 10,000 picodollars per token; a weight is in thousandths.
	return WeightedMilli(model, u) * r.inputCents * 10, ok
}

// Sum is turns added up.
type Sum struct {
	Turns int64 `json:"turns"`
	Calls int64 `json:"tool_calls"`
	// NotFinal counts the turns whose last row still had stop_reason null.
	NotFinal int64 `json:"turns_without_final_usage"`
	Usage
	WeightedMilli int64 `json:"weighted_milli"`
}

func (s *Sum) add(t Written) {
	s.Turns++
	s.Calls += int64(t.Calls)
	if !t.Final {
		s.NotFinal++
	}
	s.Usage = s.Usage.plus(t.Usage)
	s.WeightedMilli += WeightedMilli(t.Model, t.Usage)
}

// Written is one response as it stands in the files: what a reader that counts each response
// once can know of it.
type Written struct {
	MessageID, Session, AgentID string
	Model                       string
	Usage                       Usage
	// Final is false when no row of it had a stop_reason.
	Final bool
	Calls int
	// Skill, Plugin and Agent are what was at work, whether or not the client stamped it;
	// Stamped says whether it did.
	Skill, Plugin, Agent string
	Stamped              bool
}

// Ledger is the truth of a corpus.
type Ledger struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	Lines int64 `json:"lines"`
	// BadLines cannot be decoded; OddLines are JSON but no object.
	BadLines int64 `json:"bad_lines"`
	OddLines int64 `json:"unexpected_lines"`
	Total    Sum   `json:"total"`
	// Models, Sessions and Work split Total; a Work key is "skill", or "agent:<type>" where no
	// skill was at work, or "" for the rest.
	Models   map[string]*Sum `json:"models"`
	Sessions map[string]*Sum `json:"sessions,omitempty"`
	Work     map[string]*Sum `json:"work"`
	// Compaction is spend that stands in cost-state lines only.
	Compaction Usage `json:"compaction"`
}

func newLedger() *Ledger {
	return &Ledger{Models: map[string]*Sum{}, Sessions: map[string]*Sum{}, Work: map[string]*Sum{}}
}

func (l *Ledger) enter(t Written) {
	work := t.Skill
	if work == "" && t.Agent != "" {
		work = "agent:" + t.Agent
	}
	l.Total.add(t)
	entry(l.Models, t.Model).add(t)
	entry(l.Sessions, t.Session).add(t)
	entry(l.Work, work).add(t)
}

func entry(m map[string]*Sum, key string) *Sum {
	s := m[key]
	if s == nil {
		s = &Sum{}
		m[key] = s
	}
	return s
}

// CostUSD is the ledger's whole cost as a decimal with six places, the sum cut to whole
// micro-dollars; models without a price are left out and named.
func (l *Ledger) CostUSD() (cost string, unpriced []string) {
	var pico int64
	for _, m := range slices.Sorted(maps.Keys(l.Models)) {
		p, ok := CostPico(m, l.Models[m].Usage)
		if !ok {
			unpriced = append(unpriced, m)
			continue
		}
		pico += p
	}
	micro := (pico + 500_000) / 1_000_000
	return fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000), unpriced
}
