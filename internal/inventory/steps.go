package inventory

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// span is a stretch of lines that is one step, with what opened it.
type span struct {
	from, to int
	title    string
	form     string
	group    string
}

// Forms of a step.
const (
	// FormHeading: a numbered heading with all that stands under it.
	FormHeading = "heading"
	// FormItem: an item of a numbered list, outside numbered headings.
	FormItem = "item"
	// FormSection: a section without a number that holds commands.
	FormSection = "section"
)

// stepSpans finds the steps of a text, in order: numbered headings; outside them the
// items of numbered lists that tell what to do. So the sub-steps of a numbered heading
// are no steps of their own.
func (r *reading) stepSpans() []span {
	var heads []span
	for i := range r.doc.Blocks {
		if !r.isStep(i) {
			continue
		}
		b := &r.doc.Blocks[i]
		title, _ := stepTitle(b.Lines[0].Text)
		s := span{from: b.Line, to: r.stepEnd(i), title: title, form: FormHeading, group: r.headingText(b.Heading)}
		// A step that holds numbered steps is their container.
		if n := len(heads); n > 0 && heads[n-1].to >= s.to && b.Kind == plugin.Heading {
			s.group = heads[n-1].title
			heads[n-1].to = s.from - 1
		}
		heads = append(heads, s)
	}
	out := heads
	lists, headed := r.lists(), coverOf(heads)
	for _, it := range r.doc.Items {
		if !it.Ordered || it.Parent != nil || headed.has(it.Line) {
			continue
		}
		if l := lists[it.List]; l.instructs(r) {
			out = append(out, span{from: it.Line, to: it.End, title: l.titles[it], form: FormItem, group: r.headingText(l.heading)})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

// stepEnd is the last line of the step that block i opens: up to the next heading
// that is not below it, or, for a bold paragraph, the next step or heading.
func (r *reading) stepEnd(i int) int {
	b := &r.doc.Blocks[i]
	end := b.End
	for j := i + 1; j < len(r.doc.Blocks); j++ {
		n := &r.doc.Blocks[j]
		if n.Kind == plugin.Heading && (b.Kind != plugin.Heading || n.Level <= b.Level) || b.Kind != plugin.Heading && r.isStep(j) {
			break
		}
		end = max(end, n.End)
	}
	return end
}

// cover answers which lines lie in any of some spans, which may overlap.
type cover struct {
	from []int // ascending
	to   []int // the furthest end of the spans so far
}

// coverOf is the cover of spans in order of their beginnings.
func coverOf(spans []span) cover {
	var c cover
	end := 0
	for _, s := range spans {
		end = max(end, s.to)
		c.from, c.to = append(c.from, s.from), append(c.to, end)
	}
	return c
}

func (c cover) has(line int) bool {
	i := sort.SearchInts(c.from, line+1)
	return i > 0 && c.to[i-1] >= line
}

var procedureHead = pattern.New(`(?i)\b(?:steps?|workflow|process|procedure|execution|implementation|instructions?|your task|how it works|protocol|routine|algorithm|commands to execute|what to do|runbook)\b`)

// list is what stands in one list.
type list struct {
	items    int
	commands bool
	heading  int
	titles   map[*plugin.Item]string
}

// lists gathers every list's facts in one pass.
func (r *reading) lists() map[int]*list {
	out := map[int]*list{}
	for _, it := range r.doc.Items {
		if out[it.List] == nil {
			out[it.List] = &list{heading: -1, titles: map[*plugin.Item]string{}}
		}
		out[it.List].items++
	}
	seen := map[*plugin.Item]bool{}
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		for it := b.Item; it != nil && !seen[it]; it = it.Parent {
			seen[it] = true
			l := out[it.List]
			if !r.aside[i] {
				l.heading = b.Heading
			}
			if len(b.Lines) > 0 && b.Kind == plugin.Paragraph {
				l.titles[it] = firstClause(b.Lines[0].Text)
			}
		}
	}
	for _, c := range r.commands {
		for it := r.doc.Blocks[c.Block].Item; it != nil && !out[it.List].commands; it = it.Parent {
			out[it.List].commands = true
		}
	}
	return out
}

// instructs: a numbered list whose items are steps: it has two items or more, and one
// of them holds a command, or it stands under a heading that announces a procedure.
func (l *list) instructs(r *reading) bool {
	return l.items >= 2 && (l.commands || l.heading >= 0 && procedureHead().MatchString(r.headingText(l.heading)))
}

// firstClause is the text up to its first colon, full stop or dash.
func firstClause(s string) string {
	for _, c := range splitClauses(s, ".:;–—(") {
		if t := strings.TrimSpace(c.text); t != "" {
			return t
		}
	}
	return ""
}

func (r *reading) headingText(i int) string {
	if i < 0 || len(r.doc.Blocks[i].Lines) == 0 {
		return ""
	}
	t, _ := stepTitle(r.doc.Blocks[i].Lines[0].Text)
	return t
}

// sections are the unnumbered sections that hold commands outside any step.
func (r *reading) sections(steps []span) []span {
	var out []span
	inSteps := coverOf(steps)
	at := map[int]int{} // heading → index in out
	for _, c := range r.commands {
		b := &r.doc.Blocks[c.Block]
		if c.Table || r.aside[c.Block] || inSteps.has(c.N) {
			continue
		}
		k, ok := at[b.Heading]
		if !ok {
			k = len(out)
			at[b.Heading] = k
			s := span{from: b.Line, to: b.End, form: FormSection, title: r.headingText(b.Heading)}
			if b.Heading >= 0 {
				s.from = r.doc.Blocks[b.Heading].Line
				s.group = r.headingText(r.doc.Blocks[b.Heading].Heading)
			}
			out = append(out, s)
		}
		out[k].to = max(out[k].to, b.End)
	}
	return out
}

// steps are the component's steps with their share of the signals.
func (r *reading) steps() []Step {
	spans := append(slices.Clone(r.spans), r.sections(r.spans)...)
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	out := make([]Step, 0, len(spans))
	used := map[string]int{}
	for _, s := range spans {
		st := Step{
			Slug: unique(slug(s.title), used), Title: clip(s.title, 80), Form: s.form, Group: slug(s.group),
			FirstLine: s.from, LastLine: s.to, Signatures: []string{},
			ScriptVerbs: r.sum("script_verbs", s.from, s.to), JudgmentVerbs: r.sum("judgment_verbs", s.from, s.to),
			Gathers: r.sum("gathers", s.from, s.to), Pipes: r.sum("pipes", s.from, s.to),
			ControlFlow: r.sum("control_flow", s.from, s.to), Conditionals: r.sum("conditionals", s.from, s.to),
			TableRows: r.sum("table_rows", s.from, s.to), RuleTable: r.sum("rule_tables", s.from, s.to) > 0,
			OwnCommands: r.sum("own_commands", s.from, s.to),
			AsksUser:    r.sum("asks_user", s.from, s.to) > 0, ReadsFirst: r.sum("reads_first", s.from, s.to) > 0,
		}
		first := sort.Search(len(r.commands), func(i int) bool { return r.commands[i].N >= s.from })
		for _, c := range r.commands[first:] {
			if c.N > s.to {
				break
			}
			if !c.Table {
				st.Commands++
				if c.Sig != "" {
					st.Signatures = append(st.Signatures, c.Sig)
				}
			}
		}
		out = append(out, st)
	}
	return out
}

// slug is a title in kebab case, at most 40 bytes, cut at a word.
func slug(title string) string {
	if i := strings.IndexByte(title, '('); i > 0 {
		title = title[:i] // a condition or a remark, not the step's name
	}
	var words []string
	n := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(title), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}) {
		if n+len(w)+len(words) > 40 {
			break
		}
		words = append(words, w)
		n += len(w)
	}
	return strings.Join(words, "-")
}

// unique numbers a slug that was used before; one that is empty is a step by number.
func unique(s string, used map[string]int) string {
	if s == "" {
		s = "step"
	}
	used[s]++
	if used[s] == 1 {
		return s
	}
	return unique(fmt.Sprintf("%s-%d", s, used[s]), used)
}

// clip cuts a title to at most n bytes, at a word where it can.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:n], "")
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return s
}
