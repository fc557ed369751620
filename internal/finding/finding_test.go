package finding

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

var update = flag.Bool("update", false, "rewrite goldens from what is said now")

func verdict(id, kind string, final audit.Verdict, score int64) stability.Verdict {
	v := stability.Verdict{Final: final}
	v.Verdict.Verdict = final
	v.Candidate = boundary.Candidate{
		ID: "acme/" + id, Kind: kind, Score: score, Component: audit.ComponentRef{Kind: "skill", Name: id},
		Static: &boundary.StaticCase{Path: "skills/" + id + "/SKILL.md", FirstLine: 7, LastLine: 12},
	}
	v.Reasons = []string{"unjudged"}
	return v
}

// sample has one verdict of each sort.
func sample() *stability.Document {
	filed := verdict("filed", audit.Sequence, audit.File, 9_000)
	filed.Judgment, filed.Reasons = &boundary.Judgment{}, []string{"every-gate-passed"}
	usd := "1.250000"
	filed.Candidate.Measured = &boundary.MeasuredCase{Strength: audit.Measured, SharePPM: 51_000, Occurrences: 7, RecoverableMilli: 7_000_000, RecoverableUSD: &usd}
	judgedLow := verdict("judged-low", audit.Procedure, audit.BoundaryQuestion, 10)
	judgedLow.Judgment, judgedLow.Reasons = &boundary.Judgment{}, []string{"confidence:medium", "T4:partial"}
	unstable := verdict("unstable", audit.Preload, audit.BoundaryQuestion, 8_000)
	unstable.Judgment, unstable.Verdict.Verdict, unstable.Stability = &boundary.Judgment{}, audit.File, audit.Unstable
	unstable.Candidate.Static = nil
	judgedLow.Candidate.Measured = &boundary.MeasuredCase{Strength: audit.Thin, SharePPM: 12_645, Occurrences: 2}
	drift := verdict("drift", audit.Drift, audit.DriftNote, 100)
	drift.Reasons = []string{"kind:drift"}
	return &stability.Document{
		Target: audit.Target{Name: "acme"},
		Verdicts: []stability.Verdict{
			drift, verdict("nothing", audit.Procedure, audit.NoOffload, 9_999), verdict("weak", audit.Procedure, audit.BoundaryQuestion, 2_999),
			judgedLow, verdict("open", audit.Table, audit.BoundaryQuestion, 3_000), unstable, filed,
		},
	}
}

// TestSelect: one state a finding, at every level, with and without baseline and waivers.
func TestSelect(t *testing.T) {
	waiver := []Waiver{{ID: "acme/open", Reason: "planned", Expires: "2026-12-31"}, {ID: "acme/gone", Reason: "x", Expires: "2026-12-31"}}
	known := func(id string) bool { return id == "acme/filed" || id == "acme/open" }
	for _, row := range []struct {
		name   string
		p      Policy
		want   string
		failed bool
	}{
		{"default", Policy{FailOn: LevelQuestion, Cut: 3_000}, "filed:new unstable:new open:new weak:below-cut judged-low:new drift:below-level", true},
		{"file only", Policy{FailOn: LevelFile, Cut: 3_000}, "filed:new unstable:below-level open:below-level weak:below-level judged-low:below-level drift:below-level", true},
		{"drift too", Policy{FailOn: LevelDrift, Cut: 3_000}, "filed:new unstable:new open:new weak:below-cut judged-low:new drift:new", true},
		{"never", Policy{FailOn: LevelNever}, "filed:below-level unstable:below-level open:below-level weak:below-level judged-low:below-level drift:below-level", false},
		{"no cut", Policy{FailOn: LevelQuestion}, "filed:new unstable:new open:new weak:new judged-low:new drift:below-level", true},
		{"baseline", Policy{FailOn: LevelQuestion, Cut: 3_000, Known: known}, "filed:known unstable:new open:known weak:below-cut judged-low:new drift:below-level", true},
		{"waived", Policy{FailOn: LevelQuestion, Cut: 3_000, Known: known, Waivers: waiver}, "filed:known unstable:new open:waived weak:below-cut judged-low:new drift:below-level", true},
		{"all known", Policy{FailOn: LevelQuestion, Cut: 3_000, Known: func(string) bool { return true }}, "filed:known unstable:known open:known weak:below-cut judged-low:known drift:below-level", false},
	} {
		d := Select(sample(), row.p)
		var got []string
		n := 0
		for _, f := range d.Findings {
			got = append(got, strings.TrimPrefix(f.ID, "acme/")+":"+f.State)
		}
		for _, c := range d.Counts {
			n += c
		}
		if s := strings.Join(got, " "); s != row.want || d.Failed != row.failed || n != len(d.Findings) {
			t.Errorf("%s: %s failed %v, counts %v, want %s %v", row.name, s, d.Failed, d.Counts, row.want, row.failed)
		}
		if (len(row.p.Waivers) > 0) != (fmt.Sprint(d.Warnings) != "[]") {
			t.Errorf("%s: warnings %v", row.name, d.Warnings)
		}
	}
}

