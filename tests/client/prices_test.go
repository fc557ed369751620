package client

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
)

// Rule 9 of the accounting: what the pinned client charges for a response is what our table
// charges, to the micro-dollar: for every model of the table that the client knows, each
// counter alone, all of them on both sides of every long-prompt edge, and fast mode.
func TestPricesAreTheClients(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	c.Env = []string{"DISABLE_AUTO_COMPACT=1"} // prompts of 200,000 tokens are only said to be so
	var next Answer
	api.Lane("priced", Any).ThenFunc(func(*Request) Answer { return next }).Forever()

	models, edges, verified := tableModels(t)
	talk := c.Converse("--model", models[0])
	before := map[string]float64{}
	known, checks := []string{}, 0
	for _, model := range models {
		talk.Model(model)
		for _, bill := range bills(edges) {
			next = Answer{Text: "a", Usage: &bill.usage, Fast: bill.fast}
			seen := len(api.Log())
			total := talk.Say("go")
			if total.IsError { // the client takes the bill for a full context: go on in an empty one
				talk.End()
				talk = c.Converse("--model", model)
				clear(before)
				seen = len(api.Log())
				total = talk.Say("go")
			}
			used, ok := total.Models[model]
			if !ok || used.Basis != "list" {
				if verified[model] {
					t.Errorf("%s: the table says that the client prices it; the client asked for %s (%+v)", model, api.Log()[seen].Request.Model, total)
				}
				break
			}
			if !slices.Contains(known, model) {
				known = append(known, model)
			}
			var ours pricing.Money
			for _, x := range api.Log()[seen:] {
				if !x.Request.Stream { // a one-token probe of the model, which the client charges to nobody
					continue
				}
				cost, priced := pricing.Default().Cost(model, 0, bill.fast, tokens(x.Usage))
				if !priced {
					t.Fatalf("%s: the table names it and does not price it", model)
				}
				ours += cost
			}
			theirs := used.CostUSD - before[model]
			before[model] = used.CostUSD
			// The client adds in floating point: a thousandth of a micro-dollar is all that may lie between.
			if math.Abs(theirs-float64(ours)/1e12) > 1e-9 {
				t.Errorf("%s, %s: the client charges $%.9f, the table $%.9f", model, bill.name, theirs, float64(ours)/1e12)
			}
			checks++
		}
	}
	if len(known) < 15 || checks < 15*8 {
		t.Errorf("only %d models and %d prices were compared", len(known), checks)
	}
	t.Logf("%d prices of %d models compared; not known to the client: %s", checks, len(known),
		strings.Join(slices.DeleteFunc(models, func(m string) bool { return slices.Contains(known, m) }), ", "))
}

func tokens(u Usage) audit.Tokens {
	return audit.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h}
}

type bill struct {
	name  string
	usage Usage
	fast  bool
}

// bills are the responses that each model is asked to charge for.
func bills(edges []int64) []bill {
	const n = 12_345
	all := Usage{Input: n, Output: n, CacheRead: n, CacheWrite5m: n, CacheWrite1h: n}
	var list []bill
	for _, edge := range edges {
		for _, prompt := range []int64{edge, edge + 1} {
			u := all
			u.CacheRead = prompt - u.Input - u.CacheWrite5m - u.CacheWrite1h
			list = append(list, bill{fmt.Sprintf("a prompt of %d tokens", prompt), u, false}, bill{fmt.Sprintf("a fast prompt of %d tokens", prompt), u, true})
		}
	}
	return append(list,
		bill{"input", Usage{Input: n}, false}, bill{"output", Usage{Output: n}, false}, bill{"cache read", Usage{CacheRead: n}, false},
		bill{"5-minute write", Usage{CacheWrite5m: n}, false}, bill{"1-hour write", Usage{CacheWrite1h: n}, false},
		bill{"fast", all, true})
}

// tableModels reads the embedded table's file: its models, every long-prompt edge that any row
// has, and the models whose newest row claims to have been read off this client.
func tableModels(t *testing.T) (models []string, edges []int64, verified map[string]bool) {
	data, err := os.ReadFile("../../internal/pricing/rates.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Rows []struct {
			Model, Source string
			Until         string
			Long          *struct {
				Over int64 `json:"over_prompt_tokens"`
			} `json:"long_prompt"`
		}
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	verified = map[string]bool{}
	for _, r := range table.Rows {
		if !slices.Contains(models, r.Model) {
			models = append(models, r.Model)
		}
		if r.Long != nil && !slices.Contains(edges, r.Long.Over) {
			edges = append(edges, r.Long.Over)
		}
		if r.Until == "" && strings.Contains(r.Source, "cost-state") {
			verified[r.Model] = true
		}
	}
	if len(edges) == 0 {
		t.Fatal("rates.json has no long-prompt tier: the test would not look for one")
	}
	return models, edges, verified
}
