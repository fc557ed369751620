package scan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// A document depends on the files and on these members of Options only. While no file
// changes, a second run with the same of them answers with the document of the first, as it
// was written: nobody reads it who only passes it on. Where CacheDir is "" nothing is kept.

// Answer is a document that was measured now, or written by an earlier run.
type Answer struct {
	doc  *Document // nil until somebody asks for it
	text []byte    // nil until then
}

// Ask measures as Run does, for a caller that may only pass the document on.
func Ask(ctx context.Context, o Options) (*Answer, error) {
	return withHistory(ctx, o, memoKey(o), func(h *transcript.History) (*Answer, error) {
		if h.Memo != nil {
			return &Answer{text: h.Memo}, nil
		}
		r, err := newMeasurement(o).measure(ctx, h)
		if err != nil {
			return nil, err
		}
		a := &Answer{doc: r.doc}
		if o.CacheDir != "" && !a.Empty() {
			if err := a.write(); err != nil {
				return nil, err
			}
			_ = h.Remember(a.text) // what cannot be kept is computed again
		}
		return a, nil
	})
}

func (a *Answer) write() error {
	var b bytes.Buffer
	err := jsondoc.Encode(&b, a.doc)
	a.text = b.Bytes()
	return err
}

// WriteTo writes the document as jsondoc.Encode does.
func (a *Answer) WriteTo(w io.Writer) (int64, error) {
	if a.text == nil {
		if err := a.write(); err != nil {
			return 0, err
		}
	}
	n, err := w.Write(a.text)
	return int64(n), err
}

// Document is what was measured.
func (a *Answer) Document() (*Document, error) {
	if a.doc == nil {
		doc := new(Document)
		if err := json.Unmarshal(a.text, doc); err != nil {
			return nil, fmt.Errorf("the kept document: %w", err)
		}
		a.doc = doc
	}
	return a.doc, nil
}

// Empty says that nothing was read, and that no warning tells why. Such a document is not kept.
func (a *Answer) Empty() bool {
	return a.doc != nil && a.doc.Input.Files == 0 && len(a.doc.Warnings) == 0
}

// measureVersion changes whenever the same history could give another document than before.
const measureVersion = "5"

// builtFrom is the revision that this program was built from, "" when nothing tells: together
// with measureVersion it keeps one build from answering with another's document.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	out := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" || s.Key == "vcs.time" {
			out += " " + s.Value
		}
	}
	return out
}

// memoKey names the document that o asks for.
func memoKey(o Options) string {
	weights := pricing.WeightsVersion
	if o.Prices != nil {
		weights = o.Prices.WeightsVersion()
	}
	zone := ""
	if o.Location != nil {
		zone = o.Location.String()
	}
	raw, err := json.Marshal(struct {
		Version      string
		Own          string // Key and Own, as far as they matter
		Target       *audit.Target
		Components   []audit.ComponentRef
		Vocabulary   map[string][]string
		Installed    map[string]string
		Since, Until int64
		Zone         string
		Project      string
		Prices       string
		BySession    bool
	}{
		measureVersion + " " + builtFrom(), signature.New(o.Own).WithKey(o.Key).ID(), o.Target, o.Components, o.Vocabulary, o.Installed,
		o.Since.UnixNano(), o.Until.UnixNano(), zone, o.Project, weights, o.BySession,
	})
	if err != nil {
		return "" // no name, no memo
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
