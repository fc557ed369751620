package transcript

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Options say what to read and how.
type Options struct {
	// ConfigDirs are Claude Code's configuration directories; each holds projects/.
	ConfigDirs []string
	// Shaper reduces each tool call; nil leaves shapes empty. ShaperID must change
	// whenever an answer of it could: digests are kept under it.
	Shaper   Shaper
	ShaperID string
	// CacheDir is where digests are kept; "" keeps none.
	CacheDir string
	// MemoKey names what the caller will compute from the history and with which options;
	// "" asks for no memo. See History.Memo.
	MemoKey string
	// Workers is how many goroutines read at once; 0 means GOMAXPROCS.
	Workers int
	// Progress, if set, is called now and then by the goroutine that called Open.
	Progress func(Progress)
	// Sized, if set, is told the history's size in bytes before anything of it is read.
	Sized func(bytes int64)

	// For tests: how big files are cut, and what is told before the walk and after each piece.
	pieces          pieces
	walking, walked func()
}

// workers is how many goroutines work at once.
func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Progress is how far the reading is.
type Progress struct {
	Files, FilesTotal int64
	Bytes, BytesTotal int64
}

var errNoDirectory = errors.New("not a directory, expected a Claude Code configuration directory")

// History is what the files of one or more configuration directories hold, each API
// response once. It is made by Open and then only read.
type History struct {
	Files    []File
	Input    Input
	Warnings []audit.Warning
	// Memo is what Remember kept for the same files and the same Options.MemoKey. Where it
	// is set nothing else was read: Input and Warnings are empty, Sessions yields nothing.
	Memo []byte

	key      uint64 // hides argument identities; lives and dies with the cache
	names    *names
	digests  []*digest
	sessions []*sessionFiles
	owners   *owners

	store    *store       // nil without a cache
	noCache  error        // why nothing can be kept
	kept     func() error // see Kept, nil where nothing is being written
	damaged  atomic.Bool  // see Err
	memoPath string       // where Remember writes, "" for nowhere
	manifest uint64
	settled  bool                   // no file can have changed unseen
	parts    map[fingerprint][]byte // see Part
}

// Open finds and reads all transcripts. A file that cannot be read, or that changed
// while it was read, is a warning; an error means that there is no answer at all. No
// directory at all is an empty history.
func Open(ctx context.Context, o Options) (*History, error) {
	sources, warnings, err := find(o.ConfigDirs)
	if err != nil {
		return nil, err
	}
	if o.Sized != nil {
		total := int64(0)
		for i := range sources {
			total += sources[i].size
		}
		o.Sized(total)
	}
	h := &History{names: newNames(), Warnings: warnings, key: rand.Uint64()}
	s := storeFor(o)
	if s == nil || len(o.ConfigDirs) == 0 {
		jobs := h.prepare(o, sources, nil)
		if err := h.read(ctx, o, jobs); err != nil {
			return nil, err
		}
		return h, h.merge()
	}
	parts := func() keptParts { return keptParts{} }
	if o.MemoKey != "" && len(warnings) == 0 {
		h.memoPath = s.memoPath(o.MemoKey)
		if h.Memo = s.recall(o.MemoKey, sources); h.Memo != nil {
			return h, nil
		}
		parts = ahead(func() keptParts { return loadParts(partsPath(h.memoPath)) })
	}
	h.noCache = s.begin()
	defer s.abandon()
	k := s.load()
	err = h.readThrough(ctx, o, s, sources, k)
	if k != nil && (errors.Is(err, errNames) || errors.Is(err, errDigest)) {
		// Its hash is right and yet it makes no sense: written by a program with a fault.
		_ = h.Kept()
		*h = History{names: newNames(), Warnings: warnings, key: rand.Uint64(), memoPath: h.memoPath, noCache: h.noCache}
		if s.begun == nil && h.noCache == nil {
			h.noCache = s.begin()
		}
		err = h.readThrough(ctx, o, s, sources, nil)
	}
	if err != nil {
		return nil, err
	}
	if p := parts(); p.key == h.key {
		h.parts = p.list
	}
	h.fingerprints()
	return h, nil
}

