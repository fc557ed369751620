package transcript

import (
	"bytes"
	"errors"
	"io"
)

const (
	// maxLine is the longest line that is read; longer ones are counted and skipped.
	maxLine = 64 << 20
	// bufferSize is a worker's read buffer. It fits the second-level cache, so that a
	// line is still there when it is walked; it grows for longer lines and shrinks again.
	bufferSize = 256 << 10
	// keepBuffer is the largest buffer that a worker keeps after a long line.
	keepBuffer = 1 << 20
)

// errShort says that a file ended before the size it had when it was found.
var errShort = errors.New("the file became shorter while it was read")

// lines reads a file line by line from an offset, through ReadAt into one buffer. It
// never maps the file: one that is cut while it is read must be an error, not a crash.
type lines struct {
	src  io.ReaderAt
	size int64 // the file's size when it was found: nothing behind it is read
	buf  []byte
	r, w int   // what is read and not handed out is buf[r:w]
	next int64 // offset of buf[w]
	err  error
	// The latest line.
	line  []byte
	at    int64 // its offset
	long  bool  // it was too long to be read
	whole bool  // it ended with a newline
}

// open begins at an offset.
func (l *lines) open(src io.ReaderAt, from, size int64) {
	if l.buf == nil || len(l.buf) > keepBuffer {
		l.buf = make([]byte, bufferSize)
	}
	*l = lines{src: src, size: size, buf: l.buf, next: from}
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
	if left := l.w - l.r; len(l.buf) > keepBuffer && left < bufferSize/2 {
		l.buf = append(make([]byte, 0, bufferSize), l.buf[l.r:l.w]...)[:bufferSize]
		l.r, l.w = 0, left
	} else if l.r > 0 {
		copy(l.buf, l.buf[l.r:l.w])
		l.r, l.w = 0, left
	}
	if l.w > len(l.buf)/2 && int64(len(l.buf)) < l.size {
		bigger := make([]byte, min(2*len(l.buf), maxLine+bufferSize))
		copy(bigger, l.buf[:l.w])
		l.buf = bigger
	}
	room := l.buf[l.w:]
	if left := l.size - l.next; int64(len(room)) > left {
		room = room[:left]
	}
	n, err := l.src.ReadAt(room, l.next)
	l.w += n
	l.next += int64(n)
	if n < len(room) {
		if err == nil || errors.Is(err, io.EOF) {
			err = errShort
		}
		l.err = err
	}
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
