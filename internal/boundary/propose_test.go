package boundary

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// depot is the inventory of a fixture with one component of each label.
func depot(t *testing.T) *inventory.Document {
	t.Helper()
	p, err := plugin.Resolve(filepath.Join("testdata", "plugins", "depot"), plugin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inv, err := inventory.Take(p)
	if err != nil {
		t.Fatal(err)
	}
	inv.Target.Path = "" // the only member that depends on where the test runs
	return inv
}

func usd(s string) *string { return &s }

var skillSweep = audit.ComponentRef{Kind: audit.KindSkill, Name: "sweep"}

// depotUse is what was measured of the fixture: two sequences of sweep's own step, one of
// another step, a retry, a haystack, what sweep opens with, and what is not depot's.
func depotUse() *scan.Document {
	seq := func(id string, share int64, sigs ...string) scan.Sequence {
		return scan.Sequence{ID: "seq:" + id, SignatureHash: "sig1:" + id, Signatures: sigs, Component: skillSweep, Plugin: "depot",
			Invocations: 5, ComponentInvocations: 8, Occurrences: 6, Turns: 20, WasteMilli: 1000, ValueMilli: share * 10, SharePPM: share,
			RecoverableMilli: 900, RecoverableUSD: usd("0.250000"), JudgmentDensityPPM: 100_000, Source: "ngram"}
	}
	d := &scan.Document{WeightsVersion: "w1", Components: []scan.Component{
		{Kind: audit.KindSkill, Name: "depot:sweep", Plugin: "depot", Invocations: 8, Usage: scan.Usage{Turns: 90}},
		{Kind: audit.KindSkill, Name: "depot:ship", Plugin: "depot", Invocations: 1, Usage: scan.Usage{Turns: 4}},
	}}
	first, second := seq("aa", 60_000, "Bash gh issue list", "Bash gh pr list; jq"), seq("bb", 20_000, "Bash git fetch", "Bash gh pr list")
	second.JudgmentDensityPPM, second.QuestionPPM, second.Turns = 400_000, 300_000, 10
	retry, hay := seq("dd", 30_000, "Bash gh pr view"), seq("ee", 40_000, "Read <path.csv>")
	retry.Source, hay.Source = "retry-cluster", "read-amplification"
	fan := seq("ff", 20_000, "Bash docker ps", "Bash docker logs")
	fan.FanOut = true
	asCommand := seq("gg", 20_000, "Bash kubectl get", "Bash kubectl logs")
	asCommand.Component, asCommand.Invocations = audit.ComponentRef{Kind: audit.KindSkill, Name: "ship"}, 1
	gone := seq("hh", 20_000, "Bash git log", "Bash git show")
	gone.Component.Name = "swept-away"
	foreign := seq("ii", 900_000, "Bash git log", "Bash git show")
	foreign.Plugin = "other"
	opens := seq("jj", 20_000, "Read <own:references/shelves.md>", "Bash docker info")
	d.Sequences = []scan.Sequence{opens, second, first, seq("cc", 20_000, "Bash npm test", "Edit <path.ts>", "Bash grep"), retry, hay, fan, asCommand, gone, foreign}
	staple := func(id, sig string, opening bool) scan.Staple {
		return scan.Staple{ID: "sta:" + id, Signature: sig, Component: skillSweep, Plugin: "depot", Invocations: 7, ComponentInvocations: 8,
			Occurrences: 7, Turns: 7, ValueMilli: 70, SharePPM: 10_000, RecoverableMilli: 70, RecoverableUSD: usd("0.100001"), Opening: opening, ConstantArguments: true}
	}
	varying := staple("4", "Bash gh pr view", true)
	varying.ConstantArguments = false
	d.Staples = []scan.Staple{staple("1", "Read <own:references/shelves.md>", true), staple("2", "Bash docker info", true), staple("3", "Bash gh api", false), varying}
	return d
}

func TestProposeGolden(t *testing.T) {
	for name, sc := range map[string]*scan.Document{"static": nil, "measured": depotUse()} {
		var buf bytes.Buffer
		if err := jsondoc.Encode(&buf, Propose(depot(t), sc)); err != nil {
			t.Fatal(err)
		}
		got := buf.Bytes()
		file := filepath.Join("testdata", "candidates-"+name+".json")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s: %s", file, cmp.Diff(string(want), string(got)))
		}
	}
}

func byID(cs []Candidate, id string) *Candidate {
	for i := range cs {
		if cs[i].ID == id {
			return &cs[i]
		}
	}
	return nil
}

