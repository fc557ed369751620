package filing

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

const goneID = "harbor/sweep/list-gone"

// sample has a proven and an unproven candidate to file, one that the gate downgraded, one declined,
// and one whose window was too narrow.
func sample() *stability.Document {
	since, until, usd := "2026-10-01T00:00:00Z", "2026-10-31T00:00:00Z", "0.420000"
	window := audit.Window{Observed: audit.Span{Since: &since, Until: &until}, Timezone: "UTC"}
	verdict := func(slug, kind string, final audit.Verdict) stability.Verdict {
		v := stability.Verdict{Final: final, Files: final == audit.File}
		v.Candidate = boundary.Candidate{
			ID: "harbor/sweep/" + slug, Component: audit.ComponentRef{Kind: audit.KindSkill, Name: "sweep"}, Slug: slug, Kind: kind,
			Signatures: []string{"Bash git fetch --prune", "Bash git branch -vv"},
			Static:     &boundary.StaticCase{Path: "skills/sweep/SKILL.md", FirstLine: 10, LastLine: 20},
		}
		v.Position, v.Confidence, v.Residue, v.ValueClaim, v.Stability = audit.PureScript, audit.High, "none", boundary.Unproven, audit.Unchecked
		for _, id := range []string{"T1", "T2", "T3", "T4", "T5"} {
			v.Tests = append(v.Tests, boundary.Test{ID: id, Outcome: "pass", Why: "because of " + id})
		}
		v.Judgment = &boundary.Judgment{
			Row: "a branch", ScriptPart: "list branches whose upstream is gone",
			Triple: &boundary.Triple{
				Signature: &boundary.Signature{Name: "gone_branches", Params: []boundary.Param{{Name: "refs", Type: "list<string>"}}, Returns: "list<string>"},
				Pairs: []boundary.Pair{
					{In: map[string]any{"refs": []any{"main"}}, Out: []any{}},
					{In: map[string]any{"refs": []any{"old [gone]"}}, Out: []any{"old"}},
					{In: map[string]any{"refs": []any{}}, Out: []any{}, Edge: true},
				},
				Overrules: []boundary.Overrule{{When: "the branch is checked out elsewhere", ScriptSays: "hold", HumanSays: "delete", Why: "that tree is stale", Detectable: true}},
			},
		}
		return v
	}
	proven := verdict("list-gone", audit.Sequence, audit.File)
	proven.ValueClaim = boundary.Proven
	proven.Candidate.Measured = &boundary.MeasuredCase{
		Strength: audit.Measured, Invocations: 11, ComponentInvocations: 12, Occurrences: 14, Turns: 60,
		WasteMilli: 9_600_000, RecoverableMilli: 6_400_000, RecoverableUSD: &usd, SharePPM: 54_321,
	}
	narrow := verdict("too-narrow", audit.Sequence, audit.File) // the gate could not judge it: neither filed nor downgraded
	narrow.Files, narrow.Stability = false, audit.InsufficientWindow
	return &stability.Document{
		Document: stability.Kind, Target: audit.Target{Name: "harbor"}, Window: window,
		Verdicts: []stability.Verdict{proven, verdict("preload-status", audit.Preload, audit.File), verdict("unsteady", audit.Sequence, audit.BoundaryQuestion), verdict("prose", audit.Procedure, audit.NoOffload), narrow},
		SelfFindings: []stability.SelfFinding{{
			CandidateID: "harbor/sweep/unsteady", Reason: "threshold",
			Prior:   audit.Reading{Strength: audit.Measured, SharePPM: 40_000, Invocations: 12, SnapshotID: "snap1:0011223344556677", Observed: window.Observed, RubricVersion: "1.0"},
			Current: audit.Reading{Strength: audit.Measured, SharePPM: 10_000, Invocations: 10, Observed: window.Observed, RubricVersion: "1.0"},
		}},
	}
}

// nothing answers every search with no issue.
func nothing(t *testing.T, c Config) *Existing {
	t.Helper()
	s, err := MakeSearches(sample(), c)
	if err != nil {
		t.Fatal(err)
	}
	e := &Existing{Document: ExistingKind, Found: []Found{}}
	for _, x := range s.Searches {
		e.Searched = append(e.Searched, x.Marker)
	}
	return e
}

