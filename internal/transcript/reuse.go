package transcript

import (
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
	reuseTries   = 8               // places of a window that are tried, the latest first
	reuseSteps   = 64              // windows of the same hash that are looked at for them
	// reuseWork is how many bytes are compared for each byte of a result. Real ones take up
	// to five; what repeats a few bytes over and over would take thousands.
	reuseWork = 64
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
	indexed bool   // index is said's
	// strayed: a result was given up while later ones waited, so a resumed walk could
	// not repeat it.
	strayed bool
	index   windows
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

// overlap is how many bytes of result lie in runs of eight tokens that said holds too.
func (u *reuse) overlap(result []byte) int {
	if len(u.said) < reuseRun {
		return 0
	}
	if !u.indexed {
		u.index.enter(u.said)
		u.indexed = true
	}
	c := comparison{a: result, b: u.said, work: reuseWork * len(result)}
	for i := u.index.next(result, 0); i >= 0 && c.work > 0; i = u.index.next(result, i+reuseStride) {
		window := binary.LittleEndian.Uint64(result[i:])
		at := u.index.first(window)
		for tries, steps := 0, 0; at != 0 && tries < reuseTries && steps < reuseSteps; steps++ {
			j := int(at) - 1
			at = u.index.chain[j]
			if binary.LittleEndian.Uint64(c.b[j:]) == window {
				tries++
				c.meet(i, j)
			}
		}
		if c.covered > i+2*reuseStride { // the run was counted; go on near its end
			i = (c.covered - 2*reuseStride) &^ (reuseStride - 1)
		}
	}
	return c.total
}

// comparison adds up the runs that a has in common with b, from a's beginning to its end.
type comparison struct {
	a, b           []byte
	work           int // bytes that may still be compared
	total, covered int // bytes of a in runs, and where the last of them ends
	reach          int // where the first token behind covered begins
	// The latest run that was too short or held too few tokens.
	poorFrom, poorTo int
}

// meet looks at the run around a window that stands at i in a and at j in b.
func (c *comparison) meet(i, j int) {
	lag := i - j
	if i+8 <= c.reach && !c.same(c.reach, lag) {
		return // it brings nothing new
	}
	if i < c.poorTo && !c.same(c.poorFrom-1, lag) && !c.same(c.poorTo, lag) {
		return // it is a part of one that was too poor
	}
	from, to := common(c.a, c.b, i, j)
	c.work -= to - from
	if to-from < reuseRun || tokensIn(c.a[from:to]) < reuseTokens {
		c.poorFrom, c.poorTo = from, to
		return
	}
	from, to = trim(c.a, c.b, from, to, lag)
	if to-from < reuseRun || to <= c.covered || tokensIn(c.a[from:to]) < reuseTokens {
		return
	}
	c.total += to - max(from, c.covered)
	c.covered = to
	for c.reach = to; c.reach < len(c.a) && !token(c.a[c.reach]); {
		c.reach++
	}
}

// same: both texts have the same byte at a's i and at b's, lag bytes before.
func (c *comparison) same(i, lag int) bool {
	j := i - lag
	return uint(i) < uint(len(c.a)) && uint(j) < uint(len(c.b)) && c.a[i] == c.b[j]
}

// windows finds the windows of a text by their bytes. Its tables are as large as the text
// needs: most answers are short, and clearing what they do not use would cost more than
// they do.
type windows struct {
	sieve      []uint64 // a bit for each window, by the high bits of its hash
	heads      []uint16 // by fewer of them: the latest window's position, plus one
	chain      []uint16 // and the one before each
	sieveShift uint
	headShift  uint
}

const (
	windowFactor = 0x9E3779B97F4A7C15
	sieveRoom    = 5  // bits of the sieve for a byte of text, as a power of two
	maxSieve     = 17 // bits of the sieve at most, likewise: 16 KiB
)

// enter makes the tables those of a text.
func (x *windows) enter(text []byte) {
	size := max(bits.Len(uint(len(text))), 6)
	sieveBits := min(size+sieveRoom, maxSieve)
	x.headShift, x.sieveShift = uint(64-size), uint(64-sieveBits)
	x.sieve = cleared(x.sieve, 1<<(sieveBits-6))
	x.heads = cleared(x.heads, 1<<size)
	if cap(x.chain) < len(text) {
		x.chain = make([]uint16, max(len(text), reuseSaid))
	}
	sieve, heads, chain := x.sieve, x.heads, x.chain[:len(text)]
	sieveShift, headShift := x.sieveShift&63, x.headShift&63
	for i := 0; i+8 <= len(text); i++ {
		h := binary.LittleEndian.Uint64(text[i:]) * windowFactor
		bit := h >> sieveShift
		sieve[bit>>6] |= 1 << (bit & 63)
		head := &heads[h>>headShift]
		chain[i], *head = *head, uint16(i+1)
	}
}

// next is the first multiple of the stride from i on at which text has a window that may
// stand in the index, -1 where there is none.
func (x *windows) next(text []byte, i int) int {
	sieve, shift := x.sieve, x.sieveShift&63
	for ; i+8 <= len(text); i += reuseStride {
		bit := binary.LittleEndian.Uint64(text[i:]) * windowFactor >> shift
		if sieve[bit>>6]>>(bit&63)&1 != 0 {
			return i
		}
	}
	return -1
}

// first is the latest position of windows with a window's hash, plus one; chain has those
// before.
func (x *windows) first(window uint64) uint16 {
	return x.heads[window*windowFactor>>(x.headShift&63)]
}

// cleared is a list of n zeros, in the room of list where that is large enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// common is the longest common run around the window that a has at i and b at j.
func common(a, b []byte, i, j int) (from, to int) {
	return i - commonSuffix(a[:i], b[:j]), i + 8 + commonPrefix(a[i+8:], b[j+8:])
}

// trim cuts off a run in a, which stands in b lag bytes before, the tokens that go on
// outside it on either side.
func trim(a, b []byte, from, to, lag int) (int, int) {
	if from > 0 && token(a[from-1]) || from > lag && token(b[from-lag-1]) {
		for from < to && token(a[from]) {
			from++
		}
	}
	if to < len(a) && token(a[to]) || to-lag < len(b) && token(b[to-lag]) {
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
func token(c byte) bool { return tokens[c] != 0 }

var tokens = func() (t [256]uint8) {
	for c := range t {
		lower := c | 0x20
		if c >= '0' && c <= '9' || lower >= 'a' && lower <= 'z' || c == '_' || c >= 0x80 {
			t[c] = 1
		}
	}
	return t
}()

// tokensIn counts tokens, up to a few more than matter, eight bytes at a time.
func tokensIn(s []byte) int {
	n, before := 0, uint64(0) // before: the last byte was a token's, in the lowest byte's place
	for len(s) >= 8 && n < reuseTokens {
		t := tokenBytes(binary.LittleEndian.Uint64(s))
		n += bits.OnesCount64(t &^ (t<<8 | before))
		before = t >> 56
		s = s[8:]
	}
	for _, c := range s {
		t := uint64(tokens[c]) << 7
		n += int(t &^ before >> 7)
		before = t
	}
	return n
}

// tokenBytes marks the bytes of w that belong to tokens by their highest bits.
func tokenBytes(w uint64) uint64 {
	const low = ^uint64(highs)
	from := func(x uint64, c byte) uint64 { return x + (0x80-uint64(c))*lows } // highest bit: x >= c, of seven bits
	x, lower := w&low, (w|' '*lows)&low
	digit := from(x, '0') &^ from(x, '9'+1)
	letter := from(lower, 'a') &^ from(lower, 'z'+1)
	under := from(x, '_') &^ from(x, '_'+1)
	return (digit | letter | under | w) & highs
}
