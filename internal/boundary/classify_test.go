package boundary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

func acme(cs ...Candidate) *Candidates {
	return &Candidates{Document: CandidatesKind, Target: audit.Target{Name: "acme"}, Candidates: cs}
}

func judged(js ...Judgment) *Judgments {
	return &Judgments{Document: JudgmentsKind, Target: "acme", Judgments: js}
}

func classifyFirst(t *testing.T, inv *inventory.Document, c Candidate, js *Judgments) (Verdict, *Verdicts) {
	t.Helper()
	v, err := Classify(inv, nil, acme(c), js)
	if err != nil {
		t.Fatal(err)
	}
	return v.Verdicts[0], v
}

// TestUnjudged (issue 2, check): a candidate that nobody judged is a boundary question at
// best, never "nothing to offload", unless measurement alone decides.
func TestUnjudged(t *testing.T) {
	for _, row := range []struct {
		c      Candidate
		want   audit.Verdict
		reason string
	}{
		{Candidate{ID: "acme/a/b", Kind: audit.Procedure}, audit.BoundaryQuestion, "unjudged"},
		{Candidate{ID: "acme/a/b", Kind: audit.Sequence, Measured: &MeasuredCase{Strength: audit.Measured, SharePPM: 900_000}}, audit.BoundaryQuestion, "unjudged"},
		{Candidate{ID: "acme/a/b", Kind: audit.Procedure, AlreadyCut: true}, audit.NoOffload, "already-cut"},
		{Candidate{ID: "acme/a/b", Kind: audit.Drift}, audit.DriftNote, "kind:drift"},
	} {
		open := Form(acme(row.c))
		for name, js := range map[string]*Judgments{"no judgments": nil, "open form": open} {
			v, _ := classifyFirst(t, nil, row.c, js)
			if v.Verdict != row.want || v.Reasons[0] != row.reason || v.Judgment != nil || v.TripleComplete {
				t.Errorf("%s, %s: %s %v", row.c.Kind, name, v.Verdict, v.Reasons)
			}
			if len(v.Tests) != 5 || v.Position != audit.PureInference || v.Confidence != audit.Low {
				t.Errorf("%s, %s: tests %v, %s %s", row.c.Kind, name, v.Tests, v.Position, v.Confidence)
			}
		}
	}
}

func TestFormAsksWhatIsOpen(t *testing.T) {
	js := Form(acme(
		Candidate{ID: "acme/a/b", EvidenceHash: "ev"}, Candidate{ID: "acme/a/cut", AlreadyCut: true}, Candidate{ID: "acme/a/d", Kind: audit.Drift},
	))
	if len(js.Judgments) != 1 || js.Judgments[0].ID != "acme/a/b" || js.Judgments[0].EvidenceHash != "ev" || js.Target != "acme" {
		t.Errorf("%+v", js)
	}
}

func TestClassifyRefuses(t *testing.T) {
	c := Candidate{ID: "acme/a/b"}
	for _, row := range []struct {
		name  string
		inv   *inventory.Document
		sc    *scan.Document
		cands *Candidates
		js    *Judgments
		want  string
	}{
		{"no candidates", nil, nil, nil, nil, "expected a candidates/v1 document"},
		{"an invented candidate", nil, nil, acme(c), judged(goodJudgment("acme/a/b"), goodJudgment("acme/a/new")), `judgments[1].id: "acme/a/new" is not among the candidates`},
		{"an invented open row", nil, nil, acme(c), judged(Judgment{ID: "acme/z"}), `judgments[0].id: "acme/z" is not among the candidates`},
		{"another plugin's judgments", nil, nil, acme(c), &Judgments{Target: "other"}, `target: expected "acme", found "other"`},
		{"another plugin's inventory", &inventory.Document{Target: audit.Target{Name: "other"}}, nil, acme(c), nil, `inventory: about plugin "other"`},
		{"another plugin's scan", nil, &scan.Document{Target: &audit.Target{Name: "other"}}, acme(c), nil, `scan: about plugin "other"`},
		{"an answer out of range", nil, nil, acme(c), judged(Judgment{ID: "acme/a/b", Residue: ResiduePerRun}), "judgments[0].undecided_share"},
	} {
		if _, err := Classify(row.inv, row.sc, row.cands, row.js); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.name, err, row.want)
		}
	}
}

