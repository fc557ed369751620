package scan

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"

// amplification is read amplification (2-measure.md 2.4): how many bytes of results enter the
// context for each byte of them that is used again in the next turn. Only results of 2 KB and
// more count; reuse is measured in 8-token shingles (package transcript does that).
type amplification struct{ result, reused int64 }

const (
	minResult        = 2 << 10
	maxAmplification = 1000
)

func (a *amplification) call(c *transcript.Call) {
	if c.Answered && !c.IsError && c.ResultBytes >= minResult {
		a.result += int64(c.ResultBytes)
		a.reused += int64(c.ReusedBytes)
	}
}

func (a *amplification) add(o amplification) {
	a.result += o.result
	a.reused += o.reused
}

// milli is the ratio in thousandths, at most a thousand times; nil without any result that counts.
func (a amplification) milli() *int64 {
	if a.result == 0 {
		return nil
	}
	v := int64(maxAmplification * 1000)
	if a.reused > 0 {
		v = min(v, mulDiv(a.result, 1000, a.reused))
	}
	return &v
}
