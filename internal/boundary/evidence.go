package boundary

import (
	"strconv"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// Evidence is by reference only: file:line (or file:line-line), a signal's id, or a
// signature hash. It never quotes.
var (
	fileLine = pattern.New(`^([^:\n]{1,400}):([1-9][0-9]{0,6})(?:-([1-9][0-9]{0,6}))?$`)
	signalID = pattern.New(`^[a-z][a-z0-9]*(?:[_:.-][A-Za-z0-9_:.-]+)*$`)
)

// isReference reports whether s has the form of an evidence reference.
func isReference(s string) bool {
	return len(s) <= 500 && (fileLine().MatchString(s) || signalID().MatchString(s))
}

// references knows what evidence may point at: the plugin's files, and the ids of
// whatever was measured. Without an inventory every well-formed reference is taken.
type references struct {
	files map[string]int // their number of lines, 0 where it is not known; nil without an inventory
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

// pluginFiles are all the files that an inventory names, relative to the plugin, each with
// its number of lines.
func pluginFiles(inv *inventory.Document) map[string]int {
	files := map[string]int{".claude-plugin/plugin.json": 0}
	add := func(path string, lines int) { files[path] = max(files[path], lines) }
	for _, c := range inv.Components {
		add(c.Path, c.Lines)
	}
	for _, h := range inv.Surface.Hooks {
		add(h.Source, 0)
		add(h.Script, 0)
	}
	for _, s := range inv.Surface.Servers {
		add(s.Source, 0)
	}
	for _, e := range inv.Surface.Executables {
		add(e.Path, e.Lines)
	}
	for _, o := range inv.Surface.Other {
		add(o.Path, 0)
	}
	for _, f := range inv.Surface.Sources {
		add(f.Path, f.Lines)
	}
	for _, f := range inv.Surface.References {
		add(f.Path, f.Lines)
	}
	for _, f := range inv.Surface.Tests {
		add(f.Path, f.Lines)
	}
	delete(files, "")
	return files
}

// known reports whether ref names something that is there: an id, or lines of a file that
// are not beyond its end.
func (r references) known(ref string) bool {
	_, found := r.find(ref)
	return found
}

// find is ref as it is known here. A path may be longer than the plugin's own (the plugin
// inside its repository, or where it stands on somebody's machine): its end decides, and
// is all that is kept.
func (r references) find(ref string) (string, bool) {
	if r.ids[ref] {
		return ref, true
	}
	m := fileLine().FindStringSubmatch(ref)
	if m == nil {
		return "", false
	}
	path, at := m[1], ref[len(m[1]):]
	if r.files == nil {
		return ref, !elsewhere().MatchString(path)
	}
	path = strings.TrimPrefix(path, "./")
	lines, there := r.files[path]
	for !there {
		_, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			return "", false
		}
		path = rest
		lines, there = r.files[path]
	}
	if lines > 0 {
		for _, line := range m[2:] {
			if n, err := strconv.Atoi(line); err == nil && n > lines { // the last one may be ""
				return "", false
			}
		}
	}
	return path + at, true
}

// elsewhere is a path that is none of a plugin: from the root of a machine, or somebody's home.
var elsewhere = pattern.New(`^(?:[/~\\]|[A-Za-z]:)`)

// cited are the references of an answer as they may be kept: what is known in its own form,
// and of the rest what names no place outside of a plugin. (What another window measured
// may be known again in the next.)
func (r references) cited(refs []string) []string {
	out := []string{}
	for _, ref := range refs {
		if own, found := r.find(ref); found {
			out = append(out, own)
		} else if !elsewhere().MatchString(ref) {
			out = append(out, ref)
		}
	}
	return out
}
