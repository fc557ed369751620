package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressAfter is how long a run may take before its progress is worth drawing.
const progressAfter = time.Second

// Bar draws the progress of one long step on a terminal's standard error, once the step
// has taken more than a second. Elsewhere it does nothing. It is for one goroutine.
type Bar struct {
	call  *Call
	title string
	begun time.Time
	bar   *progressbar.ProgressBar
}

// Progress begins a step. Its bar is cleared when the verb ends or writes a note.
func (c *Call) Progress(title string) *Bar {
	c.endProgress()
	c.bar = &Bar{call: c, title: title, begun: time.Now()}
	return c.bar
}

// Bytes says that done of total bytes are behind.
func (b *Bar) Bytes(done, total int64) {
	if !b.call.sys.Terminal || total <= 0 {
		return
	}
	if b.bar == nil {
		if time.Since(b.begun) < progressAfter {
			return
		}
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.call.sys.Stderr),
			progressbar.OptionSetDescription(b.title),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowTotalBytes(true),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish())
	}
	if total != b.bar.GetMax64() {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(done) // a terminal that cannot be drawn on is no reason to stop
}

func (c *Call) endProgress() {
	if c.bar != nil && c.bar.bar != nil {
		_ = c.bar.bar.Finish()
	}
	c.bar = nil
}