// readThrough reads what the cache k has not, and has the cache written anew if need be.
func (h *History) readThrough(ctx context.Context, o Options, s *store, sources []source, k *kept) error {
	if k != nil {
		h.key = k.key
		h.names.adopt(k.records)
	}
	jobs := h.prepare(o, sources, k)
	if err := h.read(ctx, o, jobs); err != nil {
		return err
	}
	h.settle(s, sources)
	if sound := h.sound(); h.noCache == nil && k.outdated(sound) {
		base, files := len(h.names.records), []*eventsFile(nil)
		if k != nil {
			base, files = k.base, k.files
		}
		// It is written while all else goes on: from here on names and digests are only read.
		f := s.take()
		h.kept = ahead(func() error { return h.keep(s, f, sound, base, files) })
	}
	return h.merge()
}

// ahead begins to compute an answer; what it returns waits for it.
func ahead[T any](answer func() T) func() T {
	done := make(chan T, 1)
	go func() { done <- answer() }()
	return sync.OnceValue(func() T { return <-done })
}

// Err says whether a session that was given out is not whole, since what was kept of it is
// damaged. Then nothing that was computed from the history is right: Forget what was kept,
// and Open it again.
func (h *History) Err() error {
	if h.damaged.Load() {
		return ErrDamaged
	}
	return nil
}

// ErrDamaged is the answer of Err.
var ErrDamaged = errors.New("what was kept of the history is damaged")

// Forget removes what was kept of the history.
func (h *History) Forget() {
	_ = h.Kept()
	os.Remove(h.store.path())
}

// Kept waits until the digests are kept, and says why they could not be; the history
// itself is whole. A program that ends before that has read in vain.
func (h *History) Kept() error {
	if h.kept == nil {
		return h.noCache
	}
	return h.kept()
}

// settle decides whether what is computed now may be remembered.
func (h *History) settle(s *store, sources []source) {
	h.settled = h.noCache == nil && len(h.sound()) == len(h.digests)
	for i := range sources {
		h.settled = h.settled && s.trusts(&sources[i])
	}
	h.store, h.manifest = s, manifest(sources)
}

// sound are the digests of the files that were read as they were found: those that may be
// kept.
func (h *History) sound() []*digest {
	return slices.DeleteFunc(slices.Clone(h.digests), func(d *digest) bool { return d.trouble != nil })
}

// manyJobs is how many files or pieces leave garbage worth collecting at once.
const manyJobs = 32

// read does the jobs and adds up what was read.
func (h *History) read(ctx context.Context, o Options, jobs []job) error {
	if err := h.walk(ctx, o, jobs); err != nil {
		return err
	}
	if len(jobs) > manyJobs {
		// The walk leaves buffers behind, and what comes next allocates faster than a
		// collector beside it can follow: a large session is put together in milliseconds.
		runtime.GC()
	}
	if err := h.names.freeze(); err != nil {
		return err
	}
	return h.makeViews(o.workers())
}

// account adds a digest to the input and warns of what could not be read in it.
func (h *History) account(d *digest, v *view) {
	in := &h.Input
	in.Files++
	in.Bytes += d.source.size
	if d.trouble != nil {
		h.warn("unreadable", d, 0, "was not read to its end: "+reason(d.trouble))
	}
	for i := range d.segments {
		s := &d.segments[i]
		in.Lines += int64(s.lines)
		in.Bad += int64(s.bad)
		in.Unexpected += int64(s.odd)
		in.TooLong += int64(s.long)
	}
	for _, f := range v.flaws {
		h.warn(flaws[f.kind].code, d, int(f.line), flaws[f.kind].message)
	}
	if v.more > 0 {
		h.warn("more-flaws", d, 0, wording.Amount(int(v.more), "more line of this file was skipped", "more lines of this file were skipped"))
	}
}

// flaws say what was wrong with a line, by kind.
var flaws = [...]struct{ code, message string }{
	flawBad:  {"bad-line", "not valid JSON: skipped"},
	flawOdd:  {"unexpected-line", "valid JSON but no object: skipped"},
	flawLong: {"too-long-line", "longer than 64 MiB: skipped"},
}

func (h *History) warn(code string, d *digest, line int, message string) {
	h.Warnings = append(h.Warnings, audit.Warning{Code: code, Path: shown(d.source.path), Line: line, Message: message})
}
