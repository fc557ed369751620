package boundary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
)

// Slugs of the candidates that a component has at most one of. They do not come from
// headings, so that a reworded heading is not another candidate.
const (
	slugProcedure = "procedure"
	slugPreload   = "preload"
)

// maxSignatures bounds a candidate's list of signatures.
const maxSignatures = 64

// static proposes what the definition alone shows.
func (p *proposer) static() {
	if p.inv == nil {
		return
	}
	for i := range p.inv.Components {
		c := &p.inv.Components[i]
		if p.component(refOf(c)) != c {
			continue
		}
		r := rate(c)
		p.labels[refOf(c)] = r.label
		if r.score > 0 {
			p.procedure(c, r)
		}
		p.tables(c, r)
		p.staticPreload(c)
	}
	p.duplicates()
	p.drift()
}

func refOf(c *inventory.Component) audit.ComponentRef {
	return audit.ComponentRef{Kind: c.Kind, Name: c.Name}
}

// procedure is the component's own procedure as one candidate: gathering, deciding and
// reporting are one step, however many numbers its author gave them.
func (p *proposer) procedure(c *inventory.Component, r rating) {
	p.add(&Candidate{
		Component: refOf(c), Slug: slugProcedure, Kind: audit.Procedure, Score: r.score, Why: reasons(r.reasons),
		Signatures: signaturesOf(c), Static: staticCase(c, procedureSpan(c), "gathers", "reads", "rule_rows", "outcomes", "conditionals", "pipes", "control_flow", "own_commands"),
		AlreadyCut: r.label == LabelAlreadyCut,
	}, c.Signals.TextHash)
}

// signaturesOf are the signatures of all steps in order, repeats in a row once.
func signaturesOf(c *inventory.Component) []string {
	out := []string{}
	for _, s := range c.Steps {
		out = append(out, s.Signatures...)
	}
	out = slices.Compact(out)
	return out[:min(len(out), maxSignatures)]
}

// span is a stretch of lines, both ends included; the zero span is the whole text.
type span struct{ first, last int }

func (s span) holds(line int) bool { return s == span{} || line >= s.first && line <= s.last }

// procedureSpan is where a component's procedure stands: from the first to the last
// numbered step when those hold at least half of what it gathers, else from the first
// to the last step of any form, else the whole text.
func procedureSpan(c *inventory.Component) span {
	numbered := around(c, func(st inventory.Step) bool {
		return st.Form != inventory.FormSection && (st.Commands > 0 || st.ScriptVerbs > 0 || st.RuleTable)
	})
	if in, all := gathered(c, numbered), gathered(c, span{}); numbered != (span{}) && 2*in >= all {
		return numbered
	}
	return around(c, func(inventory.Step) bool { return true })
}

// around spans the steps that are meant, from the first to the last; the zero span when there is none.
func around(c *inventory.Component, meant func(inventory.Step) bool) span {
	var s span
	for _, st := range c.Steps {
		if !meant(st) {
			continue
		}
		if s.first == 0 || st.FirstLine < s.first {
			s.first = st.FirstLine
		}
		s.last = max(s.last, st.LastLine)
	}
	return s
}

// gathered counts the commands and inputs that are looked at within a span.
func gathered(c *inventory.Component, at span) int64 {
	n := int64(0)
	for _, e := range c.Signals.Evidence {
		if (e.Signal == "gathers" || e.Signal == "reads") && at.holds(e.Line) {
			n += e.Value
		}
	}
	return n
}

// staticCase says where in the text a candidate stands and what it counts there.
func staticCase(c *inventory.Component, at span, cited ...string) *StaticCase {
	sc := &StaticCase{Path: c.Path, FirstLine: at.first, LastLine: at.last, Lines: []string{}}
	lines := map[int]bool{}
	for _, e := range c.Signals.Evidence {
		if !at.holds(e.Line) {
			continue
		}
		n := int(e.Value)
		switch e.Signal {
		case "script_verbs":
			sc.ScriptVerbs += n
		case "judgment_verbs":
			sc.JudgmentVerbs += n
		case "shell_commands", "inline_commands":
			sc.Commands += n
		case "own_commands":
			sc.OwnCommands += n
		}
		if slices.Contains(cited, e.Signal) {
			lines[e.Line] = true
		}
	}
	for _, n := range sortedLines(lines) {
		sc.Lines = append(sc.Lines, fmt.Sprintf("%s:%d", c.Path, n))
	}
	return sc
}

