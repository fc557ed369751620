package transcript

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// plainOverlap is what overlap measures, written down plainly: every run is looked at.
func plainOverlap(a, b string) int {
	inRun := make([]bool, len(a))
	for i := range len(a) {
		for j := range len(b) {
			if a[i] != b[j] || i > 0 && j > 0 && a[i-1] == b[j-1] {
				continue // no run begins here
			}
			n := 0
			for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] {
				n++
			}
			from, to := trim([]byte(a), []byte(b), i, i+n, i-j)
			if n < reuseRun || to-from < reuseRun || plainTokens(a[from:to]) < reuseTokens {
				continue
			}
			for k := from; k < to; k++ {
				inRun[k] = true
			}
		}
	}
	total := 0
	for _, in := range inRun {
		if in {
			total++
		}
	}
	return total
}

func plainTokens(s string) int {
	return len(strings.FieldsFunc(strings.Map(func(r rune) rune {
		if r >= 0x80 || r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return 'x'
		}
		return ' '
	}, s), func(r rune) bool { return r == ' ' }))
}

// Texts of few words, with stretches of one in the other: nothing counts that is not a run,
// and hardly a run is missed (of two around the same window the shorter one's beginning may be).
func TestOverlapFindsAllRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	words := strings.Fields(`a if not the { } err != nil return value \n\t "key": 12 naïve _x foo.bar() // ----`)
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[r.IntN(len(words))] + " "[:r.IntN(2)])
			if r.IntN(4) == 0 { // so that windows seldom stand more often than is tried
				b.WriteString(string(rune('A'+r.IntN(26))) + string(rune('0'+r.IntN(10))))
			}
		}
		return b.String()
	}
	var u reuse
	sum, sumWant := 0, 0
	for n := range 3000 {
		a, b := text(20+r.IntN(120)), text(5+r.IntN(60))
		for range r.IntN(4) {
			from := r.IntN(len(a))
			b += a[from:min(len(a), from+r.IntN(160))] + text(r.IntN(6))
		}
		u.said, u.indexed = append(u.said[:0], b...), false
		want := plainOverlap(a, b)
		got := u.overlap([]byte(a))
		if got > want {
			t.Fatalf("%d: %d, want %d\n%q\n%q", n, got, want, a, b)
		}
		sum, sumWant = sum+got, sumWant+want
	}
	if sumWant < 100_000 || sum < sumWant-sumWant/200 {
		t.Errorf("%d bytes found, want %d", sum, sumWant)
	}
}

func TestTokensIn(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for range 100_000 {
		b := make([]byte, r.IntN(60))
		for i := range b {
			b[i] = byte(r.IntN(256))
			if r.IntN(3) > 0 {
				b[i] = "az AZ09_/[`{@:^"[r.IntN(15)]
			}
		}
		want := 0
		for i, c := range b {
			if token(c) && (i == 0 || !token(b[i-1])) {
				want++
			}
		}
		if got := tokensIn(b); min(got, reuseTokens) != min(want, reuseTokens) {
			t.Fatalf("%q: %d tokens, want %d", b, got, want)
		}
	}
}

// What repeats a few bytes over and over takes no longer than other text: a bound of work, not
// of time, so the answer is the same everywhere.
func TestReuseOfRepeats(t *testing.T) {
	for _, unit := range []string{"a", "a ", " ", "= ", "0, ", "a                    "} {
		repeat := func(n int) []byte { return []byte(strings.Repeat(unit, n/len(unit))) }
		u := reuse{said: repeat(reuseSaid)}
		result := repeat(reuseResult)
		begun := time.Now()
		if n := u.overlap(result); n < 0 || n > len(result) {
			t.Errorf("%q: %d of %d bytes", unit, n, len(result))
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("%q took %v", unit, took)
		}
	}
}
