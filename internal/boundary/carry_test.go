package boundary

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// TestCarry: the form asks only about what is new or changed; what is carried passes the
// same gates as what is judged now.
func TestCarry(t *testing.T) {
	made := goodJudgment("acme/a/same")
	made.EvidenceHash = "h1"
	again := made
	again.CarriedFrom = "snap-1"
	otherEvidence := made
	otherEvidence.EvidenceHash = "h0"
	remembered := func(j Judgment, rubric string) Remembered {
		return Remembered{Judgment: j, SnapshotID: "snap-2", RubricVersion: rubric}
	}
	for _, row := range []struct {
		name  string
		hash  string
		prior map[string]Remembered
		from  string // "" when asked again
	}{
		{"the same evidence", "h1", map[string]Remembered{"acme/a/same": remembered(made, RubricVersion)}, "snap-2"},
		{"carried before: the first snapshot is named", "h1", map[string]Remembered{"acme/a/same": remembered(again, RubricVersion)}, "snap-1"},
		{"changed evidence", "h1", map[string]Remembered{"acme/a/same": remembered(otherEvidence, RubricVersion)}, ""},
		{"another rubric", "h1", map[string]Remembered{"acme/a/same": remembered(made, "0.9")}, ""},
		{"another candidate", "h1", map[string]Remembered{"acme/a/other": remembered(made, RubricVersion)}, ""},
		{"never judged", "h1", map[string]Remembered{"acme/a/same": remembered(Judgment{ID: "acme/a/same", EvidenceHash: "h1"}, RubricVersion)}, ""},
		{"no evidence hash", "", map[string]Remembered{"acme/a/same": remembered(goodJudgment("acme/a/same"), RubricVersion)}, ""},
		{"fresh", "h1", nil, ""},
	} {
		cands := acme(Candidate{ID: "acme/a/same", Kind: audit.Procedure, EvidenceHash: row.hash})
		js := Carry(cands, row.prior)
		got := js.Judgments[0]
		if got.CarriedFrom != row.from || got.Open() != (row.from == "") {
			t.Errorf("%s: carried from %q, open %v", row.name, got.CarriedFrom, got.Open())
		}
		want := audit.File
		if row.from == "" {
			want = audit.BoundaryQuestion
		}
		v, err := Classify(nil, nil, cands, js)
		if err != nil || v.Verdicts[0].Verdict != want {
			t.Errorf("%s: %v %v", row.name, v.Verdicts[0].Reasons, err)
		}
	}
}

// TestCarriedPassesTheSameGates: a measurement that contradicts a carried judgment lowers it.
func TestCarriedPassesTheSameGates(t *testing.T) {
	j := goodJudgment("acme/a/b")
	j.EvidenceHash = "h"
	c := Candidate{ID: "acme/a/b", EvidenceHash: "h", Measured: &MeasuredCase{Strength: audit.Measured, SharePPM: 50_000, QuestionPPM: 300_000}}
	js := Carry(acme(c), map[string]Remembered{"acme/a/b": {Judgment: j, SnapshotID: "s", RubricVersion: RubricVersion}})
	v, err := Classify(nil, nil, acme(c), js)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Verdicts[0]; got.Verdict != audit.BoundaryQuestion || got.Judgment.CarriedFrom != "s" || len(got.Contradictions) != 1 {
		t.Errorf("%s %v %v", got.Verdict, got.Reasons, got.Contradictions)
	}
}

// TestMerge: answers over a form; what is left out stays carried or open.
func TestMerge(t *testing.T) {
	carried := goodJudgment("acme/a/carried")
	carried.CarriedFrom = "s"
	form := judged(carried, Judgment{ID: "acme/a/open"}, Judgment{ID: "acme/a/left"})
	again := goodJudgment("acme/a/carried")
	again.Residue = ResidueOnce
	for _, row := range []struct {
		name    string
		answers []Judgment
		want    string
	}{
		{"nothing", nil, "acme/a/carried:none:s acme/a/open:: acme/a/left::"},
		{"one open row", []Judgment{goodJudgment("acme/a/open")}, "acme/a/carried:none:s acme/a/open:none: acme/a/left::"},
		{"a carried one judged again", []Judgment{again}, "acme/a/carried:once: acme/a/open:: acme/a/left::"},
		{"a carried one left open", []Judgment{{ID: "acme/a/carried"}}, "acme/a/carried:none:s acme/a/open:: acme/a/left::"},
		{"one more", []Judgment{goodJudgment("acme/a/more")}, "acme/a/carried:none:s acme/a/open:: acme/a/left:: acme/a/more:none:"},
	} {
		got := ""
		for _, j := range Merge(form, judged(row.answers...)).Judgments {
			got += " " + j.ID + ":" + j.Residue + ":" + j.CarriedFrom
		}
		if got[1:] != row.want {
			t.Errorf("%s:%s, want %s", row.name, got, row.want)
		}
	}
	if len(form.Judgments) != 3 || form.Judgments[1].Residue != "" {
		t.Error("Merge changed its form")
	}
}

// TestWriteForm: the form for people reads back as the form for programs, whatever stands
// in names.
func TestWriteForm(t *testing.T) {
	cands := acme(
		Candidate{ID: "acme/a/b", EvidenceHash: "ev1:0", Kind: audit.Procedure, Static: &StaticCase{Path: "a: b\n#c.md", FirstLine: 1, LastLine: 2}},
		Candidate{ID: "acme/#odd: \"name\"/ü\t", Kind: audit.Sequence, Measured: &MeasuredCase{Evidence: []string{"seq:1"}}},
		Candidate{ID: "acme/a/cut", AlreadyCut: true},
	)
	for _, c := range []*Candidates{cands, acme()} {
		var b strings.Builder
		if err := WriteForm(&b, c); err != nil {
			t.Fatal(err)
		}
		got, err := ReadJudgments([]byte(b.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if want := Form(c); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	}
}
