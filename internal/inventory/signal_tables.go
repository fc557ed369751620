package inventory

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signals tables, table_rows, rule_tables, rule_rows, command_tables.
//
// A rule table maps a condition to a decision, row by row: a lookup that a program
// does without error and a reader does anew each time. Told by its header (a
// column that states a condition, another that states what follows), or by rows
// that compare ("> 10 %", "≤ 3 days", "and not draft").
//
// A command table maps a wish to a command. It is what a cheat-sheet is made of:
// nothing in it says when to run what, nor what to do with the output.
var (
	conditionHead = pattern.New(`(?i)\b(?:condition|criteria|criterion|situation|scenario|case|if|when|signal|symptom|indicator|pattern|threshold|metric|state|status|result|output|value|finding|error|check|severity|score|range|input|trigger|exit code|detected|match(?:es)?|signature|category|categories)s?\b`)
	decisionHead  = pattern.New(`(?i)\b(?:action|decision|meaning|means|interpretation|category|categories|classification|class|verdict|then|threshold|red flag|severity|priority|level|strategy|fix|solution|resolution|response|outcome|result|status|criteria|rule|label|recommendation|recommended|treat as|maps? to|grade|rating|likely cause|cause)s?\b`)
	comparison    = pattern.New(`(?:[<>≥≤]=?\s?[$]?\d)|(?:==|!=|\bAND\b|\bOR\b|\bNOT\b)|(?i:\b(?:more|less|fewer|greater|older|newer|larger|higher|lower|at least|at most|over|under|above|below)\b(?: than)? \d)|\d+\s?[-–]\s?\d+\s?(?:%|ms|s|days?|hours?|min)`)
	// troubleHead: what went wrong and what to do about it. It documents failures of the
	// step; it does not decide anything in it.
	troubleHead = pattern.New(`(?i)^(?:error|symptom|problem|issue|pitfall|mistake|anti-?pattern|failure|gotcha|question)s?\b`)
	commandHead = pattern.New(`(?i)\b(?:command|example|syntax|flag|option|usage|snippet|one-liner|shortcut|endpoint|path|file|url|link)s?\b`)
	// announcesRules: what stands above a table tells to decide by it.
	announcesRules = pattern.New(`(?i)\b(?:classify|categori[sz]e|first (?:matching |row |rule )?(?:row|rule|match|that)|thresholds?|(?:decision )?rules?|criteria|every row|each row)\b`)
	triggerHead    = pattern.New(`(?i)\b(?:use this|when to use|skip when|instead|use .* when|not this)\b`)
)

func (r *reading) tables() {
	for i := range r.doc.Blocks {
		b := &r.doc.Blocks[i]
		if b.Kind != plugin.Table {
			continue
		}
		r.mark("tables", b.Line, 1)
		r.mark("table_rows", b.Line, len(b.Rows))
		switch {
		case r.aside[i]:
		case r.commandTable(b):
			r.mark("command_tables", b.Line, 1)
		case ruleTable(r.lead(i), b.Header, b.Rows):
			r.mark("rule_tables", b.Line, 1)
			r.rules = append(r.rules, i)
			for _, row := range b.Rows {
				r.mark("rule_rows", row.Line, 1)
			}
		}
	}
}

// ruleTable reports whether a table maps conditions to decisions. lead is the
// paragraph above it.
func ruleTable(lead string, head plugin.Row, rows []plugin.Row) bool {
	if len(head.Cells) < 2 || len(rows) < 2 || triggerHead().MatchString(strings.Join(head.Cells, " ")) {
		return false
	}
	if troubleHead().MatchString(head.Cells[0]) {
		return false
	}
	if compares(rows) || announcesRules().MatchString(lead) {
		return true
	}
	if commandHead().MatchString(head.Cells[0]) {
		return false
	}
	for i, c := range head.Cells {
		for j, d := range head.Cells {
			if i != j && conditionHead().MatchString(c) && decisionHead().MatchString(d) {
				return true
			}
		}
	}
	return false
}

// lead is the last line of the paragraph right above block i, "" when there is none.
func (r *reading) lead(i int) string {
	if i == 0 || r.doc.Blocks[i-1].Kind != plugin.Paragraph {
		return ""
	}
	ls := r.doc.Blocks[i-1].Lines
	return ls[len(ls)-1].Prose
}

// compares: at least two rows, and a third of all, state a comparison.
func compares(rows []plugin.Row) bool {
	n := 0
	for _, r := range rows {
		if comparison().MatchString(strings.Join(r.Cells, " ")) {
			n++
		}
	}
	return n >= 2 && 3*n >= len(rows)
}

// commandTable reports whether at least half of a column's cells are literal commands.
func (r *reading) commandTable(b *plugin.Block) bool {
	if len(b.Rows) == 0 {
		return false
	}
	for c := range b.Header.Cells {
		n := 0
		for _, row := range b.Rows {
			if c < len(row.Cells) && strings.Contains(row.Prose[c], plugin.Inline) && r.looksLikeCommand(row.Cells[c]) {
				n++
			}
		}
		if 2*n >= len(b.Rows) {
			return true
		}
	}
	return false
}

// ruleTables are the rule tables with what stands around them, in order.
func (r *reading) ruleTables() []RuleTable {
	out := []RuleTable{}
	used := map[string]int{}
	ends := r.sectionEnds()
	for _, i := range r.rules {
		b := &r.doc.Blocks[i]
		from, to := r.doc.FirstLine, b.End
		if b.Heading >= 0 {
			from = r.doc.Blocks[b.Heading].Line
		}
		to = max(to, ends[i])
		out = append(out, RuleTable{
			Slug: unique(slug(r.headingText(b.Heading)), used), Line: b.Line, Rows: len(b.Rows), FirstLine: from, LastLine: to,
			Conditionals: r.sum("conditionals", from, to), ScriptVerbs: r.sum("script_verbs", from, to), JudgmentVerbs: r.sum("judgment_verbs", from, to),
		})
	}
	return out
}

// sectionEnds gives for each block the last line before the next heading.
func (r *reading) sectionEnds() []int {
	ends := make([]int, len(r.doc.Blocks))
	end := 0
	for i := len(ends) - 1; i >= 0; i-- {
		b := &r.doc.Blocks[i]
		end = max(end, b.End)
		ends[i] = end
		if b.Kind == plugin.Heading {
			end = 0
		}
	}
	return ends
}
