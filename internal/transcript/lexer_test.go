package transcript

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// stringEnd is skipString, written down plainly.
func stringEnd(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i = skipEscape(b, i); i < 0 {
				return -1
			}
		default:
			i++
		}
	}
	return -1
}

// Every way to skip a string agrees with the plain one, wherever escapes, quotes and
// ends fall in a block.
func TestSkipString(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`\\`, `\n`, `\"`, `\u00e9`, `\u00`, `\p`, `"`, "\x00", "\x1f", "é", "\xff", `\`, "plain text", " ", "a", `\t\t`, `\\\\\\`, "0123456789abcdef", `/`, `\/`, "\x7f"}
	for n := range 200_000 {
		var b []byte
		b = append(b, strings.Repeat("x", r.IntN(140))...)
		for range r.IntN(12) {
			p := pieces[r.IntN(len(pieces))]
			if n%4 != 0 && (p == `\p` || p == `\u00` || p[0] < ' ') {
				continue // mostly valid ones
			}
			b = append(b, p...)
			b = append(b, strings.Repeat("y", r.IntN(3)*r.IntN(20))...)
		}
		b = append(b, `" tail "`[:r.IntN(9)]...)
		from := r.IntN(min(3, len(b)) + 1)
		want := stringEnd(b, from)
		for name, f := range map[string]func([]byte, int) (int, bool){"fast": skipString, "words": skipStringWords} {
			got, escaped := f(b, from)
			if got != want {
				t.Fatalf("%s %q from %d: %d, want %d", name, b, from, got, want)
			}
			if got > 0 && escaped != bytes.Contains(b[from:got], []byte(`\`)) {
				t.Fatalf("%s %q: escaped %v", name, b, escaped)
			}
		}
	}
}

func TestSkipValue(t *testing.T) {
	for _, s := range []string{`1`, `-0`, `01`, `1.`, `.5`, `1e5`, `1E+05`, `1e`, `-`, `1.5e-3`, `true`, `tru`, `null`, `nul`, `[]`, `[1,]`, `[,1]`,
		`{}`, `{"a":1,}`, `{"a" : [ { } , "x" ] }`, `{"a"}`, `{a:1}`, `{"a":1 "b":2}`, `[1 2]`, `"\u12G4"`, `"\ud800"`, "\"\x01\"", "\"\xff\"",
		"[\t1,\r2 ]", `{"a":{"b":[[[]]]}}`, `[`, `{`, `"`, ``, `]`, `+1`, `0x1`, `NaN`, `1_000`,
		strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) + strings.Repeat("]", 10001)} {
		got := skipValue([]byte(s), 0, 0) == len(s) && s != ""
		if want := json.Valid([]byte(s)); got != want {
			t.Errorf("%.40q: %v, encoding/json says %v", s, got, want)
		}
	}
}
