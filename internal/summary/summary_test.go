package summary

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var update = flag.Bool("update", false, "rewrite the golden pages")

// history reads the story of six audits.
func history(t testing.TB) []snapshot.Document {
	t.Helper()
	f, err := os.Open("../../tests/testdata/history/snapshot-v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	docs, problems, err := snapshot.ReadHistory(f)
	if err != nil || len(problems) > 0 || len(docs) != 6 {
		t.Fatalf("%d snapshots, %v, %v", len(docs), problems, err)
	}
	return docs
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (run with -update if that is meant): %s", name, diff)
	}
}

func TestPages(t *testing.T) {
	docs := history(t)
	for i, name := range []string{"first.md", "narrow.md", "drifted.md", "unstable.md", "claimed.md", "resolved.md"} {
		golden(t, name, Page(docs[:i], &docs[i]))
		var report bytes.Buffer
		if err := Report(&report, docs[:i], &docs[i]); err != nil {
			t.Fatal(err)
		}
		golden(t, strings.TrimSuffix(name, ".md")+".txt", report.Bytes())
	}
}

// FR-7.3: the sections of a page, in this order, whatever the run found.
func TestPageOrder(t *testing.T) {
	order := []string{
		"## Coverage and window", "## Composition", "## Candidates to offload", "## Since the previous snapshot",
		"## Boundary questions", "### Defects of the audit, not of the plugin", "## Not judged: insufficient window",
		"## Issues", "### On the plugin's own tracker", "### On the tracker of inference-arbitrage itself",
	}
	docs := history(t)
	docs = append(docs, snapshot.Document{Document: snapshot.Kind, SnapshotID: "snap1:0", CreatedAt: "2026-12-01T00:00:00Z"})
	for i := range docs {
		text := string(Page(docs[:i], &docs[i]))
		at := -1
		for _, head := range order {
			next := strings.Index(text, "\n"+head+"\n")
			if next <= at {
				t.Errorf("snapshot %d: %q stands at %d, after %d", i, head, next, at)
			}
			at = next
		}
	}
}

// FR-4.4: the page can say that there is nothing, and FR-2.4 that nothing was measured.
func TestPageOfNothing(t *testing.T) {
	text := string(Page(nil, &snapshot.Document{CreatedAt: "2026-12-01T00:00:00Z"}))
	for _, want := range []string{"**Nothing to offload here.**", "**No measured evidence exists**", "This is the first snapshot."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "every candidate") {
		t.Errorf("there is no candidate, yet it speaks of every one:\n%s", text)
	}
	one := snapshot.Document{CreatedAt: "2026-12-01T00:00:00Z", Candidates: make([]snapshot.Candidate, 1)}
	if text := string(Page(nil, &one)); !strings.Contains(text, "so every candidate is unmeasured") {
		t.Errorf("nothing says that the candidate is unmeasured:\n%s", text)
	}
}

// A candidate stands in exactly one section, and the auditor's defects apart from low confidence.
func TestSections(t *testing.T) {
	one := func(final audit.Verdict, st audit.Stability) snapshot.Candidate {
		c := snapshot.Candidate{}
		c.Final, c.Stability = final, st
		return c
	}
	waits := one(audit.BoundaryQuestion, "")
	waits.Reasons = []string{"unjudged"}
	d := &snapshot.Document{Candidates: []snapshot.Candidate{
		one(audit.File, audit.Stable), one(audit.File, audit.Unchecked), one(audit.BoundaryQuestion, ""), one(audit.BoundaryQuestion, audit.Unstable),
		one(audit.File, audit.InsufficientWindow), one(audit.NoOffload, ""), one(audit.DriftNote, ""), waits,
	}}
	v := sections(d)
	got := []int{len(v.ranked), len(v.questions), len(v.unstable), len(v.insufficient), len(v.declined), len(v.drift), len(v.open)}
	if diff := cmp.Diff([]int{2, 1, 1, 1, 1, 1, 1}, got); diff != "" {
		t.Error(diff)
	}
}

