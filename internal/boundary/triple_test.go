package boundary

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParseType(t *testing.T) {
	for _, good := range []string{
		"string", " int ", "bool", "path", "enum(a)", "enum(a|b c|needs-fix)", "list<int>", "list< list<path> >",
		"record{k:int}", "record{ a : int , b_2:list<record{c:enum(x|y)}> }",
	} {
		if _, err := parseType(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "float", "String", "enum()", "enum(a|)", "enum(a|a)", "enum(a", "list", "list<>", "list<int", "list<int>>", "record{}",
		"record{a}", "record{a:int,}", "record{a:int,a:int}", "record{a:int", "int int", "list int", "map<string,int>", "int?",
		strings.Repeat("list<", 20) + "int" + strings.Repeat(">", 20), strings.Repeat("x", maxTypeLength+1),
	} {
		if got, err := parseType(bad); err == nil {
			t.Errorf("%q: accepted as %v", clip(bad), got)
		}
	}
}

// decoded is a JSON value as a judgment holds it.
func decoded(t *testing.T, text string) any {
	t.Helper()
	var p Pair
	if err := json.Unmarshal([]byte(`{"out":`+text+`}`), &p); err != nil {
		t.Fatal(err)
	}
	return p.Out
}

func TestConform(t *testing.T) {
	for _, row := range []struct {
		typ, value, want string
	}{
		{"string", `""`, ""}, {"string", `1`, "v: expected a string"}, {"string", `null`, "v: expected a string"},
		{"path", `"<path:1>"`, ""}, {"path", `true`, "v: expected a path"},
		{"int", `0`, ""}, {"int", `-9223372036854775808`, ""}, {"int", `9223372036854775808`, "v: expected an int"},
		{"int", `1.0`, "v: expected an int"}, {"int", `1e3`, "v: expected an int"}, {"int", `"1"`, "v: expected an int"},
		{"bool", `false`, ""}, {"bool", `0`, "v: expected true or false"},
		{"enum(a|b)", `"b"`, ""}, {"enum(a|b)", `"c"`, "v: expected one of a|b"}, {"enum(1|2)", `1`, "v: expected one of 1|2"},
		{"list<int>", `[]`, ""}, {"list<int>", `[1,"x"]`, "v[1]: expected an int"}, {"list<int>", `{}`, "v: expected a list"},
		{"record{a:int,b:bool}", `{"b":true,"a":1}`, ""}, {"record{a:int,b:bool}", `{"a":1}`, "v.b: missing"},
		{"record{a:int}", `{"a":1,"z":2}`, "v.z: not a member of its record"}, {"record{a:int}", `[]`, "v: expected a record"},
		{"list<record{a:list<int>}>", `[{"a":[1]},{"a":[true]}]`, "v[1].a[0]: expected an int"},
	} {
		typ, err := parseType(row.typ)
		if err != nil {
			t.Fatal(err)
		}
		if got := typ.conform(decoded(t, row.value), "v"); got != row.want {
			t.Errorf("%s of %s: %q, want %q", row.value, row.typ, got, row.want)
		}
	}
}

// goodTriple is a complete triple; each call makes a fresh one.
func goodTriple() *Triple {
	return &Triple{
		Signature: &Signature{Name: "sort_rows", Params: []Param{{"n", "int"}, {"at", "path"}}, Returns: "enum(keep|drop)"},
		Pairs: []Pair{
			{In: map[string]any{"n": 1, "at": "<path>"}, Out: "keep"},
			{In: map[string]any{"n": 2, "at": "<path>"}, Out: "drop"},
			{In: map[string]any{"n": 0, "at": ""}, Out: "keep", Edge: true},
		},
		Overrules: []Overrule{
			{When: "the row is pinned", ScriptSays: "hold", HumanSays: "keep", Why: "the pin is a field", Detectable: true},
			{When: "the row is somebody's work", ScriptSays: "drop", HumanSays: "keep", Why: "nothing tells", Detectable: false},
		},
	}
}

// TestTripleReasons: one row a reason of rubric 3.4, the first that applies.
func TestTripleReasons(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Triple)
		reason string
		detail string
		holds  bool
	}{
		{"complete", func(*Triple) {}, "", "", true},
		{"no signature", func(x *Triple) { x.Signature = nil }, NoSignature, "triple.signature: missing", false},
		{"no name", func(x *Triple) { x.Signature.Name = " " }, NoSignature, "triple.signature.name: expected an identifier", false},
		{"parameter twice", func(x *Triple) { x.Signature.Params[1].Name = "n" }, NoSignature, "triple.signature.params[1].name: expected an identifier of its own", false},
		{"unknown type", func(x *Triple) { x.Signature.Params[0].Type = "float" }, NoSignature, `triple.signature.params[0].type: unknown type "float", expected string, int, bool, path, enum(a|b), list<T> or record{k:T}`, false},
		{"no return type", func(x *Triple) { x.Signature.Returns = "" }, NoSignature, `triple.signature.returns: expected a type at ""`, false},
		{"two pairs", func(x *Triple) { x.Pairs = x.Pairs[1:] }, FewPairs, "triple.pairs: 2 of 3", true},
		{"no pairs", func(x *Triple) { x.Pairs = nil }, FewPairs, "triple.pairs: 0 of 3", false},
		{"no edge", func(x *Triple) { x.Pairs[2].Edge = false }, NoEdge, "triple.pairs: none is marked edge", true},
		{"mistyped out", func(x *Triple) { x.Pairs[1].Out = "maybe" }, PairsInconsistent, "triple.pairs[1].out: expected one of keep|drop", false},
		{"mistyped in", func(x *Triple) { x.Pairs[1].In["n"] = "2" }, PairsInconsistent, "triple.pairs[1].in.n: expected an int", false},
		{"argument missing", func(x *Triple) { delete(x.Pairs[0].In, "at") }, PairsInconsistent, "triple.pairs[0].in.at: missing", false},
		{"argument too many", func(x *Triple) { x.Pairs[0].In["extra"] = 1 }, PairsInconsistent, "triple.pairs[0].in.extra: not a member of its record", false},
		{"in missing", func(x *Triple) { x.Pairs[0].In = nil }, PairsInconsistent, "triple.pairs[0].in: missing", false},
		{"the same input twice", func(x *Triple) { x.Pairs[1].In = map[string]any{"at": "<path>", "n": 1} }, PairsInconsistent, "triple.pairs[1].in: the same as pairs[0].in", true},
		{"no overrule", func(x *Triple) { x.Overrules = nil }, NoOverrule, "triple.overrules: no case with all texts filled in and script_says different from human_says", true},
		{"overrule agrees", func(x *Triple) { x.Overrules = x.Overrules[:1]; x.Overrules[0].HumanSays = " hold " }, NoOverrule, "triple.overrules: no case with all texts filled in and script_says different from human_says", true},
		{"overrule without why", func(x *Triple) { x.Overrules = x.Overrules[:1]; x.Overrules[0].Why = "" }, NoOverrule, "triple.overrules: no case with all texts filled in and script_says different from human_says", true},
		{"one overrule is enough", func(x *Triple) { x.Overrules = x.Overrules[1:] }, "", "", true},
		{"signature before pairs", func(x *Triple) { x.Signature = nil; x.Pairs = nil; x.Overrules = nil }, NoSignature, "triple.signature: missing", false},
	} {
		x := goodTriple()
		row.change(x)
		got := checkTriple(newMasker(x).triple(x))
		if got.reason != row.reason || got.detail != row.detail || got.pairsHold != row.holds {
			t.Errorf("%s: %q %q holds %v, want %q %q %v", row.name, got.reason, got.detail, got.pairsHold, row.reason, row.detail, row.holds)
		}
	}
	if got := checkTriple(nil); got.reason != NoSignature || got.pairsHold {
		t.Errorf("nil: %+v", got)
	}
}

