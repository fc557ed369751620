package transcript

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// sample is a small history with most kinds of rows, files long untouched.
func sample(t testing.TB) string {
	t.Helper()
	result := func(id, text string) string {
		return fmt.Sprintf(`{"type":"user","sessionId":"s1","uuid":"r-%s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"%s"}]},"toolUseResult":{"agentId":"a1"}}`+"\n", id, id, text)
	}
	prompt := func(id, text string) string {
		return fmt.Sprintf(`{"type":"user","sessionId":"s1","uuid":"%s","message":{"role":"user","content":"%s"}}`+"\n", id, text)
	}
	words := ""
	for i := range 700 {
		words += fmt.Sprintf("word%d ", i)
	}
	main := prompt("p1", "do it") +
		rowSpec{session: "s1", id: "m1", uuid: "u1", tokens: tok(1, 10, 100, 5, 6), content: "[" + use("t1", "Agent", `{"prompt":"x"}`) + "]"}.String() +
		result("t1", words) +
		rowSpec{session: "s1", id: "m2", uuid: "u2", stop: "tool_use", tokens: tok(2, 20, 100, 0, 6), content: `[{"type":"text","text":"` + words[500:900] + `"},` + use("t3", "Read", `{"file_path":"/b"}`) + "]"}.String() +
		result("t3", words[1000:]) +
		rowSpec{session: "s1", id: "m4", uuid: "u4", stop: "end_turn", tokens: tok(4, 40, 100, 0, 6), content: `[{"type":"text","text":"` + words[2000:2300] + `"}]`}.String() +
		prompt("p2", "<command-message>x:y</command-message><command-name>/x:y</command-name>") +
		rowSpec{session: "s1", id: "m3", uuid: "u3", stop: "end_turn", tokens: tok(3, 30, 300, 0, 0), content: "[" + use("t2", "Read", `{"file_path":"/a"}`) + "]"}.String()
	dir := tree(t, map[string]string{
		"projects/p/s1.jsonl":                             main,
		"projects/p/s1/subagents/agent-a1.jsonl":          rowSpec{session: "s1", id: "ma", uuid: "ua", side: true, tokens: tok(7, 8, 9, 0, 0)}.String(),
		"projects/p/s1/subagents/agent-a1.meta.json":      `{"agentType":"Explore","toolUseId":"t1"}`,
		"projects/p/s2.jsonl":                             strings.ReplaceAll(main, `"s1"`, `"s2"`) + "not json\n",
		"projects/p/s1/subagents/workflows/journal.jsonl": `{"type":"started"}` + "\n",
	})
	age(t, dir)
	return dir
}

// age makes every file of a history old enough to be trusted.
func age(t testing.TB, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, old, old)
	}); err != nil {
		t.Fatal(err)
	}
}

// counted is Open with a count of the bytes of transcripts that were read.
func counted(t testing.TB, o Options) (h *History, walked int) {
	t.Helper()
	o.Shaper = func(tool, _ []byte, _ []Member) Shape { return Shape{Sig: string(tool), Full: string(tool)} }
	o.walked = func() { walked++ }
	o.Workers = 1
	return open(t, o), walked
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// With and without the cache the answer is the same, whatever happened to the files; and
// only what changed is read.
func TestCache(t *testing.T) {
	row := rowSpec{session: "s1", id: "m9", uuid: "u9", stop: "end_turn", tokens: tok(9, 9, 9, 0, 0)}.String()
	main := filepath.Join("projects", "p", "s1.jsonl")
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		walked int // files or pieces read the second time
	}{
		{"nothing", func(*testing.T, string) {}, 0},
		{"a row is appended", func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, main), row) }, 1},
		{"half a row, then its rest", func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, main), row[:50]) }, 1},
		{"a file is new", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "projects", "q", "s3.jsonl"), row) }, 1},
		{"a file is gone", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, main)) }, 0},
		{"same size, another time", func(t *testing.T, dir string) {
			p := filepath.Join(dir, main)
			data, _ := os.ReadFile(p)
			write(t, p, strings.Replace(string(data), `"output_tokens":30`, `"output_tokens":31`, 1))
		}, 1},
		{"cut shorter", func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, main), 200) }, 1},
		{"replaced by a longer one", func(t *testing.T, dir string) {
			p := filepath.Join(dir, main)
			data, _ := os.ReadFile(p)
			write(t, p+"x", strings.Replace(string(data), `"output_tokens":10`, `"output_tokens":11`, 1)+row)
			os.Rename(p+"x", p)
		}, 1},
		{"grown and changed before its end", func(t *testing.T, dir string) {
			p := filepath.Join(dir, main)
			data, _ := os.ReadFile(p)
			write(t, p, strings.Replace(string(data), `"output_tokens":30`, `"output_tokens":31`, 1)+row)
		}, 1},
		{"meta.json says another type", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "projects", "p", "s1", "subagents", "agent-a1.meta.json"), `{"agentType":"Plan"}`)
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, cache := sample(t), t.TempDir()
			o := Options{ConfigDirs: []string{dir}, CacheDir: cache, ShaperID: "x"}
			if _, n := counted(t, o); n != 3 {
				t.Fatalf("the first run read %d files", n)
			}
			c.change(t, dir)
			warm, walked := counted(t, o)
			if err := warm.Kept(); err != nil {
				t.Fatal(err)
			}
			if walked != c.walked {
				t.Errorf("read %d files, want %d", walked, c.walked)
			}
			cold, _ := counted(t, Options{ConfigDirs: []string{dir}})
			if a, b := describe(cold), describe(warm); a != b {
				t.Errorf("the cache makes a difference%s", firstDifference(a, b))
			}
			if strings.Contains(c.name, "rest") {
				appendTo(t, filepath.Join(dir, main), row[50:])
				warm, _ = counted(t, o)
				cold, _ = counted(t, Options{ConfigDirs: []string{dir}})
				if a, b := describe(cold), describe(warm); a != b {
					t.Errorf("the cache makes a difference%s", firstDifference(a, b))
				}
			}
		})
	}
}

