package signature

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// members calls f for each member of a JSON object that is known to be whole: its key,
// raw, and its value as it stands. It looks at no more of a value than it must to find
// its end: a call that writes a file carries the file.
func members(object []byte, f func(key, value []byte)) {
	i := bytes.IndexByte(object, '{') + 1
	for i > 0 && i < len(object) {
		quote := bytes.IndexByte(object[i:], '"')
		if quote < 0 {
			return
		}
		from := i + quote
		end := stringEnd(object, from)
		colon := bytes.IndexByte(object[end:], ':')
		if colon < 0 {
			return
		}
		value := end + colon + 1
		for value < len(object) && object[value] <= ' ' {
			value++
		}
		i = valueEnd(object, value)
		f(object[from+1:end-1], object[value:i])
	}
}

// text is the value of a member as text, "" where there is none.
func text(object []byte, name string) string {
	var found []byte
	members(object, func(key, value []byte) {
		if found == nil && string(key) == name {
			found = value
		}
	})
	return gjson.ParseBytes(found).String()
}

// stringEnd is the position after the string that starts at i.
func stringEnd(b []byte, i int) int {
	for j := i + 1; ; {
		quote := bytes.IndexByte(b[j:], '"')
		if quote < 0 {
			return len(b)
		}
		j += quote + 1
		slashes := 0
		for k := j - 2; k > i && b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return j
		}
	}
}

// valueEnd is the position after the value that starts at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}
