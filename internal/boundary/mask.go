package boundary

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// What the analyst wrote goes into issues and pages, so no path, URL or hash of
// somebody's machine may stand in it (rubric 3.4). The analyst is not trusted to have
// thought of that: each such literal is replaced by a numbered mask, the same literal by
// the same mask throughout a judgment, so that what differed still differs and what was
// equal is still equal. In prose a relative path stays: it names a file of the plugin.
// Masks are left alone: masking twice changes nothing. An empty path means "no path", for
// the grammar has no optional values.

var (
	aMask      = pattern.New(`^<[a-z][A-Za-z0-9._:/-]*>$`)
	numbered   = pattern.New(`<[a-z]+:(\d{1,9})>`)
	wholePath  = pattern.New(`^(?:~?/|\.\.?/|[A-Za-z]:[\\/])\S*$`)
	urlInText  = pattern.New("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"'`<>)]+")
	uuidInText = pattern.New(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`)
	hashInText = pattern.New(`\b[0-9a-f]{7,64}\b`)
	pathInText = pattern.New("(^|[\\s\"'`=(\\[{|,:])((?:~/|/[^\\s\"'`/<>),;|]+/|[A-Za-z]:\\\\)[^\\s\"'`<>),;|]*)")
)

// masker numbers the literals of one judgment.
type masker struct {
	given map[string]string
	next  int
}

// newMasker numbers on from the masks that stand in v already.
func newMasker(v any) *masker {
	m := &masker{given: map[string]string{}}
	if raw, err := json.Marshal(v); err == nil {
		for _, hit := range numbered().FindAllSubmatch(unescapeAngles(raw), -1) {
			if n, err := strconv.Atoi(string(hit[1])); err == nil {
				m.next = max(m.next, n)
			}
		}
	}
	return m
}

// maskJudgment returns a copy of j with every literal path, URL and hash of its free text
// masked. Evidence is references only and is not touched. With residue all there is no
// script part for a triple to be about, and it is left out.
func maskJudgment(j *Judgment) *Judgment {
	out, m := *j, newMasker(j)
	if j.Residue == ResidueAll {
		out.Triple = nil
	}
	out.Triple = m.triple(out.Triple)
	out.Row, out.ScriptPart = m.text(j.Row), m.text(j.ScriptPart)
	for _, a := range out.answers() {
		a.Why = m.text(a.Why)
	}
	return &out
}

// triple returns a copy of t with every literal path, URL and hash masked and every
// number a json.Number; nil stays nil.
func (m *masker) triple(t *Triple) *Triple {
	if t == nil {
		return nil
	}
	out := &Triple{Signature: t.Signature, Pairs: []Pair{}, Overrules: []Overrule{}}
	params, returns, _ := parseSignature(t.Signature)
	in := &dataType{name: "record", fields: params}
	for _, p := range t.Pairs {
		masked := Pair{Edge: p.Edge, Out: m.value(p.Out, returns)}
		if p.In != nil {
			masked.In, _ = m.value(p.In, in).(map[string]any)
		}
		out.Pairs = append(out.Pairs, masked)
	}
	for _, o := range t.Overrules {
		o.When, o.ScriptSays, o.HumanSays, o.Why = m.text(o.When), m.text(o.ScriptSays), m.text(o.HumanSays), m.text(o.Why)
		out.Overrules = append(out.Overrules, o)
	}
	return out
}

// unescapeAngles undoes what json.Marshal does to < and >.
func unescapeAngles(raw []byte) []byte {
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(raw)))
}

// mask is the mask of a literal, the same each time.
func (m *masker) mask(class, literal string) string {
	if got, ok := m.given[literal]; ok {
		return got
	}
	m.next++
	m.given[literal] = fmt.Sprintf("<%s:%d>", class, m.next)
	return m.given[literal]
}

// phrase is mask for a literal in prose, which may end a sentence.
func (m *masker) phrase(class, literal string) string {
	core := strings.TrimRight(literal, ".,;:!?")
	return m.mask(class, core) + literal[len(core):]
}

// value masks v, whose type is t where that is known (nil where not).
func (m *masker) value(v any, t *dataType) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range sortedKeys(v) {
			out[k] = m.value(v[k], t.member(k))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = m.value(e, t.element())
		}
		return out
	case string:
		return m.literal(v, t)
	default:
		return number(v)
	}
}

func (m *masker) literal(s string, t *dataType) string {
	switch {
	case s == "" || aMask().MatchString(s) || t != nil && t.name == "enum":
		return s
	case t != nil && t.name == "path", wholePath().MatchString(s):
		return m.mask("path", s)
	}
	return m.text(s)
}

// text masks what unmistakably is a URL, path or hash inside prose.
func (m *masker) text(s string) string {
	s = urlInText().ReplaceAllStringFunc(s, func(u string) string { return m.phrase("url", u) })
	s = uuidInText().ReplaceAllStringFunc(s, func(u string) string { return m.mask("uuid", u) })
	s = hashInText().ReplaceAllStringFunc(s, func(h string) string {
		if len(h) < 40 && (!strings.ContainsAny(h, "0123456789") || !strings.ContainsAny(h, "abcdef")) {
			return h // a plain number or a word
		}
		return m.mask("hash", h)
	})
	return pathInText().ReplaceAllStringFunc(s, func(hit string) string {
		at := strings.IndexAny(hit, "~/")
		if drive := strings.Index(hit, `:\`); drive > 0 && (at < 0 || drive < at) {
			at = drive - 1
		}
		return hit[:at] + m.phrase("path", hit[at:])
	})
}

// member is the type of member k, nil where unknown.
func (t *dataType) member(k string) *dataType {
	if t == nil {
		return nil
	}
	for _, f := range t.fields {
		if f.key == k {
			return f.typ
		}
	}
	return nil
}

// element is the type of a list's elements, nil where unknown.
func (t *dataType) element() *dataType {
	if t == nil {
		return nil
	}
	return t.elem
}

// number makes one representation of the numbers that JSON, YAML and Go hand over.
func number(v any) any {
	switch n := v.(type) {
	case int:
		return json.Number(strconv.Itoa(n))
	case int64:
		return json.Number(strconv.FormatInt(n, 10))
	case uint64:
		return json.Number(strconv.FormatUint(n, 10))
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return json.Number(strconv.FormatInt(int64(n), 10))
		}
		return json.Number(strconv.FormatFloat(n, 'g', -1, 64))
	}
	return v
}