func TestReadWaivers(t *testing.T) {
	today := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	doc := func(rows string) string { return "document: waivers/v1\nwaivers:\n" + rows }
	for _, row := range []struct{ name, doc, want string }{
		{"good", doc("  - id: acme/a\n    reason: planned for the next release\n    expires: 2026-03-06\n"), ""},
		{"the last day counts", doc("  - id: acme/a\n    reason: planned\n    expires: 2026-03-05\n"), ""},
		{"JSON", `{"document":"waivers/v1","waivers":[{"id":"acme/a","reason":"planned","expires":"2026-03-05"}]}`, ""},
		{"none", "document: waivers/v1\nwaivers: []\n", ""},
		{"expired", doc("  - id: acme/a\n    reason: planned\n    expires: 2026-03-04\n"), "waivers[0].expires: expired on 2026-03-04 (acme/a)"},
		{"no reason", doc("  - id: acme/a\n    expires: 2026-03-06\n"), "waivers[0].reason: missing"},
		{"a blank reason", doc("  - id: acme/a\n    reason: ' '\n    expires: 2026-03-06\n"), "waivers[0].reason: missing"},
		{"no day", doc("  - id: acme/a\n    reason: planned\n"), "waivers[0].expires: expected the last day"},
		{"no such day", doc("  - id: acme/a\n    reason: planned\n    expires: 2026-02-30\n"), "waivers[0].expires: expected the last day"},
		{"no id", doc("  - reason: planned\n    expires: 2026-03-06\n"), "waivers[0].id: missing"},
		{"twice", doc("  - id: a\n    reason: x\n    expires: 2026-03-06\n  - id: a\n    reason: x\n    expires: 2026-03-06\n"), `waivers[1].id: "a" already has waivers[0]`},
		{"unknown member", doc("  - id: a\n    until: 2026-03-06\n"), "waivers[0].until: unknown member"},
		{"another kind", "document: verdicts/v1\n", `document: expected "waivers/v1", found "verdicts/v1"`},
	} {
		got, err := ReadWaivers([]byte(row.doc), today)
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.want != "" && (err == nil || !strings.HasPrefix(err.Error(), row.want)):
			t.Errorf("%s: %v %v, want %s", row.name, got, err, row.want)
		}
	}
}

func report() *Document {
	return Select(sample(), Policy{
		Warnings: []audit.Warning{{Code: "text-mixed-line-ends", Path: "skills/open/SKILL.md", Message: "mixes kinds of line ends"}, {Code: "frontmatter", Path: "agents/a.md", Line: 3, Message: "is odd: 100 %"}},
		FailOn:   LevelQuestion, Cut: 3_000, Baseline: "snap1:00", Known: func(id string) bool { return id == "acme/judged-low" },
		Waivers: []Waiver{{ID: "acme/open", Reason: "planned, 50 % done", Expires: "2026-12-31"}},
		Path:    func(audit.ComponentRef) string { return "skills/unstable/SKILL.md" },
	})
}

