package transcript

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Read amplification asks how much of a tool's result the model used. The measure: the
// bytes of the result that lie in runs of at least eight tokens and 23 bytes which stand
// again, byte for byte, in what the next turn says or passes to a tool. Both sides are
// compared as they stand on their lines, escapes included; a token is a run of letters,
// digits, underscores and bytes above 0x7f.
//
// A run of 23 bytes holds a window of 8 bytes that starts at a multiple of 16 in the
// result, wherever the run begins. It is enough to look up those windows, one for every
// 16 bytes of the result, in an index of the (short) next turn, and to widen each hit: a
// fraction of the cost of tokenising the result.
const (
	reuseMinimum = 2 << 10   // smaller results are not measured
	reuseResult  = 128 << 10 // of a larger one its beginning is
	reuseSaid    = 24 << 10  // of the next turn its beginning is
	reuseReach   = 4 << 20   // bytes of the file within which the next turn must come
	reuseTokens  = 8
	reuseStride  = 16
	reuseRun     = reuseStride + 7 // bytes of the shortest run
	reuseBits    = 13              // of the index's hash
	reuseSieve   = 17              // of the sieve's, in front of the index
	reuseTries   = 8               // windows of the same hash that are tried
)

// reuse follows one conversation: results wait until the turn after them has been
// seen, then each is measured and an event says what was found.
type reuse struct {
	turn    uint64 // the turn that the latest row belongs to
	caller  uint64 // the turn whose results wait
	answer  uint64 // the turn after it, 0 until it begins
	waiting []pending
	held    []byte // the results' texts
	said    []byte // what the answer has said so far
	indexed bool   // sieve, heads and chain are said's
	// strayed: a result was given up while later ones waited, so a resumed walk could
	// not repeat it.
	strayed bool
	sieve   [1 << (reuseSieve - 6)]uint64 // a bit for each window of said
	heads   [1 << reuseBits]uint16        // index of said's windows: the latest, plus one
	chain   []uint16                      // and the one before each
}

// pending is a result that waits: its call, its text in held, and where its line stood.
type pending struct {
	call     uint64
	from, to int
	place    place
}

// place is a line's start: in the file, and in the segment that was being written.
type place struct {
	at             int64 // offset in the file
	line, events   int32
	bad, odd, long int32
}

func (u *reuse) reset(turn uint64) {
	u.turn, u.strayed = turn, false
	u.clear()
}

func (u *reuse) clear() {
	u.waiting, u.held, u.said, u.answer, u.indexed = u.waiting[:0], u.held[:0], u.said[:0], 0, false
}

// move gives up results that are too far behind the line at an offset.
func (u *reuse) move(p *packer, at int64) {
	for len(u.waiting) > 0 && at-u.waiting[0].place.at > reuseReach {
		u.strayed = len(u.waiting) > 1
		u.measure(p, u.waiting[0])
		u.waiting = append(u.waiting[:0], u.waiting[1:]...)
		if len(u.waiting) == 0 {
			u.clear()
		}
	}
}

// row hears an assistant row of a turn.
func (u *reuse) row(p *packer, turn uint64) {
	if len(u.waiting) > 0 && turn != u.caller && turn != u.answer {
		if u.answer != 0 {
			u.settle(p)
		} else {
			u.answer = turn
		}
	}
	u.turn = turn
}

// say hears a text or an input of the latest row.
func (u *reuse) say(raw []byte) {
	if u.answer != 0 && u.turn == u.answer && len(u.said) < reuseSaid {
		u.said = append(u.said, raw[:min(len(raw), reuseSaid-len(u.said))]...)
		u.said = append(u.said, 0) // no run crosses two texts
		u.indexed = false
	}
}

// returned hears that a row with results begins: the answer to earlier ones is over.
func (u *reuse) returned(p *packer) {
	if u.answer != 0 {
		u.settle(p)
	}
}

// wait adds a result: its string content, or the texts of its blocks.
func (u *reuse) wait(call uint64, text []byte, parts [][]byte, at place) {
	if len(u.waiting) == 0 {
		u.caller = u.turn
	}
	from := len(u.held)
	u.held = append(u.held, text[:min(len(text), reuseResult)]...)
	for _, part := range parts {
		room := reuseResult - (len(u.held) - from)
		if room <= 0 {
			break
		}
		u.held = append(u.held, part[:min(len(part), room)]...)
		u.held = append(u.held, 0)
	}
	u.waiting = append(u.waiting, pending{call, from, len(u.held), at})
}

