package inventory

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// read counts everything once. Each signal is defined in its own file.
func (r *reading) read() {
	r.stepHeadings()
	r.orderedItems()
	r.conditionals()
	r.tables()
	r.asksUser()
	r.readsFirst()
	r.arguments()
	r.verbs()
	r.literalCommands()
	r.readsInputs()
	r.outcomes()
	r.makeIndex()
}

// verbs marks the imperative verbs of headings, paragraphs and list items.
func (r *reading) verbs() {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if r.aside[i] || b.Kind != plugin.Heading && b.Kind != plugin.Paragraph {
			continue
		}
		for _, l := range b.Lines {
			line := l.Prose
			if b.Kind == plugin.Heading {
				line, _ = stepTitle(line)
			}
			s, j := verbs(line)
			r.mark("script_verbs", l.N, s)
			r.mark("judgment_verbs", l.N, j)
		}
	}
}

// literalCommands marks commands by what they are and where they stand.
func (r *reading) literalCommands() {
	r.spans = r.stepSpans()
	steps := coverOf(r.spans)
	for _, c := range r.commands {
		switch {
		case c.Inline:
			r.mark("inline_commands", c.N, 1)
		default:
			r.mark("shell_commands", c.N, 1)
		}
		if c.Own != "" {
			r.mark("own_commands", c.N, 1)
			if r.draws(c.Own) {
				r.mark("cut_commands", c.N, 1)
			}
		}
		if c.Table {
			continue // a cell names a command, it orders none
		}
		if c.Gathers && !c.Filter {
			r.mark("gathers", c.N, 1)
		}
		inSteps := steps.has(c.N)
		if inSteps {
			r.mark("commands_in_steps", c.N, 1)
		}
		if inSteps || r.programs[c.Block] {
			r.mark("ordered_commands", c.N, 1)
		}
	}
}

// signals are the totals of the marks, with the marks as evidence.
func (r *reading) signals(meta *Metadata) Signals {
	s := Signals{
		BodyWords:       r.words(true),
		ProseWords:      r.words(false),
		StepHeadings:    r.total("step_headings"),
		OrderedItems:    r.total("ordered_items"),
		ShellBlocks:     r.total("shell_blocks"),
		ShellCommands:   r.total("shell_commands"),
		InlineCommands:  r.total("inline_commands"),
		CommandsInSteps: r.total("commands_in_steps"),
		Gathers:         r.total("gathers"),
		Reads:           r.total("reads"),
		Pipes:           r.total("pipes"),
		ControlFlow:     r.total("control_flow"),
		Programs:        r.total("programs"),
		Conditionals:    r.total("conditionals"),
		OrderedCommands: r.total("ordered_commands"),
		Tables:          r.total("tables"),
		TableRows:       r.total("table_rows"),
		RuleTables:      r.total("rule_tables"),
		RuleRows:        r.total("rule_rows"),
		Outcomes:        r.total("outcomes"),
		CommandTables:   r.total("command_tables"),
		CodeSamples:     r.total("code_samples"),
		Arguments:       r.total("arguments"),
		DynamicLines:    r.total("dynamic_lines"),
		ScriptVerbs:     r.total("script_verbs"),
		JudgmentVerbs:   r.total("judgment_verbs"),
		OwnCommands:     r.total("own_commands"),
		CutCommands:     r.total("cut_commands"),
		AsksUser:        r.total("asks_user"),
		ReadsFirst:      r.total("reads_first"),
	}
	for i := range r.doc.Blocks {
		if r.doc.Blocks[i].Kind == plugin.Heading {
			s.Headings++
		}
	}
	s.ProceduralDensityPPM = r.density()
	s.VerbRatioPPM = verbRatio(s.ScriptVerbs, s.JudgmentVerbs)
	s.ReadOnlyTools = readOnlyTools(meta)
	s.Evidence = r.evidence()
	s.TextHash = r.textHash()
	return s
}

// words counts the words of prose, or of prose and code.
func (r *reading) words(all bool) int {
	n := 0
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		switch b.Kind {
		case plugin.Fence, plugin.Code:
			if all {
				n += plugin.Words(b.Text())
			}
		default:
			n += plugin.Words(strings.ReplaceAll(b.Prose(), plugin.Inline, " "))
			if all {
				for _, s := range b.Spans {
					n += plugin.Words(s.Text)
				}
			}
		}
	}
	return n
}

// evidence is the marks, one entry for each signal and line.
func (r *reading) evidence() []Evidence {
	type key struct {
		signal string
		line   int
	}
	sums := map[key]int{}
	for _, m := range r.marks {
		sums[key{m.signal, m.line}] += m.value
	}
	out := make([]Evidence, 0, len(sums))
	for k, v := range sums {
		out = append(out, Evidence{Signal: k.signal, Path: r.path, Line: k.line, Value: int64(v)})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Signal != out[j].Signal {
			return out[i].Signal < out[j].Signal
		}
		return out[i].Line < out[j].Line
	})
	return out
}

// textHash is the SHA-256 of the marked lines' text, the first 16 hexadecimal digits.
func (r *reading) textHash() string {
	text := map[int]string{}
	for i := range r.doc.Blocks {
		for _, l := range r.textLines(&r.doc.Blocks[i]) {
			text[l.N] = l.Text
		}
	}
	lines := make([]int, 0, len(r.marks))
	for _, m := range r.marks {
		lines = append(lines, m.line)
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, n := range slices.Compact(lines) {
		h.Write([]byte(strings.Join(strings.Fields(text[n]), " ") + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// textLines are a block's lines of text; a table's rows have their cells joined.
func (r *reading) textLines(b *plugin.Block) []plugin.Line {
	if b.Kind != plugin.Table {
		return b.Lines
	}
	out := make([]plugin.Line, 0, len(b.Rows)+1)
	for _, row := range append([]plugin.Row{b.Header}, b.Rows...) {
		out = append(out, plugin.Line{N: row.Line, Text: strings.Join(row.Cells, " | ")})
	}
	return out
}

var readOnlyNames = wordSet(`Read Grep Glob LS NotebookRead WebFetch WebSearch ToolSearch TodoWrite TodoRead LSP`)

// readOnlyTools: an allow-list that holds reading tools only. Such an agent was built
// to fetch, not to judge and act.
func readOnlyTools(m *Metadata) bool {
	if m == nil || len(m.Tools) == 0 {
		return false
	}
	for _, t := range m.Tools {
		if !readOnlyNames[t] {
			return false
		}
	}
	return true
}
