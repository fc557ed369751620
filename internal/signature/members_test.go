package signature

import (
	"encoding/json"
	"testing"
)

// members finds what encoding/json finds.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, ` { "a" : "x\"y\\" , "b":[{"c":"}"}, ","],"d":{"e":{}} , "f":null,"g":-1.5e3}`, `{"":"","a":"\\\\"}`, "{\n}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		got := map[string]string{}
		members(data, func(key, value []byte) {
			var k string
			if err := json.Unmarshal([]byte(`"`+string(key)+`"`), &k); err != nil {
				t.Fatalf("%q: key %q", data, key)
			}
			var v json.RawMessage
			if err := json.Unmarshal(value, &v); err != nil {
				t.Fatalf("%q: value %q", data, value)
			}
			got[k] = string(v)
		})
		if len(got) != len(want) {
			t.Fatalf("%q: %d members, want %d", data, len(got), len(want))
		}
		for k, v := range want {
			if got[k] != string(v) {
				t.Fatalf("%q: %q is %q, want %q", data, k, got[k], v)
			}
		}
	})
}