// settle measures all that wait.
func (u *reuse) settle(p *packer) {
	for _, w := range u.waiting {
		u.measure(p, w)
	}
	u.clear()
}

func (u *reuse) measure(p *packer, w pending) {
	if n := u.overlap(u.held[w.from:w.to]); n > 0 && p != nil {
		p.reuse(w.call, int32(n))
	}
}

func hashWindow(b []byte) uint64 {
	return binary.LittleEndian.Uint64(b) * 0x9E3779B97F4A7C15
}

// overlap is how many bytes of result lie in runs of eight tokens that said holds too.
func (u *reuse) overlap(result []byte) int {
	said := u.said
	if len(said) < reuseRun {
		return 0
	}
	if !u.indexed {
		u.index()
	}
	total, covered := 0, 0
	for i := 0; i+8 <= len(result); i += reuseStride {
		h := hashWindow(result[i:])
		if u.sieve[h>>(64-reuseSieve+6)]>>(h>>(64-reuseSieve)&63)&1 == 0 {
			continue
		}
		at := u.heads[h>>(64-reuseBits)]
		for tries := 0; at != 0 && tries < reuseTries; tries++ {
			j := int(at) - 1
			at = u.chain[j]
			if !bytes.Equal(result[i:i+8], said[j:j+8]) {
				continue
			}
			from, to := widen(result, said, i, j)
			if to-from < reuseRun || to <= covered || tokensIn(result[from:to]) < reuseTokens {
				continue
			}
			total += to - max(from, covered)
			covered = to
		}
		if covered > i+2*reuseStride { // the run was counted; go on near its end
			i = (covered - 2*reuseStride) &^ (reuseStride - 1)
		}
	}
	return total
}

// index enters said's windows.
func (u *reuse) index() {
	said := u.said
	u.indexed = true
	clear(u.sieve[:])
	clear(u.heads[:])
	u.chain = append(u.chain[:0], make([]uint16, len(said))...)
	for i := 0; i+8 <= len(said); i++ {
		h := hashWindow(said[i:])
		u.sieve[h>>(64-reuseSieve+6)] |= 1 << (h >> (64 - reuseSieve) & 63)
		b := h >> (64 - reuseBits)
		u.chain[i] = u.heads[b]
		u.heads[b] = uint16(i + 1)
	}
}

// widen grows a common window to the longest common run and cuts tokens off that go on
// outside it on either side.
func widen(a, b []byte, i, j int) (from, to int) {
	back := commonSuffix(a[:i], b[:j])
	from, j = i-back, j-back
	to = i + 8 + commonPrefix(a[i+8:], b[j+back+8:])
	end := j + to - from
	if to-from < reuseRun {
		return from, to
	}
	if from > 0 && token(a[from-1]) || j > 0 && token(b[j-1]) {
		for from < to && token(a[from]) {
			from++
		}
	}
	if to < len(a) && token(a[to]) || end < len(b) && token(b[end]) {
		for to > from && token(a[to-1]) {
			to--
		}
	}
	for from < to && !token(a[from]) {
		from++
	}
	for to > from && !token(a[to-1]) {
		to--
	}
	return from, to
}

// commonPrefix is how many bytes a and b begin with alike.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonSuffix is how many bytes a and b end with alike.
func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for ; i >= 8; i -= 8 {
		if x := binary.LittleEndian.Uint64(a[i-8:]) ^ binary.LittleEndian.Uint64(b[i-8:]); x != 0 {
			return n - i + bits.LeadingZeros64(x)>>3
		}
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
}

// token says whether a byte belongs to a token.
func token(c byte) bool { return tokens[c] }

var tokens = func() (t [256]bool) {
	for c := range t {
		lower := c | 0x20
		t[c] = c >= '0' && c <= '9' || lower >= 'a' && lower <= 'z' || c == '_' || c >= 0x80
	}
	return t
}()

// tokensIn counts tokens, up to as many as matter.
func tokensIn(s []byte) int {
	n := 0
	inside := false
	for _, c := range s {
		if t := tokens[c]; t != inside {
			inside = t
			if t {
				if n++; n == reuseTokens {
					return n
				}
			}
		}
	}
	return n
}
