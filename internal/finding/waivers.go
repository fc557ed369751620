package finding

import (
	"fmt"
	"strings"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// ReadWaivers reads waivers/v1, JSON or block-style YAML, strictly. today is the day on
// which the check runs, at midnight. A waiver without a reason, without a readable day, or
// past its day is refused with its place: a waiver that nobody can account for is a
// mistake in the file, not a smaller finding.
func ReadWaivers(data []byte, today time.Time) ([]Waiver, error) {
	var doc Waivers
	if err := boundary.DecodeWritten(data, WaiversKind, &doc); err != nil {
		return nil, err
	}
	day := today.Format(time.DateOnly)
	seen := map[string]int{}
	for i, w := range doc.Waivers {
		at := fmt.Sprintf("waivers[%d]", i)
		if strings.TrimSpace(w.ID) == "" {
			return nil, fmt.Errorf("%s.id: missing, expected a candidate's id", at)
		}
		if first, ok := seen[w.ID]; ok {
			return nil, fmt.Errorf("%s.id: %q already has waivers[%d]", at, w.ID, first)
		}
		seen[w.ID] = i
		if strings.TrimSpace(w.Reason) == "" {
			return nil, fmt.Errorf("%s.reason: missing: a waiver says why (%s)", at, w.ID)
		}
		if _, err := time.Parse(time.DateOnly, w.Expires); err != nil {
			return nil, fmt.Errorf("%s.expires: expected the last day on which it holds, as 2026-12-31 (%s)", at, w.ID)
		}
		if w.Expires < day {
			return nil, fmt.Errorf("%s.expires: expired on %s (%s): mend the finding or renew the waiver", at, w.Expires, w.ID)
		}
	}
	return doc.Waivers, nil
}
