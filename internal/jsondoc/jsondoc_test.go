package jsondoc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// A small document with every shape that the real ones use.
type inner struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

type base struct {
	Base string `json:"base"`
}

type sample struct {
	Document string           `json:"document"`
	Zeta     int              `json:"zeta"`
	Alpha    []inner          `json:"alpha"`
	ByName   map[string]inner `json:"by_name"`
	Maybe    *int64           `json:"maybe"`
	Open     any              `json:"open,omitempty"`
	Flag     bool             `json:"flag"`
	base
	Base2 struct {
		base
	} `json:"base2"`
	hidden string
}

const sampleKind = "sample/v1"

// 3.9: "document" first, every other key sorted, two spaces, one newline; and no HTML escapes.
func TestEncodeIsCanonical(t *testing.T) {
	n := int64(1 << 60)
	doc := sample{Document: sampleKind, Zeta: 7, Alpha: []inner{{Name: "a <b> & c", Count: 1}}, ByName: map[string]inner{"z": {}, "a": {}}, Maybe: &n, hidden: "never"}
	var out bytes.Buffer
	if err := Encode(&out, &doc); err != nil {
		t.Fatal(err)
	}
	want := `{
  "document": "sample/v1",
  "alpha": [
    {
      "count": 1,
      "name": "a <b> & c"
    }
  ],
  "base2": {
    "base": ""
  },
  "by_name": {
    "a": {
      "count": 0,
      "name": ""
    },
    "z": {
      "count": 0,
      "name": ""
    }
  },
  "flag": false,
  "maybe": 1152921504606846976,
  "zeta": 7
}
`
	got := strings.Replace(out.String(), "  \"base\": \"\",\n", "", 1)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var back sample
	if err := Decode(out.Bytes(), sampleKind, &back); err != nil {
		t.Fatal(err)
	}
	doc.hidden = ""
	if !reflect.DeepEqual(doc, back) {
		t.Errorf("round trip: got %+v, want %+v", back, doc)
	}
	line, err := Line(&doc)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
		t.Errorf("Line: %q is not one line", line)
	}
}

// 3.9: another kind, an unknown member or trailing data is refused with the path of the offender.
func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"empty", ``, "empty, expected one JSON document"},
		{"blank", " \n", "empty, expected one JSON document"},
		{"truncated", `{"document":"sample/v1","zeta":`, "truncated: the JSON document ends before it is complete"},
		{"no JSON", `nonsense`, "not JSON at byte 2"},
		{"a list", `[]`, "expected a sample/v1 object, found an array"},
		{"null", `null`, "expected a sample/v1 object, found null"},
		{"no kind", `{}`, `document: missing, expected "sample/v1"`},
		{"another kind", `{"document":"other/v1"}`, `document: expected "sample/v1", found "other/v1"`},
		{"another version", `{"document":"sample/v2"}`, `document: expected "sample/v1", found "sample/v2"`},
		{"the kind is no word", `{"document":3}`, `document: expected "sample/v1", found a number`},
		{"trailing data", `{"document":"sample/v1"} {}`, "data after the end of the document, at byte 26"},
		{"unknown member", `{"document":"sample/v1","nope":1}`, "nope: unknown member"},
		{"another case", `{"document":"sample/v1","Zeta":1}`, "Zeta: unknown member"},
		{"unexported", `{"document":"sample/v1","hidden":"x"}`, "hidden: unknown member"},
		{"unknown inside a list", `{"document":"sample/v1","alpha":[{},{"nope":1}]}`, "alpha[1].nope: unknown member"},
		{"unknown inside a map", `{"document":"sample/v1","by_name":{"k":{"nope":1}}}`, "by_name.k.nope: unknown member"},
		{"a word for a number", `{"document":"sample/v1","zeta":"1"}`, "zeta: expected an integer, found a string"},
		{"a fraction", `{"document":"sample/v1","zeta":1.5}`, "zeta: expected an integer of int's range, found 1.5"},
		{"out of range", `{"document":"sample/v1","zeta":99999999999999999999}`, "zeta: expected an integer of int's range, found 99999999999999999999"},
		{"null for a number", `{"document":"sample/v1","zeta":null}`, "zeta: expected an integer, found null"},
		{"an object for a list", `{"document":"sample/v1","alpha":{}}`, "alpha: expected an array, found an object"},
		{"a list for an object", `{"document":"sample/v1","by_name":[]}`, "by_name: expected an object, found an array"},
		{"a number for a flag", `{"document":"sample/v1","flag":0}`, "flag: expected true or false, found a number"},
		{"twice", `{"document":"sample/v1","zeta":1,"zeta":2}`, "zeta: stands twice"},
		{"twice, deep", `{"document":"sample/v1","alpha":[{"name":"a","name":"b"}]}`, "alpha[0].name: stands twice"},
		{"a long foreign word", `{"document":"sample/v1","` + strings.Repeat("n", 200) + `":1}`, strings.Repeat("n", 57) + "...: unknown member"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s sample
			err := Decode([]byte(c.data), sampleKind, &s)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is more than one line", err)
			}
		})
	}
}

// A deep document is refused, not followed until the stack ends.
func TestDecodeDeep(t *testing.T) {
	data := `{"document":"sample/v1","open":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}"
	var s sample
	if err := Decode([]byte(data), sampleKind, &s); err == nil {
		t.Error("100,000 levels were accepted")
	}
}

// Nothing that Decode accepts makes it fail to write the same document again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"document":"sample/v1","alpha":[{"name":"x","count":3}],"by_name":{"a":{}},"maybe":null,"open":{"k":[1,2.5,"\u2028"]}}`))
	f.Add([]byte(`{"document":"sample/v1"}{`))
	f.Add([]byte("{\"document\":\"sample/v1\",\"base\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s sample
		if err := Decode(data, sampleKind, &s); err != nil {
			return
		}
		first, err := Line(&s)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(first) {
			t.Fatalf("wrote %q", first)
		}
		var again sample
		if err := Decode(first, sampleKind, &again); err != nil {
			t.Fatalf("cannot read back %s: %v", first, err)
		}
		second, err := Line(&again)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Fatalf("written differently the second time:\n%s%s", first, second)
		}
	})
}

// Below its own members a document is written as encoding/json writes it, but for HTML.
func FuzzEncode(f *testing.F) {
	f.Add([]byte(`{"z":[],"document":{"z":1,"document":2},"a":{},"é":"\u2028\u0001\ud800 \" \\ é","a\"":null,"a!":[[1,-2.50e+3],{"b":[true],"a":"<&>"}]}`))
	f.Add([]byte(`[{"b":1,"a":{"d":{},"c":[{}]}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := parse(data)
		if err != nil {
			return
		}
		doc := map[string]any{"document": "any/v1", "value": tree}
		var got, want bytes.Buffer
		if err := Encode(&got, doc); err != nil {
			t.Fatal(err)
		}
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(doc); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("got\n%s\nwant\n%s", &got, &want)
		}
	})
}
