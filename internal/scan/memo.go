package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"runtime/debug"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
)

// A document depends on the files and on these members of Options only. While no file
// changes, a second run with the same of them answers with the document of the first.
// Where CacheDir is "" nothing is kept.

// measureVersion changes whenever the same history could give another document than before.
const measureVersion = "3"

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
	prices := o.prices()
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
		o.Since.UnixNano(), o.Until.UnixNano(), zone, o.Project, prices.WeightsVersion(), o.BySession,
	})
	if err != nil {
		return "" // no name, no memo
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// remembered is the document of a memo; nil where it is none.
func remembered(memo []byte) *Document {
	var doc Document
	if memo == nil || json.Unmarshal(memo, &doc) != nil || doc.Document != Kind {
		return nil
	}
	return &doc
}
