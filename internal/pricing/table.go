package pricing

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

//go:embed rates.json
var embedded []byte

// Table holds rates by model and day. It is immutable and safe for concurrent use.
type Table struct {
	models map[string][]rate // by normalised id, oldest first
	exact  map[string][]rate // user prices by the id as it was given
	asOf   string
	user   string                  // hash of the user prices, "" without
	known  atomic.Pointer[[]known] // never changed in place
}

// known is a model that was asked for: a history names few models, very often.
type known struct {
	model string
	rows  []rate
}

// rate is one row: what a model cost between two days.
type rate struct {
	from, until int64 // Unix milliseconds, [from, until); 0 is open
	base        perToken
	long        *perToken // the tier above longOver prompt tokens, nil without
	longOver    int64
	fast        int64 // multiplier of fast mode, 1 without
}

// perToken are picodollars per token of each counter.
type perToken struct{ input, output, cacheRead, cacheWrite5m, cacheWrite1h int64 }

// document is the shape of rates.json. Prices are decimal strings in dollars per
// million tokens; from and until are UTC days, both inclusive.
type document struct {
	Unit string        `json:"unit"`
	Rows []documentRow `json:"rows"`
}

type documentRow struct {
	Model string `json:"model"`
	From  string `json:"from,omitempty"`
	Until string `json:"until,omitempty"`
	documentRates
	Fast   int64         `json:"fast_multiplier,omitempty"`
	Long   *documentLong `json:"long_prompt,omitempty"`
	Source string        `json:"source"`
	AsOf   string        `json:"as_of"`
}

type documentRates struct {
	Input        string `json:"input"`
	Output       string `json:"output"`
	CacheRead    string `json:"cache_read"`
	CacheWrite5m string `json:"cache_write_5m"`
	CacheWrite1h string `json:"cache_write_1h"`
}

type documentLong struct {
	Over int64 `json:"over_prompt_tokens"`
	documentRates
}

var standard = sync.OnceValue(func() *Table {
	t, err := parseTable(embedded)
	if err != nil {
		panic("pricing: embedded rates.json: " + err.Error()) // a test parses it
	}
	return t
})

// Default is the embedded table.
func Default() *Table { return standard() }

// AsOf is the newest day on which a row of the embedded table was verified.
func (t *Table) AsOf() string { return t.asOf }

// WeightsVersion names the rule and the prices that this table's weights come from.
func (t *Table) WeightsVersion() string {
	if t.user == "" {
		return WeightsVersion
	}
	return WeightsVersion + "+user:" + t.user
}

// find is the rate of a model at a time, nil when there is none.
func (t *Table) find(model string, atMillis int64) *rate {
	rows := t.rows(model)
	for i := len(rows) - 1; i >= 0; i-- {
		r := &rows[i]
		if atMillis == 0 || (atMillis >= r.from && (r.until == 0 || atMillis < r.until)) {
			return r
		}
	}
	return nil
}

// maxKnown is how many models are remembered.
const maxKnown = 64

func (t *Table) rows(model string) []rate {
	known := t.known.Load()
	if known != nil {
		for i := range *known {
			if (*known)[i].model == model {
				return (*known)[i].rows
			}
		}
	}
	return t.learn(model, known)
}

// learn finds a model's rows and remembers them.
func (t *Table) learn(model string, before *[]known) []rate {
	rows := t.exact[model]
	if rows == nil {
		rows = t.models[Normalise(model)]
	}
	var now []known
	if before != nil {
		now = *before
	}
	if len(now) < maxKnown {
		now = append(slices.Clip(now), known{model, rows})
		t.known.CompareAndSwap(before, &now) // where another was first, this one is learnt again
	}
	return rows
}

func parseTable(data []byte) (*Table, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var doc document
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	t := &Table{models: map[string][]rate{}}
	for i, row := range doc.Rows {
		r, err := row.rate()
		if err != nil {
			return nil, fmt.Errorf("rows[%d] (%s): %w", i, row.Model, err)
		}
		if row.Source == "" || row.AsOf == "" {
			return nil, fmt.Errorf("rows[%d] (%s): source and as_of are required", i, row.Model)
		}
		if n := Normalise(row.Model); n != row.Model {
			return nil, fmt.Errorf("rows[%d]: %s is not canonical, expected %s", i, row.Model, n)
		}
		t.models[row.Model] = append(t.models[row.Model], r)
		t.asOf = max(t.asOf, row.AsOf)
	}
	for name, rows := range t.models {
		slices.SortFunc(rows, func(a, b rate) int { return cmp.Compare(a.from, b.from) })
		for i := 1; i < len(rows); i++ {
			if rows[i-1].until == 0 || rows[i-1].until > rows[i].from {
				return nil, fmt.Errorf("%s: rows overlap in time", name)
			}
		}
	}
	return t, nil
}

func (row documentRow) rate() (rate, error) {
	r := rate{fast: max(row.Fast, 1)}
	var err error
	if r.base, err = row.documentRates.perToken(); err != nil {
		return r, err
	}
	if row.Long != nil {
		long, err := row.Long.documentRates.perToken()
		if err != nil {
			return r, fmt.Errorf("long_prompt.%w", err)
		}
		r.long, r.longOver = &long, row.Long.Over
	}
	if r.from, err = day(row.From, 0); err != nil {
		return r, err
	}
	r.until, err = day(row.Until, 1)
	return r, err
}

func (d documentRates) perToken() (p perToken, err error) {
	for _, f := range []struct {
		name, text string
		to         *int64
	}{
		{"input", d.Input, &p.input}, {"output", d.Output, &p.output}, {"cache_read", d.CacheRead, &p.cacheRead},
		{"cache_write_5m", d.CacheWrite5m, &p.cacheWrite5m}, {"cache_write_1h", d.CacheWrite1h, &p.cacheWrite1h},
	} {
		if *f.to, err = parsePrice(f.text); err != nil {
			return p, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return p, nil
}

// day is a UTC day in Unix milliseconds, plus days; "" is 0.
func day(s string, days int) (int64, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, err
	}
	return d.AddDate(0, 0, days).UnixMilli(), nil
}

// maxPrice bounds a price so that a request's cost always fits in Money.
const maxPrice = 1_000_000

// parsePrice reads dollars per million tokens, which is picodollars per token in millionths.
func parsePrice(s string) (int64, error) {
	bad := func() (int64, error) {
		return 0, fmt.Errorf("expected dollars per million tokens as a plain decimal number of 0 to %d with at most six places, found %s", maxPrice, clip(s))
	}
	whole, frac, dotted := strings.Cut(s, ".")
	if !digits(whole) || len(whole) > 7 || (dotted && !digits(frac)) {
		return bad()
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > 6 {
		return bad()
	}
	var v int64
	for _, c := range whole + frac + strings.Repeat("0", 6-len(frac)) {
		v = v*10 + int64(c-'0')
	}
	if v > maxPrice*1_000_000 {
		return bad()
	}
	return v, nil
}

// clip keeps a foreign word on one short line of an error.
func clip(s string) string {
	if len(s) > 40 {
		s = s[:37] + "..."
	}
	return strings.Trim(strconv.Quote(s), `"`)
}