var channels = map[string]Config{
	GitHub:   {Channel: GitHub, Repository: "acme/harbor"},
	Gitea:    {Channel: Gitea, Repository: "acme/harbor", Login: "forge"},
	Delegate: {Channel: Delegate, Repository: "acme/harbor", Delegate: "issue-filer"},
	Files:    {Directory: "findings"},
}

// FR-6.3: no plan without the search result, nor for a marker that was not searched for.
func TestPlanRefusesWithoutSearch(t *testing.T) {
	for name, c := range channels {
		if _, err := MakePlan(sample(), nil, c); !errors.Is(err, ErrNotSearched) {
			t.Errorf("%s: without a result: %v", name, err)
		}
		if _, err := MakePlan(sample(), &Existing{}, c); !errors.Is(err, ErrNotSearched) {
			t.Errorf("%s: with an empty result: %v", name, err)
		}
		e := nothing(t, c)
		e.Searched = slices.DeleteFunc(e.Searched, func(m string) bool { return m == StabilityMarker("harbor/sweep/unsteady") })
		if _, err := MakePlan(sample(), e, c); !errors.Is(err, ErrNotSearched) {
			t.Errorf("%s: one marker was left out: %v", name, err)
		}
	}
}

type step struct{ Action, ID, Repository, Issue, Labels string }

func steps(p *Plan) []step {
	var out []step
	for _, a := range p.Actions {
		out = append(out, step{a.Action, a.CandidateID, a.Repository, a.Issue, strings.Join(a.Labels, " ")})
	}
	return out
}

const (
	gapLabels   = "kind/capability-gap area/agent-behavior domain/agents activity/automate token-offload"
	choreLabels = "kind/chore area/agent-behavior domain/agents activity/automate token-offload"
)

// FR-6.1, 6.2, 6.5: only what files; default labels; findings about the audit to the own repository.
func TestPlanCreates(t *testing.T) {
	c := channels[GitHub]
	p, err := MakePlan(sample(), nothing(t, c), c)
	if err != nil {
		t.Fatal(err)
	}
	want := []step{
		{Create, goneID, "acme/harbor", "", gapLabels},
		{Create, "harbor/sweep/preload-status", "acme/harbor", "", choreLabels},
		{Create, "harbor/sweep/unsteady", OwnRepository, "", choreLabels},
	}
	if diff := cmp.Diff(want, steps(p)); diff != "" {
		t.Error(diff)
	}
	if !p.Actions[2].Self || !strings.Contains(p.Actions[2].Body, StabilityMarker("harbor/sweep/unsteady")) || strings.Contains(p.Actions[2].Body, "ia-candidate") {
		t.Errorf("the finding about the audit: %+v", p.Actions[2])
	}
	c.Labels = []string{"offload"}
	if p, err = MakePlan(sample(), nothing(t, c), c); err != nil || p.Actions[0].Labels[0] != "offload" || len(p.Actions[0].Labels) != 1 {
		t.Errorf("labels of the configuration: %v, %v", p.Actions[0].Labels, err)
	}
}

