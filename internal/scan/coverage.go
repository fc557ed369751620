package scan

import "fmt"

// coverage settles how much of the window could be attributed: attributed turns among those
// that are attributed or plausibly should be. It is null, and says why, when there is nothing
// to speak of and when clients that do not record attribution wrote more than half of the turns.
func coverage(a Attribution, turns, plausible int64) Attribution {
	attributed := a.StampedTurns + a.InferredTurns + a.AgentTurns + a.OwnExecutableTurns
	switch {
	case turns == 0:
		a.Reason = "no turns in the window"
	case 2*a.BlindTurns > turns:
		a.Reason = fmt.Sprintf("attribution not recorded by this version: %d of %d turns are by clients older than 2.1.173, whose skills can only be inferred (%d turns)",
			a.BlindTurns, turns, a.InferredTurns)
	case attributed+plausible == 0:
		a.Reason = "nothing to attribute: no skill, command or agent was used"
	default:
		v := ppm(attributed, attributed+plausible)
		a.CoveragePPM = &v
		a.Reason = fmt.Sprintf("%d turns attributed, %d more plausibly belong to a component", attributed, plausible)
		if a.BlindTurns > 0 {
			a.Reason += fmt.Sprintf("; %d turns are by clients that record no attribution", a.BlindTurns)
		}
	}
	return a
}
