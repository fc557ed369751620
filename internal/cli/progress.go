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
	begun time.Time
	bar   *progressbar.ProgressBar
}

// Progress begins a step. Its bar is cleared when the verb ends or writes a note.
func (c *Call) Progress() *Bar {
	c.endProgress()
	c.bar = &Bar{call: c, begun: c.sys.Now()}
	return c.bar
}

// Bytes says that done of total bytes are behind; title, as it is now, stands before the bar.
func (b *Bar) Bytes(title string, done, total int64) {
	if !b.call.sys.Terminal || total <= 0 {
		return
	}
	if b.bar == nil {
		if b.call.sys.Now().Sub(b.begun) < progressAfter {
			return
		}
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.call.sys.Stderr),
			progressbar.OptionSetDescription(title),
			// It begins late, at what is done by then: a rate or an end foretold from there would be wrong.
			progressbar.OptionShowBytes(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish())
	} else {
		b.bar.Describe(title)
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