// FR-6.3, S5: an issue that is found gets a comment, open or closed, and never a second issue.
func TestPlanComments(t *testing.T) {
	for name, c := range channels {
		e := nothing(t, c)
		e.Found = []Found{
			{Marker: Marker(goneID), Issue: "acme/harbor#7", State: "closed", Resolution: "completed"},
			{Marker: Marker(goneID), Issue: "acme/harbor#9", State: "open"},
			{Marker: Marker("harbor/sweep/preload-status"), Issue: "acme/harbor#8", State: "closed", Resolution: "not_planned"},
			{Marker: StabilityMarker("harbor/sweep/unsteady"), Issue: OwnRepository + "#3", State: "open"},
		}
		p, err := MakePlan(sample(), e, c)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range p.Actions {
			got = append(got, a.Action+" "+a.Issue)
		}
		want := []string{"comment acme/harbor#9", "comment acme/harbor#8", "comment " + OwnRepository + "#3"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if b := p.Actions[0].Body; !strings.Contains(b, "Measured again") || !strings.Contains(b, "800 weighted tokens") {
			t.Errorf("%s: the comment carries no new measurement:\n%s", name, b)
		}
		if len(p.Labels) != 0 {
			t.Errorf("%s: labels for comments: %v", name, p.Labels)
		}
	}
}

// FR-6.4: no writable repository is said, with the reason; the own repository is another matter.
func TestPlanUnavailable(t *testing.T) {
	for _, c := range []Config{{Channel: GitHub}, {Channel: GitHub, Repository: "acme/harbor", ReadOnly: "no right to open issues"}, {Channel: Delegate, Delegate: "filer"}} {
		p, err := MakePlan(sample(), nothing(t, c), c)
		if err != nil {
			t.Fatal(err)
		}
		if p.Unavailable == "" || len(p.Actions) != 1 || !p.Actions[0].Self {
			t.Errorf("%+v: unavailable %q, actions %v", c, p.Unavailable, steps(p))
		}
	}
	c := Config{ReadOnly: "a read-only disk"}
	if p, err := MakePlan(sample(), nothing(t, c), c); err != nil || p.Unavailable == "" || len(p.Actions) != 0 {
		t.Errorf("files on a read-only disk: %+v, %v", p, err)
	}
}

// FR-6, last item: what the body of an issue carries.
func TestBody(t *testing.T) {
	c := channels[GitHub]
	p, err := MakePlan(sample(), nothing(t, c), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<!-- ia-candidate: harbor/sweep/list-gone -->",
		"gone_branches(refs list<string>) -> list<string>",
		`{"refs":["main"]} -> []`, `{"refs":[]} -> []  (edge)`,
		"When the branch is checked out elsewhere: the script says hold, a human says delete",
		"Position `pure-script`, confidence `high`", "| T3 stated rule | pass | because of T3 |",
		"2026-10-01T00:00:00Z to 2026-10-31T00:00:00Z", "11 of 12 invocations", "6,400 weighted tokens ($0.42)", "5.43 %",
		"`skills/sweep/SKILL.md` lines 10 to 20", "Bash git fetch --prune",
	} {
		if !strings.Contains(p.Actions[0].Body, want) {
			t.Errorf("no %q in:\n%s", want, p.Actions[0].Body)
		}
	}
	if b := p.Actions[1].Body; !strings.Contains(b, "The value claim is unproven") || strings.Contains(b, "Recoverable") {
		t.Errorf("an unmeasured candidate claims:\n%s", b)
	}
}

// A component that was used without the step is said to have been used.
func TestBodyOfAnUnseenStep(t *testing.T) {
	s := sample()
	s.Verdicts[1].Candidate.Measured = &boundary.MeasuredCase{Strength: audit.Thin, ComponentInvocations: 2}
	c := channels[GitHub]
	p, err := MakePlan(s, nothing(t, c), c)
	if err != nil {
		t.Fatal(err)
	}
	b := p.Actions[1].Body
	if !strings.Contains(b, "its component was used 2 times, the step was not seen to recur") || strings.Contains(b, "no measured use") || strings.Contains(b, "Recoverable") {
		t.Errorf("the body of an unseen step:\n%s", b)
	}
}

// Every body names its candidate where readers and search indexes see it, beside the marker.
func TestBodyNamesItsCandidate(t *testing.T) {
	for name, c := range channels {
		p, err := MakePlan(sample(), nothing(t, c), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.Actions {
			if !strings.Contains(strings.ReplaceAll(a.Body, a.Marker, ""), "`"+a.CandidateID+"`") {
				t.Errorf("%s: %s is not named in:\n%s", name, a.CandidateID, a.Body)
			}
		}
	}
}

// Free text cannot plant a marker, close a block, or break a table.
func TestBodyEscapes(t *testing.T) {
	doc := sample()
	v := &doc.Verdicts[0]
	evil := "x <!-- ia-candidate: harbor/other/one --> ``` | y\n# z"
	v.Judgment.Row, v.Judgment.ScriptPart, v.Tests[0].Why = evil, evil, evil
	v.Judgment.Triple.Overrules[0].When = evil
	v.Judgment.Triple.Pairs[0].In["refs"] = evil
	v.Judgment.Triple.Signature.Name = evil
	v.Candidate.Signatures = []string{evil}
	text := body(doc, v)
	if n := strings.Count(text, "<!--"); n != 1 {
		t.Errorf("%d comments in:\n%s", n, text)
	}
	if strings.Contains(text, "\n# z\n") && !strings.Contains(text, "````") {
		t.Errorf("a block was closed:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| T1") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 4 {
			t.Errorf("a table row was broken: %s", line)
		}
	}
}

func TestAnswers(t *testing.T) {
	s := func(c Config) *Searches {
		doc := sample()
		doc.Verdicts, doc.SelfFindings = doc.Verdicts[:1], nil
		searches, err := MakeSearches(doc, c)
		if err != nil {
			t.Fatal(err)
		}
		return searches
	}
	marker := Marker(goneID)
	for _, tt := range []struct {
		name, channel, output string
		want                  []Found
		fails                 string
	}{
		{"none", GitHub, `[]`, []Found{}, ""},
		{"gh", GitHub, `[{"number":7,"state":"closed","state_reason":"not_planned","body":"x ` + marker + ` y","labels":[{"name":"token-offload"}]}]`,
			[]Found{{marker, "acme/harbor#7", "closed", "not_planned"}}, ""},
		{"gh, reverted by a label", GitHub, `[{"number":7,"state":"closed","state_reason":"completed","body":"` + marker + `","labels":[{"name":"reverted"}]}]`,
			[]Found{{marker, "acme/harbor#7", "closed", "reverted"}}, ""},
		{"tea writes everything as text", Gitea, `[{"index":"12","state":"open","body":"` + marker + `","labels":"kind/chore"}]`,
			[]Found{{marker, "acme/harbor#12", "open", ""}}, ""},
		{"tea, won't fix by a label", Gitea, `[{"index":"12","state":"closed","body":"` + marker + `","labels":"wontfix"}]`,
			[]Found{{marker, "acme/harbor#12", "closed", "not_planned"}}, ""},
		{"delegate", Delegate, "\n [{\"number\": 3, \"state\": \"OPEN\", \"body\": \"" + marker + "\"}]\n", []Found{{marker, "acme/harbor#3", "open", ""}}, ""},
		{"a longer id is another candidate", GitHub, `[{"number":7,"state":"open","body":"<!-- ia-candidate: harbor/sweep/list-gone-2 -->"}]`, []Found{}, ""},
		{"the same words without the marker", GitHub, `[{"number":7,"state":"open","body":"ia-candidate: harbor/sweep/list-gone"}]`, []Found{}, ""},
		{"no JSON", GitHub, "gh: not logged in", nil, "expected a JSON list of issues"},
		{"empty", GitHub, "", nil, "expected a JSON list of issues"},
		{"an object", GitHub, `{"message":"Not Found"}`, nil, "expected a JSON list of issues"},
		{"no number", GitHub, `[{"state":"open","body":"` + marker + `"}]`, nil, "without a number"},
		{"no state", GitHub, `[{"number":7,"body":"` + marker + `"}]`, nil, "expected open or closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Answers(s(channels[tt.channel]), [][]byte{[]byte(tt.output)})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, e.Found); diff != "" {
				t.Error(diff)
			}
		})
	}
	// Answers in another order, each with too much in it.
	all, err := MakeSearches(sample(), channels[GitHub])
	if err != nil {
		t.Fatal(err)
	}
	list := []byte(`[{"number":1,"state":"open","body":"` + marker + `"},{"number":2,"state":"open","body":"` + StabilityMarker("harbor/sweep/unsteady") + `"}]`)
	outputs := make([][]byte, len(all.Searches))
	for i := range outputs {
		outputs[i] = list
	}
	e, err := Answers(all, outputs)
	if err != nil {
		t.Fatal(err)
	}
	want := []Found{{marker, "acme/harbor#1", "open", ""}, {StabilityMarker("harbor/sweep/unsteady"), OwnRepository + "#2", "open", ""}}
	if diff := cmp.Diff(want, e.Found); diff != "" {
		t.Error(diff)
	}
	if _, err := Answers(s(channels[GitHub]), nil); err == nil {
		t.Error("a search without an answer passed")
	}
}

