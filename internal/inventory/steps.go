package inventory

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

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

// stepSpans finds the steps of a text: numbered headings; outside them the items of
// numbered lists that tell what to do. In this order, so that the sub-steps of a
// numbered heading are no steps of their own.
func (r *reading) stepSpans() []span {
	var out []span
	for i := range r.doc.Blocks {
		if !r.isStep(i) {
			continue
		}
		b := &r.doc.Blocks[i]
		title, _ := stepTitle(b.Lines[0].Text)
		s := span{from: b.Line, to: r.stepEnd(i), title: title, form: FormHeading, group: r.headingText(b.Heading)}
		// A step that holds numbered steps is their container.
		if n := len(out); n > 0 && out[n-1].to >= s.to && out[n-1].from < s.from && r.doc.Blocks[i].Kind == plugin.Heading {
			s.group = out[n-1].title
			out[n-1].to = s.from - 1
		}
		out = append(out, s)
	}
	for _, it := range r.doc.Items {
		if !it.Ordered || it.Parent != nil && it.Parent.Ordered || covered(out, it.Line) || !r.instructs(it.List) {
			continue
		}
		if it.Parent != nil {
			continue
		}
		title, h := r.itemTitle(it)
		out = append(out, span{from: it.Line, to: it.End, title: title, form: FormItem, group: r.headingText(h)})
	}
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

func covered(spans []span, line int) bool {
	for _, s := range spans {
		if line >= s.from && line <= s.to {
			return true
		}
	}
	return false
}

var procedureHead = regexp.MustCompile(`(?i)\b(?:steps?|workflow|process|procedure|execution|implementation|instructions?|your task|how it works|protocol|routine|algorithm|commands to execute|what to do|runbook)\b`)

// instructs: a numbered list whose items are steps: it has two items or more, and one
// of them holds a command, or it stands under a heading that announces a procedure.
func (r *reading) instructs(list int) bool {
	n, commands, heading := 0, false, -1
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		for it := b.Item; it != nil; it = it.Parent {
			if it.List == list && !r.aside[i] {
				heading = b.Heading
			}
		}
	}
	for _, it := range r.doc.Items {
		if it.List != list {
			continue
		}
		n++
		for _, c := range r.commands {
			commands = commands || c.N >= it.Line && c.N <= it.End
		}
	}
	return n >= 2 && (commands || heading >= 0 && procedureHead.MatchString(r.headingText(heading)))
}

func (r *reading) itemTitle(it *plugin.Item) (title string, heading int) {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if b.In(it) {
			if len(b.Lines) > 0 && b.Kind == plugin.Paragraph {
				return firstClause(b.Lines[0].Text), b.Heading
			}
			return "", b.Heading
		}
	}
	return "", -1
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
	at := map[int]int{} // heading → index in out
	for _, c := range r.commands {
		b := &r.doc.Blocks[c.Block]
		if c.Table || r.aside[c.Block] || covered(steps, c.N) {
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
	spans := r.stepSpans()
	spans = append(spans, r.sections(spans)...)
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
		for _, c := range r.commands {
			if c.N >= s.from && c.N <= s.to && !c.Table {
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
