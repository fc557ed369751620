package boundary

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

const (
	formPage   = "skills/offload-audit/references/form.md"
	rubricPage = "skills/offload-audit/references/rubric.md"
	guidePage  = "tools/offload-audit/guide.md"
)

func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// indented is the indented block of a page that begins with the word document.
func indented(text string) string {
	_, block, _ := strings.Cut(text, "\n    document:")
	return regexp.MustCompile(`(?m)^    `).ReplaceAllString("    document:"+block, "")
}

func fenced(text string) string {
	_, block, _ := strings.Cut(text, "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	return block
}

// TestWhatTheAnalystIsShownHolds (FR-4.2): the examples that an analyst imitates are read,
// type-checked and classified, and come out as their page says.
func TestWhatTheAnalystIsShownHolds(t *testing.T) {
	for _, row := range []struct {
		page, text string
		want       []string
	}{
		{formPage, fenced(page(t, formPage)), []string{
			"file script-with-compiled-judgment high true []",
			"boundary-question llm-over-script-digest medium true []",
			"no-offload pure-inference high false []",
		}},
		{guidePage, indented(page(t, guidePage)), []string{"file script-with-compiled-judgment high true []"}},
	} {
		js, err := ReadJudgments([]byte(row.text))
		if err != nil {
			t.Errorf("%s: %v", row.page, err)
			continue
		}
		cands := &Candidates{Target: audit.Target{Name: "shipyard"}}
		for _, j := range js.Judgments {
			cands.Candidates = append(cands.Candidates, Candidate{ID: j.ID, Kind: audit.Procedure})
		}
		v, err := Classify(nil, nil, cands, js)
		if err != nil {
			t.Fatalf("%s: %v", row.page, err)
		}
		if len(v.Verdicts) != len(row.want) {
			t.Fatalf("%s: %d rows, want %d", row.page, len(v.Verdicts), len(row.want))
		}
		for i, got := range v.Verdicts {
			line := fmt.Sprintf("%s %s %s %v %v", got.Verdict, got.Position, got.Confidence, got.TripleComplete, got.Contradictions)
			if line != row.want[i] {
				t.Errorf("%s, %s: %s, want %s", row.page, got.Candidate.ID, line, row.want[i])
			}
		}
	}
}

// TestTheTestsAreAskedInOneWay: the short form and the long one ask the five tests in the
// same words.
func TestTheTestsAreAskedInOneWay(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^\| T[1-5] .*\|$`)
	long, short := rows.FindAllString(page(t, rubricPage), -1), rows.FindAllString(page(t, guidePage), -1)
	if len(long) != 5 || strings.Join(long, "\n") != strings.Join(short, "\n") {
		t.Errorf("%s\n%s\n\n%s\n%s", rubricPage, strings.Join(long, "\n"), guidePage, strings.Join(short, "\n"))
	}
}
