package boundary

import (
	"regexp"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// Evidence is by reference only: file:line (or file:line-line), a signal's id, or a
// signature hash. It never quotes.
var (
	fileLine = regexp.MustCompile(`^([^:\n]{1,400}):[1-9][0-9]{0,6}(?:-[1-9][0-9]{0,6})?$`)
	signalID = regexp.MustCompile(`^[a-z][a-z0-9]*(?:[_:.-][A-Za-z0-9_:.-]+)*$`)
)

// isReference reports whether s has the form of an evidence reference.
func isReference(s string) bool {
	return len(s) <= 500 && (fileLine.MatchString(s) || signalID.MatchString(s))
}

// references knows what evidence may point at: the plugin's files, and the ids of
// whatever was measured. Without an inventory every well-formed reference is taken.
type references struct {
	files map[string]bool
	ids   map[string]bool
}

func newReferences(inv *inventory.Document, sc *scan.Document, cands *Candidates) references {
	r := references{ids: map[string]bool{}}
	for _, c := range cands.Candidates {
		if c.SignatureHash != "" {
			r.ids[c.SignatureHash] = true
		}
		for _, w := range c.Why {
			r.ids[w.Signal] = true
		}
		if c.Measured != nil {
			for _, e := range c.Measured.Evidence {
				r.ids[e] = true
			}
		}
	}
	if sc != nil {
		for _, s := range sc.Sequences {
			r.ids[s.ID], r.ids[s.SignatureHash] = true, true
		}
		for _, s := range sc.Staples {
			r.ids[s.ID], r.ids[s.SignatureHash] = true, true
		}
	}
	if inv != nil {
		r.files = pluginFiles(inv)
		for _, c := range inv.Components {
			for _, e := range c.Signals.Evidence {
				r.ids[e.Signal] = true
			}
		}
	}
	return r
}

// pluginFiles are all the files that an inventory names, relative to the plugin.
func pluginFiles(inv *inventory.Document) map[string]bool {
	files := map[string]bool{".claude-plugin/plugin.json": true}
	for _, c := range inv.Components {
		files[c.Path] = true
	}
	for _, h := range inv.Surface.Hooks {
		files[h.Source], files[h.Script] = true, true
	}
	for _, s := range inv.Surface.Servers {
		files[s.Source] = true
	}
	for _, e := range inv.Surface.Executables {
		files[e.Path] = true
	}
	for _, o := range inv.Surface.Other {
		files[o.Path] = true
	}
	for _, f := range inv.Surface.References {
		files[f.Path] = true
	}
	for _, f := range inv.Surface.Tests {
		files[f.Path] = true
	}
	delete(files, "")
	return files
}

// known reports whether ref names something that is there. A path may be longer than
// the plugin's own (the plugin inside its repository): its end decides.
func (r references) known(ref string) bool {
	if r.ids[ref] {
		return true
	}
	m := fileLine.FindStringSubmatch(ref)
	if m == nil {
		return false
	}
	if r.files == nil {
		return true
	}
	path := strings.TrimPrefix(m[1], "./")
	for !r.files[path] {
		_, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			return false
		}
		path = rest
	}
	return true
}
