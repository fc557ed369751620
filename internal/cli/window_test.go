package cli

import (
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ since, until, from, to string }{
		{"", "", "open", "open"},
		{"2026-11-01", "", "2026-10-31T23:00:00Z", "open"},
		{"2026-11-01", "2026-11-01", "2026-10-31T23:00:00Z", "2026-11-01T23:00:00Z"},
		{"2026-10-25", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"}, // a day of 25 hours
		{"2026-11-01T10:00:00+02:00", "", "2026-11-01T08:00:00Z", "open"},
		{"7d", "12h", "2026-11-23T12:00:00Z", "2026-11-30T00:00:00Z"},
		{"4w", "", "2026-11-02T12:00:00Z", "open"},
	} {
		from, to, err := Window(tt.since, tt.until, now, berlin)
		if show(from) != tt.from || show(to) != tt.to || err != nil {
			t.Errorf("%q to %q: %s to %s (%v), want %s to %s", tt.since, tt.until, show(from), show(to), err, tt.from, tt.to)
		}
	}
	for _, bad := range [][2]string{{"yesterday", ""}, {"d", ""}, {"-7d", ""}, {"99999999d", ""}, {"", "7x"}, {"2026-02-30", ""}, {"2026-11-02", "2026-11-01"}, {"1d", "1d"}} {
		if _, _, err := Window(bad[0], bad[1], now, berlin); ExitCode(err) != 2 {
			t.Errorf("%q: %v, want exit code 2", bad, err)
		}
	}
}

func show(t time.Time) string {
	if t.IsZero() {
		return "open"
	}
	return t.UTC().Format(time.RFC3339)
}
