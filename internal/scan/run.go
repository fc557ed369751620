package scan

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// Run measures the use of the target, or of every plugin. The same input gives the same
// document to the byte. An empty history is an honest empty document; an error means that
// there is no answer at all.
func Run(ctx context.Context, o Options) (*Document, error) {
	a, err := Ask(ctx, o)
	if err != nil {
		return nil, err
	}
	return a.Document()
}

// withHistory computes an answer from the history. Where what was kept of it turns out to be
// damaged it is forgotten, and the answer computed from the files.
func withHistory[T any](ctx context.Context, o Options, memo string, answer func(*transcript.History) (T, error)) (T, error) {
	for {
		h, err := open(ctx, o, memo)
		if err != nil {
			var none T
			return none, err
		}
		out, err := answer(h)
		_ = h.Kept() // what cannot be kept is read again
		if h.Err() == nil || o.CacheDir == "" {
			return out, err
		}
		h.Forget()
		o.CacheDir = ""
	}
}

// measure measures the sessions of a history, as many at once as there are workers, and adds
// their parts up in order: the document does not depend on who was first.
func (m *measurement) measure(ctx context.Context, h *transcript.History) (result, error) {
	w := whole{m, newPart()}
	order, parts := h.LargestFirst(), make([]*part, h.Len())
	keeper := h.Keeper()
	var next atomic.Int64
	var adding sync.Mutex
	added := 0
	var group sync.WaitGroup
	for range min(m.o.workers(), len(parts)) {
		group.Go(func() {
			from := partSource{h: h, builder: h.Builder(), meter: m.meter()}
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(order) {
					return
				}
				i := order[n]
				p, packed := from.part(i, keeper.Keeps(i))
				adding.Lock()
				keeper.Keep(i, packed)
				for parts[i] = p; added < len(parts) && parts[added] != nil; added++ {
					w.add(parts[added])
					parts[added] = nil
				}
				adding.Unlock()
			}
		})
	}
	group.Wait()
	err := cmp.Or(ctx.Err(), h.Err())
	kept := make(chan struct{})
	go func() { // beside the mining
		defer close(kept)
		_ = keeper.Close(err == nil) // what cannot be kept is measured again
	}()
	var r result
	if err == nil {
		r = w.finish()
		r.doc.Input = h.Input
		r.doc.Warnings = append(r.doc.Warnings, h.Warnings...)
	}
	<-kept
	return r, err
}

// partSource gives parts of sessions: one goroutine's.
type partSource struct {
	h       *transcript.History
	builder *transcript.Builder
	meter   *meter
	codec   partCodec
}

// part is the i-th session's, as it was kept or measured now. It comes packed where it is to
// be kept.
func (s *partSource) part(i int, keep bool) (p *part, packed []byte) {
	if packed = s.h.Part(i); packed != nil {
		if p = s.codec.unpack(packed, s.h.SessionFiles(i)); p != nil {
			return p, packed
		}
	}
	p = newPart()
	if session := s.builder.Session(i); session != nil {
		p = s.meter.session(session)
		s.builder.Release()
	}
	if keep {
		packed = s.codec.pack(p, s.h.SessionFiles(i))
	}
	return p, packed
}

// open reads the history with the shapes of this target. memo names what is computed from
// it, "" where nothing of that is kept.
func open(ctx context.Context, o Options, memo string) (*transcript.History, error) {
	masker := signature.New(o.Own).WithKey(o.Key)
	return transcript.Open(ctx, transcript.Options{
		ConfigDirs: o.ConfigDirs, CacheDir: o.CacheDir, Workers: o.Workers, Progress: o.Progress, Sized: o.Sized,
		Shaper: shaper(masker), ShaperID: masker.ID(), MemoKey: memo,
	})
}

// shaper lets the masker speak the transcript room's words.
func shaper(m *signature.Masker) transcript.Shaper {
	return func(tool, input []byte, args []transcript.Member) transcript.Shape {
		return transcript.Shape(m.Shape(tool, input, args))
	}
}