// Whatever a file's length was when it was last read, reading on from there gives what
// reading it whole gives.
func TestAppendAnywhere(t *testing.T) {
	dir := sample(t)
	main := filepath.Join(dir, "projects", "p", "s1.jsonl")
	whole, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	cold, _ := counted(t, Options{ConfigDirs: []string{dir}})
	want := describe(cold)
	step := 5
	if testing.Short() {
		step = 97
	}
	for n := 0; n < len(whole); n += step {
		cache := t.TempDir()
		o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
		write(t, main, string(whole[:n]))
		counted(t, o)
		appendTo(t, main, string(whole[n:]))
		warm, _ := counted(t, o)
		if got := describe(warm); got != want {
			t.Fatalf("cut at %d%s", n, firstDifference(want, got))
		}
		if n > 200 {
			step = max(step, 61)
		}
	}
}

// sealedAs seals bytes for the place where they stand.
func sealedAs(path string, data []byte) []byte {
	h := sealOf(path)
	h.Write(data)
	return binary.LittleEndian.AppendUint64(slices.Clone(data), h.Sum64())
}

// A file touched within two seconds of the scan is read again, though nothing shows; so is
// one with such a file beside it.
func TestRacyFileIsReadAgain(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	main := filepath.Join(dir, "projects", "p", "s1.jsonl")
	now := time.Now()
	os.Chtimes(main, now, now)
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: "k"}
	first, _ := counted(t, o)
	if err := first.Remember([]byte("stale")); err != nil {
		t.Fatal(err)
	}
	if h, walked := counted(t, o); walked != 1 || h.Memo != nil {
		t.Errorf("though nothing changed: read %d files, memo %q", walked, h.Memo)
	}
	data, _ := os.ReadFile(main)
	write(t, main, strings.Replace(string(data), `"output_tokens":30`, `"output_tokens":31`, 1))
	os.Chtimes(main, now, now)
	h, walked := counted(t, o)
	if walked != 1 || h.Memo != nil {
		t.Errorf("read %d files, memo %q", walked, h.Memo)
	}
	if got, want := sum(h).Tokens.Output, sum(first).Tokens.Output+1; got != want {
		t.Errorf("output %d, want %d", got, want)
	}
	age(t, dir)
	os.Chtimes(filepath.Join(dir, "projects", "p", "s1", "subagents", "agent-a1.meta.json"), now, now)
	counted(t, o)
	if _, walked := counted(t, o); walked != 1 {
		t.Errorf("with a young meta.json: read %d files", walked)
	}
}

func TestMemo(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: "a"}
	h, _ := counted(t, o)
	if h.Memo != nil {
		t.Fatal("a memo that nobody made")
	}
	if err := h.Remember([]byte("result")); err != nil {
		t.Fatal(err)
	}
	if h, walked := counted(t, o); string(h.Memo) != "result" || walked != 0 {
		t.Errorf("memo %q, %d files read", h.Memo, walked)
	}
	o.MemoKey = "b"
	if h, _ := counted(t, o); h.Memo != nil {
		t.Error("a memo of other options")
	}
	o.MemoKey = "a"
	appendTo(t, filepath.Join(dir, "projects", "p", "s1.jsonl"), "{}\n")
	if h, _ := counted(t, o); h.Memo != nil {
		t.Error("a memo of another history")
	}
	age(t, dir)
	h, _ = counted(t, o)
	h.Remember([]byte("again"))
	memos, _ := filepath.Glob(filepath.Join(cache, "*.memo"))
	for _, m := range memos {
		data, _ := os.ReadFile(m)
		data[len(data)-9] ^= 1
		os.WriteFile(m, data, 0o600)
	}
	if h, _ := counted(t, o); h.Memo != nil || len(memos) == 0 {
		t.Error("a damaged memo was believed")
	}
}

