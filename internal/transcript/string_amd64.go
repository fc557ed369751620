package transcript

import (
	"encoding/binary"
	"math/bits"

	"golang.org/x/sys/cpu"
)

// skipBlocks walks p[:n], the inside of a string, in blocks of 64 bytes. state, without
// its bit 2 (an escape was seen), is 0 when the string ended before i, 1 when less than
// a block is left, 2 when an escape at or after i needs a closer look, 3 when p[i] is a
// control character. It needs AVX2.
//
//go:noescape
func skipBlocks(p *byte, n int) (i, state int)

const (
	blocksEnded = iota
	blocksTail
	blocksLook
	blocksBad
	blocksEscaped = 4
)

var hasBlocks = cpu.X86.HasAVX2

// skipString starts after the opening quote and ends after the closing one.
func skipString(b []byte, i int) (end int, escaped bool) {
	if !hasBlocks {
		return skipStringWords(b, i)
	}
	if i+16 <= len(b) { // most strings are keys and short words
		w := b[i : i+16 : i+16]
		if m := special(binary.LittleEndian.Uint64(w)); m != 0 {
			if j := i + bits.TrailingZeros64(m)>>3; b[j] == '"' {
				return j + 1, false
			}
		} else if m := special(binary.LittleEndian.Uint64(w[8:])); m != 0 {
			if j := i + 8 + bits.TrailingZeros64(m)>>3; b[j] == '"' {
				return j + 1, false
			}
		}
	}
	for len(b)-i >= 64 {
		n, state := skipBlocks(&b[i], len(b)-i)
		escaped = escaped || state&blocksEscaped != 0
		i += n
		switch state &^ blocksEscaped {
		case blocksEnded:
			return i, escaped
		case blocksBad:
			return -1, escaped
		case blocksLook:
			// By bytes past the doubtful block, then by blocks again.
			for until := min(i+65, len(b)); i < until; {
				switch c := b[i]; {
				case c == '"':
					return i + 1, escaped
				case c == '\\':
					escaped = true
					if i = skipEscape(b, i); i < 0 {
						return -1, escaped
					}
				case c < ' ':
					return -1, escaped
				default:
					i++
				}
			}
			continue
		}
		break
	}
	end, more := skipStringWords(b, i)
	return end, escaped || more
}
