package stability

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// ExplanationKind is the kind of an Explanation.
const ExplanationKind = "explanation/v1"

// Explanation is explanation/v1: the whole chain of one verdict, and what would change it.
type Explanation struct {
	Document string `json:"document"`
	// Source names the run folder or the snapshot that the verdict is from.
	Source string `json:"source"`
	// Verdict: whole.
	Verdict Verdict `json:"verdict"`
	// Changes of answers or of the measured share that would move the boundary verdict; empty
	// when no answer matters.
	Changes []boundary.Change `json:"changes"`
	// Gate says what the stability gate would need, "" when it does not stand in the way.
	Gate string `json:"gate"`
}

// Explain makes the explanation of v.
func Explain(v *Verdict, source string) *Explanation {
	return &Explanation{
		Document: ExplanationKind, Source: source, Verdict: *v,
		Changes: boundary.Changes(&v.Verdict), Gate: gateNeeds(v),
	}
}

// gateNeeds says what would let a verdict through the gate.
func gateNeeds(v *Verdict) string {
	switch {
	case v.Stability == audit.InsufficientWindow && v.Gate != nil && v.Gate.FloorSeconds != nil:
		return fmt.Sprintf("observe at least %s, so that the window can confirm or contradict the earlier one", days(*v.Gate.FloorSeconds))
	case v.Stability == audit.Unstable:
		return "a later window whose reading agrees with the one before it"
	}
	return ""
}

// days is a span of seconds as days with one decimal, rounded up.
func days(seconds int64) string {
	tenths := (seconds + 8_639) / 8_640
	return fmt.Sprintf("%d.%d days", tenths/10, tenths%10)
}