// Questions that are asked once (--since 7d, each time another moment) do not pile up.
func TestMemosDoNotPileUp(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	for i := range 2 * keptMemos {
		h, _ := counted(t, Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: fmt.Sprint(i)})
		if err := h.Remember([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != keptMemos+2 {
		t.Errorf("%d files are left (%v), want %d memos and the digests in two files", len(left), err, keptMemos)
	}
}

// A cache that is cut or changed anywhere is a cold scan with the right answer.
func TestDamagedCache(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	h, _ := counted(t, o)
	want := describe(h)
	path := storeFor(o).path()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	damage := [][]byte{nil, []byte("x"), whole[:8], append(slices.Clone(whole), 0), bytes.Repeat([]byte{0xff}, 100)}
	for i := 0; i < len(whole); i += 1 + len(whole)/60 {
		bad := slices.Clone(whole)
		bad[i] ^= 0x40
		damage = append(damage, bad, whole[:i])
	}
	for i, bad := range damage {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		h, walked := counted(t, o)
		if got := describe(h); got != want || walked != 3 {
			t.Fatalf("damage %d: read %d files%s", i, walked, firstDifference(want, got))
		}
	}
}

// A cache whose hash is right but whose digests make no sense is a cold scan too.
func TestSenselessCache(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	h, _ := counted(t, o)
	want := describe(h)
	path := storeFor(o).path()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	senseless := 0
	for i := len(whole) - 9; i > len(whole)/3; i -= 7 {
		bad := slices.Clone(whole[:len(whole)-8])
		bad[i] = 0xff
		if err := os.WriteFile(path, sealedAs(path, bad), 0o600); err != nil {
			t.Fatal(err)
		}
		again, walked := counted(t, o) // other numbers may be read, but never a crash
		if walked > 0 {
			senseless++
			if got := describe(again); got != want {
				t.Fatalf("byte %d%s", i, firstDifference(want, got))
			}
		}
	}
	if senseless == 0 {
		t.Error("no change was found senseless: nothing was tested")
	}
}

// Whatever bytes stand where events should, reading them ends, and says so.
func FuzzEvents(f *testing.F) {
	h := open(f, Options{ConfigDirs: []string{sample(f)}})
	for _, d := range h.digests {
		f.Add(d.segments[0].events)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &digest{segments: []segment{{events: data, lines: 1}, {events: data, lines: 1}}}
		h := &History{names: h.names, digests: []*digest{d}, Files: make([]File, 1)}
		if h.makeViews(1) == nil && h.merge() == nil {
			for range h.Sessions() {
			}
		}
	})
}

// Whatever bytes stand where a view should, the merge takes or refuses them.
func FuzzView(f *testing.F) {
	h := open(f, Options{ConfigDirs: []string{sample(f)}})
	for _, d := range h.digests {
		f.Add(d.view)
	}
	segments := h.digests[0].segments
	f.Fuzz(func(t *testing.T, view []byte) {
		d := &digest{segments: segments, view: view}
		h := &History{names: h.names, digests: []*digest{d}, Files: make([]File, 1)}
		if h.merge() == nil {
			for range h.Sessions() {
			}
		}
	})
}

// No view makes room for more marks than its file can hold.
func TestViewOfTooManyMarks(t *testing.T) {
	h := open(t, Options{ConfigDirs: []string{sample(t)}})
	for _, unkeyed := range []int32{1 << 30, -1} {
		d := &digest{segments: h.digests[0].segments}
		var v view
		v.unpack(h.names, h.digests[0])
		v.threads[0].unkeyed = unkeyed
		d.view = v.pack(h.names)
		h := &History{names: h.names, digests: []*digest{d}, Files: make([]File, 1)}
		if err := h.merge(); !errors.Is(err, errDigest) {
			t.Errorf("%d marks: %v", unkeyed, err)
		}
	}
}

// Scans that run at once over one cache all answer rightly and leave a good cache.
func TestScansAtOnce(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	want := describe(open(t, Options{ConfigDirs: []string{dir}}))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				h, err := Open(context.Background(), o)
				if err != nil || h.Kept() != nil || describe(h) != want {
					t.Errorf("err %v, cache %v", err, h.Kept())
				}
			}
		})
	}
	group.Wait()
	if _, walked := counted(t, o); walked != 0 {
		t.Errorf("the cache they left made %d files be read", walked)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*.tmp")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// A scan that is killed while it writes the cache leaves the old one or the new one.
func TestKilledWriter(t *testing.T) {
	if dir := os.Getenv("TRANSCRIPT_TEST_WRITER"); dir != "" {
		for {
			o := Options{ConfigDirs: []string{dir}, CacheDir: filepath.Join(dir, "cache"), MemoKey: "k", Shaper: bareShaper}
			if time.Now().UnixNano()%3 == 0 {
				os.Remove(storeFor(o).path())
			}
			h, err := Open(context.Background(), o)
			if err != nil {
				os.Exit(3)
			}
			keepParts(t, h)
			if h.Kept() != nil {
				os.Exit(3)
			}
		}
	}
	if testing.Short() {
		t.Skip("kills processes")
	}
	dir := partsSample(t)
	o := Options{ConfigDirs: []string{dir}, CacheDir: filepath.Join(dir, "cache"), MemoKey: "k", Shaper: bareShaper}
	want := describe(open(t, Options{ConfigDirs: []string{dir}, Shaper: bareShaper}))
	found := 0
	for i := range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "TRANSCRIPT_TEST_WRITER="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(30+7*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		h := open(t, o)
		if got := describe(h); got != want || h.Kept() != nil {
			t.Fatalf("after kill %d: cache %v%s", i, h.Kept(), firstDifference(want, got))
		}
		found += len(recalled(t, h, dir))
	}
	if found == 0 {
		t.Error("no part was ever found again")
	}
}

// A file that is cut or replaced between being found and being read is a warning, and
// nothing of it is kept.
func TestFileChangesDuringScan(t *testing.T) {
	row := func(id string, out int64) string {
		return rowSpec{session: "s", id: id, tokens: tok(1, out, 0, 0, 0)}.String()
	}
	for name, change := range map[string]func(string){
		"cut":      func(p string) { os.Truncate(p, 100) },
		"replaced": func(p string) { os.WriteFile(p+"x", []byte(row("other", 7)), 0o644); os.Rename(p+"x", p) },
		"removed":  func(p string) { os.Remove(p) },
	} {
		dir, cache := t.TempDir(), t.TempDir()
		p := filepath.Join(dir, "projects", "p", "s.jsonl")
		write(t, p, strings.Repeat(row("a", 5), 3)+row("b", 6))
		o := Options{ConfigDirs: []string{dir}, CacheDir: cache, Workers: 1}
		o.walking = func() { change(p) }
		h := open(t, o)
		if len(h.Warnings) == 0 || h.Warnings[0].Code != "unreadable" {
			t.Errorf("%s: warnings %v", name, h.Warnings)
		}
		sum(h)
		o.walking = nil
		h = open(t, o)
		if a, b := describe(open(t, Options{ConfigDirs: []string{dir}})), describe(h); a != b {
			t.Errorf("%s: the next scan is wrong%s", name, firstDifference(a, b))
		}
	}
}

// A file that cannot be read is asked for again each time; what is kept of the others holds.
func TestOneUnreadableFile(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	lost := filepath.Join(dir, "projects", "p", "s2.jsonl")
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache, ShaperID: "x"}
	o.walking = func() { // each scan finds it, and cannot open it any more
		if err := os.Rename(lost, lost+".away"); err != nil {
			t.Fatal(err)
		}
	}
	var first string
	for n, want := range []int{3, 1, 1} {
		h, walked := counted(t, o)
		if walked != want || len(h.Warnings) == 0 || h.Warnings[0].Code != "unreadable" || h.Kept() != nil {
			t.Errorf("scan %d: read %d files, want %d; %v, cache %v", n, walked, want, h.Warnings, h.Kept())
		}
		if got := describe(h); n == 0 {
			first = got
		} else if got != first {
			t.Errorf("scan %d says something else%s", n, firstDifference(first, got))
		}
		if err := os.Rename(lost+".away", lost); err != nil {
			t.Fatal(err)
		}
	}
	o.walking = nil
	h, walked := counted(t, o)
	if cold, _ := counted(t, Options{ConfigDirs: []string{dir}}); walked != 1 || describe(h) != describe(cold) {
		t.Errorf("when it can be read again: read %d files%s", walked, firstDifference(describe(cold), describe(h)))
	}
}
