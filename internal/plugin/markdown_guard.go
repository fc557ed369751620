package plugin

import (
	"bytes"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// The Markdown parser takes time in the square of the delimiters that stand open in one
// paragraph, and of the containers that one line opens. No author comes near these
// limits; a file made to hang its reader does. What is beyond them reads as plain text.
const (
	maxDelimiters = 1_000
	maxContainers = 32
)

var (
	// unitStart: a line that is no continuation of a paragraph.
	unitStart  = pattern.New("^[ \t]*(?:$|[-*+>#|]|[0-9]{1,9}[.)]|```|~~~|</?[A-Za-z!])")
	fenceMark  = pattern.New("^[ \t>]*(?:```|~~~)")
	containers = pattern.New(`^(?:[ \t]*(?:[-*+>]|[0-9]{1,9}[.)]))+`)
)

// guarded is src, or a copy of the same length in which what exceeds the limits is
// blotted out; line ends and everything else keep their places.
func guarded(src []byte) []byte {
	out, copied := src, false
	blot := func(from, to int, only string) {
		if !copied {
			out, copied = bytes.Clone(src), true
		}
		for i := from; i < to; i++ {
			if out[i] != '\n' && (only == "" || bytes.IndexByte([]byte(only), out[i]) >= 0) {
				out[i] = '.'
			}
		}
	}
	const delimiters = "[]!*_`<@~"
	unit, count := 0, 0
	flush := func(to int) {
		if count > maxDelimiters {
			blot(unit, to, delimiters)
		}
		unit, count = to, 0
	}
	for at := 0; at < len(src); {
		end := at + bytes.IndexByte(src[at:], '\n') + 1
		if end == at {
			end = len(src)
		}
		line := src[at:end]
		if unitStart().Match(bytes.TrimRight(line[:min(len(line), 256)], "\n")) {
			flush(at)
		}
		if m := containers().Find(line); len(m) > maxContainers {
			n := 0
			for i, c := range m {
				if bytes.IndexByte([]byte("-*+>.)"), c) >= 0 {
					if n++; n == maxContainers {
						blot(at+i+1, at+len(m), "-*+>.)0123456789")
						break
					}
				}
			}
		}
		if fenceMark().Match(line) { // the fence's own marker, and no part of what it holds
			unit, at = end, end
			continue
		}
		for _, c := range line {
			if bytes.IndexByte([]byte(delimiters), c) >= 0 {
				count++
			}
		}
		at = end
	}
	flush(len(src))
	return out
}