// FR-4.4: the first sentence says "nothing" only of what somebody judged.
func TestVerdictLine(t *testing.T) {
	judged := func(final audit.Verdict) snapshot.Candidate {
		c := snapshot.Candidate{}
		c.Final, c.Judgment = final, &boundary.Judgment{}
		return c
	}
	open := snapshot.Candidate{}
	open.Final, open.Reasons = audit.BoundaryQuestion, []string{"unjudged"}
	held := judged(audit.BoundaryQuestion)
	held.Stability = audit.Unstable
	cut := snapshot.Candidate{}
	cut.Final, cut.Reasons = audit.NoOffload, []string{"already-cut"}
	for _, tt := range []struct {
		want       string
		candidates []snapshot.Candidate
	}{
		{"**Nothing to offload here.**", nil},
		{"**Nothing to offload here.**", []snapshot.Candidate{cut, judged(audit.NoOffload)}},
		{"**Nobody has judged the 2 candidates yet.**", []snapshot.Candidate{open, cut, open}},
		{"**Nothing to offload on this evidence**, 1 boundary question.", []snapshot.Candidate{judged(audit.BoundaryQuestion)}},
		{"**Nothing to offload on this evidence**, 0 boundary questions, 1 held back.", []snapshot.Candidate{held}},
		{"**1 to offload**, 1 boundary question, 2 held back.", []snapshot.Candidate{held, judged(audit.File), judged(audit.BoundaryQuestion), held}},
		{"**Nothing to offload so far**, 0 boundary questions, 1 that nobody has judged yet.", []snapshot.Candidate{judged(audit.NoOffload), open}},
		{"**1 to offload**, 1 boundary question, 2 that nobody has judged yet.", []snapshot.Candidate{open, judged(audit.File), open, judged(audit.BoundaryQuestion)}},
	} {
		d := &snapshot.Document{Candidates: tt.candidates}
		if got := verdictLine(d, sections(d)); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// A judgment that an earlier run made is marked as such wherever it decides a row.
func TestCarriedIsMarked(t *testing.T) {
	d := &snapshot.Document{CreatedAt: "2026-12-01T00:00:00Z"}
	for _, final := range []audit.Verdict{audit.File, audit.BoundaryQuestion} {
		c := snapshot.Candidate{}
		c.Final, c.Candidate.ID, c.Judgment = final, string(final), &boundary.Judgment{CarriedFrom: "snap1:0"}
		d.Candidates = append(d.Candidates, c)
	}
	var report bytes.Buffer
	if err := Report(&report, nil, d); err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"report": report.String(), "page": string(Page(nil, d))} {
		if n := strings.Count(text, ", judgment carried"); n != 2 {
			t.Errorf("%s: marked %d times, want 2:\n%s", where, n, text)
		}
	}
}

// A component that was used without the step is said to have been used, and nothing to be saved.
func TestUnseenStepIsShown(t *testing.T) {
	d := &snapshot.Document{CreatedAt: "2026-12-01T00:00:00Z"}
	c := snapshot.Candidate{}
	c.Final, c.Candidate.ID = audit.File, "a/b/c"
	c.Candidate.Measured = &boundary.MeasuredCase{Strength: audit.Thin, ComponentInvocations: 2}
	d.Candidates = append(d.Candidates, c)
	var report, html bytes.Buffer
	if err := Report(&report, nil, d); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&html, []snapshot.Document{*d}); err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"report": report.String(), "page": string(Page(nil, d)), "html": html.String()} {
		if !strings.Contains(text, "thin, used 2 times, the step was not seen to recur") || strings.Contains(text, "0 of 2") || strings.Contains(text, "unmeasured") != (where == "page") {
			t.Errorf("%s:\n%s", where, text)
		}
	}
	for want, p := range map[string]snapshot.Point{
		"not seen": {Strength: audit.Measured}, "too few uses": {Strength: audit.Unmeasured}, "1.0k": {Strength: audit.Measured, Invocations: 5, PerInvocationMilli: &[]int64{1_000_000}[0]},
	} {
		if got := costPerUse(&p); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}

// Free text cannot become markup, a table cell or a heading.
func TestPageEscapes(t *testing.T) {
	c := snapshot.Candidate{}
	c.Candidate = boundary.Candidate{ID: "a`b|c<script>/x/y"}
	c.Final, c.Reasons = audit.File, []string{"<b>|\n# x"}
	d := &snapshot.Document{
		CreatedAt: "2026-12-01", Target: audit.Target{Name: "<img src=x>\n# y"}, Notes: []string{"<script>\n# z"},
		Candidates: []snapshot.Candidate{c}, Warnings: []audit.Warning{{Code: "w", Message: "<i>\n## h"}},
	}
	text := string(Page(nil, d))
	for _, bad := range []string{"<img", "<script>\n", "\n# y", "\n# z", "\n## h", "<i>"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q stands in:\n%s", bad, text)
		}
	}
	var html bytes.Buffer
	if err := HTML(&html, []snapshot.Document{*d}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<img", "<script", "<b>"} {
		if strings.Contains(html.String(), bad) {
			t.Errorf("%q stands in the HTML page", bad)
		}
	}
}

