package main

import (
	"math"
	"testing"
)

// TestNumbers: what a text shows is rounded half up, never cut.
func TestNumbers(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{points(20_790), "20.8"}, {points(20_749), "20.7"}, {points(20_750), "20.8"}, {points(2_999), "3.0"}, {points(0), "0.0"},
		{points(-1_250), "-1.3"},
		{tenths(1_796_754), "179.7"}, {tenths(499), "0.0"}, {tenths(500), "0.1"}, {tenths(20_000), "2.0"},
		{percent(985_000), "99 %"}, {percent(984_999), "98 %"},
	} {
		if row.got != row.want {
			t.Errorf("%s, want %s", row.got, row.want)
		}
	}
	for _, row := range []struct{ n, want int64 }{{1_499, 1}, {1_500, 2}, {-1_499, -1}, {-1_500, -2}, {math.MaxInt64, math.MaxInt64/1000 + 1}} {
		if got := rounded(row.n, 1000); got != row.want {
			t.Errorf("%d / 1000 is %d, want %d", row.n, got, row.want)
		}
	}
}
