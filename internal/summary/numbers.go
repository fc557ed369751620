package summary

import (
	"fmt"
	"math"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Percent writes parts per million with one decimal, rounded half up, "0.0 %" only for nothing.
func Percent(ppm int64) string {
	if ppm > 0 && ppm < 1000 {
		return "< 0.1 %"
	}
	tenths := roundUp(ppm, 1000)
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

func percentOr(ppm *int64, none string) string {
	if ppm == nil {
		return none
	}
	return Percent(*ppm)
}

// tokens writes thousandths of a weighted token as tokens, short and rounded half up: 950, 12.3k, 4.5M, 6.7G.
func tokens(milli int64) string {
	if milli < 0 {
		return "-" + tokens(-max(milli, -math.MaxInt64))
	}
	n := roundUp(milli, 1000)
	if n < 1000 {
		return fmt.Sprint(n)
	}
	tenth, unit := int64(100_000), 0 // of a thousand tokens
	for ; unit < len(units)-1 && roundUp(milli, tenth) >= 10_000; unit++ {
		tenth *= 1000
	}
	tenths := roundUp(milli, tenth)
	return fmt.Sprintf("%d.%d%c", tenths/10, tenths%10, units[unit])
}

const units = "kMG"

// roundUp is n / d for n ≥ 0 and an even d, rounded half up.
func roundUp(n, d int64) int64 { return n/d + n%d/(d/2) }

func tokensOr(milli *int64, none string) string {
	if milli == nil {
		return none
	}
	return tokens(*milli)
}

// priced is what a candidate would have saved, in dollars; "" when it would have saved nothing.
func priced(m *boundary.MeasuredCase) string {
	switch {
	case m.RecoverableUSD != nil:
		return dollars(m.RecoverableUSD)
	case m.RecoverableMilli > 0:
		return "no price known"
	}
	return ""
}

// dollars writes a decimal amount in whole cents, rounded half up; "" for none, and for what is no amount.
func dollars(usd *string) string {
	if usd == nil {
		return ""
	}
	return wording.Dollars(*usd)
}

// ratio writes thousandths as a factor.
func ratio(milli *int64) string {
	if milli == nil {
		return "not computable"
	}
	return fmt.Sprintf("×%d.%02d", *milli/1000, *milli%1000/10)
}

// ratioPPM is part / whole in parts per million, without overflow for anything that was ever measured.
func ratioPPM(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	for part > 1<<42 { // beyond 4e12 the last digits are of no interest
		part, whole = part>>1, whole>>1
	}
	return part * 1_000_000 / whole
}

// day is the day of an RFC 3339 time.
func day(at *string) string {
	if at == nil {
		return "?"
	}
	return (*at)[:min(len(*at), 10)]
}

func span(s audit.Span) string {
	if s.Since == nil || s.Until == nil {
		return "no use observed"
	}
	return day(s.Since) + " to " + day(s.Until)
}