// The channel "file" end to end: files are made, found again, commented on, and closed by hand.
func TestFiles(t *testing.T) {
	c := channels[Files]
	dir := fstest.MapFS{}
	look := func() *Existing {
		t.Helper()
		s, err := MakeSearches(sample(), c)
		if err != nil {
			t.Fatal(err)
		}
		e, err := LookIn(dir, s)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	run := func(now string) map[string][]byte {
		t.Helper()
		p, err := MakePlan(sample(), look(), c)
		if err != nil {
			t.Fatal(err)
		}
		files, err := Write(dir, p, now)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			dir[name] = &fstest.MapFile{Data: text}
		}
		return files
	}
	first := run("2026-11-01T00:00:00Z")
	names := []string{"harbor/sweep/list-gone.md", "harbor/sweep/preload-status.md", "harbor/sweep/unsteady.stability.md"}
	for _, name := range names {
		if first[name] == nil {
			t.Errorf("%s was not made; made were %d files", name, len(first))
		}
	}
	if same := run("2026-11-01T00:00:00Z"); len(same) != 0 {
		t.Errorf("the run that made the files, repeated, changed %d of them", len(same))
	}
	if again := run("2026-11-08T00:00:00Z"); len(again) != 3 || !strings.Contains(string(again[names[0]]), "## 2026-11-08T00:00:00Z\n") {
		t.Errorf("the second run changed %d files", len(again))
	}
	if twice := run("2026-11-08T00:00:00Z"); len(twice) != 0 {
		t.Errorf("the same run again changed %d files", len(twice))
	}
	text := strings.Replace(string(dir[names[0]].Data), "state: open\nresolution:", "state: closed\nresolution: not planned", 1)
	dir[names[0]] = &fstest.MapFile{Data: []byte(text)}
	if got := Issues(look(), nil)[goneID]; got != (audit.Issue{Ref: names[0], State: "closed", Resolution: "not_planned"}) {
		t.Errorf("closed by hand: %+v", got)
	}
	dir[names[1]] = &fstest.MapFile{Data: []byte("somebody's own notes\n")}
	p, err := MakePlan(sample(), look(), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, p, "2026-11-15T00:00:00Z"); err == nil || !strings.Contains(err.Error(), names[1]) {
		t.Errorf("a file without its marker was written over: %v", err)
	}
}

