package inventory

import (
	"path"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// reading is one component's text while its signals are counted. Every signal
// leaves marks, one for each line on which it saw something; the totals, the steps'
// shares and the evidence that explains both are sums over the same marks, so they
// cannot disagree.
type reading struct {
	*meter
	ref  audit.ComponentRef
	path string // of the component's file, relative to the plugin
	doc  *plugin.Doc
	hint string // the argument hint
	// aside marks the blocks of sections that say when to use the text, or what else
	// to read: they trigger and refer, they instruct nothing.
	aside    []bool
	commands []command    // in order of their lines
	programs map[int]bool // blocks that are programs
	shells   []int        // blocks that are shell text, ascending
	rules    []int        // blocks that are rule tables, ascending
	spans    []span       // the steps, in order
	marks    []mark
	// index has each signal's marks in order of their lines, with running sums; made by read.
	index map[string]*running
}

// mark is one line's contribution to one signal.
type mark struct {
	signal      string
	line, value int
}

// command is a literal command of the text.
type command struct {
	call
	// N is its line in the file.
	N int
	// Inline: written as a code span. Own: the shipped executable that it runs, "" for none.
	Inline bool
	Own    string
	// Gathers: it only looks (see signal_gather.go).
	Gathers bool
	// Sig and Full are its masked signatures, "" for what has none.
	Sig, Full string
	// Table: it stands in a table cell.
	Table bool
	// Block is the index of its block.
	Block int
}

var asideHead = pattern.New(`(?i)^(?:when (?:not )?to (?:use|invoke|activate|trigger)\b|(?:do not|don't) use\b|triggers?$|activation$|see also\b|related\b|references?$|further reading|resources$|additional resources|links$|changelog|license|version history)`)

func newReading(m *meter, c *Component, doc *plugin.Doc, hint string) *reading {
	r := &reading{
		meter: m, ref: audit.ComponentRef{Kind: c.Kind, Name: c.Name}, path: c.Path,
		doc: doc, hint: hint, aside: make([]bool, len(doc.Blocks)), programs: map[int]bool{},
	}
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		if b.Kind == plugin.Heading && len(b.Lines) > 0 {
			title, _ := stepTitle(b.Lines[0].Text)
			r.aside[i] = asideHead().MatchString(title)
		}
		if b.Heading >= 0 {
			r.aside[i] = r.aside[i] || r.aside[b.Heading]
		}
	}
	r.findCommands()
	return r
}

func (r *reading) mark(signal string, line, value int) {
	if value > 0 {
		r.marks = append(r.marks, mark{signal, line, value})
	}
}

// running is one signal's marks: lines[i] brings the sum to sums[i].
type running struct{ lines, sums []int }

// makeIndex orders the marks, once all are made.
func (r *reading) makeIndex() {
	sort.SliceStable(r.marks, func(i, j int) bool { return r.marks[i].line < r.marks[j].line })
	r.index = map[string]*running{}
	for _, m := range r.marks {
		x := r.index[m.signal]
		if x == nil {
			x = &running{}
			r.index[m.signal] = x
		}
		before := 0
		if n := len(x.sums); n > 0 {
			before = x.sums[n-1]
		}
		x.lines, x.sums = append(x.lines, m.line), append(x.sums, before+m.value)
	}
}

// upTo is the sum of the marks before a line.
func (x *running) upTo(line int) int {
	i := sort.SearchInts(x.lines, line)
	if i == 0 {
		return 0
	}
	return x.sums[i-1]
}

// sum adds a signal's marks between two lines, both included.
func (r *reading) sum(signal string, from, to int) int {
	x := r.index[signal]
	if x == nil {
		return 0
	}
	return x.upTo(to+1) - x.upTo(from)
}

func (r *reading) total(signal string) int { return r.sum(signal, 0, 1<<31-1) }

var shellLangs = wordSet("bash sh shell zsh console terminal shell-session shellsession shellscript ksh fish")

// isShell reports whether a fence holds shell commands: by its language, or, where
// it names none, when every line of it begins with a program that everybody knows.
func (r *reading) isShell(b *plugin.Block) bool {
	if b.Kind != plugin.Fence {
		return false
	}
	if b.Lang != "" {
		return shellLangs[strings.Trim(b.Lang, "{}.")]
	}
	s := parseShell(b.Text())
	if len(s.Commands) == 0 || len(s.Failed) > 0 {
		return false
	}
	for _, c := range s.Commands {
		if !r.known(c.Words[0]) {
			return false
		}
	}
	return true
}

// looksLikeCommand: a code span that is a command with arguments, or a call of a shipped executable.
func (r *reading) looksLikeCommand(span string) bool {
	fs := strings.Fields(span)
	if len(fs) == 0 || strings.HasPrefix(span, "/") {
		return false
	}
	if len(fs) >= 2 && r.known(fs[0]) {
		return true
	}
	return r.own.resolve(fs, path.Dir(r.path), nil) != "" && (len(fs) >= 2 || strings.Contains(fs[0], "/"))
}

func (r *reading) findCommands() {
	vars := map[string]string{}
	folder := path.Dir(r.path)
	take := func(s *script, block, first int, inline, table bool) {
		r.own.remember(s, folder, vars)
		for _, c := range s.Commands {
			k := command{call: c, N: first + c.Line, Inline: inline, Table: table, Block: block}
			k.Own = r.own.resolve(unwrap(c.Words), folder, vars)
			k.Gathers = k.Own == "" && !c.Writes && gathers(c.Words)
			r.sign(&k)
			r.commands = append(r.commands, k)
		}
	}
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		switch {
		case b.Dynamic:
			for _, l := range b.Lines {
				if strings.TrimSpace(l.Text) != "" {
					r.mark("dynamic_lines", l.N, 1)
				}
			}
		case r.isShell(b):
			first := b.Line + 1
			if len(b.Lines) > 0 {
				first = b.Lines[0].N
			}
			r.mark("shell_blocks", b.Line, 1)
			r.shells = append(r.shells, i)
			s := parseShell(b.Text())
			take(s, i, first, false, false)
			if s.Program {
				r.mark("programs", b.Line, 1)
				r.programs[i] = true
			}
			r.markScript(s, first)
		case b.Kind == plugin.Fence && sample(b.Lang):
			r.mark("code_samples", b.Line, 1)
		}
		for _, sp := range b.Spans {
			switch {
			case sp.Dynamic:
				r.mark("dynamic_lines", sp.Line, 1)
			case r.looksLikeCommand(sp.Text):
				s := parseShell(sp.Text)
				take(s, i, sp.Line, true, b.Kind == plugin.Table)
				if b.Kind != plugin.Table {
					r.markScript(s, sp.Line)
				}
			}
		}
	}
	sort.SliceStable(r.commands, func(i, j int) bool { return r.commands[i].N < r.commands[j].N })
}
