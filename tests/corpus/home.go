package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Home is a configuration directory (what CLAUDE_CONFIG_DIR names) under construction.
// Errors of writing are kept and come out of Close; a wrong use of the library panics.
type Home struct {
	Dir    string
	Ledger *Ledger
	// OnTurn, when set, sees each response as it is written.
	OnTurn func(Written)

	seed  uint64
	count uint64 // sessions so far: each has its own stream of random numbers
	open  map[string]*rowFile
	made  map[string]bool
	err   error
}

// NewHome makes a configuration directory at dir; seed decides every id.
func NewHome(dir string, seed uint64) (*Home, error) {
	if err := os.MkdirAll(filepath.Join(dir, "projects"), 0o755); err != nil {
		return nil, err
	}
	return &Home{Dir: dir, Ledger: newLedger(), seed: seed, open: map[string]*rowFile{}, made: map[string]bool{}}, nil
}

// Close writes out every session that is still open and returns the first error there was.
func (h *Home) Close() error {
	for path := range h.open {
		h.closeFile(path)
	}
	return h.err
}

func (h *Home) fail(err error) { h.err = errors.Join(h.err, err) }

// rowFile is one transcript file being written.
type rowFile struct {
	f    *os.File
	w    *bufio.Writer
	buf  []byte
	glue []byte // a document to stand on the same line as the next row
}

// file opens path (relative to Dir) for appending, once.
func (h *Home) file(path string) *rowFile {
	if f := h.open[path]; f != nil {
		return f
	}
	full := filepath.Join(h.Dir, filepath.FromSlash(path))
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !h.made[path] {
		flags |= os.O_TRUNC
		h.made[path] = true
		h.Ledger.Files++
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(full, flags, 0o644)
	}
	if err != nil {
		h.fail(err)
	}
	rf := &rowFile{f: f, w: bufio.NewWriterSize(f, 1<<16)}
	h.open[path] = rf
	return rf
}

func (h *Home) closeFile(path string) {
	rf := h.open[path]
	if rf == nil {
		return
	}
	delete(h.open, path)
	if rf.f == nil {
		return
	}
	if err := errors.Join(rf.w.Flush(), rf.f.Close()); err != nil {
		h.fail(err)
	}
}

// row writes one line to path.
func (h *Home) row(path string, o object) {
	rf := h.file(path)
	rf.buf = appendJSON(rf.buf[:0], o)
	rf.buf = append(rf.buf, rf.glue...)
	rf.glue = rf.glue[:0]
	h.line(rf, rf.buf)
}

// line writes b and a newline, as it is.
func (h *Home) line(rf *rowFile, b []byte) {
	h.Ledger.Lines++
	h.Ledger.Bytes += int64(len(b)) + 1
	rf.w.Write(b) // bufio keeps the error until Flush
	rf.w.WriteByte('\n')
}

// SessionOptions describe a session; the zero value is a session of today's client.
type SessionOptions struct {
	// ID is a UUID; "" makes one from the seed.
	ID string
	// Cwd is the working directory that the rows name; "" is /home/dev/app.
	Cwd string
	// Version of the client; "" is 2.1.332.
	Version string
	// Model that answers on the main thread; "" is claude-opus-5-5.
	Model string
	// Start is the first row's time; zero is 2026-06-01T09:00:00Z plus one hour per session before.
	Start time.Time
	// FiveMinuteCache writes the cache for five minutes instead of one hour.
	FiveMinuteCache bool
	// Context is the size of the first request in tokens (system prompt and tools); 0 is 12,000.
	Context int64
}

// Session starts a session. Close it (or the Home) to have its rows on disk.
func (h *Home) Session(o SessionOptions) *Session {
	h.count++
	rnd := rand.New(rand.NewPCG(h.seed, h.count))
	if o.ID == "" {
		o.ID = uuid(rnd)
	}
	if o.Cwd == "" {
		o.Cwd = "/home/dev/app"
	}
	if o.Version == "" {
		o.Version = "2.1.332"
	}
	if o.Model == "" {
		o.Model = "claude-opus-5-5"
	}
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(h.count-1) * time.Hour)
	}
	if o.Context == 0 {
		o.Context = 12_000
	}
	v, err := parseVersion(o.Version)
	if err != nil {
		panic("corpus: " + err.Error())
	}
	s := &Session{ID: o.ID, home: h, opt: o, v: v, rnd: rnd, now: o.Start, spent: map[string]Usage{}}
	dir := "projects/" + slug(o.Cwd) + "/"
	s.Thread = &Thread{s: s, path: dir + o.ID + ".jsonl", model: o.Model, context: o.Context}
	s.threads = []*Thread{s.Thread}
	return s
}

// slug is the project folder's name: every other character than a letter or digit is a dash.
func slug(cwd string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, cwd)
}

func uuid(r *rand.Rand) string {
	hi, lo := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", hi>>32, hi>>16&0xffff, hi&0xfff, 0x8000|lo>>48&0x3fff, lo&0xffffffffffff)
}

// token makes an id of n characters as the API does.
func token(r *rand.Rand, prefix string, n int) string {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	b := append(make([]byte, 0, len(prefix)+n), prefix...)
	for range n {
		b = append(b, alphabet[r.IntN(len(alphabet))])
	}
	return string(b)
}
