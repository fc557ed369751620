package scan

import (
	"fmt"
	"strings"
	"testing"
)

// component of uses written as letters: a capital letter is a mechanical call, a small one a
// call that acts, "." the end of a strand; each use is one word.
func lettered(uses ...string) (*component, *words) {
	c, w := &component{}, newWords()
	for _, text := range uses {
		u := &use{of: c, counted: true}
		for i, strandText := range strings.Split(text, ".") {
			st := &strand{thread: i, agent: map[bool]string{true: "Explore"}[i > 0]}
			for _, l := range strandText {
				mech := l >= 'A' && l <= 'Z'
				class := acting
				if mech {
					class = mechanical
				}
				st.turns = append(st.turns, strandTurn{cost: 10, class: class})
				st.steps = append(st.steps, step{sig: w.id("Bash " + string(l)), turn: int32(len(st.turns) - 1), mech: mech, identity: 1})
			}
			u.strands = append(u.strands, st)
		}
		c.uses = append(c.uses, u)
	}
	return c, w
}

// TestSequences is the truth table of mining: closed, gapped by at most one, non-overlapping,
// greedy by what it costs, in at least three invocations.
func TestSequences(t *testing.T) {
	for _, c := range []struct {
		name string
		uses []string
		want string
	}{
		{"the longest that keeps its support", []string{"ABC", "ABC", "ABC"}, "ABC×3"},
		{"two invocations are not enough", []string{"ABC", "ABC"}, ""},
		{"twice in two invocations is not three", []string{"ABxAB", "ABxAB"}, ""},
		{"one foreign call between neighbours", []string{"ABC", "AXBC", "ABYC"}, "ABC×3"},
		{"one that acts, now and then", []string{"ABC", "AxBC", "ABC"}, "ABC×3"},
		{"two foreign calls are too many", []string{"AB", "AB", "AxxB"}, ""},
		{"acting calls part two steps", []string{"ABxCD", "ABxCD", "ABxCD"}, "AB×3 CD×3"},
		{"and are never part of one", []string{"AbC", "AbC", "AbC"}, ""},
		{"repeats are counted, not a longer step", []string{"ABxABxAB", "ABxABxAB", "ABxABxAB"}, "AB×9"},
		{"occurrences do not overlap", []string{"AAA", "AAA", "AAA"}, "AAA×3"},
		{"a part of a chosen one is none of its own", []string{"ABCD", "ABCD", "ABCDE", "ABCD", "AB", "AB", "AB"}, "ABCD×4"},
		{"half of the starts run to their end", []string{"ABCD", "ABCD", "ABCD", "AB", "AB", "AB"}, "ABCD×3"},
		{"most do not: the start is the step", []string{"ABCD", "ABCD", "ABCD", "AB", "AB", "AB", "AB"}, "AB×7 CD×3"},
		{"a loop that runs longer is no longer step", []string{"ABCC", "ABCC", "ABCC", "ABCxxA", "ABC", "ABC"}, "ABC×6"},
		{"however much longer", []string{"ABCCC", "ABCCC", "ABCCC", "ABC", "ABC", "ABC"}, "ABC×6 CC×3"},
		{"what comes before is a step of its own", []string{"ABCDE", "ABCDE", "ABCDE", "CDE", "CDE", "CDE", "ABxAB", "ABxAB"}, "CDE×6 AB×7"},
		{"what follows is a step of its own", []string{"ABCDxCD", "ABCDxCD", "ABCDxCDxCD", "ABCDxCD", "AB", "AB"}, "CD×9 AB×6"},
		{"nor is one with a call left out", []string{"ABC", "ABC", "ABCxABC", "ABC", "ABC", "ABC", "AC", "AC", "AC"}, "ABC×7"},
		{"two steps side by side", []string{"ABxxCD", "CDxxAB", "ABxxCD"}, "AB×3 CD×3"},
		{"strands do not run into each other", []string{"A.B", "A.B", "A.B"}, ""},
		{"twelve at most", []string{"ABCDEFGHIJKLM", "ABCDEFGHIJKLM", "ABCDEFGHIJKLM"}, "ABCDEFGHIJKL×3"},
	} {
		comp, w := lettered(c.uses...)
		txt := newMiner(w.traits()).text(comp)
		patterns, support := txt.mine()
		var got []string
		for _, ch := range txt.choose(patterns, support) {
			s := ""
			for _, sym := range ch.syms {
				s += strings.TrimPrefix(w.list[txt.symbols[sym].sig], "Bash ")
			}
			got = append(got, fmt.Sprintf("%s×%d", s, len(ch.places)))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

// TestMiningIsBounded: a text in which everything follows everything ends, and says that it had to
// raise the support.
func TestMiningIsBounded(t *testing.T) {
	uses := make([]string, 60)
	for i := range uses {
		var b strings.Builder
		x := uint32(i + 1)
		for range 120 {
			x = x*1664525 + 1013904223
			b.WriteByte('A' + byte(x>>24)%6)
		}
		uses[i] = b.String()
	}
	comp, w := lettered(uses...)
	txt := newMiner(w.traits()).text(comp)
	patterns, support := txt.mine()
	kept := 0
	for _, p := range patterns {
		kept += len(p.places) * len(p.syms)
	}
	if support <= minSupport || kept > maxKept {
		t.Errorf("%d patterns with %d positions at support %d", len(patterns), kept, support)
	}
}

// TestNearlyEqual: at most a quarter of the tokens differ, and something does.
func TestNearlyEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Bash git log", "Bash git log", false},
		{"Bash git log --oneline", "Bash git log --stat", false},
		{"Bash git log --oneline <arg>", "Bash git log --stat <arg>", true},
		{"Bash gh pr list", "Bash gh issue list", false},
		{"Read <path.go>", "Read <path.md>", false},
		{"Bash git log", "Bash git diff", false},
		{"Bash a b c d e f g", "Bash a b c d e f g h", true},
		{"Bash a b c d e f g", "Bash a b c d e x y z", false},
		{"", "Bash", false},
	} {
		if got := nearlyEqual(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %t", c.a, c.b, got)
		}
	}
}

// BenchmarkMine searches the calls of a component that is used all the time.
func BenchmarkMine(b *testing.B) {
	uses := make([]string, 500)
	x := uint32(7)
	for i := range uses {
		var s strings.Builder
		for range 120 {
			x = x*1664525 + 1013904223
			s.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcd"[x>>8%30])
		}
		uses[i] = s.String()
	}
	c, w := lettered(uses...)
	b.ReportAllocs()
	for b.Loop() {
		txt := newMiner(w.traits()).text(c)
		patterns, support := txt.mine()
		txt.choose(patterns, support)
	}
}
