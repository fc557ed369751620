package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// maxUserPrices bounds a price file that is read whole.
const maxUserPrices = 1 << 20

// userPrice is one model of a user's price file.
type userPrice struct {
	id    string
	rates perToken
}

// WithUser is the table with a user's prices on top: {"models": {"<id>": {"input": 5,
// "output": 25}}} in dollars per million tokens, with optional cache_read,
// cache_write_5m and cache_write_1h (else 0.1, 1.25 and 2 times input). A price of 0
// counts as a price. An id is matched as written first, then normalised. User prices
// hold for all days and have no tier and no fast multiplier. An error names the member
// that is wrong.
func (t *Table) WithUser(r io.Reader) (*Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxUserPrices+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxUserPrices {
		return nil, errors.New(`larger than 1 MiB, expected prices as {"models": {"<id>": {"input": 5, "output": 25}}}`)
	}
	prices, err := parseUser(data)
	if err != nil {
		return nil, err
	}
	out := &Table{models: maps.Clone(t.models), exact: maps.Clone(t.exact), asOf: t.asOf}
	if out.exact == nil {
		out.exact = map[string][]rate{}
	}
	digest := xxhash.New()
	digest.WriteString(t.user)
	for _, p := range prices {
		out.exact[p.id] = []rate{{base: p.rates, fast: 1}}
		fmt.Fprintf(digest, "%q %v\n", p.id, p.rates)
	}
	for _, p := range slices.Backward(prices) {
		// An id also stands for its other spellings; the plain one decides, else the first.
		if n := Normalise(p.id); out.exact[n] == nil || n == p.id {
			out.models[n] = out.exact[p.id]
		}
	}
	out.user = strconv.FormatUint(digest.Sum64(), 16)
	return out, nil
}

// parseUser reads a price file strictly; the answer is sorted by id.
func parseUser(data []byte) ([]userPrice, error) {
	var doc struct {
		Models map[string]map[string]json.RawMessage `json:"models"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf(`expected prices as {"models": {"<id>": {"input": 5, "output": 25}}}: %w`, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the end of the price document")
	}
	if doc.Models == nil {
		return nil, errors.New(`models: missing, expected {"<id>": {"input": 5, "output": 25}}`)
	}
	prices := make([]userPrice, 0, len(doc.Models))
	for _, id := range slices.Sorted(maps.Keys(doc.Models)) {
		rates, err := userRates(doc.Models[id])
		if err != nil {
			return nil, fmt.Errorf("models.%s.%w", clip(id), err)
		}
		if id == "" {
			return nil, errors.New("models: a model id is empty")
		}
		prices = append(prices, userPrice{id, rates})
	}
	return prices, nil
}

func userRates(members map[string]json.RawMessage) (perToken, error) {
	p := perToken{input: -1, output: -1, cacheRead: -1, cacheWrite5m: -1, cacheWrite1h: -1}
	fields := map[string]*int64{"input": &p.input, "output": &p.output, "cache_read": &p.cacheRead,
		"cache_write_5m": &p.cacheWrite5m, "cache_write_1h": &p.cacheWrite1h}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		to := fields[name]
		if to == nil {
			return p, fmt.Errorf("%s: unknown member, expected input, output, cache_read, cache_write_5m or cache_write_1h", clip(name))
		}
		v, err := parsePrice(string(members[name]))
		if err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
		*to = v
	}
	if p.input < 0 || p.output < 0 {
		return p, errors.New("input and output: both expected, in dollars per million tokens")
	}
	derive := func(to *int64, percent int64) {
		if *to < 0 {
			*to = (p.input*percent + 50) / 100
		}
	}
	derive(&p.cacheRead, 10)
	derive(&p.cacheWrite5m, 125)
	derive(&p.cacheWrite1h, 200)
	return p, nil
}