// Amounts are rounded half up, so that the page, the report and the overview of a scan agree.
func TestNumbers(t *testing.T) {
	usd := "1234.567890"
	money := func(usd string) string { return dollars(&usd) }
	for _, tt := range []struct{ got, want string }{
		{Percent(0), "0.0 %"}, {Percent(1), "< 0.1 %"}, {Percent(20_000), "2.0 %"}, {Percent(1_049), "0.1 %"}, {Percent(1_796_749), "179.7 %"}, {Percent(999_500), "100.0 %"}, {Percent(math.MaxInt64), "922337203685477.6 %"}, {Percent(1_000_000), "100.0 %"},
		{tokens(0), "0"}, {tokens(499), "0"}, {tokens(500), "1"}, {tokens(999_499), "999"}, {tokens(999_500), "1.0k"}, {tokens(1_000_000), "1.0k"},
		{tokens(388_068_000), "388.1k"}, {tokens(388_049_999), "388.0k"}, {tokens(999_949_999), "999.9k"}, {tokens(999_950_000), "1.0M"},
		{tokens(1_234_567_000), "1.2M"}, {tokens(1_250_000_000), "1.3M"}, {tokens(1_949_000_000_000), "1.9G"}, {tokens(math.MaxInt64), "9223372.0G"},
		{tokens(-1_500_000), "-1.5k"}, {tokens(math.MinInt64), "-9223372.0G"},
		{wording.Amount(0, "plugin", "plugins"), "0 plugins"}, {wording.Amount(1, "plugin", "plugins"), "1 plugin"}, {turns(1), "1 turn"}, {turns(2), "2 turns"},
		{dollars(&usd), "$1234.57"}, {dollars(nil), ""},
		{money("15.178582"), "$15.18"}, {money("0.004999"), "$0.00"}, {money("0.005"), "$0.01"}, {money("9.995"), "$10.00"}, {money("7"), "$7.00"},
		{money(""), "$0.00"}, {money("-1.0"), ""}, {money("many"), ""},
		{svgPercent(0), "0.000%"}, {svgPercent(123_456), "12.345%"}, {svgPercent(1_000_000), "100.000%"},
		{Percent(ratioPPM(1<<60, 1<<61)), "50.0 %"}, {Percent(ratioPPM(5, 0)), "0.0 %"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// A history may come from elsewhere: whatever a snapshot says, its pages come out whole.
func FuzzPages(f *testing.F) {
	f.Add([]byte(`{"document":"snapshot/v1","candidates":[{"stability":"unstable"},{"stability":"insufficient-window"},{"final":"file","issue":"x"}],"absent":[{"status":"resolved"}]}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, _, err := snapshot.ReadHistory(bytes.NewReader(data))
		if err != nil || len(docs) == 0 {
			return
		}
		last := len(docs) - 1
		if page := Page(docs[:last], &docs[last]); !bytes.Contains(page, []byte("## Issues")) {
			t.Error("the page is not whole")
		}
		var out bytes.Buffer
		if err := Report(&out, docs[:last], &docs[last]); err != nil {
			t.Error(err)
		}
		out.Reset()
		if err := HTML(&out, docs); err != nil {
			t.Error(err)
		}
		if !bytes.HasSuffix(bytes.TrimSpace(out.Bytes()), []byte("</html>")) {
			t.Error("the HTML page is not whole")
		}
	})
}

// What is not known is a gap in a line and "unknown" in its table, never a point at zero.
func TestUnknownIsNoPoint(t *testing.T) {
	docs := history(t)[:3]
	docs[1].Attribution.CoveragePPM = nil
	c := coverageChart(snapshot.Trend(docs))
	if len(c.Segments) != 0 || c.Points[1].Y != "" || c.Points[1].Value != "unknown" || c.Empty {
		t.Errorf("%+v", c)
	}
	var page bytes.Buffer
	if err := HTML(&page, docs); err != nil {
		t.Fatal(err)
	}
	_, plot, _ := strings.Cut(page.String(), `<h2 id="coverage">`)
	plot, table, _ := strings.Cut(plot, "</svg>")
	if n := strings.Count(plot, "<circle"); n != 2 {
		t.Errorf("%d points for two known values:\n%s", n, plot)
	}
	if !strings.Contains(table, `<td class="n" data-label="value">unknown</td>`) {
		t.Errorf("the table does not say unknown:\n%s", table)
	}
	page.Reset()
	if err := HTML(&page, []snapshot.Document{{CreatedAt: "2026-12-01T00:00:00Z"}}); err != nil {
		t.Fatal(err)
	}
	for want, n := range map[string]int{"<circle": 0, "unknown so far": 1, "<dt>observed</dt><dd>no use</dd>": 1} {
		if got := strings.Count(page.String(), want); got != n {
			t.Errorf("%q stands %d times on the page of nothing, want %d", want, got, n)
		}
	}
}

// A name breaks between its words only; the position of what nobody judged is not shown as found.
func TestNamesAndPositions(t *testing.T) {
	for name, want := range map[string]string{"": "", "a": "a", "a/b-c/d": "a/ b- c/ d", "a-": "a-", "-a": "- a"} {
		if got := strings.Join(breaks(name), " "); got != want {
			t.Errorf("%q breaks as %q, want %q", name, got, want)
		}
	}
	open, found := snapshot.Candidate{}, snapshot.Candidate{}
	open.Reasons, open.Position, open.Confidence = []string{"unjudged"}, audit.OverDigest, audit.Low
	found.Position, found.Confidence = audit.OverDigest, audit.Low
	rows := candidateRows([]*snapshot.Candidate{&open, &found})
	if rows[0].Position != "-" || rows[1].Position != string(audit.OverDigest)+", low" {
		t.Errorf("positions %q and %q", rows[0].Position, rows[1].Position)
	}
}
