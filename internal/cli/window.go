package cli

import (
	"strconv"
	"time"
)

// Window reads --since and --until in the zone loc: since ≤ t < until, zero is open. A bound is
// a day (since its beginning, until its end), RFC 3339, or an age before now: 36h, 7d, 4w.
func Window(since, until string, now time.Time, loc *time.Location) (from, to time.Time, err error) {
	if from, err = bound("since", since, now, loc, 0); err != nil {
		return
	}
	if to, err = bound("until", until, now, loc, 1); err != nil {
		return
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		err = Usage("--since %s is not before --until %s", since, until)
	}
	return
}

// bound reads one bound; addDays is added where a whole day was named.
func bound(flag, s string, now time.Time, loc *time.Location, addDays int) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, loc); err == nil {
		return t.AddDate(0, 0, addDays), nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	units := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if unit, ok := units[s[len(s)-1]]; ok {
		if n, err := strconv.ParseUint(s[:len(s)-1], 10, 16); err == nil {
			return now.Add(-time.Duration(n) * unit), nil
		}
	}
	return time.Time{}, Usage("--%s %q: expected a day such as 2026-11-30, RFC 3339, or an age such as 36h, 7d, 4w", flag, s)
}
