// Package jsondoc reads and writes one versioned document, strictly.
//
// Our own documents are a contract between programs, so a reader refuses what it
// does not understand, and names the place: another kind, an unknown member, a
// wrong type, data after the end. A writer is deterministic: "document" first,
// every other key sorted, two-space indentation, one newline at the end. What
// other people write (transcripts, manifests) is never read through here.
package jsondoc

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Decode decodes data into dst, a pointer to a struct whose member "document" is kind.
// Errors name the offending member by its path, such as "components[3].signals.foo".
func Decode(data []byte, kind string, dst any) error {
	tree, err := parse(data)
	if err != nil {
		return err
	}
	return DecodeTree(tree, kind, dst)
}

// DecodeTree is Decode for a value already parsed by another syntax (YAML), made
// of map[string]any, []any, string, bool, nil and numbers.
func DecodeTree(tree any, kind string, dst any) error {
	obj, ok := tree.(map[string]any)
	if !ok {
		return fmt.Errorf("expected a %s object, found %s", kind, typeName(tree))
	}
	switch got := obj["document"].(type) {
	case nil:
		return fmt.Errorf(`document: missing, expected "%s"`, kind)
	case string:
		if got != kind {
			return fmt.Errorf(`document: expected "%s", found %q`, kind, clip(got))
		}
	default:
		return fmt.Errorf(`document: expected "%s", found %s`, kind, typeName(got))
	}
	if err := conform(tree, reflect.TypeOf(dst).Elem(), ""); err != nil {
		return err
	}
	canonical, err := stdjson.Marshal(tree)
	if err != nil {
		return err
	}
	return stdjson.Unmarshal(canonical, dst)
}

// Kind returns the "document" member of data without decoding the rest.
func Kind(data []byte) (string, error) {
	var head struct {
		Document string `json:"document"`
	}
	if err := stdjson.Unmarshal(data, &head); err != nil {
		return "", fmt.Errorf("expected one JSON document: %w", err)
	}
	return head.Document, nil
}

// maxDepth bounds the nesting of a document; ours have fewer than twenty levels.
const maxDepth = 1000

// parse reads exactly one JSON value, in which no object names a member twice.
func parse(data []byte) (any, error) {
	dec := stdjson.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	tree, err := value(dec, 0)
	if err != nil {
		var syntax *stdjson.SyntaxError
		switch {
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(data)) == 0:
			return nil, errors.New("empty, expected one JSON document")
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("truncated: the JSON document ends before it is complete")
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("not JSON at byte %d: %w", syntax.Offset, err)
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("data after the end of the document, at byte %d", dec.InputOffset())
	}
	return tree, nil
}

// flaw is what is wrong with a member; its path grows as the error travels outwards.
type flaw struct{ path, what string }

func (f *flaw) Error() string { return f.path + ": " + f.what }

// under puts a flaw below one more step of its path; other errors stay as they are.
func under(step string, err error) error {
	if f, ok := err.(*flaw); ok {
		switch {
		case f.path == "":
			f.path = step
		case f.path[0] == '[':
			f.path = step + f.path
		default:
			f.path = step + "." + f.path
		}
	}
	return err
}

// value reads the next value of dec.
func value(dec *stdjson.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case stdjson.Delim('{'):
		obj := map[string]any{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			key := name.(string) // the decoder lets nothing else stand here
			if _, ok := obj[key]; ok {
				return nil, &flaw{clip(key), "stands twice"}
			}
			if obj[key], err = value(dec, depth+1); err != nil {
				return nil, under(clip(key), err)
			}
		}
		_, err := dec.Token()
		return obj, err
	case stdjson.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := value(dec, depth+1)
			if err != nil {
				return nil, under(fmt.Sprintf("[%d]", len(list)), err)
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	}
	return token, nil
}

// conform checks that tree has only members that t knows, of the types that t has.
func conform(tree any, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		if tree == nil {
			return nil
		}
		t = t.Elem()
	}
	at := func() string {
		if path == "" {
			return "document"
		}
		return path
	}
	mismatch := func(want string) error {
		return fmt.Errorf("%s: expected %s, found %s", at(), want, typeName(tree))
	}
	switch t.Kind() {
	case reflect.Interface:
		return nil
	case reflect.Struct:
		obj, ok := tree.(map[string]any)
		if !ok {
			return mismatch("an object")
		}
		fields := map[string]reflect.Type{}
		members(t, fields)
		for _, k := range sortedKeys(obj) {
			ft, ok := fields[k]
			if !ok {
				return fmt.Errorf("%s: unknown member", join(path, k))
			}
			if err := conform(obj[k], ft, join(path, k)); err != nil {
				return err
			}
		}
	case reflect.Map:
		if tree == nil {
			return nil
		}
		obj, ok := tree.(map[string]any)
		if !ok {
			return mismatch("an object")
		}
		for _, k := range sortedKeys(obj) {
			if err := conform(obj[k], t.Elem(), join(path, k)); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		if tree == nil {
			return nil
		}
		list, ok := tree.([]any)
		if !ok {
			return mismatch("an array")
		}
		for i, v := range list {
			if err := conform(v, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.String:
		if _, ok := tree.(string); !ok {
			return mismatch("a string")
		}
	case reflect.Bool:
		if _, ok := tree.(bool); !ok {
			return mismatch("true or false")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var n stdjson.Number
		switch v := tree.(type) {
		case stdjson.Number:
			n = v
		case int, int64, uint64:
			return nil
		default:
			return mismatch("an integer")
		}
		if err := stdjson.Unmarshal([]byte(n), reflect.New(t).Interface()); err != nil {
			return fmt.Errorf("%s: expected an integer of %s's range, found %s", at(), t.Kind(), clip(string(n)))
		}
	case reflect.Float32, reflect.Float64:
		switch tree.(type) {
		case stdjson.Number, int, int64, uint64, float64:
		default:
			return mismatch("a number")
		}
	}
	return nil
}

func sortedKeys(obj map[string]any) []string {
	return slices.Sorted(maps.Keys(obj))
}

// members collects the JSON member names of t, embedded structs included.
func members(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			members(ft, into)
			continue
		}
		if tag == "-" || !f.IsExported() {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		into[tag] = f.Type
	}
}

func join(path, k string) string {
	k = clip(k)
	if path == "" {
		return k
	}
	return path + "." + k
}

// clip keeps a foreign word short enough for a one-line error.
func clip(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}