func TestMeasuredJoinsStatic(t *testing.T) {
	static, both := Propose(depot(t), nil), Propose(depot(t), depotUse())
	before, after := byID(static.Candidates, "depot/sweep/procedure"), byID(both.Candidates, "depot/sweep/procedure")
	if before == nil || after == nil {
		t.Fatal("sweep's procedure is not proposed")
	}
	m := after.Measured
	if m == nil || after.Static == nil {
		t.Fatal("the two cases of one step do not stand in one candidate")
	}
	if !slices.Equal(m.Evidence, []string{"seq:aa", "seq:bb"}) || after.SignatureHash != "sig1:aa" {
		t.Errorf("evidence %v, hash %s: want both sequences, and the hash of the one worth more", m.Evidence, after.SignatureHash)
	}
	if m.Turns != 30 || m.SharePPM != 80_000 || m.Invocations != 5 || *m.RecoverableUSD != "0.500000" || m.JudgmentDensityPPM != 200_000 || m.QuestionPPM != 300_000 {
		t.Errorf("joined case: %+v", *m)
	}
	if m.Strength != audit.Measured {
		t.Errorf("five invocations in 90 attributed turns are %s", m.Strength)
	}
	if after.EvidenceHash != before.EvidenceHash || after.Kind != before.Kind || after.Slug != before.Slug {
		t.Error("being measured made it another candidate, or took its judgment away")
	}
	if points(after.Why) != after.Score || after.Score <= before.Score {
		t.Errorf("score %d, reasons %d, before %d", after.Score, points(after.Why), before.Score)
	}
}

func TestMeasuredKinds(t *testing.T) {
	c := Propose(depot(t), depotUse())
	for id, want := range map[string]struct {
		kind     string
		strength audit.Strength
	}{
		"depot/sweep/npm-test-edit-path-ts-grep": {audit.Sequence, audit.Measured},
		"depot/sweep/retry-gh-pr-view":           {audit.Wrapper, audit.Measured},
		"depot/sweep/digest-read-path-csv":       {audit.DigestOf, audit.Measured},
		"depot/sweep/docker-ps-docker-logs":      {audit.Sequence, audit.Measured},
		"depot/ship/kubectl-get-kubectl-logs":    {audit.Sequence, audit.Thin},
		"depot/sweep/preload":                    {audit.Preload, audit.Measured},
	} {
		got := byID(c.Candidates, id)
		if got == nil {
			t.Errorf("%s is not proposed", id)
			continue
		}
		if got.Kind != want.kind || got.Measured == nil || got.Measured.Strength != want.strength {
			t.Errorf("%s: kind %s, measured %+v; want %+v", id, got.Kind, got.Measured, want)
		}
	}
	if p := byID(c.Candidates, "depot/sweep/preload"); p != nil && (p.Static == nil || !slices.Equal(p.Measured.Evidence, []string{"seq:jj", "sta:1", "sta:2"}) || *p.Measured.RecoverableUSD != "0.200002") {
		t.Errorf("preload: %+v", p.Measured)
	}
	fan, plain := byID(c.Candidates, "depot/sweep/docker-ps-docker-logs"), byID(c.Candidates, "depot/sweep/npm-test-edit-path-ts-grep")
	if fan != nil && plain != nil && (fan.Score != plain.Score || plain.Score < Cut-2*Cut/1000 || plain.Score > Cut) {
		t.Errorf("at the value threshold a sequence scores %d, in a fan-out %d; want the cut", plain.Score, fan.Score)
	}
	if c.Candidates[0].ID != "depot/sweep/docker-ps-docker-logs" {
		t.Errorf("%s ranks first, want what is inside a fan-out", c.Candidates[0].ID)
	}
	if len(c.Warnings) != 1 || c.Warnings[0].Code != "component-gone" {
		t.Errorf("warnings: %+v", c.Warnings)
	}
	for _, k := range c.Candidates {
		if k.Measured != nil && slices.Contains(k.Measured.Evidence, "seq:ii") {
			t.Error("another plugin's sequence is among the candidates")
		}
	}
}

// TestProposeWithoutTarget: a scan of all plugins proposes what was measured of each.
func TestProposeWithoutTarget(t *testing.T) {
	c := Propose(nil, depotUse())
	for _, id := range []string{"depot:sweep/preload", "depot:sweep/gh-issue-list-gh-pr-list-jq", "other:sweep/git-log-git-show"} {
		if byID(c.Candidates, id) == nil {
			t.Errorf("%s is not proposed", id)
		}
	}
}

