package boundary

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The triple goes into issues and pages, so no path, URL or hash of somebody's
// machine may stand in it (rubric 3.4). The analyst is not trusted to have thought of
// that: each such literal is replaced by a numbered mask, the same literal by the same
// mask throughout the triple, so that what differed still differs and what was equal
// is still equal. Masks are left alone: masking twice changes nothing. An empty path
// means "no path", for the grammar has no optional values.

var (
	aMask      = regexp.MustCompile(`^<[a-z][A-Za-z0-9._:/-]*>$`)
	numbered   = regexp.MustCompile(`<[a-z]+:(\d{1,9})>`)
	wholePath  = regexp.MustCompile(`^(?:~?/|\.\.?/|[A-Za-z]:[\\/])\S*$`)
	urlInText  = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>)]+`)
	uuidInText = regexp.MustCompile(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`)
	hashInText = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)
	pathInText = regexp.MustCompile(`(^|[\s"'=(\[,:])((?:~/|/[^\s"'/<>),;]+/|[A-Za-z]:\\)[^\s"'<>),;]*)`)
)

// masker numbers the literals of one triple.
type masker struct {
	given map[string]string
	next  int
}

// maskTriple returns a copy of t with every literal path, URL and hash masked and every
// number a json.Number; nil stays nil.
func maskTriple(t *Triple) *Triple {
	if t == nil {
		return nil
	}
	m := &masker{given: map[string]string{}}
	if raw, err := json.Marshal(t); err == nil {
		for _, hit := range numbered.FindAllSubmatch(unescapeAngles(raw), -1) {
			if n, err := strconv.Atoi(string(hit[1])); err == nil {
				m.next = max(m.next, n)
			}
		}
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
	case s == "" || aMask.MatchString(s) || t != nil && t.name == "enum":
		return s
	case t != nil && t.name == "path", wholePath.MatchString(s):
		return m.mask("path", s)
	}
	return m.text(s)
}

// text masks what unmistakably is a URL, path or hash inside prose.
func (m *masker) text(s string) string {
	s = urlInText.ReplaceAllStringFunc(s, func(u string) string { return m.mask("url", u) })
	s = uuidInText.ReplaceAllStringFunc(s, func(u string) string { return m.mask("uuid", u) })
	s = hashInText.ReplaceAllStringFunc(s, func(h string) string {
		if len(h) < 40 && (!strings.ContainsAny(h, "0123456789") || !strings.ContainsAny(h, "abcdef")) {
			return h // a plain number or a word
		}
		return m.mask("hash", h)
	})
	return pathInText.ReplaceAllStringFunc(s, func(hit string) string {
		at := strings.IndexAny(hit, "~/")
		if drive := strings.Index(hit, `:\`); drive > 0 && (at < 0 || drive < at) {
			at = drive - 1
		}
		return hit[:at] + m.mask("path", hit[at:])
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