func TestOverrulesAreCountedOnce(t *testing.T) {
	x := goodTriple()
	x.Overrules[1] = x.Overrules[0]
	if got := checkTriple(x); got.cases != 1 || got.detectable != 1 {
		t.Errorf("the same case twice: %+v", got)
	}
}

// TestMask: where a path, URL or hash would stand, a mask stands; the same literal has
// the same mask, another one another.
func TestMask(t *testing.T) {
	x := goodTriple()
	x.Pairs[0].In["at"] = "/home/kim/secret/a.txt"
	x.Pairs[1].In["at"] = "/home/kim/secret/b.txt"
	x.Pairs[2].In["at"] = "src/c.py"
	x.Overrules[0].When = "the file /home/kim/secret/a.txt was pushed to https://git.example.org/x as 3f2a9c1"
	x.Overrules[0].HumanSays = "keep ~/notes, and/or 12345678 of them"
	got := newMasker(x).triple(x)
	for i, want := range []string{"<path:1>", "<path:2>", "<path:3>"} {
		if got.Pairs[i].In["at"] != want {
			t.Errorf("pair %d: %v, want %s", i, got.Pairs[i].In["at"], want)
		}
	}
	if want := "the file <path:1> was pushed to <url:4> as <hash:5>"; got.Overrules[0].When != want {
		t.Errorf("when: %q, want %q", got.Overrules[0].When, want)
	}
	if want := "keep <path:6>, and/or 12345678 of them"; got.Overrules[0].HumanSays != want {
		t.Errorf("human_says: %q, want %q", got.Overrules[0].HumanSays, want)
	}
	if again := newMasker(got).triple(got); !reflect.DeepEqual(again, got) {
		t.Errorf("masking twice changed\n%v\n%v", got, again)
	}
	if x.Pairs[0].In["at"] != "/home/kim/secret/a.txt" {
		t.Error("masking changed its argument")
	}
}

