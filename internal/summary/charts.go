package summary

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// maxBars bounds the components that a chart shows; the table has all.
const maxBars = 12

// classes in the order in which a bar stacks them: what a script could take first.
var classes = []string{"mechanical", "retry", "mixed", "own-script", "acting", "judgment", "talk"}

// bar is one component's spend, split by turn class.
type bar struct {
	Name, Total, Share, PerUse string
	Invocations                int64
	Segments                   []segment
	Shown                      bool
}

// segment is one turn class of a bar; X and Width are SVG percentages of the longest bar.
type segment struct {
	Class, Name, X, Width, Value, Share string
	Turns                               int64
}

func bars(d *snapshot.Document) []bar {
	list := bySpend(d.Components)
	out := make([]bar, 0, len(list))
	if len(list) == 0 {
		return out
	}
	longest := list[0].WeightedMilli
	for i, c := range list {
		b := bar{
			Name: c.Kind + " " + c.Name, Total: tokens(c.WeightedMilli), Share: Percent(c.SharePPM), PerUse: "too few uses",
			Invocations: c.Invocations, Shown: i < maxBars && c.WeightedMilli > 0,
		}
		if c.Invocations >= 3 {
			b.PerUse = tokens(c.WeightedMilli / c.Invocations)
		}
		var x int64
		for _, s := range ordered(c.Composition) {
			w := ratioPPM(s.WeightedMilli, longest)
			b.Segments = append(b.Segments, segment{
				Class: cssClass(s.Class), Name: s.Class, X: svgPercent(x), Width: svgPercent(w), Turns: s.Turns,
				Value: tokens(s.WeightedMilli), Share: Percent(ratioPPM(s.WeightedMilli, c.WeightedMilli)),
			})
			x += w
		}
		out = append(out, b)
	}
	return out
}

// ordered sorts turn classes as bars stack them; unknown ones come last, as they stand.
func ordered(list []scan.ClassUsage) []scan.ClassUsage {
	var out, rest []scan.ClassUsage
	for _, name := range classes {
		for _, c := range list {
			if c.Class == name && c.WeightedMilli > 0 {
				out = append(out, c)
			}
		}
	}
	for _, c := range list {
		if cssClass(c.Class) == "other" && c.WeightedMilli > 0 {
			rest = append(rest, c)
		}
	}
	return append(out, rest...)
}

func cssClass(class string) string {
	for _, name := range classes {
		if name == class {
			return name
		}
	}
	return "other"
}

// legend lists the classes that the shown bars have, in their order.
func legend(bars []bar) []segment {
	have := map[string]segment{}
	for _, b := range bars {
		for _, s := range b.Segments {
			if b.Shown {
				have[s.Class] = s
			}
		}
	}
	var out []segment
	for _, name := range append(classes, "other") {
		if s, ok := have[name]; ok {
			out = append(out, s)
		}
	}
	return out
}

// Geometry of the line charts: points in percent of the width, pixels of the height.
const (
	chartTop, chartBottom = 22, 96
	chartLeft, chartRight = 20_000, 980_000 // parts per million of the width
)

// lineChart is one quantity over the snapshots.
type lineChart struct {
	Title, Max, First, Last, Status, Change, Summary string
	// Empty: no value is known, there is nothing to draw.
	Empty bool
	// Radius of a point: small where there are many.
	Radius   string
	Points   []linePoint
	Segments []lineSegment
}

type linePoint struct {
	X, Y                      string
	Day, Value, Note, Tooltip string
	// Missing: there is no value to draw.
	Missing bool
}

type lineSegment struct{ X1, Y1, X2, Y2 string }

// value is one moment of a quantity; nil is unknown, why says why.
type value struct {
	day    string
	n      *int64
	why    string
	format func(int64) string
}

