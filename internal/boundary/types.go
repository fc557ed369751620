package boundary

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxTypeDepth and maxTypeLength bound a type expression, so that parsing is total.
const (
	maxTypeDepth  = 12
	maxTypeLength = 4096
)

// dataType is a parsed type of the triple's grammar:
//
//	type   = "string" | "int" | "bool" | "path" | enum | list | record
//	enum   = "enum(" word { "|" word } ")"
//	list   = "list<" type ">"
//	record = "record{" key ":" type { "," key ":" type } "}"
type dataType struct {
	name   string // string, int, bool, path, enum, list, record
	values []string
	elem   *dataType
	fields []field
}

type field struct {
	key string
	typ *dataType
}

// parseType parses one whole type expression; blanks between words are ignored.
func parseType(s string) (*dataType, error) {
	if len(s) > maxTypeLength {
		return nil, fmt.Errorf("type longer than %d bytes", maxTypeLength)
	}
	p := typeParser{rest: strings.TrimSpace(s)}
	t, err := p.parse(0)
	if err != nil {
		return nil, err
	}
	if p.rest != "" {
		return nil, fmt.Errorf("unexpected %q after the type", clip(p.rest))
	}
	return t, nil
}

type typeParser struct{ rest string }

func (p *typeParser) blanks() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *typeParser) accept(tok string) bool {
	p.blanks()
	rest, ok := strings.CutPrefix(p.rest, tok)
	if ok {
		p.rest = rest
		p.blanks()
	}
	return ok
}

func (p *typeParser) expect(tok string) error {
	if !p.accept(tok) {
		return fmt.Errorf("expected %q at %q", tok, clip(p.rest))
	}
	return nil
}

// word takes the longest run of bytes that keep allows.
func (p *typeParser) word(keep func(byte) bool) string {
	p.blanks()
	n := 0
	for n < len(p.rest) && keep(p.rest[n]) {
		n++
	}
	w := p.rest[:n]
	p.rest = p.rest[n:]
	return strings.TrimSpace(w)
}

func identByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func (p *typeParser) parse(depth int) (*dataType, error) {
	if depth > maxTypeDepth {
		return nil, fmt.Errorf("types nest deeper than %d", maxTypeDepth)
	}
	switch name := p.word(identByte); name {
	case "string", "int", "bool", "path":
		return &dataType{name: name}, nil
	case "enum":
		return p.enum()
	case "list":
		if err := p.expect("<"); err != nil {
			return nil, err
		}
		elem, err := p.parse(depth + 1)
		if err != nil {
			return nil, err
		}
		return &dataType{name: "list", elem: elem}, p.expect(">")
	case "record":
		return p.record(depth)
	case "":
		return nil, fmt.Errorf("expected a type at %q", clip(p.rest))
	default:
		return nil, fmt.Errorf("unknown type %q, expected string, int, bool, path, enum(a|b), list<T> or record{k:T}", clip(name))
	}
}

func (p *typeParser) enum() (*dataType, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	t := &dataType{name: "enum"}
	for {
		v := p.word(func(b byte) bool { return !strings.ContainsRune("|(){}<>,", rune(b)) })
		if v == "" {
			return nil, errors.New("enum has an empty value")
		}
		if slices.Contains(t.values, v) {
			return nil, fmt.Errorf("enum has %q twice", clip(v))
		}
		t.values = append(t.values, v)
		if !p.accept("|") {
			return t, p.expect(")")
		}
	}
}

func (p *typeParser) record(depth int) (*dataType, error) {
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	t := &dataType{name: "record"}
	for {
		key := p.word(identByte)
		if key == "" {
			return nil, fmt.Errorf("expected a member name at %q", clip(p.rest))
		}
		if slices.ContainsFunc(t.fields, func(f field) bool { return f.key == key }) {
			return nil, fmt.Errorf("record has %q twice", clip(key))
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		typ, err := p.parse(depth + 1)
		if err != nil {
			return nil, err
		}
		t.fields = append(t.fields, field{key, typ})
		if !p.accept(",") {
			return t, p.expect("}")
		}
	}
}

// conform reports the first place at which v is not exactly of type t; "" when it is.
func (t *dataType) conform(v any, at string) string {
	mismatch := func(want string) string { return fmt.Sprintf("%s: expected %s", at, want) }
	switch t.name {
	case "string", "path":
		if _, ok := v.(string); !ok {
			return mismatch("a " + t.name)
		}
	case "bool":
		if _, ok := v.(bool); !ok {
			return mismatch("true or false")
		}
	case "int":
		n, ok := v.(json.Number)
		if !ok {
			return mismatch("an int")
		}
		if _, err := strconv.ParseInt(string(n), 10, 64); err != nil {
			return mismatch("an int")
		}
	case "enum":
		if s, ok := v.(string); !ok || !slices.Contains(t.values, s) {
			return mismatch("one of " + strings.Join(t.values, "|"))
		}
	case "list":
		list, ok := v.([]any)
		if !ok {
			return mismatch("a list")
		}
		for i, e := range list {
			if bad := t.elem.conform(e, fmt.Sprintf("%s[%d]", at, i)); bad != "" {
				return bad
			}
		}
	case "record":
		return t.conformRecord(v, at)
	}
	return ""
}

func (t *dataType) conformRecord(v any, at string) string {
	obj, ok := v.(map[string]any)
	if !ok {
		return at + ": expected a record"
	}
	for _, f := range t.fields {
		e, ok := obj[f.key]
		if !ok {
			return fmt.Sprintf("%s.%s: missing", at, f.key)
		}
		if bad := f.typ.conform(e, at+"."+f.key); bad != "" {
			return bad
		}
	}
	if len(obj) != len(t.fields) {
		for _, k := range sortedKeys(obj) {
			if !slices.ContainsFunc(t.fields, func(f field) bool { return f.key == k }) {
				return fmt.Sprintf("%s.%s: not a member of its record", at, clip(k))
			}
		}
	}
	return ""
}

func sortedKeys(obj map[string]any) []string { return slices.Sorted(maps.Keys(obj)) }

// clip keeps a foreign word short enough for a one-line message.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:57], "") + "..."
	}
	return s
}