func sortedLines(m map[int]bool) []int {
	out := make([]int, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// tables proposes the rule tables of a component whose procedure is not proposed. Where
// it is, the table is that step's own rule and no second candidate. A table alone shows
// that there is a rule, not that what it is asked about comes from a program: it scores
// by its rows and by the conditions and mechanical verbs of its section.
func (p *proposer) tables(c *inventory.Component, r rating) {
	if r.score >= Cut || r.label == LabelAlreadyCut {
		return
	}
	for _, t := range c.RuleTables {
		rows := term(int64(t.Rows))
		at := []string{fmt.Sprintf("%s:%d", c.Path, t.Line)}
		why := []Reason{
			{Signal: "rule_rows", Value: int64(t.Rows), Points: rows, Note: "rows of one table that maps a condition to a decision; multiplies what follows", Evidence: at},
			{Signal: "conditionals", Value: int64(t.Conditionals), Points: rows * term(int64(t.Conditionals)) / 1000, Note: "conditions in its section", Evidence: []string{}},
			{Signal: "script_verbs", Value: int64(t.ScriptVerbs), Points: rows * term(int64(t.ScriptVerbs)) / 1000, Note: "mechanical imperatives in its section", Evidence: []string{}},
		}
		score := min(points(why), Cut-1)
		p.add(&Candidate{
			Component: refOf(c), Slug: "table-" + t.Slug, Kind: audit.Table, Score: score, Why: heldBelow(why, score),
			Static: staticCase(c, span{t.FirstLine, t.LastLine}, "rule_rows", "conditionals"),
		}, c.Signals.TextHash)
	}
}

// staticPreload proposes what the text orders to be read or run first, each time. Without
// a measurement nobody knows that it costs a turn, so it stays below the cut.
func (p *proposer) staticPreload(c *inventory.Component) {
	n := int64(c.Signals.ReadsFirst)
	if n == 0 {
		return
	}
	why := []Reason{{Signal: "reads_first", Value: n, Points: 4 * term(n), Note: "unconditional orders to read or run something first", Evidence: cite(c, "reads_first")}}
	score := min(points(why), Cut-1)
	p.add(&Candidate{
		Component: refOf(c), Slug: slugPreload, Kind: audit.Preload, Score: score, Why: heldBelow(why, score),
		Static: staticCase(c, span{}, "reads_first"),
	}, c.Signals.TextHash)
}

// duplicates proposes runs of commands that several components order: one script would
// serve them all. A run belongs to the component that stands first. Score: 4 × log2(1 +
// commands) × log2(components), so that four commands in four components just pass the
// cut. Of runs that contain each other only the one that scores highest is proposed.
func (p *proposer) duplicates() {
	var runs []*Candidate
	for _, d := range p.inv.Plugin.Duplicates {
		own, ok := p.home(d)
		if d.Level != "ngram" || !ok || telling(d.Signatures) < 2 {
			continue
		}
		places := placesOf(d.Places)
		commands, comps := term(int64(len(d.Signatures))), log2Milli(int64(len(d.Components))-1)
		why := []Reason{{Signal: "duplicates", Value: int64(len(d.Components)), Points: 4 * commands * comps / 1000,
			Note: fmt.Sprintf("components that order the same %d commands", len(d.Signatures)), Evidence: places[:min(len(places), maxCited)]}}
		runs = append(runs, &Candidate{
			Component: refOf(own), Slug: "shared-" + slugOf(d.Signatures), Kind: audit.Sequence, Score: points(why), Why: why,
			Signatures: d.Signatures, Static: &StaticCase{Path: own.Path, Lines: places, Commands: len(d.Signatures)},
		})
	}
	slices.SortStableFunc(runs, func(a, b *Candidate) int { return cmp.Compare(b.Score, a.Score) })
	var taken []string
	for _, c := range runs {
		key := "\x1f" + strings.Join(c.Signatures, "\x1f") + "\x1f"
		if slices.ContainsFunc(taken, func(k string) bool { return strings.Contains(k, key) || strings.Contains(key, k) }) {
			continue
		}
		taken = append(taken, key)
		c.Slug = p.free(c.Component, c.Slug)
		p.add(c)
	}
}

// telling counts the distinct commands that are more than plain filters.
func telling(sigs []string) int {
	n := 0
	for _, a := range atoms(sigs) {
		if !plainTool[a] {
			n++
		}
	}
	return n
}

// home is the first of a duplicate's components whose own cut is not drawn yet. Fewer than
// two such components share nothing that a script would save.
func (p *proposer) home(d inventory.Duplicate) (*inventory.Component, bool) {
	var first *inventory.Component
	open := 0
	for _, ref := range d.Components {
		c := p.component(ref)
		if c == nil || p.labels[ref] == LabelAlreadyCut || p.labels[ref] == LabelReference {
			continue
		}
		if open++; first == nil {
			first = c
		}
	}
	return first, open > 1
}

// drift notes what stands both in a hook's script and in prose.
func (p *proposer) drift() {
	for _, d := range p.inv.Plugin.Drift {
		c := p.component(d.Component)
		if c == nil {
			continue
		}
		n := int64(0)
		for class, k := range d.Literals {
			if class != "event" && class != "script-name" {
				n += int64(k)
			}
		}
		places := placesOf(d.Places)
		p.add(&Candidate{
			Component: d.Component, Slug: "drift-" + kebab(baseName(d.Script)), Kind: audit.Drift, Score: min(1000*n, Cut-1),
			Why:    []Reason{{Signal: "drift", Value: n, Points: min(1000*n, Cut-1), Note: "literals that both the hook's script and the prose state", Evidence: places[:min(len(places), maxCited)]}},
			Static: &StaticCase{Path: c.Path, Lines: places},
		}, d.Script)
	}
}

// component is the one that a kind and a name mean: of several that claim a name the one
// that the host loads, else the first.
func (p *proposer) component(ref audit.ComponentRef) *inventory.Component {
	if p.inv == nil {
		return nil
	}
	var first *inventory.Component
	for i := range p.inv.Components {
		c := &p.inv.Components[i]
		switch {
		case refOf(c) != ref:
		case c.Loaded:
			return c
		case first == nil:
			first = c
		}
	}
	return first
}

func placesOf(es []inventory.Evidence) []string {
	out := make([]string, 0, len(es))
	for _, e := range es {
		out = append(out, fmt.Sprintf("%s:%d", e.Path, e.Line))
	}
	return out
}

// points is what a score is: the sum of its reasons.
func points(rs []Reason) int64 {
	n := int64(0)
	for _, r := range rs {
		n += r.Points
	}
	return n
}

// heldBelow adds the reason why a score is below the sum of its other reasons.
func heldBelow(rs []Reason, score int64) []Reason {
	if over := points(rs) - score; over > 0 {
		rs = append(rs, Reason{Signal: "cut", Value: Cut, Points: -over, Note: "alone it does not reach the cut", Evidence: []string{}})
	}
	return rs
}
