package snapshot

import "time"

// later says whether b is a later moment than a; false when either is missing or is no RFC 3339.
func later(a, b *string) bool {
	if a == nil || b == nil {
		return false
	}
	x, err := time.Parse(time.RFC3339, *a)
	if err != nil {
		return false
	}
	y, err := time.Parse(time.RFC3339, *b)
	return err == nil && y.After(x)
}
