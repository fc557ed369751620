package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

// Old versions are lifted on reading, through every version in between.
func TestLift(t *testing.T) {
	table := map[string]lift{
		"snapshot/v-1": {"snapshot/v0", func(m map[string]any) error {
			m["id"] = m["name"]
			delete(m, "name")
			return nil
		}},
		"snapshot/v0": {Kind, func(m map[string]any) error {
			if m["id"] == nil {
				return errors.New("id: missing")
			}
			m["snapshot_id"] = m["id"]
			delete(m, "id")
			return nil
		}},
	}
	docs, problems, err := parse([]byte(`{"document":"snapshot/v-1","name":"snap1:a"}
{"document":"snapshot/v0","id":"snap1:b"}
{"document":"snapshot/v1","snapshot_id":"snap1:c"}
{"document":"snapshot/v0"}
{"document":"snapshot/v0","id":"snap1:d","odd":1}
`), table, maxTold)
	if err != nil {
		t.Fatal(err)
	}
	ids := ""
	for _, d := range docs {
		ids += d.SnapshotID + " " + d.Document + " "
	}
	if want := "snap1:a snapshot/v1 snap1:b snapshot/v1 snap1:c snapshot/v1 "; ids != want {
		t.Errorf("got %q, want %q", ids, want)
	}
	if len(problems) != 2 || problems[0].Line != 4 || problems[1].Line != 5 {
		t.Errorf("problems: %v", problems)
	}
}

// Every version that was ever written is kept as a history file, and reads to the end of time.
func TestEveryVersionReads(t *testing.T) {
	files, err := filepath.Glob("../../tests/testdata/history/snapshot-v*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no history files: %v", err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		docs, problems, err := ReadHistory(f)
		f.Close()
		if err != nil || len(problems) > 0 || len(docs) < 2 {
			t.Errorf("%s: %d snapshots, %v, %v", name, len(docs), problems, err)
		}
	}
	if want := len(lifts) + 1; len(files) < want {
		t.Errorf("%d history files for %d versions", len(files), want)
	}
}

func TestReadHistory(t *testing.T) {
	one, err := jsondoc.Line(Document{Document: Kind, SnapshotID: "snap1:a"})
	if err != nil {
		t.Fatal(err)
	}
	var pretty strings.Builder
	if err := jsondoc.Encode(&pretty, Document{Document: Kind, SnapshotID: "snap1:a"}); err != nil {
		t.Fatal(err)
	}
	one2 := strings.TrimSpace(string(one))
	two := strings.Replace(string(one), "snap1:a", "snap1:b", 1)
	for _, tt := range []struct {
		name, text string
		snapshots  int
		problem    string
	}{
		{"empty", "", 0, ""},
		{"one", string(one), 1, ""},
		{"one over several lines", pretty.String(), 1, ""},
		{"blank lines", "\n" + string(one) + "\n" + two, 2, ""},
		{"twice", string(one) + two + string(one), 2, "line 3: duplicate-id"},
		{"torn", string(one) + two[:40], 1, "line 2: torn-line"},
		{"torn at its very end", string(one) + two[:len(two)-1], 1, "line 2: torn-line"},
		{"foreign", string(one) + "{\"document\":\"scan/v1\"}\n" + two, 2, "line 2: bad-line"},
		{"unknown member", string(one) + `{"document":"snapshot/v1","odd":1}` + "\n", 1, "line 2: bad-line: odd: unknown member"},
		{"two documents glued", one2 + two + string(one), 1, "line 1: bad-line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			docs, problems, err := ReadHistory(strings.NewReader(tt.text))
			if err != nil || len(docs) != tt.snapshots {
				t.Errorf("%d snapshots, want %d; %v", len(docs), tt.snapshots, err)
			}
			got := ""
			if len(problems) > 0 {
				got = problems[0].String()
			}
			if !strings.HasPrefix(got, tt.problem) || (tt.problem == "") != (got == "") {
				t.Errorf("problem %q, want %q", got, tt.problem)
			}
		})
	}
}

// What is no history at all is refused in one line.
func TestReadHistoryRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"document\": \"scan/v1\",\n  \"usage\": {}\n}\n":  `expected snapshot/v1 lines, found scan/v1`,
		strings.Repeat("{\"document\":\"scan/v1\"}\n", 3):        `expected snapshot/v1 lines, found scan/v1`,
		"once\nupon\na\ntime\n":                                  `expected snapshot/v1 lines, found no snapshot; line 1: bad-line: no JSON document; line 2: bad-line: no JSON document; line 3: bad-line: no JSON document; and 1 more`,
		"{\"document\":\"snapshot/v1\",\"odd\":1}\n":             `expected snapshot/v1 lines, found no snapshot; line 1: bad-line: odd: unknown member`,
		"{\"document\":\"a kind that is a sentence\",\"x\":1}\n": `expected snapshot/v1 lines, found no snapshot; line 1: bad-line: document: expected "snapshot/v1", found another kind`,
		"{": `expected snapshot/v1 lines, found no snapshot; line 1: torn-line`,
	} {
		if _, _, err := ReadHistory(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A history of nothing but broken lines costs about its own size, and is told in a few words.
func TestReadHistoryIsBounded(t *testing.T) {
	text := strings.Repeat("x\n", 1_000_000)
	docs, problems, err := parse([]byte(text), lifts, maxTold)
	if err != nil || len(docs) > 0 || len(problems) != maxTold+1 || problems[maxTold].String() != "and 999997 more" {
		t.Errorf("%d snapshots, problems %v, %v", len(docs), problems, err)
	}
	allocated := testing.AllocsPerRun(1, func() { _, _, _ = parse([]byte(text), lifts, maxTold) })
	if allocated > 100 {
		t.Errorf("%v allocations for lines that are no document", allocated)
	}
	line := `{"document":"snapshot/v1","snapshot_id":"snap1:a"}` + "\n"
	docs, problems, err = ReadHistory(strings.NewReader(text + line))
	if err != nil || len(docs) != 1 || len(problems) != maxTold+1 {
		t.Errorf("with one line that reads: %d snapshots, problems %v, %v", len(docs), problems, err)
	}
}

// A history file is a border: whatever stands in it, reading ends, and what was read can be written again.
func FuzzReadHistory(f *testing.F) {
	f.Add([]byte(`{"document":"snapshot/v1","snapshot_id":"snap1:a"}` + "\n" + `{"document":"snapshot/v1","candidates":[{"candidate":{"id":"x"}}]}` + "\n{"))
	f.Add([]byte("{\"document\":\"snapshot/v2\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, _, err := ReadHistory(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		for i := range docs {
			if _, err := jsondoc.Line(&docs[i]); err != nil {
				t.Errorf("snapshot %d cannot be written: %v", i, err)
			}
		}
		if t := Trend(docs); t != nil {
			_ = Diff(docs, len(docs)-2, len(docs)-1)
		}
	})
}
