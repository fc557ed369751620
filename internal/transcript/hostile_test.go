package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// A turn with more calls than are counted harms nothing, even where two sessions share it.
func TestTooManyCalls(t *testing.T) {
	var calls strings.Builder
	for i := range maxCalls + 2 {
		if i > 0 {
			calls.WriteByte(',')
		}
		calls.WriteString(use(fmt.Sprint("t", i), "Read", "{}"))
	}
	row := func(session string) string {
		return rowSpec{session: session, id: "m", uuid: "u", tokens: tok(1, 2, 3, 0, 0), content: "[" + calls.String() + "]"}.String()
	}
	h := open(t, Options{ConfigDirs: []string{tree(t, map[string]string{"projects/p/a.jsonl": row("a"), "projects/p/b.jsonl": row("b")})}})
	if got := sum(h); got.Turns != 1 || got.Calls != maxCalls {
		t.Errorf("%d turns, %d calls", got.Turns, got.Calls)
	}
}

// A response whose id is also a prompt's harms nothing, in whatever order they come.
func TestTurnNamedAsMark(t *testing.T) {
	prompt, turn := userRow("s", "x", `"go"`, ""), rowSpec{session: "s", id: "x", tokens: tok(1, 2, 3, 0, 0)}.String()
	for _, text := range []string{prompt + turn, turn + prompt, prompt + turn + turn} {
		h := open(t, Options{ConfigDirs: []string{tree(t, map[string]string{"projects/p/s.jsonl": text})}})
		if got := sum(h); got.Turns > 1 {
			t.Errorf("%d turns of %s", got.Turns, text)
		}
	}
}
