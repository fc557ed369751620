package boundary

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// sharedDir is where data that is read in place stands; the test skips without it.
func sharedDir(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no shared data at %s (set SHARED to its directory)", dir)
	}
	return dir
}

// readerAnswer is one answer as a reader wrote it: shares are fractions, tests may be absent.
type readerAnswer struct {
	ScriptPart     string   `json:"script_part"`
	Residue        string   `json:"residue"`
	UndecidedShare *float64 `json:"undecided_share"`
	T1, T2, T3     *Answer
	T4, T5         *Answer
	Triple         *Triple `json:"triple"`
}

// readReader brings one reader's answers into judgments/v1.
func readReader(t *testing.T, path string) *Judgments {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]readerAnswer
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	js := &Judgments{Document: JudgmentsKind, Target: "readers", Judgments: []Judgment{}}
	for i := range readerSteps {
		id := fmt.Sprintf("A%d", i+1)
		a, ok := answers[id]
		if !ok {
			t.Fatalf("%s: no answer to %s", path, id)
		}
		j := Judgment{ID: "readers/" + id, Row: "(not asked)", ScriptPart: a.ScriptPart, Residue: a.Residue, Triple: a.Triple}
		if a.UndecidedShare != nil {
			j.UndecidedShare = int(*a.UndecidedShare*100 + 0.5)
		}
		for k, from := range []*Answer{a.T1, a.T2, a.T3, a.T4, a.T5} {
			if from != nil {
				*j.answers()[k] = *from
			}
		}
		js.Judgments = append(js.Judgments, j)
	}
	// Through the file's own syntax and back, so that the reading is tested too.
	raw, err := json.Marshal(js)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadJudgments(raw)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return read
}

// readerSteps is what the worked examples of the rubric expect of A1 to A12.
var readerSteps = []struct {
	position   audit.Position
	confidence audit.Confidence
	verdict    audit.Verdict
}{
	{audit.OverDigest, audit.High, audit.File},
	{audit.OverDigest, audit.Low, audit.BoundaryQuestion},
	{audit.Compiled, audit.High, audit.File},
	{audit.PureScript, audit.High, audit.File},
	{audit.PureInference, audit.High, audit.NoOffload},
	{audit.Compiled, audit.High, audit.File},
	{audit.OverDigest, audit.High, audit.File},
	{audit.OverDigest, audit.Medium, audit.BoundaryQuestion},
	{audit.PureInference, audit.High, audit.NoOffload},
	{audit.Compiled, audit.High, audit.File},
	{audit.Compiled, audit.High, audit.File},
	{audit.OverDigest, audit.High, audit.File},
}

// TestThreeReaders (FR-4): three strangers' judgments of twelve real steps. All agree on
// every position, and with the expected one; where a verdict departs from the expected,
// a partial T4 is the only cause.
func TestThreeReaders(t *testing.T) {
	dir := sharedDir(t, "judgments")
	cands := &Candidates{Document: CandidatesKind, Target: audit.Target{Name: "readers"}}
	for i := range readerSteps {
		cands.Candidates = append(cands.Candidates, Candidate{ID: fmt.Sprintf("readers/A%d", i+1), Kind: audit.Procedure})
	}
	classify := func(js *Judgments) []Verdict {
		v, err := Classify(nil, nil, cands, js)
		if err != nil {
			t.Fatal(err)
		}
		return v.Verdicts
	}
	var all [3][]Verdict
	positions, verdicts, departures := 0, 0, 0
	for r := range all {
		js := readReader(t, filepath.Join(dir, fmt.Sprintf("reader-%d.json", r+1)))
		all[r] = classify(js)
		for i := range js.Judgments {
			if js.Judgments[i].T4.Outcome == Partial {
				js.Judgments[i].T4.Outcome = Pass
			}
		}
		sharpened := classify(js)
		for i, want := range readerSteps {
			got := all[r][i]
			if got.Position == want.position {
				positions++
			} else {
				t.Errorf("reader %d A%d: %s, expected %s", r+1, i+1, got.Position, want.position)
			}
			if got.Position != audit.PureInference && !got.TripleComplete {
				t.Errorf("reader %d A%d: triple %s: %s", r+1, i+1, got.TripleReason, got.TripleDetail)
			}
			if got.Verdict == want.verdict && got.Confidence == want.confidence {
				verdicts++
				continue
			}
			departures++
			t.Logf("reader %d A%d: %s %s %v, expected %s %s", r+1, i+1, got.Confidence, got.Verdict, got.Reasons, want.confidence, want.verdict)
			if s := sharpened[i]; s.Verdict != want.verdict || s.Confidence != want.confidence {
				t.Errorf("reader %d A%d: not explained by T4: %s %s %v", r+1, i+1, s.Confidence, s.Verdict, s.Reasons)
			}
		}
	}
	unanimous := 0
	for i := range readerSteps {
		if all[0][i].Verdict == all[1][i].Verdict && all[1][i].Verdict == all[2][i].Verdict {
			unanimous++
		}
	}
	t.Logf("positions as expected: %d of 36; verdict and confidence as expected: %d of 36; verdict unanimous on %d of 12 steps", positions, verdicts, unanimous)
	if positions != 36 || verdicts+departures != 36 || unanimous != 8 {
		t.Errorf("positions %d of 36, verdicts %d, unanimous %d of 12; expected 36 and 8", positions, verdicts, unanimous)
	}
}
