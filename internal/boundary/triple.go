package boundary

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// Why a falsifiability triple is incomplete (rubric 3.4), in the order of checking.
const (
	NoSignature       = "no-signature"
	FewPairs          = "few-pairs"
	NoEdge            = "no-edge"
	PairsInconsistent = "pairs-inconsistent"
	NoOverrule        = "no-overrule"
)

// leastPairs is how many input→output pairs a triple needs.
const leastPairs = 3

// tripleCheck is what checkTriple found.
type tripleCheck struct {
	// reason is the first that applies, "" when the triple is complete; detail names the place.
	reason, detail string
	// pairsHold: there are pairs and every one type-checks (the ceiling on T4).
	pairsHold bool
	// cases and detectable count the distinct well-formed overrule cases, at most two.
	cases, detectable int
}

// checkTriple checks a triple whose pairs were masked.
func checkTriple(t *Triple) tripleCheck {
	if t == nil {
		return tripleCheck{reason: NoSignature, detail: "triple: missing"}
	}
	c := countOverrules(t.Overrules)
	fail := func(reason, detail string) {
		if c.reason == "" {
			c.reason, c.detail = reason, detail
		}
	}
	params, returns, bad := parseSignature(t.Signature)
	if bad != "" {
		fail(NoSignature, bad)
	}
	if len(t.Pairs) < leastPairs {
		fail(FewPairs, fmt.Sprintf("triple.pairs: %d of %d", len(t.Pairs), leastPairs))
	}
	if !hasEdge(t.Pairs) {
		fail(NoEdge, "triple.pairs: none is marked edge")
	}
	if bad == "" {
		mistyped := mistypedPair(t.Pairs, params, returns)
		c.pairsHold = mistyped == "" && len(t.Pairs) > 0
		if mistyped != "" {
			fail(PairsInconsistent, mistyped)
		} else if same := sameInputs(t.Pairs); same != "" {
			fail(PairsInconsistent, same)
		}
	}
	if c.cases == 0 {
		fail(NoOverrule, "triple.overrules: no case with all texts filled in and script_says different from human_says")
	}
	return c
}

var functionName = pattern.New(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// parseSignature parses all types of s; bad says what is wrong with it, "" for nothing.
func parseSignature(s *Signature) (params []field, returns *dataType, bad string) {
	if s == nil {
		return nil, nil, "triple.signature: missing"
	}
	if !functionName().MatchString(s.Name) {
		return nil, nil, "triple.signature.name: expected an identifier"
	}
	seen := map[string]bool{}
	for i, p := range s.Params {
		if !functionName().MatchString(p.Name) || seen[p.Name] {
			return nil, nil, fmt.Sprintf("triple.signature.params[%d].name: expected an identifier of its own", i)
		}
		seen[p.Name] = true
		t, err := parseType(p.Type)
		if err != nil {
			return nil, nil, fmt.Sprintf("triple.signature.params[%d].type: %v", i, err)
		}
		params = append(params, field{p.Name, t})
	}
	returns, err := parseType(s.Returns)
	if err != nil {
		return nil, nil, "triple.signature.returns: " + err.Error()
	}
	return params, returns, ""
}

func hasEdge(pairs []Pair) bool {
	for _, p := range pairs {
		if p.Edge {
			return true
		}
	}
	return false
}

// mistypedPair names the first place at which a pair does not conform, "" for none.
func mistypedPair(pairs []Pair, params []field, returns *dataType) string {
	in := &dataType{name: "record", fields: params}
	for i, p := range pairs {
		if p.In == nil {
			return fmt.Sprintf("triple.pairs[%d].in: missing", i)
		}
		if bad := in.conform(p.In, fmt.Sprintf("triple.pairs[%d].in", i)); bad != "" {
			return bad
		}
		if bad := returns.conform(p.Out, fmt.Sprintf("triple.pairs[%d].out", i)); bad != "" {
			return bad
		}
	}
	return ""
}

// sameInputs names the first two pairs whose inputs are equal, "" for none.
func sameInputs(pairs []Pair) string {
	seen := map[string]int{}
	for i, p := range pairs {
		key, err := json.Marshal(p.In) // sorts the keys of maps
		if err != nil {
			return fmt.Sprintf("triple.pairs[%d].in: %v", i, err)
		}
		if j, ok := seen[string(key)]; ok {
			return fmt.Sprintf("triple.pairs[%d].in: the same as pairs[%d].in", i, j)
		}
		seen[string(key)] = i
	}
	return ""
}

// countOverrules counts the well-formed cases, the same one once.
func countOverrules(cases []Overrule) (c tripleCheck) {
	seen := map[string]bool{}
	for _, o := range cases {
		when := strings.TrimSpace(o.When)
		says, human := strings.TrimSpace(o.ScriptSays), strings.TrimSpace(o.HumanSays)
		if when == "" || says == "" || human == "" || strings.TrimSpace(o.Why) == "" || says == human || seen[when] {
			continue
		}
		seen[when] = true
		c.cases++
		if o.Detectable {
			c.detectable++
		}
	}
	return c
}
