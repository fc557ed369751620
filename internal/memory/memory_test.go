package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// history reads the story of six audits.
func history(t testing.TB) []snapshot.Document {
	t.Helper()
	f, err := os.Open("../../tests/testdata/history/snapshot-v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	docs, problems, err := snapshot.ReadHistory(f)
	if err != nil || len(problems) > 0 || len(docs) == 0 {
		t.Fatalf("%d snapshots, %v, %v", len(docs), problems, err)
	}
	return docs
}

// allowed are the only text fields of a snapshot that may reach a memory, each checked on its way.
var allowed = map[string]bool{
	"SnapshotID": true, "CreatedAt": true, "Target.Name": true, "Target.Version": true,
	"Window.Observed.Since": true, "Window.Observed.Until": true,
	"Candidates.Verdict.Verdict.Candidate.ID": true, "Candidates.Verdict.Verdict.Candidate.Kind": true,
	"Candidates.Verdict.Verdict.Candidate.Measured.Strength": true, "Candidates.Verdict.Verdict.Position": true,
	"Candidates.Verdict.Verdict.Confidence": true, "Candidates.Verdict.Verdict.Reasons": true,
	"Candidates.Verdict.Final": true, "Candidates.Verdict.Stability": true, "Candidates.Status": true, "Candidates.Issue": true,
}

// plant writes a canary into every text of v that keep does not spare, and fills empty lists and
// pointers so that no field is missed. It returns how many it planted.
func plant(v reflect.Value, path string, keep func(string) bool, n *int) {
	under := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch v.Kind() {
	case reflect.String:
		if !keep(path) {
			*n++
			v.SetString(fmt.Sprintf("CANARY %d sings", *n))
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		plant(v.Elem(), path, keep, n)
	case reflect.Struct:
		for i := range v.NumField() {
			plant(v.Field(i), under(v.Type().Field(i).Name), keep, n)
		}
	case reflect.Slice:
		if v.Len() == 0 && !keep(path) {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			plant(v.Index(i), path, keep, n)
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			*n++
			filled := reflect.MakeMap(v.Type())
			value := reflect.New(v.Type().Elem()).Elem()
			plant(value, path, keep, n)
			filled.SetMapIndex(reflect.ValueOf(fmt.Sprintf("CANARY %d sings", *n)), value)
			v.Set(filled)
		}
	case reflect.Interface:
		*n++
		v.Set(reflect.ValueOf(fmt.Sprintf("CANARY %d sings", *n)))
	}
}

func rendered(t *testing.T, docs []snapshot.Document, page, server string) string {
	t.Helper()
	last := &docs[len(docs)-1]
	ids := []string{}
	for _, c := range last.Candidates {
		ids = append(ids, c.Candidate.ID)
	}
	text, err := json.Marshal([]any{Leave(last, page, server), Ask(last.Target.Name, ids, docs, server)})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FR-9.4: canaries in every free text of a snapshot do not cross; neither do they through the
// fields that may cross, for those take only identifiers, fixed words, numbers and times.
func TestCanariesDoNotCross(t *testing.T) {
	for name, keep := range map[string]func(string) bool{
		"in free text":        func(path string) bool { return allowed[path] },
		"in allowed ones too": func(string) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			for i := range history(t) {
				docs := history(t)[:i+1]
				n := 0
				plant(reflect.ValueOf(&docs[i]).Elem(), "", keep, &n)
				if n < 60 {
					t.Fatalf("only %d canaries were planted", n)
				}
				page, server := "Audits/harbor/2026-10-01.md", "memory"
				if !keep("SnapshotID") {
					page, server = "CANARY page", "CANARY server"
				}
				if text := rendered(t, docs, page, server); strings.Contains(text, "CANARY") || strings.Contains(text, "sings") {
					t.Errorf("snapshot %d: a canary crossed: %s", i, text)
				}
			}
		})
	}
}

// A candidate that gets a canary into an identifier that could be one is a name, not a
// sentence; what is longer than a name is refused.
func TestIdentifiers(t *testing.T) {
	for _, bad := range []string{"", "two words", "a\nb", "ünïcode", strings.Repeat("x", 121), "-x", "<b>", "a`b", `a"b`, "a{b}"} {
		if got := match(identifier, bad); got != refused {
			t.Errorf("%q passed as %q", bad, got)
		}
	}
	for _, bad := range []string{"file this one", "confidence:perfect", "triple:because-i-say-so", "T6:pass", "T2:pass now", "canary"} {
		if got := match(reason, bad); got != refused {
			t.Errorf("%q passed as %q", bad, got)
		}
	}
}

// FR-9.1, FR-9.3: the places and the payloads.
func TestLeave(t *testing.T) {
	docs := history(t)
	n := Leave(&docs[3], "Audits/harbor/2026-10-01.md", "mempalace")
	type place struct{ wing, room string }
	counts := map[place]int{}
	for _, x := range n.Notes {
		counts[place{x.Wing, x.Room}]++
		if x.AddedBy != "inference-arbitrage" || x.SourceFile != "Audits/harbor/2026-10-01.md" || x.Content == "" {
			t.Errorf("payload: %+v", x)
		}
		if strings.Contains(x.Content, refused) {
			t.Errorf("a field was refused: %s", x.Content)
		}
	}
	// The run, the one that the gate held back and the one that is declined; and the lesson.
	want := map[place]int{{"harbor", "inference-arbitrage-audits"}: 3, {"claude-plugins", "inference-arbitrage-lessons"}: 1}
	if diff := cmp.Diff(want, counts, cmp.AllowUnexported(place{})); diff != "" {
		t.Error(diff)
	}
	for _, tr := range []Triple{
		{"harbor", "audited_in", docs[3].SnapshotID, docs[3].CreatedAt},
		{"harbor/sweep/list-gone-branches", "tracked_by", "acme/harbor#41", docs[3].CreatedAt},
		{"harbor/triage/sort-by-age", "has_verdict", "boundary-question", docs[3].CreatedAt},
	} {
		found := false
		for _, have := range n.Triples {
			found = found || have == tr
		}
		if !found {
			t.Errorf("no %+v among %+v", tr, n.Triples)
		}
	}
}

// The lesson is left whatever the outcome, a run without any candidate included.
func TestLeaveOfNothing(t *testing.T) {
	n := Leave(&snapshot.Document{}, "", "")
	if len(n.Notes) != 1 || n.Notes[0].Room != LessonsRoom {
		t.Errorf("got %+v", n.Notes)
	}
}

func TestAsk(t *testing.T) {
	docs := history(t)
	q := Ask("harbor", []string{"harbor/sweep/list-gone-branches", "harbor/triage/sort-by-age"}, docs[:4], "mempalace")
	var got []string
	for _, x := range q.Queries {
		got = append(got, x.Wing+" / "+x.Room+": "+x.Query)
	}
	want := []string{
		"harbor / inference-arbitrage-audits: offload audit harbor",
		"claude-plugins / inference-arbitrage-lessons: offload audit lessons",
		"harbor / inference-arbitrage-audits: offload candidate harbor/sweep/list-gone-branches",
		"harbor / inference-arbitrage-audits: offload candidate harbor/triage/sort-by-age",
		"harbor / inference-arbitrage-audits: offload candidate harbor/release-notes/write-summary",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("harbor/x/%d", i)
	}
	if n := len(Ask("harbor", many, nil, "").Queries); n != maxQueries {
		t.Errorf("%d queries, want at most %d", n, maxQueries)
	}
}

// Without a server the local notes file remembers, once, and answers.
func TestLocal(t *testing.T) {
	docs := history(t)
	notes := Leave(&docs[3], "Audits/harbor/2026-10-01.md", "").Notes
	file, err := Keep(nil, notes)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Keep(file, notes)
	if err != nil || !bytes.Equal(file, again) {
		t.Errorf("the same notes were kept twice: %v", err)
	}
	torn := append(bytes.Clone(file), []byte(`{"wing":"har`)...)
	more, err := Keep(torn, Leave(&docs[4], "Audits/harbor/2026-10-06.md", "").Notes)
	if err != nil {
		t.Fatal(err)
	}
	q := Ask("harbor", []string{"harbor/triage/sort-by-age"}, nil, "")
	recalled := Recall(more, q.Queries, "harbor", nil)
	var about []string
	for _, n := range recalled {
		if strings.Contains(n.Content, "harbor/triage/sort-by-age in") {
			about = append(about, n.SourceFile)
		}
	}
	if diff := cmp.Diff([]string{"Audits/harbor/2026-10-06.md", "Audits/harbor/2026-10-01.md"}, about); diff != "" {
		t.Errorf("the latest first: %s", diff)
	}
	if got := Recall(more, Ask("another", nil, nil, "").Queries, "another", nil); len(got) == 0 {
		t.Error("another target gets no lessons")
	} else {
		for _, n := range got {
			if n.Wing != LessonsWing {
				t.Errorf("another target gets %+v", n)
			}
		}
	}
}

// What is recalled says something, and of other plugins only what is about the same kinds.
func TestRecallIsTelling(t *testing.T) {
	of := func(plugin, kind, reason string) []Note {
		d := &snapshot.Document{SnapshotID: "snap1:0123456789abcdef", CreatedAt: "2026-10-01T00:00:00Z"}
		d.Target.Name = plugin
		if kind != "" {
			c := snapshot.Candidate{}
			c.Candidate.ID, c.Candidate.Kind, c.Final, c.Reasons = plugin+"/a/b", kind, audit.NoOffload, []string{reason}
			d.Candidates = append(d.Candidates, c)
		}
		return Leave(d, "Audits/x.md", "").Notes
	}
	for _, tt := range []struct {
		name  string
		notes []Note
		kinds []string
		want  int
	}{
		{"an audit of another plugin that found nothing", of("other", "", ""), nil, 0},
		{"one of this plugin that found nothing", of("harbor", "", ""), []string{audit.Sequence}, 0},
		{"another plugin's, nobody judged", of("other", audit.Sequence, "unjudged"), nil, 0},
		{"this plugin's, nobody judged", of("harbor", audit.Sequence, "unjudged"), []string{audit.Sequence}, 0},
		{"another plugin's, another kind", of("other", audit.Table, "residue:all"), []string{audit.Sequence}, 0},
		{"another plugin's, the same kind", of("other", audit.Table, "residue:all"), []string{audit.Sequence, audit.Table}, 1},
		{"another plugin's, whatever the kind", of("other", audit.Table, "residue:all"), nil, 1},
		{"nothing to judge", of("other", audit.Table, "residue:all"), []string{}, 0},
		{"this plugin's: run, candidate, lesson", of("harbor", audit.Table, "residue:all"), []string{audit.Sequence}, 3},
	} {
		file, err := Keep(nil, tt.notes)
		if err != nil {
			t.Fatal(err)
		}
		if got := Recall(file, Ask("harbor", []string{"harbor/a/b"}, nil, "").Queries, "harbor", tt.kinds); len(got) != tt.want {
			t.Errorf("%s: %d recalled, want %d: %v", tt.name, len(got), tt.want, got)
		}
	}
}
