package transcript

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// pieces says above what size a file is cut, and into pieces of what size.
type pieces struct{ above, size int64 }

var defaultPieces = pieces{above: 12 << 20, size: 8 << 20}

// job is one stretch of one file: the lines that start in [from, to).
type job struct {
	digest   *digest
	segment  int // index into digest.segments
	from, to int64
}

// progressEvery is how often Progress is told.
const progressEvery = 100 * time.Millisecond

var errReplaced = errors.New("the file was replaced or cut while it was read")

// plan cuts the file from an offset on into jobs and makes room for their segments.
func (d *digest) plan(p pieces, from int64) []job {
	size := d.source.size
	step := p.size
	if size-from <= p.above {
		step = size - from
	}
	var jobs []job
	for ; from < size; from += step {
		d.segments = append(d.segments, segment{})
		jobs = append(jobs, job{d, len(d.segments) - 1, from, min(from+step, size)})
	}
	d.left.Store(int32(len(jobs)))
	return jobs
}

// walk does the jobs, largest first, and reports progress meanwhile.
func (h *History) walk(ctx context.Context, o Options, jobs []job) error {
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	var next, files, bytes atomic.Int64
	var total Progress
	for _, j := range jobs {
		total.BytesTotal += j.to - j.from
		if j.segment == len(j.digest.segments)-1 {
			total.FilesTotal++
		}
	}
	if o.walking != nil {
		o.walking()
	}
	var group sync.WaitGroup
	for range min(o.workers(), len(jobs)) {
		group.Go(func() {
			w := worker{walker: walker{desk: newDesk(h.names), shaper: o.Shaper, key: h.key}}
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(jobs)) {
					return
				}
				j := jobs[i]
				w.do(j)
				if o.walked != nil {
					o.walked()
				}
				bytes.Add(j.to - j.from)
				if j.digest.left.Add(-1) == 0 {
					files.Add(1)
				}
			}
		})
	}
	if o.Progress == nil {
		group.Wait()
		return ctx.Err()
	}
	o.Progress(total) // the rate is reckoned from here on
	finished := make(chan struct{})
	go func() { group.Wait(); close(finished) }()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-finished:
			return ctx.Err()
		case <-tick.C:
			total.Files, total.Bytes = files.Load(), bytes.Load()
			o.Progress(total)
		}
	}
}

// worker is a walker with its buffers.
type worker struct {
	walker walker
	lines  lines
	behind lines // for looking back
	row    row   // for lines that are only looked at
}

// do walks one job. Of a file that cannot be read to its end what was read stays.
func (w *worker) do(j job) {
	d := j.digest
	f, err := os.Open(d.source.full)
	if err != nil {
		d.fail(err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		d.fail(err)
		return
	}
	if stateOf(info).inode != d.source.inode || info.Size() < d.source.size {
		d.fail(errReplaced)
	}
	if j.to == d.source.size {
		d.readMeta()
		if d.sums, err = endsOf(f, d.source.size); err != nil {
			d.fail(errReplaced)
		}
	}
	l := &w.lines
	before := uint64(0)
	if j.from > 0 {
		before = w.turnBefore(f, d, j.from)
		// The line that the cut goes through is the piece's before this one.
		l.open(f, j.from-1, d.source.size)
		if !l.scan() {
			d.failed(l.err)
			return
		}
	} else {
		l.open(f, 0, d.source.size)
	}
	w.walker.begin(d.source.session(), d.source.agent(), before)
	more, whole := l.scan(), true
	for more && l.at < j.to {
		if whole = l.whole; !whole {
			w.walker.torn()
		}
		if l.long {
			w.walker.feedLong(l.at)
		} else {
			w.walker.feed(l.line, l.at)
		}
		w.ahead(j.to)
		more = l.scan()
	}
	// The answer to the piece's last results may stand behind it.
	for more && w.walker.waits() {
		w.walker.listen(l.line, l.at, &w.row)
		more = l.scan()
	}
	d.segments[j.segment] = w.walker.end(whole)
	d.failed(l.err)
}

// ahead feeds the lines that are read already, as far as they are one object each.
func (w *worker) ahead(to int64) {
	l := &w.lines
	l.pass(0)
	for l.at < to {
		lines := l.ahead()
		if lines == nil {
			return
		}
		n := w.walker.feedAhead(lines, l.at)
		if n == 0 {
			return
		}
		l.pass(n)
	}
}

const (
	lookBack    = 64 << 10
	lookBackMax = reuseReach
)

// turnBefore is the turn of the last assistant row of the file's own conversation that
// starts before an offset, as far as it is near enough to matter.
func (w *worker) turnBefore(f *os.File, d *digest, offset int64) uint64 {
	l := &w.behind
	for back := int64(lookBack); ; back *= 4 {
		from := max(offset-back, 0)
		l.open(f, from, d.source.size)
		if from > 0 {
			l.scan() // most likely a part of a line
		}
		turn := uint64(0)
		for l.scan() && l.at < offset {
			if !l.long && parseOne(l.line, &w.row) && string(w.row.kind) == "assistant" && primary(&w.row, d.source.agent() != "") && billed(&w.row) {
				turn = turnKey(&w.row)
			}
		}
		if turn != 0 || from == 0 || back >= lookBackMax {
			return turn
		}
	}
}

// failed is fail for an error that may be none.
func (d *digest) failed(err error) {
	if err != nil {
		d.fail(err)
	}
}
