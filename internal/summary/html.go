package summary

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

//go:embed page.html.tmpl
var pageTemplate string

var htmlPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"breaks": breaks}).Parse(pageTemplate))
})

// breaks parts a name where a line may break: after a "/" and a "-".
func breaks(name string) []string {
	var parts []string
	for {
		i := strings.IndexAny(name, "/-") + 1
		if i == 0 || i == len(name) {
			return append(parts, name)
		}
		parts, name = append(parts, name[:i]), name[i:]
	}
}

// HTML writes one self-contained page over a whole history, oldest first and not empty: no
// script, no network, charts as inline SVG in percent of the width, so that they read the same
// on a phone, and beside each chart its table.
func HTML(w io.Writer, history []snapshot.Document) error {
	d := &history[len(history)-1]
	course := snapshot.Trend(history)
	v := sections(d)
	p := &htmlView{
		Target: d.Target.Name, Version: d.Target.Version, Day: snapshot.Day(d.CreatedAt),
		Verdict: strings.NewReplacer("**", "").Replace(verdictLine(d, v)),
		Tiles:   tiles(d, len(history)),
		Bars:    bars(d), Coverage: coverageChart(course), Candidates: candidateCharts(course), Components: componentCharts(course),
		Snapshot: d.SnapshotID, Tool: d.ToolVersion, Rubric: d.RubricVersion, Weights: d.WeightsVersion,
		Counted: counted(course.Counters), Notes: course.Notes,
	}
	p.Legend = legend(p.Bars)
	for _, s := range []struct {
		title, intro string
		list         []*snapshot.Candidate
	}{
		{"To offload", "", v.ranked},
		{"Boundary questions", "What the plugin's owner would have to settle.", v.questions},
		{"Not judged yet", "Nobody has answered the five tests for these.", v.open},
		{"Held back by the stability gate", "Two windows contradict each other: a defect of the audit, not of the plugin.", v.unstable},
		{"Not judged: insufficient window", "This window is too narrow to contradict an earlier, wider one.", v.insufficient},
		{"Not for offloading", "", slices.Concat(v.drift, v.declined)},
	} {
		if len(s.list) > 0 {
			p.Sections = append(p.Sections, htmlSection{s.title, s.intro, candidateRows(s.list)})
		}
	}
	for _, w := range d.Warnings {
		p.Doubts = append(p.Doubts, w.Message)
	}
	for _, a := range d.Absent {
		p.Absent = append(p.Absent, absentRow{a.ID, a.Status, a.StatusWhy})
	}
	return htmlPage().Execute(w, p)
}

type htmlView struct {
	Target, Version, Day, Verdict   string
	Tiles                           []tile
	Bars                            []bar
	Legend                          []segment
	Coverage                        *lineChart
	Components                      []lineChart
	Candidates                      []lineChart
	Sections                        []htmlSection
	Absent                          []absentRow
	Snapshot, Tool, Rubric, Weights string
	Counted                         string
	Notes                           []string
	Doubts                          []string
}

type tile struct{ Value, Label string }

type htmlSection struct {
	Title, Intro string
	Rows         []candidateRow
}

type candidateRow struct {
	ID, Verdict, Position, Saved, Evidence, Status, Why, Issue string
}

type absentRow struct{ ID, Status, Why string }

func tiles(d *snapshot.Document, snapshots int) []tile {
	list := []tile{
		{percentOr(d.Attribution.CoveragePPM, "unknown"), "attribution coverage"},
		{tokens(d.Audited.WeightedMilli), "weighted tokens audited"},
	}
	if d.Window.Observed.Since == nil || d.Window.Observed.Until == nil {
		list = append(list, tile{"no use", "observed"})
	} else {
		list = append(list, tile{span(d.Window.Observed), "observed"})
	}
	if m := mechanicalShare(d.Composition); m != "none" {
		list = append(list, tile{m, "of the spend was mechanical"})
	}
	count := "first snapshot"
	if snapshots > 1 {
		count = "snapshots"
	}
	return append(list, tile{itoa(int64(snapshots)), count})
}

func candidateRows(list []*snapshot.Candidate) []candidateRow {
	rows := make([]candidateRow, 0, len(list))
	for _, c := range list {
		r := candidateRow{
			ID: c.Candidate.ID, Verdict: string(c.Final), Position: positionOf(c),
			Saved: "unmeasured", Evidence: evidence(c), Status: c.Status, Why: reasons(c.Reasons), Issue: issue(c.Issue, c.IssueState),
		}
		if r.Position != "-" && c.Confidence != "" {
			r.Position += ", " + string(c.Confidence)
		}
		if m := c.Candidate.Measured; m != nil && !m.Seen() {
			r.Saved = "not seen"
		} else if m != nil {
			r.Saved = strings.TrimSpace(tokens(m.RecoverableMilli) + " " + priced(m))
		}
		if c.Gate != nil && len(c.Gate.Flips) > 0 {
			r.Why = "contradiction: " + strings.Join(c.Gate.Flips, ", ")
		}
		if c.CarriedFrom != "" {
			r.Why = "the reading of " + c.CarriedFrom + " stands"
		}
		rows = append(rows, r)
	}
	return rows
}