func TestRuns(t *testing.T) {
	step := []string{"Bash gh pr list", "Bash jq", "Bash git fetch", "Bash gh issue list", "Bash sort"}
	for name, c := range map[string]struct {
		sequence []string
		want     bool
	}{
		"all of it":            {[]string{"Bash gh pr list; jq", "Bash git fetch"}, true},
		"half of it":           {[]string{"Bash gh pr list", "Bash npm test"}, true},
		"less than half":       {[]string{"Bash gh pr list", "Bash npm test", "Bash make"}, false},
		"only plain filters":   {[]string{"Bash jq", "Bash sort"}, false},
		"nothing in common":    {[]string{"Read <path.md>", "Edit <path.md>"}, false},
		"repeats do not count": {[]string{"Bash gh pr list", "Bash npm test", "Bash npm test", "Bash npm test"}, true},
	} {
		if got := runs(c.sequence, step); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestStrength(t *testing.T) {
	for _, c := range []struct {
		invocations, turns int64
		want               audit.Strength
	}{{3, 30, audit.Measured}, {2, 300, audit.Thin}, {30, 29, audit.Thin}, {0, 1, audit.Thin}, {0, 0, audit.Unmeasured}} {
		if got := strengthOf(c.invocations, c.turns); got != c.want {
			t.Errorf("%d invocations, %d turns: %s, want %s", c.invocations, c.turns, got, c.want)
		}
	}
}

func TestAddUSD(t *testing.T) {
	for _, c := range []struct {
		a, b *string
		want string
	}{
		{usd("1.999999"), usd("0.000001"), "2.000000"}, {usd("0.1"), usd("2"), "2.100000"}, {nil, usd("1.0"), "unknown"}, {usd("x"), usd("1.0"), "unknown"},
	} {
		got := "unknown"
		if s := addUSD(c.a, c.b); s != nil {
			got = *s
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestProposeIsBounded: an analyst is asked about few; the rest is named.
func TestProposeIsBounded(t *testing.T) {
	inv := depot(t)
	sweep := inv.Components[slices.IndexFunc(inv.Components, func(c inventory.Component) bool { return c.Name == "sweep" })]
	for i := range 40 {
		c := sweep
		c.Name = "sweep-" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		inv.Components = append(inv.Components, c)
	}
	got := Propose(inv, nil)
	asked := 0
	for _, c := range got.Candidates {
		if c.AboveCut {
			asked++
		}
	}
	over := 0
	for _, b := range got.Below {
		if b.Reason == "over-cap" {
			over++
		}
	}
	if asked != MaxProposed || over != 41-MaxProposed {
		t.Errorf("asked about %d, %d over the cap; want %d and %d", asked, over, MaxProposed, 41-MaxProposed)
	}
}

// TestNameClaimedTwice: two files that claim one name are one component, the one that is loaded.
func TestNameClaimedTwice(t *testing.T) {
	inv := depot(t)
	i := slices.IndexFunc(inv.Components, func(c inventory.Component) bool { return c.Name == "sweep" })
	twin := inv.Components[i]
	inv.Components[i].Loaded = false
	twin.Path = "skills/second/SKILL.md"
	inv.Components = append(inv.Components, twin)
	ids := map[string]int{}
	c := Propose(inv, nil)
	for _, k := range c.Candidates {
		ids[k.ID]++
	}
	for _, b := range c.Below {
		ids[b.ID]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s is there %d times", id, n)
		}
	}
	if k := byID(c.Candidates, "depot/sweep/procedure"); k == nil || k.Static.Path != twin.Path {
		t.Error("the loaded of the two is not the one proposed")
	}
	if n := len(Rank(inv).Rows); n != len(inv.Components) {
		t.Errorf("the ranking has %d rows of %d components", n, len(inv.Components))
	}
}

func TestProposeOfNothing(t *testing.T) {
	for name, c := range map[string]*Candidates{"nothing": Propose(nil, nil), "a scan alone": Propose(nil, &scan.Document{})} {
		if len(c.Candidates) != 0 || c.Candidates == nil || c.Below == nil || c.Warnings == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestRank(t *testing.T) {
	r := Rank(depot(t))
	var got []string
	for i, row := range r.Rows {
		got = append(got, row.Component+" "+row.Label)
		if i > 0 && row.Score > r.Rows[i-1].Score {
			t.Error("not by score")
		}
		if row.AboveCut != (row.Score >= r.Cut) || row.Why == nil {
			t.Errorf("%+v", row)
		}
	}
	want := []string{"sweep procedure", "ship already-cut", "notes reference", "adviser judgment", "ledger judgment", "restock procedure"}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if twice := Rank(depot(t), depot(t)); len(twice.Rows) != 2*len(r.Rows) {
		t.Errorf("%d rows of two plugins", len(twice.Rows))
	}
}
