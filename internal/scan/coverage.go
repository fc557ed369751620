package scan

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// coverage settles how much of the window could be attributed: attributed turns among those
// that are attributed or plausibly should be. It is null, and says why, when there is nothing
// to speak of and when clients that do not record attribution wrote more than half of the turns.
func coverage(a Attribution, turns, plausible int64) Attribution {
	attributed := a.StampedTurns + a.InferredTurns + a.AgentTurns + a.OwnExecutableTurns
	switch {
	case turns == 0:
		a.Reason = "no turns in the window"
	case 2*a.BlindTurns > turns:
		a.Reason = fmt.Sprintf("attribution not recorded by this version: %s by clients older than 2.1.173, whose skills can only be inferred (%s)",
			wording.Of(a.BlindTurns, turns, "turn", "turns", "is", "are"), wording.Amount(a.InferredTurns, "turn", "turns"))
	case attributed+plausible == 0:
		a.Reason = "nothing to attribute: no skill, command or agent was used"
	default:
		v := ppm(attributed, attributed+plausible)
		a.CoveragePPM = &v
		a.Reason = fmt.Sprintf("%s attributed, %d more plausibly %s to a component", wording.Amount(attributed, "turn", "turns"), plausible, wording.Pick(plausible, "belongs", "belong"))
		if a.BlindTurns > 0 {
			a.Reason += "; " + wording.Amount(a.BlindTurns, "turn is", "turns are") + " by clients that record no attribution"
		}
	}
	return a
}
