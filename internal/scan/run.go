package scan

import (
	"context"

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

// run measures; rows, if set, gets every turn that counts.
func run(ctx context.Context, o Options, rows func(turnRow)) (result, *transcript.History, error) {
	h, err := open(ctx, o, "")
	if err != nil {
		return result{}, nil, err
	}
	r, err := measure(ctx, o, h, rows)
	return r, h, err
}

// measure passes the sessions of a history through one measurement.
func measure(ctx context.Context, o Options, h *transcript.History, rows func(turnRow)) (result, error) {
	m := newMeasurement(o)
	m.rows = rows
	for s := range h.Sessions() {
		if err := ctx.Err(); err != nil {
			return result{}, err
		}
		m.add(s)
	}
	r := m.finish()
	r.doc.Input = h.Input
	r.doc.Warnings = append(r.doc.Warnings, h.Warnings...)
	return r, nil
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
