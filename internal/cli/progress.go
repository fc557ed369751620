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
	title string
	bar   *progressbar.ProgressBar
}

// Progress begins a step. Its bar is cleared when the verb ends or writes a note.
func (c *Call) Progress() *Bar {
	c.endProgress()
	c.bar = &Bar{call: c, begun: c.sys.Now()}
	return c.bar
}

// Bytes says that done of total bytes are behind; title, as it is now, stands before the bar.
// The first call should come with the step's beginning: the rate and the time that is left
// are reckoned from it on.
func (b *Bar) Bytes(title string, done, total int64) {
	if !b.call.sys.Terminal || total <= 0 {
		return
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(late{b}),
			progressbar.OptionSetDescription(title),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowTotalBytes(true),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish())
	}
	if total != b.bar.GetMax64() {
		b.bar.ChangeMax64(total)
	}
	if title != b.title {
		b.title = title
		b.bar.Describe(title)
	}
	_ = b.bar.Set64(done) // a terminal that cannot be drawn on is no reason to stop
}

// late is the terminal, which shows nothing of a bar until its step has taken long enough.
type late struct{ *Bar }

func (l late) Write(p []byte) (int, error) {
	if l.call.sys.Now().Sub(l.begun) < progressAfter {
		return len(p), nil
	}
	return l.call.sys.Stderr.Write(p)
}

func (c *Call) endProgress() {
	if c.bar != nil && c.bar.bar != nil {
		_ = c.bar.bar.Finish()
	}
	c.bar = nil
}
