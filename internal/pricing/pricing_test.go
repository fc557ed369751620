package pricing

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

func at(day string) int64 {
	t, err := time.Parse(time.RFC3339, day)
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

func TestCost(t *testing.T) {
	m := audit.Tokens{Input: 1_000_000, Output: 1_000_000, CacheRead: 1_000_000, CacheWrite5m: 1_000_000, CacheWrite1h: 1_000_000}
	for _, c := range []struct {
		name, model string
		at          int64
		fast        bool
		tokens      audit.Tokens
		want        string
	}{
		{"D1", "claude-opus-4-8", 0, false, audit.Tokens{Input: 4, Output: 212, CacheRead: 9000, CacheWrite1h: 1500}, "0.024820"},
		{"D2", "claude-sonnet-4-6", 0, false, audit.Tokens{Input: 6, Output: 159, CacheRead: 20000, CacheWrite1h: 800}, "0.013203"},
		{"every counter", "claude-opus-5", 0, false, m, "46.750000"},
		{"cache reads are not a tenth everywhere", "claude-opus-5-5", 0, false, audit.Tokens{CacheRead: 1_000_000}, "0.200000"},
		{"fast doubles", "claude-opus-5", 0, true, audit.Tokens{Input: 1_000_000}, "10.000000"},
		{"fast times six", "claude-opus-4-7", 0, true, audit.Tokens{Input: 1_000_000}, "30.000000"},
		{"fast is nothing elsewhere", "claude-haiku-4-5", 0, true, audit.Tokens{Input: 1_000_000}, "1.000000"},
		{"exactly the threshold is cheap", "claude-haiku-5-5", 0, false, audit.Tokens{Input: 1, CacheRead: 99_998, CacheWrite5m: 1, Output: 1000}, "0.001500"},
		{"above it the whole request is dear", "claude-haiku-5-5", 0, false, audit.Tokens{Input: 2, CacheRead: 99_998, CacheWrite5m: 1, Output: 1000}, "0.007502"},
		{"output is no prompt", "claude-haiku-5-5", 0, false, audit.Tokens{Output: 200_000}, "0.100000"},
		{"history keeps the price of its day", "claude-sonnet-4-5", at("2026-04-30T23:59:59Z"), false, audit.Tokens{Input: 200_001}, "1.200006"},
		{"the day after", "claude-sonnet-4-5", at("2026-05-01T00:00:00Z"), false, audit.Tokens{Input: 200_001}, "0.600003"},
		{"no time means today", "claude-sonnet-4-5", 0, false, audit.Tokens{Input: 200_001}, "0.600003"},
		{"opus 4.1", "claude-opus-4-1-20250805", 0, false, audit.Tokens{Input: 1_000_000, Output: 1_000_000}, "90.000000"},
	} {
		got, ok := Default().Cost(c.model, c.at, c.fast, c.tokens)
		if !ok || got.String() != c.want {
			t.Errorf("%s: got %v %v, want %s", c.name, got, ok, c.want)
		}
	}
	for _, unknown := range []string{"claude-nova-9", "claude-opus-5-50", "claude-opus", "opus", "my-claude-opus-5", "claude-opus-5-thinking", "", "gpt-5"} {
		if got, ok := Default().Cost(unknown, 0, false, m); ok {
			t.Errorf("%q was priced at %v", unknown, got)
		}
	}
}

func TestMoneyString(t *testing.T) {
	for m, want := range map[Money]string{0: "0.000000", 499_999: "0.000000", 500_000: "0.000001", -499_999: "0.000000",
		-500_000: "-0.000001", 12_345_678_900_000: "12.345679", -1_000_000_000_000: "-1.000000"} {
		if got := m.String(); got != want {
			t.Errorf("Money(%d) = %s, want %s", int64(m), got, want)
		}
	}
}

func TestNormalise(t *testing.T) {
	for in, want := range map[string]string{
		"claude-opus-4-5-20251101":                     "claude-opus-4-5",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
		"anthropic.claude-3-haiku-20240307-v1:0":       "claude-3-haiku",
		"claude-sonnet-4@20250514":                     "claude-sonnet-4-0",
		"claude-opus-4-6[1m]":                          "claude-opus-4-6",
		"anthropic/claude-sonnet-4.5":                  "claude-sonnet-4-5",
		"arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-v1:0": "claude-haiku-4-5",
		"claude-3-5-sonnet-latest": "claude-3-5-sonnet",
		"claude-opus-4-20250514":   "claude-opus-4-0",
		"claude-opus-4-1":          "claude-opus-4-1",
		"glm-4.7":                  "glm-4-7",
		"claude-opus-4-512345678":  "claude-opus-4-512345678",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWeigh(t *testing.T) {
	one := audit.Tokens{Input: 1, Output: 1, CacheRead: 1, CacheWrite5m: 1, CacheWrite1h: 1}
	for model, want := range map[string]Weights{
		"claude-opus-5":    {1000, 5000, 100, 1250, 2000},
		"claude-opus-5-5":  {1000, 5000, 50, 1250, 2000},
		"claude-fable-5-1": {1000, 5000, 25, 1250, 2000},
		"claude-nova-9":    {1000, 5000, 100, 1250, 2000},
	} {
		if got := Default().WeightsFor(model, 0); got != want {
			t.Errorf("%s: %v, want %v", model, got, want)
		}
		sum := want.Input + want.Output + want.CacheRead + want.CacheWrite5m + want.CacheWrite1h
		if got := Default().Weigh(model, 0, one); got != sum {
			t.Errorf("%s: weigh %d, want %d", model, got, sum)
		}
	}
}

func TestUserPrices(t *testing.T) {
	with := func(s string) *Table {
		t.Helper()
		tab, err := Default().WithUser(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		return tab
	}
	m := audit.Tokens{Input: 1_000_000, Output: 1_000_000, CacheRead: 1_000_000, CacheWrite5m: 1_000_000, CacheWrite1h: 1_000_000}
	tab := with(`{"models":{"claude-nova-9":{"input":0,"output":0},"claude-opus-5":{"input":3,"output":15},
		"claude-opus-4-8-20260101":{"input":1,"output":2,"cache_read":0.5,"cache_write_5m":3,"cache_write_1h":4}}}`)
	for model, want := range map[string]string{
		"claude-nova-9":            "0.000000", // D7: an explicit price of zero is a price
		"claude-opus-5":            "28.050000",
		"claude-opus-5-20260301":   "28.050000",
		"claude-opus-4-8-20260101": "10.500000",
		"claude-opus-4-8":          "10.500000",
		"claude-haiku-4-5":         "9.350000",
	} {
		if got, ok := tab.Cost(model, 0, false, m); !ok || got.String() != want {
			t.Errorf("%s: %v %v, want %s", model, got, ok, want)
		}
	}
	if tab.WeightsFor("claude-nova-9", 0) != unknownWeights {
		t.Error("a free model needs the weights of an unknown one")
	}
	if tab.WeightsVersion() == WeightsVersion || Default().WeightsVersion() != WeightsVersion {
		t.Error("user prices must show in the weights version")
	}
	if a, b := with(`{"models":{"a":{"input":1,"output":2}}}`), with(`{"models":{"a":{"input":1,"output":3}}}`); a.WeightsVersion() == b.WeightsVersion() {
		t.Error("different prices, same weights version")
	}
	both := with(`{"models":{"claude-opus-5":{"input":1,"output":1},"claude-opus-5-20260101":{"input":2,"output":2}}}`)
	if got, _ := both.Cost("claude-opus-5-20260202", 0, false, audit.Tokens{Input: 1_000_000}); got.String() != "1.000000" {
		t.Errorf("the plain id decides for other spellings, got %v", got)
	}
	for name, bad := range map[string]string{
		"models: missing": `{}`, "unknown field": `{"models":{},"x":1}`, "data after": `{"models":{}} {}`,
		"models.a.input and output": `{"models":{"a":{"input":1}}}`, "models.a.inptu: unknown": `{"models":{"a":{"inptu":1,"input":1,"output":1}}}`,
		"models.a.input: expected": `{"models":{"a":{"input":-1,"output":1}}}`, "models.a.output: expected": `{"models":{"a":{"input":1,"output":"5"}}}`,
		"models.a.output: expected dollars": `{"models":{"a":{"input":1,"output":1e3}}}`, "expected prices": `[1]`, "EOF": ``,
		"models.a.input: expected dollars": `{"models":{"a":{"input":null,"output":1}}}`, "is empty": `{"models":{"":{"input":1,"output":1}}}`,
	} {
		_, err := Default().WithUser(strings.NewReader(bad))
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v does not say %q", bad, err, name)
		}
	}
}

// The table is held against what the pinned client charges.
func TestTableAgreesWithClient(t *testing.T) {
	shared := os.Getenv("SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	data, err := os.ReadFile(filepath.Join(shared, "prices", "client-2.1.332.json"))
	if err != nil {
		t.Skip("shared data absent: set SHARED to its directory")
	}
	type rates struct {
		Input        json.Number `json:"input"`
		Output       json.Number `json:"output"`
		CacheRead    json.Number `json:"cache_read"`
		CacheWrite5m json.Number `json:"cache_write_5m"`
		CacheWrite1h json.Number `json:"cache_write_1h"`
	}
	var doc struct {
		Models []struct {
			Model string `json:"model"`
			rates
			Fast int64 `json:"fast_multiplier"`
			Long *struct {
				Over int64 `json:"over_prompt_tokens"`
				rates
			} `json:"long_prompt"`
		} `json:"models"`
	}
	if err := json.Unmarshal(data, &doc); err != nil || len(doc.Models) < 20 {
		t.Fatalf("%d models, %v", len(doc.Models), err)
	}
	same := func(what string, got perToken, want rates) {
		w, err := documentRates{want.Input.String(), want.Output.String(), want.CacheRead.String(), want.CacheWrite5m.String(), want.CacheWrite1h.String()}.perToken()
		if err != nil || got != w {
			t.Errorf("%s: %+v, the client charges %+v (%v)", what, got, w, err)
		}
	}
	for _, m := range doc.Models {
		r := Default().find(m.Model, 0)
		if r == nil {
			t.Errorf("%s: the client knows it, the table does not", m.Model)
			continue
		}
		same(m.Model, r.base, m.rates)
		if r.fast != max(m.Fast, 1) {
			t.Errorf("%s: fast %d, want %d", m.Model, r.fast, m.Fast)
		}
		if (r.long != nil) != (m.Long != nil) {
			t.Errorf("%s: long prompt tier differs", m.Model)
		} else if m.Long != nil {
			same(m.Model+" long", *r.long, m.Long.rates)
			if r.longOver != m.Long.Over {
				t.Errorf("%s: tier above %d, want %d", m.Model, r.longOver, m.Long.Over)
			}
		}
	}
}

func FuzzUserPrices(f *testing.F) {
	f.Add([]byte(`{"models":{"a":{"input":1.25,"output":0.000001}}}`))
	f.Add([]byte(`{"models":{"a":{"input":1e9,"output":99999999999999999999}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tab, err := Default().WithUser(strings.NewReader(string(data)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of more than one line: %q", err)
			}
			return
		}
		for id := range tab.exact {
			if c, ok := tab.Cost(id, 0, false, audit.Tokens{Input: 1000, CacheWrite1h: 1000}); !ok || c < 0 {
				t.Errorf("%q: cost %v %v", id, c, ok)
			}
		}
	})
}

// TestWebSearches: billed by the piece at any model's price list, fast or not, and no weight.
func TestWebSearches(t *testing.T) {
	n := audit.Tokens{WebSearches: 3}
	for _, fast := range []bool{false, true} {
		if got, ok := Default().Cost("claude-opus-5", 0, fast, n); !ok || got.String() != "0.030000" {
			t.Errorf("fast %t: %s, %t", fast, got, ok)
		}
	}
	if w := Default().Weigh("claude-opus-5", 0, n); w != 0 {
		t.Errorf("weight %d", w)
	}
	if _, ok := Default().Cost("claude-nova-9", 0, false, n); ok {
		t.Error("a model without a price was priced")
	}
}
