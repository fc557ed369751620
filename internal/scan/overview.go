package scan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// maxOverviewRows is how many rows of a table the overview shows; the rest is summed up.
const maxOverviewRows = 12

// maxNamed is how many broken lines and unreadable files a text names.
const maxNamed = 3

// Overview tells people where the money went: by plugin, skill or command, agent and model, with
// shares of the window's weighted tokens.
func Overview(w io.Writer, d *Document) error {
	b := &strings.Builder{}
	u := &d.Usage
	if seen := d.Window.Observed; seen.Since == nil {
		fmt.Fprintf(b, "Window   no use observed (%s)\n", d.Window.Timezone)
	} else {
		fmt.Fprintf(b, "Window   %s to %s (%s)\n", bound(seen.Since), bound(seen.Until), d.Window.Timezone)
	}
	if unread := slices.ContainsFunc(d.Warnings, func(x audit.Warning) bool { return x.Code == "unreadable" }); unread && u.Turns == 0 {
		b.WriteString("Spend    unknown: what could not be read may hold all of it\n")
	} else {
		fmt.Fprintf(b, "Spend    %s, %s, %s weighted tokens\n", turns(u.Turns), money(u.CostUSD), short(u.WeightedMilli/1000))
	}
	if d.Attribution.CoveragePPM != nil {
		fmt.Fprintf(b, "Coverage %s: %s\n", percent(*d.Attribution.CoveragePPM), d.Attribution.Reason)
	} else {
		fmt.Fprintf(b, "Coverage unknown: %s\n", d.Attribution.Reason)
	}
	if u.Turns > 0 {
		d.overviewTables(b)
	}
	notes(b, d.Warnings)
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// Notes tells people what was doubtful, below a text; it writes nothing where nothing was.
func Notes(w io.Writer, list []audit.Warning) error {
	b := &strings.Builder{}
	if notes(b, list); b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

// notes begins each note with the end of the line before it.
func notes(b *strings.Builder, list []audit.Warning) {
	for _, x := range list {
		if x.Path == "" {
			fmt.Fprintf(b, "\nnote: %s", x.Message)
		}
	}
	named := 0
	for _, x := range list {
		if x.Path == "" {
			continue
		}
		if named++; named <= maxNamed {
			where := x.Path
			if x.Line > 0 {
				where += fmt.Sprintf(", line %d", x.Line)
			}
			fmt.Fprintf(b, "\nnote: %s: %s", where, x.Message)
		}
	}
	if named > maxNamed {
		fmt.Fprintf(b, "\nnote: and %s that could not be read as expected (see the warnings of the JSON form)", wording.Amount(named-maxNamed, "more line or file", "more lines or files"))
	}
}

// line is one row of a table.
type line struct {
	name     string
	uses     int64
	usage    Usage
	fraction int64
}

func (d *Document) overviewTables(b *strings.Builder) {
	share := func(weighted int64) int64 { return ppm(weighted, d.Usage.WeightedMilli) }
	plugins := map[string]*line{}
	var skills, agents, models []line
	for _, c := range d.Components {
		l := line{c.Name, c.Invocations, c.Usage, share(c.Usage.WeightedMilli)}
		if c.Kind == audit.KindAgent {
			if c.InSkills.Turns > 0 {
				l.name += fmt.Sprintf(" (+%s under skills)", turns(c.InSkills.Turns))
			}
			agents = append(agents, l)
		} else {
			if c.Plugin == unknownPlugin {
				l.name += " (plugin unknown)"
			}
			skills = append(skills, l)
		}
		name := c.Plugin
		switch {
		case name == "" && c.Kind == audit.KindAgent:
			name = "built-in and own agents"
		case name == "":
			name = "own and built-in skills"
		case name == unknownPlugin:
			name = "unknown plugin"
		}
		p := plugins[name]
		if p == nil {
			p = &line{name: name}
			plugins[name] = p
		}
		p.uses += c.Invocations
		p.usage.Turns += c.Usage.Turns
		p.usage.WeightedMilli += c.Usage.WeightedMilli
		p.usage.CostUSD = addDollars(p.usage.CostUSD, c.Usage.CostUSD)
	}
	rest := line{"nobody's", 0, d.Unattributed.Usage, share(d.Unattributed.Usage.WeightedMilli)}
	byPlugin := []line{}
	for _, p := range plugins {
		p.fraction = share(p.usage.WeightedMilli)
		byPlugin = append(byPlugin, *p)
	}
	for _, m := range d.Usage.Models {
		models = append(models, line{m.Model, 0, Usage{Turns: m.Turns, WeightedMilli: m.WeightedMilli, CostUSD: m.CostUSD}, share(m.WeightedMilli)})
	}
	byPlugin = append(byPlugin, rest)
	if d.Target != nil { // whose components are the only ones listed
		others := line{name: "others'", usage: Usage{Turns: d.Usage.Turns, WeightedMilli: d.Usage.WeightedMilli, CostUSD: d.Usage.CostUSD}}
		for _, l := range byPlugin {
			others.usage.Turns -= l.usage.Turns
			others.usage.WeightedMilli -= l.usage.WeightedMilli
			others.usage.CostUSD = withoutDollars(others.usage.CostUSD, l.usage.CostUSD)
		}
		if others.fraction = share(others.usage.WeightedMilli); others.usage.Turns > 0 {
			byPlugin = append(byPlugin, others)
		}
	}
	table(b, "By plugin", byPlugin, share)
	table(b, "By skill and command", skills, share)
	table(b, "By agent", agents, share)
	table(b, "By model", models, share)
	classes := []line{}
	for _, c := range d.Composition {
		classes = append(classes, line{c.Class, 0, Usage{Turns: c.Turns, WeightedMilli: c.WeightedMilli}, share(c.WeightedMilli)})
	}
	table(b, "By class of turn", classes, share)
}

func table(b *strings.Builder, title string, rows []line, share func(int64) int64) {
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.usage.WeightedMilli, a.usage.WeightedMilli), strings.Compare(a.name, b.name))
	})
	if len(rows) > maxOverviewRows {
		more := line{name: fmt.Sprintf("… and %d more", len(rows)-maxOverviewRows+1)}
		for _, r := range rows[maxOverviewRows-1:] {
			more.uses += r.uses
			more.usage.Turns += r.usage.Turns
			more.usage.WeightedMilli += r.usage.WeightedMilli
			more.usage.CostUSD = addDollars(more.usage.CostUSD, r.usage.CostUSD)
		}
		more.fraction = share(more.usage.WeightedMilli)
		rows = append(rows[:maxOverviewRows-1:maxOverviewRows-1], more)
	}
	fmt.Fprintf(b, "\n%s\n", title)
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, r := range rows {
		uses, cost := "", ""
		if r.uses > 0 {
			uses = group(r.uses) + wording.Pick(r.uses, " use ", " uses")
		}
		if r.usage.CostUSD != nil {
			cost = money(r.usage.CostUSD)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t  %s\n", percent(r.fraction), group(r.usage.Turns)+wording.Pick(r.usage.Turns, " turn ", " turns"), short(r.usage.WeightedMilli/1000), cost, uses, r.name)
	}
	_ = tw.Flush() // a strings.Builder does not fail
}