// TestMaskJudgment: all that the analyst wrote in words is masked, with one numbering; what is
// cited, and paths relative to the plugin, stay.
func TestMaskJudgment(t *testing.T) {
	const secret = "/home/kim/secret/a.txt"
	j := &Judgment{
		ID: "acme/tidy/sort", Row: "a line of " + secret, ScriptPart: "Reads `" + secret + "` and https://git.example.org/x, as skills/tidy/SKILL.md says.",
		Residue: ResiduePerRun, UndecidedShare: 20, Triple: goodTriple(),
	}
	for _, a := range j.answers() {
		*a = Answer{Outcome: Pass, Why: "see " + secret + ".", Evidence: []string{"skills/tidy/SKILL.md:3"}}
	}
	j.Triple.Pairs[0].In["at"] = secret
	got := maskJudgment(j)
	if want := "a line of <path:1>"; got.Row != want {
		t.Errorf("row: %q, want %q", got.Row, want)
	}
	if want := "Reads `<path:1>` and <url:2>, as skills/tidy/SKILL.md says."; got.ScriptPart != want {
		t.Errorf("script_part: %q, want %q", got.ScriptPart, want)
	}
	for i, a := range got.answers() {
		if a.Why != "see <path:1>." || !reflect.DeepEqual(a.Evidence, []string{"skills/tidy/SKILL.md:3"}) {
			t.Errorf("%s: %+v", testIDs[i], a)
		}
	}
	if got.Triple.Pairs[0].In["at"] != "<path:1>" {
		t.Errorf("pair: %v", got.Triple.Pairs[0].In["at"])
	}
	if raw, err := json.Marshal(got); err != nil || strings.Contains(string(raw), "kim") || strings.Contains(string(raw), "example.org") {
		t.Errorf("left: %s %v", raw, err)
	}
	if again := maskJudgment(got); !reflect.DeepEqual(again, got) {
		t.Errorf("masking twice changed\n%v\n%v", got, again)
	}
	if j.Row != "a line of "+secret || j.T1.Why != "see "+secret+"." {
		t.Error("masking changed its argument")
	}
}

func TestMaskKeepsGivenNumbers(t *testing.T) {
	x := goodTriple()
	x.Pairs[0].In["at"] = "<path:7>"
	x.Pairs[1].In["at"] = "/a/b"
	got := newMasker(x).triple(x)
	if got.Pairs[0].In["at"] != "<path:7>" || got.Pairs[1].In["at"] != "<path:8>" {
		t.Errorf("%v %v", got.Pairs[0].In["at"], got.Pairs[1].In["at"])
	}
}

func TestMaskInText(t *testing.T) {
	for in, want := range map[string]string{
		"plain words":              "plain words",
		"feat/a and kind/bug stay": "feat/a and kind/bug stay",
		"https://x.example/y?z=1":  "<url:1>",
		"ssh://git@h/r":            "<url:1>",
		`see C:\Users\kim\x`:       "see <path:1>",
		"at /etc/hosts now":        "at <path:1> now",
		"(in ~/x)":                 "(in <path:1>)",
		"deadbeef":                 "deadbeef",
		"deadbee1":                 "<hash:1>",
		"1111111111111111111111111111111111111111": "<hash:1>",
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8":     "<uuid:1>",
		"cm.v1.13.1":                               "cm.v1.13.1",
	} {
		m := &masker{given: map[string]string{}}
		if got := m.text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestNumbers: Go, JSON and YAML hand over numbers of many kinds; an int is an int.
func TestNumbers(t *testing.T) {
	for v, want := range map[any]string{
		3: "", int64(-3): "", uint64(3): "", 3.0: "", json.Number("3"): "",
		3.5: "v: expected an int", 1e300: "v: expected an int", json.Number("3.0"): "v: expected an int", true: "v: expected an int", nil: "v: expected an int",
	} {
		m := &masker{given: map[string]string{}}
		if got := (&dataType{name: "int"}).conform(m.value(v, nil), "v"); got != want {
			t.Errorf("%T %v: %q, want %q", v, v, got, want)
		}
	}
}

func FuzzType(f *testing.F) {
	f.Add("record{a:list<enum(x|y)>}", `{"a":["x"]}`)
	f.Add("list<int>", `[1]`)
	f.Fuzz(func(t *testing.T, typ, value string) {
		parsed, err := parseType(typ)
		if err != nil {
			return
		}
		var p Pair
		if json.Unmarshal([]byte(`{"out":`+value+`}`), &p) != nil {
			return
		}
		m := &masker{given: map[string]string{}}
		once := m.value(p.Out, parsed)
		before, after := parsed.conform(p.Out, "v"), parsed.conform(once, "v")
		if before != after {
			t.Errorf("masking changed conformance: %q, then %q", before, after)
		}
		if twice := m.value(once, parsed); fmt.Sprint(twice) != fmt.Sprint(once) {
			t.Errorf("masking twice: %v, then %v", once, twice)
		}
	})
}
