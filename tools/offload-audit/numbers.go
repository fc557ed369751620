package main

import "fmt"

// decimal is n / unit with one decimal, rounded half away from zero; unit is a multiple of 20.
func decimal(n, unit int64) string {
	if n < 0 {
		return "-" + decimal(-n, unit)
	}
	tenths := rounded(n, unit/10)
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

// rounded is n / unit, rounded half away from zero; unit is even. It does not overflow.
func rounded(n, unit int64) int64 { return n/unit + n%unit/(unit/2) }

// points is a score in thousandths, with one decimal.
func points(milli int64) string { return decimal(milli, 1000) }

// tenths is parts per million in percent with one decimal.
func tenths(ppm int64) string { return decimal(ppm, 10_000) }

// percent is parts per million in whole percent.
func percent(ppm int64) string { return fmt.Sprintf("%d %%", rounded(ppm, 10_000)) }