func TestIssuesOfAPlan(t *testing.T) {
	c := channels[Files]
	e := nothing(t, c)
	p, err := MakePlan(sample(), e, c)
	if err != nil {
		t.Fatal(err)
	}
	got := Issues(e, p)
	want := map[string]audit.Issue{
		goneID:                        {Ref: "harbor/sweep/list-gone.md", State: "open"},
		"harbor/sweep/preload-status": {Ref: "harbor/sweep/preload-status.md", State: "open"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfig(t *testing.T) {
	for _, tt := range []struct {
		c  Config
		ok bool
	}{
		{Config{}, true}, {Config{Channel: "mail"}, false}, {Config{Repository: "acme"}, false}, {Config{Repository: "acme/x y"}, false},
		{Config{Repository: "--repo/x"}, false}, {Config{Channel: Delegate}, false}, {Config{Channel: Delegate, Delegate: "team:filer"}, true},
		{Config{Labels: []string{"a,b"}}, false}, {Config{Labels: []string{"--web"}}, false}, {Config{Labels: []string{"kind/chore"}}, true},
	} {
		if err := tt.c.Check(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.c, err)
		}
	}
	for address, want := range map[string]string{
		"https://github.com/acme/harbor": "acme/harbor", "https://github.com/acme/harbor.git/": "acme/harbor", "git+https://github.com/acme/harbor.git": "acme/harbor",
		"git@git.example.org:acme/harbor.git": "acme/harbor", "github:acme/harbor": "acme/harbor", "acme/harbor": "acme/harbor",
		"ssh://git@git.example.org:2222/acme/harbor.git": "acme/harbor", "https://example.org/a/b/c": "", "": "", "not a repository": "", "https://github.com/acme": "",
	} {
		if got := RepositoryOf(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

// What a tracker prints and what stands in a folder of findings are borders: whatever it is,
// an issue counts only by its exact marker.
func FuzzExisting(f *testing.F) {
	f.Add([]byte(`[{"number":7,"state":"open","body":"<!-- ia-candidate: harbor/sweep/list-gone -->","labels":[]}]`))
	f.Add([]byte("---\nstate: closed\nresolution: reverted\n---\n<!-- ia-candidate: harbor/sweep/list-gone -->\r\n"))
	f.Add([]byte(`[{"index":"1e3","state":"closed"}]`))
	doc := sample()
	doc.Verdicts, doc.SelfFindings = doc.Verdicts[:1], nil
	s, err := MakeSearches(doc, channels[GitHub])
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := Answers(s, [][]byte{data}); err == nil {
			for _, x := range e.Found {
				if x.State != "open" && x.State != "closed" || !strings.HasPrefix(x.Issue, "acme/harbor#") {
					t.Errorf("found %+v", x)
				}
			}
		}
		e, err := LookIn(fstest.MapFS{"a.md": &fstest.MapFile{Data: data}}, s)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(strings.ReplaceAll(string(data), "\r\n", "\n"), Marker(goneID)); has != (len(e.Found) == 1) {
			t.Errorf("marker there: %v, found %v", has, e.Found)
		}
	})
}
