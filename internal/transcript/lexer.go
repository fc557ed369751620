package transcript

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The lexer proves that bytes are JSON and says where things end. It accepts and
// rejects what encoding/json does (a fuzz target holds it to that) and never copies:
// every function takes the bytes and a position and answers the position after what
// it read, or -1.

// maxDepth is how deep values may nest, as in encoding/json.
const maxDepth = 10000

const (
	lows   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * lows
	slants = '\\' * lows
	spaces = ' ' * lows
)

// special marks the bytes of w that end a plain run inside a string: a quote, a
// backslash or a control character. The lowest mark is exact.
func special(w uint64) uint64 {
	q, s := w^quotes, w^slants
	return ((q-lows)&^q | (s-lows)&^s | (w-spaces)&^w) & highs
}

// skipStringWords is skipString eight bytes at a time.
func skipStringWords(b []byte, i int) (end int, escaped bool) {
	for {
		for {
			if i+16 > len(b) {
				for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
					i++
				}
				if i >= len(b) {
					return -1, escaped
				}
				break
			}
			w := b[i : i+16 : i+16]
			m := special(binary.LittleEndian.Uint64(w))
			n := special(binary.LittleEndian.Uint64(w[8:]))
			if m|n != 0 {
				if m != 0 {
					i += bits.TrailingZeros64(m) >> 3
				} else {
					i += 8 + bits.TrailingZeros64(n)>>3
				}
				break
			}
			i += 16
		}
		switch b[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			if i = skipEscape(b, i); i < 0 {
				return -1, escaped
			}
		default:
			return -1, escaped
		}
	}
}

// skipEscape starts at a backslash.
func skipEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return -1
	}
	switch b[i+1] {
	case 'n', 't', '"', '\\', '/', 'r', 'b', 'f':
		return i + 2
	case 'u':
		if i+6 <= len(b) && hexDigit(b[i+2]) && hexDigit(b[i+3]) && hexDigit(b[i+4]) && hexDigit(b[i+5]) {
			return i + 6
		}
	}
	return -1
}

func hexDigit(c byte) bool {
	return c-'0' < 10 || (c|0x20)-'a' < 6
}

// skipSpace passes over white space within a line: a newline ends every value, so one may be
// read where the line's end is not known yet.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue starts at a value's first byte. depth is how many containers are open.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		end, _ := skipString(b, i+1)
		return end
	case '{':
		return skipObject(b, i, depth+1)
	case '[':
		return skipArray(b, i, depth+1)
	}
	return skipScalar(b, i)
}

func skipObject(b []byte, i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		if i, _ = skipString(b, i+1); i < 0 {
			return -1
		}
		if i = skipColon(b, i); i < 0 {
			return -1
		}
		if i = skipValue(b, i, depth); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return -1
		}
		if b[i] == '}' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

func skipArray(b []byte, i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipValue(b, i, depth); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return -1
		}
		if b[i] == ']' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

// skipColon starts after a key and ends at the first byte of its value.
func skipColon(b []byte, i int) int {
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != ':' {
		return -1
	}
	return skipSpace(b, i+1)
}

func skipScalar(b []byte, i int) int {
	switch b[i] {
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	return skipNumber(b, i)
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word)
	}
	return -1
}

func skipNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i >= len(b) {
		return -1
	}
	switch {
	case b[i] == '0':
		i++
	case b[i]-'1' < 9:
		i = skipDigits(b, i)
	default:
		return -1
	}
	if i < len(b) && b[i] == '.' {
		end := skipDigits(b, i+1)
		if end == i+1 {
			return -1
		}
		i = end
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		end := skipDigits(b, i)
		if end == i {
			return -1
		}
		i = end
	}
	return i
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	return i
}

// unescape appends the value of a proved string's inside. Broken surrogates become
// U+FFFD, as in encoding/json.
func unescape(out, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r := hexRune(s[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if i+6 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
					low = hexRune(s[i+3:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, s[i])
		}
	}
	return out
}

func hexRune(s []byte) rune {
	var r rune
	for _, c := range s[:4] {
		switch {
		case c <= '9':
			r = r<<4 | rune(c-'0')
		default:
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}

// maxCounter keeps sums of counters far from overflow.
const maxCounter = 1 << 40

// parseCount reads a proved number as a counter: whole, not negative, at most
// maxCounter; anything else is 0.
func parseCount(s []byte) int64 {
	if len(s) > 0 && len(s) < 13 {
		var v int64
		for _, c := range s {
			if c-'0' > 9 {
				return parseOddCount(s)
			}
			v = v*10 + int64(c-'0')
		}
		return min(v, maxCounter)
	}
	return parseOddCount(s)
}

// parseOddCount reads 5.0 and 1e3.
func parseOddCount(s []byte) int64 {
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil && f == 0 || !(f > 0) {
		return 0
	}
	if f >= maxCounter {
		return maxCounter
	}
	return int64(f)
}
