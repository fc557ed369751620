package transcript

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	// maxLine is the longest line that is read; longer ones are counted and skipped.
	maxLine = 64 << 20
	// bufferSize is a worker's read buffer. It fits the second-level cache, so that a
	// line is still there when it is walked.
	bufferSize = 256 << 10
	// spareSize is the buffer for longer lines. The workers share the spare ones; a line
	// that is longer still gets one of its own, which is not kept.
	spareSize = 4 << 20
)

// errShort says that a file ended before the size it had when it was found.
var errShort = errors.New("the file became shorter while it was read")

// lines reads a file line by line from an offset, through ReadAt into one buffer. It
// never maps the file: one that is cut while it is read must be an error, not a crash.
type lines struct {
	src  io.ReaderAt
	size int64 // the file's size when it was found: nothing behind it is read
	buf  []byte
	own  []byte // the worker's buffer, while buf is a larger one
	r, w int    // what is read and not handed out is buf[r:w]
	next int64  // offset of buf[w]
	last int    // buf[last-1] is the last newline that was read, if last > r
	err  error
	// The latest line.
	line  []byte
	at    int64 // its offset
	long  bool  // it was too long to be read
	whole bool  // it ended with a newline
}

// open begins at an offset.
func (l *lines) open(src io.ReaderAt, from, size int64) {
	if l.buf == nil {
		l.buf = make([]byte, bufferSize)
	}
	l.shrink()
	*l = lines{src: src, size: size, buf: l.buf, next: from}
}

// spares are the buffers for long lines that nobody uses.
var spares = sync.Pool{New: func() any { return new([spareSize]byte) }}

// grow puts what is left into a larger buffer.
func (l *lines) grow() {
	var bigger []byte
	if len(l.buf) < spareSize {
		bigger = spares.Get().(*[spareSize]byte)[:]
	} else {
		bigger = make([]byte, min(2*len(l.buf), maxLine+bufferSize))
	}
	left := copy(bigger, l.buf[l.r:l.w])
	if l.own == nil {
		l.own = l.buf
	} else {
		release(l.buf)
	}
	l.buf, l.r, l.w = bigger, 0, left
}

// shrink goes back to the worker's own buffer, which has room for what is left.
func (l *lines) shrink() {
	if l.own == nil {
		return
	}
	l.w = copy(l.own, l.buf[l.r:l.w])
	release(l.buf)
	l.buf, l.own, l.r = l.own, nil, 0
}

// release gives a large buffer back.
func release(buf []byte) {
	if len(buf) == spareSize {
		spares.Put((*[spareSize]byte)(buf))
	}
}

// scan moves to the next line; false at the end or on an error.
func (l *lines) scan() bool {
	l.at = l.next - int64(l.w-l.r)
	seen := 0 // bytes after r that hold no newline
	for {
		if i := bytes.IndexByte(l.buf[l.r+seen:l.w], '\n'); i >= 0 {
			l.hand(seen+i, true)
			return true
		}
		seen = l.w - l.r
		if l.next >= l.size || l.err != nil {
			if seen == 0 || l.err != nil {
				return false
			}
			l.hand(seen, false)
			return true
		}
		if seen > maxLine {
			return l.skipLong()
		}
		l.fill()
	}
}

// ahead is what was read and not handed out, up to its last newline: whole lines.
func (l *lines) ahead() []byte {
	if l.last <= l.r {
		return nil
	}
	return l.buf[l.r:l.last]
}

// pass hands out the next n bytes, which end with a newline.
func (l *lines) pass(n int) {
	l.r += n
	l.at = l.next - int64(l.w-l.r)
}

// hand makes the next n bytes the line.
func (l *lines) hand(n int, newline bool) {
	l.line, l.whole, l.long = l.buf[l.r:l.r+n:l.r+n], newline, n > maxLine
	l.r += n
	if newline {
		l.r++
	}
}

// fill reads more behind what is there, making room first.
func (l *lines) fill() {
	switch left := l.w - l.r; {
	case left <= bufferSize/2 && l.own != nil:
		l.shrink()
	case len(l.buf)-l.w >= bufferSize/2: // there is room
	case left > len(l.buf)/2 && int64(len(l.buf)) < l.size:
		l.grow()
	default:
		l.w = copy(l.buf, l.buf[l.r:l.w])
		l.r = 0
	}
	room := l.buf[l.w:min(l.w+bufferSize, len(l.buf))]
	if left := l.size - l.next; int64(len(room)) > left {
		room = room[:left]
	}
	n, err := l.src.ReadAt(room, l.next)
	l.last = 0
	if i := lastNewline(room[:n]); i >= 0 && len(l.buf) <= spareSize {
		l.last = l.w + i + 1
	}
	l.w += n
	l.next += int64(n)
	if n < len(room) {
		if err == nil || errors.Is(err, io.EOF) {
			err = errShort
		}
		l.err = err
	}
}

// lastNewline is bytes.LastIndexByte, which looks at one byte at a time, for long lines.
func lastNewline(b []byte) int {
	const step = 4 << 10
	for end := len(b); end > 0; end = max(end-step, 0) {
		from := max(end-step, 0)
		last := -1
		for i := bytes.IndexByte(b[from:end], '\n'); i >= 0; i = bytes.IndexByte(b[from+last+1:end], '\n') {
			last += i + 1
		}
		if last >= 0 {
			return from + last
		}
	}
	return -1
}

// skipLong passes over a line that is too long, keeping nothing of it.
func (l *lines) skipLong() bool {
	l.long, l.line, l.whole = true, nil, false
	for {
		l.r, l.w = 0, 0
		if l.next >= l.size {
			return true
		}
		l.fill()
		if l.err != nil {
			return false
		}
		if i := bytes.IndexByte(l.buf[:l.w], '\n'); i >= 0 {
			l.r, l.whole = i+1, true
			return true
		}
	}
}