// TestSARIF: the log is SARIF 2.1.0 in the parts that readers rely on: every rule
// declared, every result pointing at one, every suppression justified.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSARIF(&b, "0.1.0", Report{report(), "plugins/my acme"}); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
						Help             struct{ Text string }
					}
				}
			}
			Invocations []struct {
				ExecutionSuccessful        bool
				ToolExecutionNotifications []struct {
					Descriptor struct{ ID string }
					Locations  []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
			Results []struct {
				RuleID        string `json:"ruleId"`
				RuleIndex     int
				Level         string
				BaselineState string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine, EndLine int }
					}
				}
				PartialFingerprints map[string]string
				Suppressions        []struct{ Kind, Justification string }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(log.Runs) != 1 || run.Tool.Driver.Name == "" || len(run.Tool.Driver.Rules) != 7 {
		t.Fatalf("%s, %d runs, %d rules", log.Version, len(log.Runs), len(run.Tool.Driver.Rules))
	}
	notes := run.Invocations[0].ToolExecutionNotifications
	if !run.Invocations[0].ExecutionSuccessful || len(notes) != 2 || notes[1].Descriptor.ID != "frontmatter" ||
		notes[1].Locations[0].PhysicalLocation.ArtifactLocation.URI != "plugins/my%20acme/agents/a.md" {
		t.Errorf("warnings %+v", run.Invocations)
	}
	for _, r := range run.Tool.Driver.Rules {
		if r.ShortDescription.Text == "" || r.Help.Text == "" {
			t.Errorf("rule %s says nothing", r.ID)
		}
	}
	var got []string
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s at index %d", r.RuleID, r.RuleIndex)
		}
		place := r.Locations[0].PhysicalLocation
		line := 0
		if place.Region != nil {
			line = place.Region.StartLine
		}
		got = append(got, fmt.Sprintf("%s %s %s %s:%d %s suppressed %d", r.PartialFingerprints["candidate/v1"], r.Level, r.BaselineState,
			place.ArtifactLocation.URI, line, r.RuleID, len(r.Suppressions)))
	}
	want := []string{
		"acme/filed error new plugins/my%20acme/skills/filed/SKILL.md:7 offload/sequence suppressed 0",
		"acme/unstable warning new plugins/my%20acme/skills/unstable/SKILL.md:0 offload/preload suppressed 0",
		"acme/open warning new plugins/my%20acme/skills/open/SKILL.md:7 offload/table suppressed 1",
		"acme/weak warning new plugins/my%20acme/skills/weak/SKILL.md:7 offload/procedure suppressed 1",
		"acme/judged-low warning unchanged plugins/my%20acme/skills/judged-low/SKILL.md:7 offload/procedure suppressed 0",
		"acme/drift note new plugins/my%20acme/skills/drift/SKILL.md:7 offload/drift suppressed 1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRenderings holds text, GitHub commands and Markdown to their goldens.
func TestRenderings(t *testing.T) {
	d := report()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return d.Text(b, "") },
		"github":   func(b *bytes.Buffer) error { return d.GitHub(b, "plugins/acme") },
		"markdown": func(b *bytes.Buffer) error { return WriteMarkdown(b, Report{d, "plugins/acme"}) },
		"json":     func(b *bytes.Buffer) error { return jsondoc.Encode(b, d) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "report."+name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, b.String(), want)
		}
	}
	empty := Select(&stability.Document{Target: audit.Target{Name: "acme"}}, Policy{FailOn: LevelQuestion})
	var b bytes.Buffer
	if err := empty.Text(&b, ""); err != nil || b.String() != "acme: nothing to report.\n" || empty.Failed {
		t.Errorf("%q %v", b.String(), err)
	}
}

// TestGitHubEscapes: nothing that a plugin's author wrote can end a command or start another.
func TestGitHubEscapes(t *testing.T) {
	v := verdict("x", audit.Procedure, audit.BoundaryQuestion, 1)
	v.Candidate.ID = "acme/a:b,c%\n::error::owned"
	v.Candidate.Component.Name = "n\r\n::error::owned"
	d := Select(&stability.Document{Verdicts: []stability.Verdict{v}}, Policy{FailOn: LevelQuestion})
	var b bytes.Buffer
	if err := d.GitHub(&b, ""); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 2 || strings.Contains(b.String(), "\n::error") {
		t.Errorf("%d lines: %q", n, b.String())
	}
	if !strings.Contains(b.String(), "title=boundary-question acme/a%3Ab%2Cc%25%0A%3A%3Aerror%3A%3Aowned::") {
		t.Errorf("%q", b.String())
	}
}

// TestDocumentedWaivers: the waivers file of docs/CI.md is one.
func TestDocumentedWaivers(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "CI.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```yaml\n  document: ")
	block, _, _ = strings.Cut("document: "+block, "```")
	got, err := ReadWaivers([]byte(strings.ReplaceAll(block, "\n  ", "\n")), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil || len(got) != 1 || got[0].ID != "my-plugin/deploy/procedure" {
		t.Errorf("%v %v", got, err)
	}
	for _, level := range Levels {
		if !strings.Contains(string(page), "| `"+level+"`") {
			t.Errorf("the level %s is not documented", level)
		}
	}
}

// TestSeveral: the reports of several plugins are one run of SARIF and one page of Markdown.
func TestSeveral(t *testing.T) {
	reports := []Report{{report(), "plugins/a"}, {report(), "plugins/b"}}
	var b bytes.Buffer
	if err := WriteSARIF(&b, "0.1.0", reports...); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct{ Results []json.RawMessage }
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 12 {
		t.Errorf("%d runs %v", len(log.Runs), err)
	}
	for _, folder := range []string{"plugins/a/skills/open", "plugins/b/skills/open"} {
		if !strings.Contains(b.String(), folder) {
			t.Errorf("%s is missing", folder)
		}
	}
	b.Reset()
	if err := WriteMarkdown(&b, reports...); err != nil || strings.Count(b.String(), "### ") != 1 || strings.Count(b.String(), "the check fails") != 2 {
		t.Errorf("%v %s", err, b.String())
	}
}
