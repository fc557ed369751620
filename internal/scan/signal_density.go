package scan

// mechanicalShare: above one half of its turns mechanical, a component is flagged …
const mechanicalShare = 500_000

// … where its spend is at least 2 % of the audited spend.
const spendShare = 20_000

// signals are a component's ratios, in parts per million of its attributed turns.
func (c *component) signals(audited int64) Signals {
	turns := c.bill.turns
	s := Signals{
		MechanicalRatioPPM:     ppm(c.classes[mechanical].Turns, turns),
		RetryDensityPPM:        ppm(c.classes[retry].Turns, turns),
		JudgmentDensityPPM:     ppm(c.classes[judgment].Turns, turns),
		ReadAmplificationMilli: c.read.milli(),
		FanOutTurns:            c.fanOut,
		HookRuns:               c.hookRuns,
	}
	s.MechanicalFlagged = s.MechanicalRatioPPM > mechanicalShare && ppm(c.bill.weighted, audited) >= spendShare
	return s
}

// composition lists the classes that occur, in the order in which they are decided.
func composition(classes *[classCount]Spend) []ClassUsage {
	out := []ClassUsage{}
	for c, s := range classes {
		if s.Turns > 0 {
			out = append(out, ClassUsage{Class: class(c).String(), Turns: s.Turns, WeightedMilli: s.WeightedMilli})
		}
	}
	return out
}
