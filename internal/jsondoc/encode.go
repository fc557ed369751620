package jsondoc

import (
	"bytes"
	stdjson "encoding/json"
	"io"
	"slices"

	"github.com/goccy/go-json"
)

// Encode writes doc, indented, with "document" first and all other keys sorted.
func Encode(w io.Writer, doc any) error {
	text, err := canonical(doc, true)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Line returns doc as one compact line with its newline, keys ordered as Encode does.
func Line(doc any) ([]byte, error) { return canonical(doc, false) }

func canonical(doc any, indent bool) ([]byte, error) {
	raw, err := json.MarshalWithOption(doc, json.DisableHTMLEscape())
	if err != nil {
		return nil, err
	}
	w := writer{in: raw, out: make([]byte, 0, 2*len(raw)), indent: indent}
	w.value()
	return append(w.out, '\n'), nil
}

// writer puts a marshalled document, which is valid JSON without blanks, into our order:
// values are copied as they are met, and an object's members change places once all of them
// stand in the output.
type writer struct {
	in, out []byte
	at      int // in in
	indent  bool
	depth   int
	members []member // of all open objects, the outermost's first
	spare   []byte
}

// member is where a member of an object stands in the output.
type member struct {
	name     []byte
	from, to int
}

// skip says whether the next byte is c, and passes over it if it is.
func (w *writer) skip(c byte) bool {
	if w.in[w.at] != c {
		return false
	}
	w.at++
	return true
}

func (w *writer) value() {
	switch w.in[w.at] {
	case '{':
		w.object()
	case '[':
		w.list()
	case '"':
		w.text()
	default: // a number, true, false, null
		from := w.at
		for w.at++; w.at < len(w.in) && w.in[w.at] != ',' && w.in[w.at] != ']' && w.in[w.at] != '}'; {
			w.at++
		}
		w.out = append(w.out, w.in[from:w.at]...)
	}
}

// open begins an object or a list and says whether that holds anything; else it is done.
func (w *writer) open(begin, end byte) bool {
	w.out = append(w.out, begin)
	w.at++
	if w.skip(end) {
		w.out = append(w.out, end)
		return false
	}
	w.depth++
	w.line()
	return true
}

// next says whether another value follows in an object or a list; else it is done.
func (w *writer) next(end byte) bool {
	if w.skip(',') {
		w.comma()
		return true
	}
	w.at++
	w.depth--
	w.line()
	w.out = append(w.out, end)
	return false
}

func (w *writer) comma() {
	w.out = append(w.out, ',')
	w.line()
}

// line begins a new line where there are lines.
func (w *writer) line() {
	if w.indent {
		w.out = append(w.out, '\n')
		for range w.depth {
			w.out = append(w.out, "  "...)
		}
	}
}

func (w *writer) list() {
	if !w.open('[', ']') {
		return
	}
	for w.value(); w.next(']'); {
		w.value()
	}
}

func (w *writer) object() {
	if !w.open('{', '}') {
		return
	}
	first := len(w.members)
	for more := true; more; {
		from := len(w.out)
		name := w.text()
		w.at++
		w.out = append(w.out, ':')
		if w.indent {
			w.out = append(w.out, ' ')
		}
		w.value()
		w.members = append(w.members, member{name, from, len(w.out)})
		if w.in[w.at] != ',' {
			w.order(w.members[first:])
		}
		more = w.next('}')
	}
	w.members = w.members[:first]
}

// order sorts the members of an object, which the output ends with.
func (w *writer) order(list []member) {
	key := func(m member) []byte {
		if w.depth == 1 && string(m.name) == "document" {
			return nil // before all others
		}
		return m.name
	}
	compare := func(a, b member) int { return bytes.Compare(key(a), key(b)) }
	if slices.IsSortedFunc(list, compare) {
		return
	}
	from := list[0].from
	w.spare = append(w.spare[:0], w.out[from:]...)
	w.out = w.out[:from]
	slices.SortFunc(list, compare)
	for i, m := range list {
		if i > 0 {
			w.comma()
		}
		w.out = append(w.out, w.spare[m.from-from:m.to-from]...)
	}
}

// text copies a string and returns what it says. What is escaped is put as encoding/json
// puts it, but for HTML.
func (w *writer) text() []byte {
	from, plain := w.at, true
	for w.at++; w.in[w.at] != '"'; w.at++ {
		if w.in[w.at] == '\\' {
			plain = false
			w.at++
		}
	}
	w.at++
	raw := w.in[from:w.at]
	if plain {
		w.out = append(w.out, raw...)
		return raw[1 : len(raw)-1]
	}
	var said string
	_ = stdjson.Unmarshal(raw, &said) // it was marshalled
	var out bytes.Buffer
	enc := stdjson.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(said) // into memory
	w.out = append(w.out, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
	return []byte(said)
}
