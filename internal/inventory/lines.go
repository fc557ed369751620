package inventory

import (
	"maps"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// linesOf counts the source lines of a text as an editor numbers them: a last line counts
// without its line end too.
func linesOf(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// lines is the number of source lines of a file, up to which evidence may cite it. 0 is
// "not known": of what is no file of the plugin, cannot be read, is longer than what is
// read of a file, or is no text.
func (l *layout) lines(file string) int {
	f, ok := l.p.File(file)
	if !ok || f.Size > plugin.MaxText {
		return 0
	}
	b, err := l.p.Read(file)
	if err != nil || binary(b) {
		return 0
	}
	text, _ := plugin.DecodeText(b)
	return linesOf(text)
}

// sources lists the files that declare hooks, servers and further surfaces, and the manifest.
func (l *layout) sources(s *surface) []SourceFile {
	paths := map[string]bool{}
	add := func(file string) {
		if _, ok := l.p.File(file); ok && !l.component[file] {
			paths[file] = true
		}
	}
	add(".claude-plugin/plugin.json")
	for _, h := range s.Hooks {
		add(h.Source)
	}
	for _, e := range s.Servers {
		add(e.Source)
	}
	for _, o := range s.Other {
		add(o.Path)
	}
	out := []SourceFile{}
	for _, file := range slices.Sorted(maps.Keys(paths)) {
		out = append(out, SourceFile{Path: file, Lines: l.lines(file)})
	}
	return out
}
