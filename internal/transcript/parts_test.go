package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// fileless describes a session without the indices of its files, which may change.
func fileless(h *History, s *Session) []byte {
	for _, th := range s.threads() {
		for i := range th.Turns {
			th.Turns[i].File = int32(slices.Index(h.SessionFiles(h.index(s.ID)), th.Turns[i].File))
		}
		for i := range th.Marks {
			th.Marks[i].File = int32(slices.Index(h.SessionFiles(h.index(s.ID)), th.Marks[i].File))
		}
	}
	h = &History{Files: make([]File, 99)}
	return []byte(describeSession(h, s))
}

func (h *History) index(id string) int {
	return slices.IndexFunc(h.sessions, func(s *sessionFiles) bool { return s.id == id })
}

// keepParts keeps what each session says.
func keepParts(t testing.TB, h *History) {
	t.Helper()
	k, b := h.Keeper(), h.Builder()
	if k == nil {
		t.Fatal("nothing can be kept")
	}
	for i := range h.Len() {
		if s := b.Session(i); s != nil {
			k.Keep(i, fileless(h, s))
		}
	}
	if err := k.Close(true); err != nil {
		t.Fatal(err)
	}
}

// recalled are the sessions whose parts are found again; each must say what the session says
// now, read without a cache.
func recalled(t testing.TB, h *History, dir string) (ids []string) {
	t.Helper()
	cold := open(t, Options{ConfigDirs: []string{dir}, Shaper: bareShaper})
	for i, s := range h.sessions {
		part := h.Part(i)
		if part == nil {
			continue
		}
		ids = append(ids, s.id)
		now := cold.Builder().Session(cold.index(s.id))
		if want := string(fileless(cold, now)); string(part) != want {
			t.Errorf("%s%s", s.id, firstDifference(want, string(part)))
		}
	}
	return ids
}

func bareShaper(tool, _ []byte, _ []Member) Shape {
	return Shape{Sig: string(tool), Full: string(tool)}
}

// partsSample is sample with a session that has two files and one that shares nothing: s1
// and s2 hold the same turns.
func partsSample(t testing.TB) string {
	dir := sample(t)
	row := func(session, id string) string {
		return rowSpec{session: session, id: id, uuid: "u" + id, stop: "end_turn", tokens: tok(1, 2, 3, 0, 0)}.String()
	}
	write(t, filepath.Join(dir, "projects", "p", "s3.jsonl"), row("s3", "m31")+row("s3", "m32"))
	write(t, filepath.Join(dir, "projects", "q", "more.jsonl"), row("s3", "m33"))
	write(t, filepath.Join(dir, "projects", "p", "s4.jsonl"), userRow("s4", "p4", `"go"`, "")+row("s4", "m41")+row("s4", "m42"))
	age(t, dir)
	return dir
}

// settle makes files that were just written old enough to be trusted, and leaves the others.
func settle(t testing.TB, dir string) {
	t.Helper()
	if err := corpus.Settle(dir); err != nil {
		t.Fatal(err)
	}
}

// A part is found again as long as its session is what it was, whatever happens elsewhere;
// and never when it is not.
func TestParts(t *testing.T) {
	path := func(dir, name string) string { return filepath.Join(dir, "projects", filepath.FromSlash(name)) }
	row := func(session, id, uuid string) string {
		return rowSpec{session: session, id: id, uuid: uuid, stop: "end_turn", tokens: tok(9, 9, 9, 0, 0)}.String()
	}
	all := "s1 s2 s3 s4"
	for _, c := range []struct {
		name, kept string
		change     func(t *testing.T, dir string)
	}{
		{"nothing", all, func(*testing.T, string) {}},
		{"a row is appended", "s1 s2 s3", func(t *testing.T, dir string) { appendTo(t, path(dir, "p/s4.jsonl"), row("s4", "m9", "u9")) }},
		{"and to the second file of a session", "s1 s2 s4", func(t *testing.T, dir string) { appendTo(t, path(dir, "q/more.jsonl"), row("s3", "m9", "u9")) }},
		{"to one of two that share turns", "s3 s4", func(t *testing.T, dir string) { appendTo(t, path(dir, "p/s2.jsonl"), row("s2", "m9", "u9")) }},
		{"same size, another time", "s1 s2 s3", func(t *testing.T, dir string) {
			data, _ := os.ReadFile(path(dir, "p/s4.jsonl"))
			write(t, path(dir, "p/s4.jsonl"), strings.Replace(string(data), `"output_tokens":2`, `"output_tokens":3`, 1))
		}},
		{"a file that comes before all others", all, func(t *testing.T, dir string) { write(t, path(dir, "a/s0.jsonl"), row("s0", "m9", "u9")) }},
		{"a file with rows of an old session", "s1 s2 s3", func(t *testing.T, dir string) { write(t, path(dir, "a/other.jsonl"), row("s4", "m9", "u9")) }},
		{"a file of a session is gone", "s1 s2 s4", func(t *testing.T, dir string) { os.Remove(path(dir, "q/more.jsonl")) }},
		{"a file that comes before others is gone", "s3 s4", func(t *testing.T, dir string) { os.Remove(path(dir, "p/s1.jsonl")) }},
		{"a fork begins to share a turn", "s1 s2 s3", func(t *testing.T, dir string) {
			write(t, path(dir, "p/s5.jsonl"), row("s5", "m41", "um41")+row("s5", "m9", "u9"))
		}},
		{"or a mark", "s1 s2 s3", func(t *testing.T, dir string) { write(t, path(dir, "p/s5.jsonl"), userRow("s5", "p4", `"go"`, "")) }},
		{"one of two that shared turns is gone", "s3 s4", func(t *testing.T, dir string) { os.Remove(path(dir, "p/s2.jsonl")) }},
		{"meta.json says another type", "s3 s4", func(t *testing.T, dir string) {
			write(t, path(dir, "p/s1/subagents/agent-a1.meta.json"), `{"agentType":"Plan"}`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, cache := partsSample(t), t.TempDir()
			o := Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: "k"}
			h, _ := counted(t, o)
			if ids := recalled(t, h, dir); len(ids) > 0 {
				t.Fatalf("parts that nobody kept: %v", ids)
			}
			keepParts(t, h)
			c.change(t, dir)
			settle(t, dir)
			h, _ = counted(t, o)
			if got := strings.Join(recalled(t, h, dir), " "); got != c.kept {
				t.Errorf("found again: %s, want %s", got, c.kept)
			}
			keepParts(t, h)
			h, _ = counted(t, o)
			if got := len(recalled(t, h, dir)); got != h.Len() {
				t.Errorf("then %d parts of %d", got, h.Len())
			}
		})
	}
}