func bound(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func money(s *string) string {
	if s == nil {
		return "no price known"
	}
	return wording.Dollars(*s)
}

// addDollars adds two costs of six places; nil is what has no price.
func addDollars(a, b *string) *string {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return dollars(pricing.Money((microDollars(*a) + microDollars(*b)) * 1_000_000))
}

// withoutDollars takes b away from a; nil is what has no price.
func withoutDollars(a, b *string) *string {
	if a == nil || b == nil {
		return a
	}
	return dollars(pricing.Money((microDollars(*a) - microDollars(*b)) * 1_000_000))
}

func microDollars(s string) int64 {
	n, _ := strconv.ParseInt(strings.Replace(s, ".", "", 1), 10, 64) // our own rendering
	return n
}

// percent renders parts per million with one place.
func percent(v int64) string {
	v = (v + 500) / 1000
	return fmt.Sprintf("%d.%d %%", v/10, v%10)
}

// turns renders a number of turns, with its noun.
func turns(n int64) string { return group(n) + wording.Pick(n, " turn", " turns") }

// group renders an integer with thin groups of three.
func group(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short renders a count in k, M or G with one place.
func short(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1_000_000_000, "G"}, {1_000_000, "M"}, {1000, "k"}} {
		if n >= u.size-u.size/20_000 { // below it the smaller unit does not round up to 1000.0
			tenths := (n*10 + u.size/2) / u.size
			return fmt.Sprintf("%d.%d%s", tenths/10, tenths%10, u.name)
		}
	}
	return fmt.Sprint(n)
}
