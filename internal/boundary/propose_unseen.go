package boundary

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// A window in which a component was used and a step of it was not found says something of
// the step: that it cost nothing worth mining in so many uses. Rubric 3.5 calls unmeasured
// only what has no attributed use at all.

// Seen reports whether the step itself was found in the transcripts.
func (m *MeasuredCase) Seen() bool { return m != nil && m.Occurrences > 0 }

// Unseen is the sentence about a component that was used without the step, "" for a step
// that was seen and for a component that was not used.
func (m *MeasuredCase) Unseen() string {
	switch {
	case m == nil || m.Seen():
		return ""
	case m.ComponentInvocations == 1:
		return "used once, the step was not seen to recur"
	case m.ComponentInvocations == 0:
		return "used, the step was not seen to recur"
	}
	return fmt.Sprintf("used %d times, the step was not seen to recur", m.ComponentInvocations)
}

// use is how much of a component a window shows.
type use struct{ invocations, turns int64 }

// unseen gives the static candidates that the window did not show the use of their components.
func (p *proposer) unseen() {
	used := p.used()
	for _, c := range p.found {
		u := used[c.Component]
		if c.Measured != nil || c.Kind == audit.Drift || u == (use{}) {
			continue
		}
		nothing := "0.000000"
		c.Measured = &MeasuredCase{
			Evidence: []string{}, Strength: strengthOf(u.invocations, u.turns), ComponentInvocations: u.invocations, RecoverableUSD: &nothing,
		}
	}
}

// used sums the attributed use of the inventory's components. What an agent did under a
// skill is its use too, whoever pays for it.
func (p *proposer) used() map[audit.ComponentRef]use {
	out := map[audit.ComponentRef]use{}
	gone := map[audit.ComponentRef]bool{} // is warned of where it matters: at what was mined
	for i := range p.sc.Components {
		k := &p.sc.Components[i]
		switch k.Kind {
		case audit.KindSkill, audit.KindCommand, audit.KindAgent:
		default:
			continue // the plugin's executables, run outside of all
		}
		if ref, ok := p.target(audit.ComponentRef{Kind: k.Kind, Name: bareName(k.Name)}, k.Plugin, gone); ok {
			u := out[ref]
			u.invocations += k.Invocations
			u.turns += k.Usage.Turns + k.InSkills.Turns
			out[ref] = u
		}
	}
	return out
}
