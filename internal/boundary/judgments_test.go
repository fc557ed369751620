package boundary

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

const goodYAML = `document: judgments/v1
target: acme
judgments:
  - id: acme/tidy/sort-rows
    evidence_hash: ev1:0123456789abcdef
    row: one row of the listing
    script_part: Reads the listing; emits keep or drop for each row.
    residue: per_run
    undecided_share: 25
    T1:
      outcome: pass
      why: The listing is the output of one command.
      evidence:
        - skills/tidy/SKILL.md:3
    T2:
      outcome: pass
      why: A comparison of two fields.
      evidence: [skills/tidy/SKILL.md:4]
    T3:
      outcome: partial
      why: The age is not given; its owner sets it once.
      evidence:
        - skills/tidy/SKILL.md:4-6
    T4:
      outcome: pass
      why: Rows kept and dropped add up to the listing.
      evidence:
        - seq:sig1:0123456789abcdef
    T5:
      outcome: partial
      why: A pin is a field, a plan is not.
      evidence:
        - skills/tidy/SKILL.md:7
    triple:
      signature:
        name: sort_rows
        params:
          - name: age
            type: int
          - name: at
            type: path
        returns: enum(keep|drop|undecided)
      pairs:
        - in:
            age: 3
            at: <path:1>
          out: keep
        - in:
            age: 300
            at: <path:1>
          out: drop
        - in:
            age: 90
            at: ""
          out: undecided
          edge: true
      overrules:
        - when: the row is pinned
          script_says: undecided
          human_says: keep
          why: the pin is one of the fields
          detectable: true
        - when: the row is part of a plan
          script_says: drop
          human_says: keep
          why: the plan is nowhere among the inputs
          detectable: false
`

func TestReadJudgmentsYAMLEqualsJSON(t *testing.T) {
	fromYAML, err := ReadJudgments([]byte(goodYAML))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := jsondoc.Encode(&buf, fromYAML); err != nil {
		t.Fatal(err)
	}
	fromJSON, err := ReadJudgments(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fromYAML, fromJSON) {
		t.Errorf("YAML %+v\nJSON %+v", fromYAML, fromJSON)
	}
	if got := checkTriple(newMasker(fromYAML.Judgments[0].Triple).triple(fromYAML.Judgments[0].Triple)); got.reason != "" {
		t.Errorf("triple: %s %s", got.reason, got.detail)
	}
}

// TestYAMLFlowItems: in a list inside of braces too a colon without a blank belongs to its
// scalar, as YAML 1.2 says; what is a mapping there stays one.
func TestYAMLFlowItems(t *testing.T) {
	for _, row := range []struct{ list, want string }{
		{"[skills/x.md:12]", "[skills/x.md:12]"},
		{"[skills/x.md:12,b.md:3-5 , seq:sig1:ab12]", "[skills/x.md:12 b.md:3-5 seq:sig1:ab12]"},
		{"[\"skills/x.md:12\", 'y.md:1', z.md:2]", "[skills/x.md:12 y.md:1 z.md:2]"},
		{"[skills/x.md:12\n      , y.md:3]", "[skills/x.md:12 y.md:3]"},
		{"[]", "[]"},
		{"[skills/x.md: 12]", "judgments[0].T2.evidence[0]: expected a string, found an object"},
		{"[{a: 1}]", "judgments[0].T2.evidence[0]: expected a string, found an object"},
	} {
		const block = "\n      outcome: pass\n      why: A comparison of two fields.\n      evidence: [skills/tidy/SKILL.md:4]\n"
		doc := strings.Replace(goodYAML, block, " {outcome: pass, why: A comparison of two fields., evidence: "+row.list+"}\n", 1)
		js, err := ReadJudgments([]byte(doc))
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(js.Judgments[0].T2.Evidence)
		}
		if doc == goodYAML || got != row.want {
			t.Errorf("%s: %s, want %s", row.list, got, row.want)
		}
	}
}

