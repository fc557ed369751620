package scan

import (
	"strconv"
	"strings"
)

// stamping says what the absence of a stamp on a row means.
type stamping uint8

const (
	// blind clients (up to 2.1.119) write no stamps at all.
	blind stamping = iota
	// unsure clients (2.1.120 to 2.1.172, or no version) may or may not: read as blind.
	unsure
	// stamps are written by every client from 2.1.173 on: no stamp, no skill.
	stamps
)

// versions remembers what it was asked: a history names few versions, very often.
type versions struct {
	known   map[string]stamping
	latest  string
	stamped stamping // by latest
}

// stamping reads a client version such as "2.1.280".
func (v *versions) stamping(version string) stamping {
	if v.known == nil {
		v.known = map[string]stamping{}
	} else if v.latest == version {
		return v.stamped
	}
	s, ok := v.known[version]
	if !ok {
		s = readStamping(version)
		v.known[version] = s
	}
	v.latest, v.stamped = version, s
	return s
}

func readStamping(version string) stamping {
	switch v := versionNumber(version); {
	case v == 0:
		return unsure
	case v >= number(2, 1, 173):
		return stamps
	case v <= number(2, 1, 119):
		return blind
	}
	return unsure
}

func number(major, minor, patch int64) int64 { return major*1_000_000_000 + minor*1_000_000 + patch }

// versionNumber orders versions; 0 is what is not one.
func versionNumber(s string) int64 {
	major, rest, ok := strings.Cut(s, ".")
	minor, rest, more := strings.Cut(rest, ".")
	if !ok || !more {
		return 0
	}
	patch, _, _ := strings.Cut(rest, "-")
	var n [3]int64
	for i, p := range [...]string{major, minor, patch} {
		v, err := strconv.ParseInt(p, 10, 32)
		if err != nil || v < 0 || v > 999_999 {
			return 0
		}
		n[i] = v
	}
	return number(n[0], n[1], n[2])
}
