package summary

import (
	"fmt"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// percent writes parts per million with one decimal, "0.0 %" only for nothing.
func percent(ppm int64) string {
	if ppm > 0 && ppm < 1000 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%d.%d %%", ppm/10_000, ppm%10_000/1000)
}

func percentOr(ppm *int64, none string) string {
	if ppm == nil {
		return none
	}
	return percent(*ppm)
}

// tokens writes thousandths of a weighted token as whole tokens, short: 950, 12.3k, 4.5M.
func tokens(milli int64) string {
	n := milli / 1000
	switch {
	case n < 0:
		return "-" + tokens(-milli)
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%d.%dk", n/1000, n%1000/100)
	}
	return fmt.Sprintf("%d.%dM", n/1_000_000, n%1_000_000/100_000)
}

func tokensOr(milli *int64, none string) string {
	if milli == nil {
		return none
	}
	return tokens(*milli)
}

func dollars(usd *string) string {
	if usd == nil {
		return ""
	}
	whole, cents, _ := strings.Cut(*usd, ".")
	if len(cents) > 2 {
		cents = cents[:2]
	}
	if cents == "" {
		cents = "00"
	}
	return "$" + whole + "." + cents
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