// A file touched within two seconds of the scan may change again and look the same: of its
// sessions nothing is kept.
func TestRacyParts(t *testing.T) {
	dir, cache := partsSample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: "k"}
	now := time.Now()
	p := filepath.Join(dir, "projects", "p", "s4.jsonl")
	os.Chtimes(p, now, now)
	h, _ := counted(t, o)
	keepParts(t, h)
	h, _ = counted(t, o)
	if got := strings.Join(recalled(t, h, dir), " "); got != "s1 s2 s3" {
		t.Errorf("found again: %s", got)
	}
}

// Parts are believed only where they are whole, were kept under the same question and beside
// the digests whose key hides their identities.
func TestPartsOfAnother(t *testing.T) {
	for name, change := range map[string]func(o *Options, digests, parts string){
		"another question": func(o *Options, _, _ string) { o.MemoKey = "other" },
		"no digests":       func(_ *Options, digests, _ string) { os.Remove(digests) },
		"cut":              func(_ *Options, _, parts string) { os.Truncate(parts, 200) },
		"changed": func(_ *Options, _, parts string) {
			data, _ := os.ReadFile(parts)
			data[len(data)/2] ^= 1
			os.WriteFile(parts, data, 0o600)
		},
		"senseless": func(_ *Options, _, parts string) {
			data, _ := os.ReadFile(parts)
			data = data[:30]
			os.WriteFile(parts, sealedAs(parts, data), 0o600)
		},
	} {
		dir, cache := partsSample(t), t.TempDir()
		o := Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: "k"}
		h, _ := counted(t, o)
		keepParts(t, h)
		kept := partsPath(h.memoPath)
		if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v", info, err)
		}
		change(&o, storeFor(o).path(), kept)
		h, _ = counted(t, o)
		if got := recalled(t, h, dir); len(got) > 0 {
			t.Errorf("%s: %v were believed", name, got)
		}
	}
}

// What is not finished leaves those that were there, and nothing else.
func TestPartsUnfinished(t *testing.T) {
	dir, cache := partsSample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: "k"}
	h, _ := counted(t, o)
	keepParts(t, h)
	k := h.Keeper()
	k.Keep(0, []byte("x"))
	if err := k.Close(false); err != nil {
		t.Fatal(err)
	}
	h, _ = counted(t, o)
	if got := recalled(t, h, dir); len(got) != h.Len() {
		t.Errorf("found again: %v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*.tmp")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if k := open(t, Options{ConfigDirs: []string{dir}, CacheDir: cache}).Keeper(); k != nil || k.Keeps(0) || k.Close(true) != nil {
		t.Error("parts of no question are kept")
	}
}

// Of many questions the latest few have parts, whether their answers are remembered or not.
func TestPartsDoNotPileUp(t *testing.T) {
	dir, cache := partsSample(t), t.TempDir()
	for i := range 2 * keptPartsFiles {
		h, _ := counted(t, Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: fmt.Sprint(i)})
		keepParts(t, h)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*.parts")); len(left) != keptPartsFiles {
		t.Errorf("%d are left", len(left))
	}
}
