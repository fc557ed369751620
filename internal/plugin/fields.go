package plugin

import (
	"strings"
)

// Fields are the top-level fields of a frontmatter block, in written order. A key
// written twice stands twice; the last one counts, as in the host.
type Fields []Field

// Field is one key with its value.
type Field struct {
	Key  string
	Line int
	// Value is a string, bool, int64, float64, nil, []any or map[string]any.
	Value any
	// Raw is a scalar as written, without quotes: "1.0" stays "1.0", a date stays a date.
	// A list or mapping has none.
	Raw string
}

// Get returns the field with the key, the last one if there are several.
func (fs Fields) Get(key string) (Field, bool) {
	for i := len(fs) - 1; i >= 0; i-- {
		if fs[i].Key == key {
			return fs[i], true
		}
	}
	return Field{}, false
}

// Text returns a scalar as text; "" for a list, a mapping, null, or no such key.
// Numbers, booleans and dates are text as they were written.
func (fs Fields) Text(key string) string {
	f, _ := fs.Get(key)
	return f.Raw
}

// Bool returns the field as a boolean: true, "true", "yes" and so on. set is false when
// the key is missing or holds something else.
func (fs Fields) Bool(key string) (value, set bool) {
	f, ok := fs.Get(key)
	if !ok {
		return false, false
	}
	switch strings.ToLower(f.Raw) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// List returns the first of the keys that is there, as a list of words: a YAML list, or
// a string split at commas and blanks that stand outside parentheses. So
// "Bash(git log:*), Agent(a, b)" is two words.
func (fs Fields) List(keys ...string) []string {
	for _, k := range keys {
		f, ok := fs.Get(k)
		if !ok {
			continue
		}
		list, isList := f.Value.([]any)
		if !isList {
			return SplitTools(f.Raw)
		}
		var out []string
		for _, e := range list {
			if s, ok := e.(string); ok {
				out = append(out, SplitTools(s)...)
			}
		}
		return out
	}
	return nil
}

// SplitTools splits a tool list at commas and blanks outside parentheses and quotes.
// An unclosed parenthesis runs to the end.
func SplitTools(s string) []string {
	var out []string
	depth, from := 0, -1
	flush := func(to int) {
		if from >= 0 {
			out = append(out, strings.TrimSpace(s[from:to]))
			from = -1
		}
	}
	for i, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0 && (r == ',' || r == ' ' || r == '\t' || r == '\n'):
			flush(i)
			continue
		}
		if from < 0 {
			from = i
		}
	}
	flush(len(s))
	return out
}
