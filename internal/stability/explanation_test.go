package stability

import (
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// TestExplain: what would change a verdict, the gate's part included.
func TestExplain(t *testing.T) {
	floor := int64(23 * 86_400)
	for _, row := range []struct {
		name      string
		stability audit.Stability
		gate      *Comparison
		want      string
	}{
		{"no gate", "", nil, ""},
		{"stable", audit.Stable, &Comparison{}, ""},
		{"narrow", audit.InsufficientWindow, &Comparison{FloorSeconds: &floor}, "observe at least 23.0 days"},
		{"unstable", audit.Unstable, &Comparison{}, "a later window"},
	} {
		v := Verdict{Stability: row.stability, Gate: row.gate}
		v.Candidate = boundary.Candidate{ID: "acme/a/b"}
		e := Explain(&v, "here")
		if !strings.HasPrefix(e.Gate, row.want) || (row.want == "") != (e.Gate == "") {
			t.Errorf("%s: %q", row.name, e.Gate)
		}
		if e.Document != ExplanationKind || e.Source != "here" || len(e.Changes) != 1 {
			t.Errorf("%s: %+v", row.name, e)
		}
	}
	for seconds, want := range map[int64]string{0: "0.0 days", 1: "0.1 days", 8_640: "0.1 days", 8_641: "0.2 days", 86_400: "1.0 days"} {
		if got := days(seconds); got != want {
			t.Errorf("%d: %s, want %s", seconds, got, want)
		}
	}
}