// TestReadJudgmentsRefuses: each refusal names the path of the member.
func TestReadJudgmentsRefuses(t *testing.T) {
	edit := func(old, now string) string {
		if !strings.Contains(goodYAML, old) {
			t.Fatalf("the good document has no %q", old)
		}
		return strings.Replace(goodYAML, old, now, 1)
	}
	for _, row := range []struct{ name, doc, want string }{
		{"empty", "", "expected one judgments/v1 document, found 0"},
		{"prose", "I judged them all.", "expected a judgments/v1 object"},
		{"truncated JSON", `{"document":"judgments/v1","target":`, "truncated"},
		{"another kind", edit("judgments/v1", "verdicts/v1"), `document: expected "judgments/v1", found "verdicts/v1"`},
		{"unknown member", edit("    row:", "    colour: red\n    row:"), "judgments[0].colour: unknown member"},
		{"unknown member, deep", edit("          edge: true", "          egde: true"), "judgments[0].triple.pairs[2].egde: unknown member"},
		{"wrong outcome", edit("outcome: partial\n      why: The age", "outcome: mostly\n      why: The age"), `judgments[0].T3.outcome: expected pass, partial, fail or unknown, found "mostly"`},
		{"outcome missing", edit("      outcome: partial\n      why: The age", "      why: The age"), "judgments[0].T3.outcome: missing"},
		{"wrong residue", edit("residue: per_run", "residue: some"), `judgments[0].residue: expected none, once, per_run or all, found "some"`},
		{"residue missing", edit("    residue: per_run\n", ""), `judgments[0].residue: expected none, once, per_run or all, found ""`},
		{"share above", edit("undecided_share: 25", "undecided_share: 101"), "judgments[0].undecided_share: expected 1 to 100 percent"},
		{"share below", edit("undecided_share: 25", "undecided_share: -1"), "judgments[0].undecided_share: expected 1 to 100 percent"},
		{"share missing", edit("    undecided_share: 25\n", ""), "judgments[0].undecided_share: expected 1 to 100 percent with residue per_run, found 0"},
		{"share a fraction", edit("undecided_share: 25", "undecided_share: 0.25"), "judgments[0].undecided_share: expected an integer"},
		{"share without residue per_run", edit("residue: per_run", "residue: once"), "judgments[0].undecided_share: expected 0 to 0 percent with residue once"},
		{"evidence is prose", edit("skills/tidy/SKILL.md:7", "it says so in the skill"), "judgments[0].T5.evidence[0]: expected a reference"},
		{"no id", edit("- id: acme/tidy/sort-rows", "- id: ''"), "judgments[0].id: missing"},
		{"three overrules", edit("          detectable: false\n", "          detectable: false\n        - when: x\n"), "judgments[0].triple.overrules[2]: expected the two likeliest"},
		{"text where a flag stands", edit("detectable: true", "detectable: yes"), "judgments[0].triple.overrules[0].detectable: expected true or false"},
		{"two documents", goodYAML + "---\n" + goodYAML, "expected one judgments/v1 document, found 2"},
		{"an alias", edit("row: one row", "row: &r one row"), "anchors, aliases and tags are not accepted"},
		{"a tag", edit("row: one", "row: !!str one"), "anchors, aliases and tags are not accepted"},
		{"a member twice", edit("    row:", "    row: x\n    row:"), "neither JSON nor YAML"},
		{"judged twice", goodYAML + "  - id: acme/tidy/sort-rows\n", `judgments[1].id: "acme/tidy/sort-rows" was already judged at judgments[0]`},
		{"too large", strings.Repeat("#", maxWritten+1), "larger than 4 MiB"},
	} {
		_, err := ReadJudgments([]byte(row.doc))
		if err == nil {
			t.Errorf("%s: accepted", row.name)
		} else if !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q on one line", row.name, err, row.want)
		}
	}
}

// TestTooMuchIsRefusedAtOnce: no input makes the reader slow or its stack deep.
func TestTooMuchIsRefusedAtOnce(t *testing.T) {
	const n = 1 << 20
	var keys, flow strings.Builder
	for i := range 1 << 17 {
		fmt.Fprintf(&keys, "k%d: v\n", i)
		fmt.Fprintf(&flow, "k%d: v,\n", i)
	}
	for name, doc := range map[string]string{
		"flow":       "a: " + strings.Repeat("[", n),
		"closed":     "a: " + strings.Repeat("[", n) + strings.Repeat("]", n),
		"maps":       "a: " + strings.Repeat("{b: ", n/4),
		"dashes":     strings.Repeat("- ", n) + "x",
		"block":      strings.Repeat(" ", 3*maxNesting) + "a: b",
		"JSON":       `{"a":` + strings.Repeat("[", n),
		"keys":       keys.String(),
		"flow keys":  "a: {" + flow.String() + "}",
		"one line":   "a: {" + strings.ReplaceAll(flow.String(), "\n", " ") + "}",
		"inner keys": "a:\n" + strings.ReplaceAll(keys.String(), "k", "  k"),
	} {
		start := time.Now()
		if _, err := ReadJudgments([]byte(doc)); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
	long := goodYAML + strings.Repeat(strings.SplitAfterN(goodYAML, "judgments:\n", 2)[1], 200)
	for _, good := range []string{goodYAML, long} {
		if line := tooMuch([]byte(good)); line != 0 {
			t.Errorf("a good document is too much at line %d", line)
		}
	}
}

func TestOpenRowsAreKept(t *testing.T) {
	js, err := ReadJudgments([]byte("document: judgments/v1\ntarget: acme\njudgments:\n  - id: a/b/c\n    T1:\n      outcome: unknown\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(js.Judgments) != 1 || !js.Judgments[0].Open() {
		t.Errorf("%+v", js)
	}
}

func FuzzReadJudgments(f *testing.F) {
	f.Add([]byte(goodYAML))
	f.Add([]byte(`{"document":"judgments/v1","target":"a","judgments":[{"id":"x","residue":"all"}]}`))
	f.Add([]byte("document: judgments/v1\ntarget: a\njudgments: []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		js, err := ReadJudgments(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of more than one line: %q", err)
			}
			return
		}
		cands := &Candidates{}
		cands.Target.Name = js.Target
		for _, j := range js.Judgments {
			cands.Candidates = append(cands.Candidates, Candidate{ID: j.ID, EvidenceHash: j.EvidenceHash})
		}
		v, err := Classify(nil, nil, cands, js)
		if err != nil {
			t.Fatalf("read but not classified: %v", err)
		}
		if err := jsondoc.Encode(&bytes.Buffer{}, v); err != nil {
			t.Errorf("verdicts cannot be written: %v", err)
		}
	})
}
