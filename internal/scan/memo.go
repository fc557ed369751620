package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
)

// A document depends on the files and on these members of Options only. While no file
// changes, a second run with the same of them answers with the document of the first.
// Where CacheDir is "" nothing is kept.

// memoKey names the document that o asks for.
func memoKey(o Options) string {
	prices := o.Prices
	if prices == nil {
		prices = pricing.Default()
	}
	zone := ""
	if o.Location != nil {
		zone = o.Location.String()
	}
	raw, err := json.Marshal(struct {
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
		signature.New(o.Own).WithKey(o.Key).ID(), o.Target, o.Components, o.Vocabulary, o.Installed,
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
