package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestProgress: a bar is drawn on a terminal only, only after a second, and is gone before anything else is said.
func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		passed   time.Duration
		drawn    bool
	}{
		{"a terminal, a long step", true, 2 * time.Second, true},
		{"a terminal, a short step", true, time.Second / 2, false},
		{"no terminal", false, time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var errs bytes.Buffer
			now := time.Unix(0, 0)
			c := &Call{tool: "t", sys: Sys{Stderr: &errs, Terminal: tt.terminal, Now: func() time.Time { return now }}}
			bar := c.Progress()
			bar.Bytes("files 0/2", 0, 1024)
			if errs.Len() > 0 {
				t.Errorf("drawn at once: %q", &errs)
			}
			now = now.Add(tt.passed)
			bar.Bytes("files 1/2", 512, 1024)
			if drawn := strings.Contains(errs.String(), "files 1/2"); drawn != tt.drawn {
				t.Errorf("drawn: %v, want %v: %q", drawn, tt.drawn, errs.String())
			}
			if said := errs.String(); tt.drawn != strings.Contains(said, " 50%") || tt.drawn != strings.Contains(said, "512 B/1.0 kB") {
				t.Errorf("not where it stands: %q", said)
			}
			c.Note("done")
			if !strings.HasSuffix(errs.String(), "t: done\n") {
				t.Errorf("the note is not the last thing said: %q", errs.String())
			}
			if c.bar != nil {
				t.Error("the bar is still there")
			}
		})
	}
}
