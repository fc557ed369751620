package wording

import "testing"

func TestAgreement(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Amount(0, "plugin", "plugins"), "0 plugins"},
		{Amount(int64(1), "plugin", "plugins"), "1 plugin"},
		{Amount(2, "plugin", "plugins"), "2 plugins"},
		{Pick(1, "is", "are"), "is"},
		{Pick(int64(0), "is", "are"), "are"},
		{Of(1, 1, "turn", "turns", "is", "are"), "1 of 1 turn is"},
		{Of(1, 8, "turn", "turns", "is", "are"), "1 of 8 turns is"},
		{Of(0, 1, "turn", "turns", "is", "are"), "0 of 1 turn are"},
		{Of(int64(2), 8, "turn", "turns", "is", "are"), "2 of 8 turns are"},
		{Dollars("0.251496"), "$0.25"}, {Dollars("0.004999"), "$0.00"}, {Dollars("0.005"), "$0.01"}, {Dollars("9.995"), "$10.00"},
		{Dollars("7"), "$7.00"}, {Dollars(""), "$0.00"}, {Dollars("-1.0"), ""}, {Dollars("many"), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
