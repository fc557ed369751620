package inventory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Duplication across components, at three levels:
//
//	block      the same shell block, blanks and comments aside, of three lines or more
//	signature  the same command with the same flags (full grain), beyond plain filters
//	ngram      the same run of three to eight commands (shape grain)
//
// Copied blocks are rare (4 % of real plugins have one): an author retypes, and a
// model that wrote the second text did not see the first. What recurs is the shape.
// Commands of shipped executables are left out: calling the same script twice is
// what a shared script is for.

const (
	minBlockLines = 3
	minRun        = 3
	maxRun        = 8
	// maxDuplicates bounds each level, the ones in most components first.
	maxDuplicates = 40
)

// fragment is one thing that could stand in several components.
type fragment struct {
	signatures []string
	components []int // indexes of readings, ascending, each once
	places     []Evidence
}

// duplicates compares all readings.
func (m *meter) duplicates() []Duplicate {
	out := []Duplicate{}
	for _, level := range []struct {
		name string
		find func() map[string]*fragment
	}{{"block", m.blocks}, {"signature", m.fullSignatures}, {"ngram", m.runs}} {
		shared := []*fragment{}
		found := level.find()
		for _, k := range sortedFragments(found) {
			if f := found[k]; len(f.components) > 1 {
				shared = append(shared, f)
			}
		}
		if level.name == "ngram" {
			shared = closed(shared)
		}
		slices.SortStableFunc(shared, func(a, b *fragment) int {
			return cmp.Or(cmp.Compare(len(b.components), len(a.components)), cmp.Compare(len(b.signatures), len(a.signatures)))
		})
		for _, f := range shared[:min(len(shared), maxDuplicates)] {
			d := Duplicate{Level: level.name, Signatures: f.signatures, Components: []audit.ComponentRef{}, Places: f.places}
			for _, i := range f.components {
				d.Components = append(d.Components, m.readings[i].ref)
			}
			out = append(out, d)
		}
	}
	return out
}

func sortedFragments(m map[string]*fragment) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// note records that fragment key stands in reading i at a line; the first place of each component is kept.
func note(m map[string]*fragment, key string, sigs []string, i int, r *reading, line int) {
	f := m[key]
	if f == nil {
		f = &fragment{signatures: slices.Clone(sigs)}
		m[key] = f
	}
	if n := len(f.components); n > 0 && f.components[n-1] == i {
		return
	}
	f.components = append(f.components, i)
	f.places = append(f.places, Evidence{Signal: "duplicates", Path: r.path, Line: line, Value: 1})
}

// blocks finds shell blocks by their text without blanks and comments.
func (m *meter) blocks() map[string]*fragment {
	found := map[string]*fragment{}
	for i, r := range m.readings {
		for _, j := range r.shells {
			b := &r.doc.Blocks[j]
			var lines []string
			for _, l := range b.Lines {
				if t := strings.Join(strings.Fields(l.Text), " "); t != "" && !strings.HasPrefix(t, "#") {
					lines = append(lines, t)
				}
			}
			if len(lines) < minBlockLines {
				continue
			}
			var sigs []string
			for _, c := range r.commands {
				if c.Block == j && c.Sig != "" {
					sigs = append(sigs, c.Sig)
				}
			}
			note(found, strings.Join(lines, "\n"), sigs, i, r, b.Line)
		}
	}
	return found
}

// fullSignatures finds single commands at full grain. What only filters a pipe, and what
// has neither a flag nor a sub-command, is no common logic.
func (m *meter) fullSignatures() map[string]*fragment {
	found := map[string]*fragment{}
	for i, r := range m.readings {
		for _, c := range r.commands {
			if c.Own == "" && !c.Filter && !c.Table && strings.Count(c.Full, " ") >= 2 {
				note(found, c.Full, []string{c.Full}, i, r, c.N)
			}
		}
	}
	return found
}

// runs finds runs of command shapes with at least two different ones. Repeats in a row count once.
func (m *meter) runs() map[string]*fragment {
	found := map[string]*fragment{}
	for i, r := range m.readings {
		var sigs []string
		var lines []int
		for _, c := range r.commands {
			if c.Table || c.Own != "" {
				continue
			}
			if c.Sig == "" || len(sigs) > 0 && sigs[len(sigs)-1] == c.Sig {
				continue
			}
			sigs, lines = append(sigs, c.Sig), append(lines, c.N)
		}
		for n := minRun; n <= maxRun; n++ {
			for at := 0; at+n <= len(sigs); at++ {
				note(found, strings.Join(sigs[at:at+n], "\x1f"), sigs[at:at+n], i, r, lines[at])
			}
		}
	}
	return found
}

// closed drops a run that stands inside a longer one of at least as many components.
func closed(fs []*fragment) []*fragment {
	slices.SortStableFunc(fs, func(a, b *fragment) int { return cmp.Compare(len(b.signatures), len(a.signatures)) })
	var out []*fragment
	for _, f := range fs {
		key := "\x1f" + strings.Join(f.signatures, "\x1f") + "\x1f"
		inside := slices.ContainsFunc(out, func(o *fragment) bool {
			return len(o.components) >= len(f.components) && strings.Contains("\x1f"+strings.Join(o.signatures, "\x1f")+"\x1f", key)
		})
		if !inside {
			out = append(out, f)
		}
	}
	return out
}