// TestEvidenceMustExist: a reference to a file that the plugin has not, or to a signal
// that nobody measured, is no evidence; one that exists is enough.
func TestEvidenceMustExist(t *testing.T) {
	inv := &inventory.Document{
		Target: audit.Target{Name: "acme"},
		Components: []inventory.Component{{
			Path: "skills/x/SKILL.md", Lines: 12, Signals: inventory.Signals{Evidence: []inventory.Evidence{{Signal: "rule_rows"}}},
		}},
		Surface: inventory.Surface{
			Hooks:       []inventory.Hook{{Source: "hooks/hooks.json", Script: "hooks/guard.sh"}},
			Servers:     []inventory.Server{{Source: ".mcp.json"}},
			Executables: []inventory.Executable{{Path: "bin/tool"}},
			Other:       []inventory.Other{{Path: "settings.json"}},
			Sources:     []inventory.SourceFile{{Path: "hooks/hooks.json", Lines: 3}},
			References:  []inventory.TextFile{{Path: "references/table.md", Lines: 40}},
			Tests:       []inventory.TextFile{{Path: "tests/case.md"}},
		},
	}
	sc := &scan.Document{
		Sequences: []scan.Sequence{{ID: "seq:2", SignatureHash: "sig1:22"}}, Staples: []scan.Staple{{ID: "staple:3", SignatureHash: "sig1:33"}},
	}
	c := Candidate{ID: "acme/a/b", Kind: audit.Sequence, SignatureHash: "sig1:aa", Why: []Reason{{Signal: "gathers"}}, Measured: &MeasuredCase{Evidence: []string{"seq:sig1:aa"}, Strength: audit.Thin}}
	for _, row := range []struct {
		refs string
		want string
	}{
		{"skills/x/SKILL.md:9", Pass},
		{"./skills/x/SKILL.md:9-12", Pass},
		{"repository/acme/skills/x/SKILL.md:9", Pass},
		{"seq:sig1:aa", Pass},
		{"sig1:aa", Pass},
		{"skills/other/SKILL.md:9", Unknown},
		{"seq:sig1:bb", Unknown},
		{"skills/x/SKILL.md:12", Pass}, {"skills/x/SKILL.md:13", Unknown}, {"skills/x/SKILL.md:9999", Unknown}, {"skills/x/SKILL.md:9-13", Unknown},
		{"skills/x/SKILL.md:9999 skills/x/SKILL.md:2", Pass}, {"repository/acme/skills/x/SKILL.md:13", Unknown},
		{"hooks/hooks.json:4", Unknown}, {"references/table.md:41", Unknown}, {"tests/case.md:9999", Pass}, // of unknown length
		{"skills/other/SKILL.md:9 sig1:aa", Pass},
		{"hooks/hooks.json:1", Pass}, {"hooks/guard.sh:1", Pass}, {".mcp.json:1", Pass}, {"bin/tool:1", Pass}, {"settings.json:1", Pass},
		{"references/table.md:1", Pass}, {"tests/case.md:1", Pass}, {".claude-plugin/plugin.json:1", Pass},
		{"seq:2", Pass}, {"sig1:22", Pass}, {"staple:3", Pass}, {"sig1:33", Pass}, {"rule_rows", Pass}, {"gathers", Pass}, {"obvious", Unknown},
	} {
		j := goodJudgment(c.ID)
		j.T2.Evidence = strings.Fields(row.refs)
		v, err := Classify(inv, sc, acme(c), judged(j))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Verdicts[0].Tests[1].Outcome; got != row.want {
			t.Errorf("%s: %s, want %s", row.refs, got, row.want)
		}
	}
}

// TestEvidenceIsKeptAsItIsKnown: a test shows the references that counted, as paths of the
// plugin; the judgment keeps the others, but none that names a place on somebody's machine.
func TestEvidenceIsKeptAsItIsKnown(t *testing.T) {
	inv := &inventory.Document{Target: audit.Target{Name: "acme"}, Components: []inventory.Component{{Path: "skills/x/SKILL.md", Lines: 12}}}
	j := goodJudgment("acme/a/b")
	j.T2.Evidence = []string{"/home/kim/acme/skills/x/SKILL.md:3-4", "/home/kim/notes.md:1", "skills/x/SKILL.md:13", "seq:gone"}
	v, err := Classify(inv, nil, acme(Candidate{ID: "acme/a/b", Kind: audit.Procedure}), judged(j))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(v.Verdicts[0].Tests[1].Evidence), "[skills/x/SKILL.md:3-4]"; got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(v.Verdicts[0].Judgment.T2.Evidence), "[skills/x/SKILL.md:3-4 skills/x/SKILL.md:13 seq:gone]"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
}

// TestChangedEvidence: a judgment made on other evidence does not count, and says so.
func TestChangedEvidence(t *testing.T) {
	for _, row := range []struct {
		hash, carried string
		counts        bool
	}{
		{"now", "", true}, {"now", "snap-1", true}, {"", "", true},
		{"before", "", false}, {"before", "snap-1", false}, {"", "snap-1", false},
	} {
		j := goodJudgment("acme/a/b")
		j.EvidenceHash, j.CarriedFrom = row.hash, row.carried
		v, all := classifyFirst(t, nil, Candidate{ID: "acme/a/b", EvidenceHash: "now"}, judged(j))
		if (v.Judgment != nil) != row.counts || (len(all.Warnings) == 0) != row.counts {
			t.Errorf("%+v: judgment %v, warnings %v", row, v.Judgment != nil, all.Warnings)
		}
		if row.counts && v.Judgment.EvidenceHash != "now" {
			t.Errorf("%+v: remembered for evidence %q", row, v.Judgment.EvidenceHash)
		}
		if !row.counts && (v.Verdict != audit.BoundaryQuestion || v.Reasons[0] != "unjudged") {
			t.Errorf("%+v: %s %v", row, v.Verdict, v.Reasons)
		}
	}
}

// TestGoodCutFiles: a judged candidate that passes every gate is filed, with the triple
// masked; T4's ceiling and an unfit triple stop it.
func TestGoodCutFiles(t *testing.T) {
	j := goodJudgment("acme/a/b")
	j.Triple.Pairs[0].In["at"] = "/home/kim/x"
	v, _ := classifyFirst(t, nil, Candidate{ID: "acme/a/b", Kind: audit.Procedure}, judged(j))
	if v.Verdict != audit.File || v.Position != audit.PureScript || v.Confidence != audit.High || v.ValueClaim != Unproven || !v.TripleComplete {
		t.Errorf("%s %s %s %q %v", v.Verdict, v.Position, v.Confidence, v.ValueClaim, v.Reasons)
	}
	if got := v.Judgment.Triple.Pairs[0].In["at"]; got != "<path:1>" {
		t.Errorf("a literal path crossed: %v", got)
	}
	j.Triple.Pairs[2].Edge = false
	if v, _ = classifyFirst(t, nil, Candidate{ID: "acme/a/b", Kind: audit.Procedure}, judged(j)); fmt.Sprint(v.Reasons) != "[triple:no-edge]" {
		t.Errorf("%s %v", v.Verdict, v.Reasons)
	}
}
