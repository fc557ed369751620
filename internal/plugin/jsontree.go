package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
)

// JSON is a value of somebody else's JSON file with the line on which it starts. It
// keeps what a decoded map would lose: order, duplicate keys, places.
type JSON struct {
	Line int
	// Value is nil, bool, json.Number or string for a scalar; nil for the others.
	Value   any
	IsObj   bool
	IsList  bool
	Members []Member // of an object
	Items   []JSON   // of a list
}

// Member is one key of an object.
type Member struct {
	Key string
	// Line is the key's line.
	Line int
	JSON JSON
}

// JSONError is where and why a file is not JSON.
type JSONError struct {
	Line int
	Msg  string
}

func (e *JSONError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// maxJSONDepth bounds nesting: no manifest needs more, and reading recurses.
const maxJSONDepth = 100

// ParseJSON reads one JSON value. The text must have been through DecodeText.
func ParseJSON(text string) (JSON, *JSONError) {
	r := &jsonReader{dec: json.NewDecoder(bytes.NewReader([]byte(text)))}
	r.dec.UseNumber()
	for i := range len(text) {
		if text[i] == '\n' {
			r.ends = append(r.ends, i)
		}
	}
	v, err := r.value(0)
	if err == nil {
		if _, more := r.dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("data after the end of the JSON value")
		}
	}
	if err != nil {
		return JSON{}, r.located(err)
	}
	return v, nil
}

type jsonReader struct {
	dec  *json.Decoder
	ends []int // offsets of the line ends
}

// lineAt is the 1-based line of a byte offset.
func (r *jsonReader) lineAt(off int64) int { return 1 + sort.SearchInts(r.ends, int(off)) }

func (r *jsonReader) located(err error) *JSONError {
	off := r.dec.InputOffset()
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		off = syn.Offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &JSONError{Line: r.lineAt(off), Msg: "ends before it is complete"}
	}
	return &JSONError{Line: r.lineAt(off), Msg: err.Error()}
}

func (r *jsonReader) value(depth int) (JSON, error) {
	tok, err := r.dec.Token()
	if err != nil {
		return JSON{}, err
	}
	return r.rest(tok, depth)
}

// rest completes the value that tok begins.
func (r *jsonReader) rest(tok json.Token, depth int) (JSON, error) {
	if depth > maxJSONDepth {
		return JSON{}, errors.New("nested too deeply")
	}
	// After a token the offset is just behind it: still on its line, for JSON strings
	// hold no raw line ends.
	v := JSON{Line: r.lineAt(r.dec.InputOffset() - 1)}
	switch tok {
	case json.Delim('{'):
		v.IsObj = true
		for r.dec.More() {
			key, err := r.dec.Token()
			if err != nil {
				return v, err
			}
			m := Member{Line: r.lineAt(r.dec.InputOffset() - 1)}
			m.Key, _ = key.(string)
			if m.JSON, err = r.value(depth + 1); err != nil {
				return v, err
			}
			v.Members = append(v.Members, m)
		}
		_, err := r.dec.Token()
		return v, err
	case json.Delim('['):
		v.IsList = true
		for r.dec.More() {
			item, err := r.value(depth + 1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, item)
		}
		_, err := r.dec.Token()
		return v, err
	}
	v.Value = tok
	return v, nil
}

// Get returns the member with the key, the last if it stands twice, as in the host.
func (j JSON) Get(key string) (JSON, bool) {
	for _, m := range slices.Backward(j.Members) {
		if m.Key == key {
			return m.JSON, true
		}
	}
	return JSON{}, false
}

// Str returns a string value, "" for anything else.
func (j JSON) Str() string {
	s, _ := j.Value.(string)
	return s
}

// Text returns the member's string value.
func (j JSON) Text(key string) string {
	m, _ := j.Get(key)
	return m.Str()
}

// Type names the value for people: string, number, boolean, null, list or object.
func (j JSON) Type() string {
	switch {
	case j.IsObj:
		return "object"
	case j.IsList:
		return "list"
	}
	switch j.Value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	}
	return "number"
}

// Duplicates returns the members whose key stood before in the same object.
func (j JSON) Duplicates() []Member {
	seen := map[string]bool{}
	var out []Member
	for _, m := range j.Members {
		if seen[m.Key] {
			out = append(out, m)
		}
		seen[m.Key] = true
	}
	return out
}