// draw places the values from zero to the top; gaps stay gaps.
func draw(c *lineChart, values []value, top int64) {
	if len(values) == 0 {
		return
	}
	c.Empty = !slices.ContainsFunc(values, func(v value) bool { return v.n != nil })
	c.First, c.Last, c.Radius = values[0].day, values[len(values)-1].day, "4"
	if len(values) > 20 {
		c.Radius = "2.5"
	}
	last := -1
	for i, v := range values {
		x := int64(chartLeft+chartRight) / 2
		if len(values) > 1 {
			x = chartLeft + int64(i)*(chartRight-chartLeft)/int64(len(values)-1)
		}
		p := linePoint{X: svgPercent(x), Day: v.day, Note: v.why, Missing: v.n == nil, Value: "unknown"}
		if v.n != nil {
			y := int64(chartBottom)
			if top > 0 {
				y -= ratioPPM(*v.n, top) * (chartBottom - chartTop) / 1_000_000
			}
			p.Y, p.Value = strconv.FormatInt(y, 10), v.format(*v.n)
			if last >= 0 {
				from := c.Points[last]
				c.Segments = append(c.Segments, lineSegment{from.X, from.Y, p.X, p.Y})
			}
			last = i
		} else {
			last = -1
		}
		p.Tooltip = v.day + ": " + p.Value
		if v.why != "" {
			p.Tooltip += " (" + v.why + ")"
		}
		c.Points = append(c.Points, p)
	}
}

func coverageChart(t *snapshot.Course) *lineChart {
	c := &lineChart{Title: "Attribution coverage", Max: "100 %"}
	var values []value
	for _, m := range t.Moments {
		values = append(values, value{day: snapshot.Day(m.CreatedAt), n: m.CoveragePPM, format: Percent})
	}
	draw(c, values, 1_000_000)
	c.Summary = fmt.Sprintf("Coverage over %s, last %s.", wording.Amount(len(values), "snapshot", "snapshots"), c.Points[len(c.Points)-1].Value)
	return c
}

// candidateCharts draws what each candidate's mechanical turns cost per use.
func candidateCharts(t *snapshot.Course) []lineChart {
	var out []lineChart
	for _, ct := range t.Candidates {
		at := map[string]perUse{}
		for _, p := range ct.Points {
			at[p.SnapshotID] = perUse{p.PerInvocationMilli, p.Invocations}
		}
		c := lineChart{Title: ct.CandidateID, Status: ct.Status, Change: "no trend yet"}
		if ct.RatioMilli != nil {
			c.Change = ratio(ct.RatioMilli) + " from first to last measurement"
		}
		if c.over(t, at, "not seen") {
			out = append(out, c)
		}
	}
	return out
}

// componentCharts draws what each component cost per use, all its turns together.
func componentCharts(t *snapshot.Course) []lineChart {
	var out []lineChart
	for _, ct := range t.Components {
		at := map[string]perUse{}
		var first, last *int64
		for _, p := range ct.Points {
			at[p.SnapshotID] = perUse{p.PerInvocationMilli, p.Invocations}
			if p.PerInvocationMilli != nil {
				if first == nil {
					first = p.PerInvocationMilli
				}
				last = p.PerInvocationMilli
			}
		}
		c := lineChart{Title: ct.Kind + " " + ct.Name, Change: "no trend yet"}
		if first != last {
			c.Change = fmt.Sprintf("%s, then %s", tokens(*first), tokens(*last))
		}
		if c.over(t, at, "not used") {
			out = append(out, c)
		}
	}
	return out
}

// perUse is a cost per invocation, nil where there were too few.
type perUse struct {
	cost        *int64
	invocations int64
}

// over draws the costs over the snapshots; false when none of them is known.
func (c *lineChart) over(t *snapshot.Course, at map[string]perUse, absent string) bool {
	var values []value
	var top int64
	known := 0
	for _, m := range t.Moments {
		v := value{day: snapshot.Day(m.CreatedAt), format: tokens, why: absent}
		if p, seen := at[m.SnapshotID]; seen {
			v.n, v.why = p.cost, wording.Amount(p.invocations, "invocation", "invocations")
			if p.cost == nil {
				v.why += ": too few"
			} else {
				top = max(top, *p.cost)
				known++
			}
		}
		values = append(values, v)
	}
	if known == 0 {
		return false
	}
	draw(c, values, top)
	c.Max = tokens(top)
	c.Summary = fmt.Sprintf("Weighted tokens per invocation of %s over %s: %s.", c.Title, wording.Amount(len(values), "snapshot", "snapshots"), c.Change)
	return true
}

// svgPercent writes parts per million as an SVG percentage.
func svgPercent(ppm int64) string { return fmt.Sprintf("%d.%03d%%", ppm/10_000, ppm%10_000/10) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
