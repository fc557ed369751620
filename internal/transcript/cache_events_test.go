package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// eventsOf are the files of events that stand in a cache directory.
func eventsOf(t testing.TB, cache string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(cache, "*.events"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Events that are gone or cut are found on opening, damaged ones when a session needs them.
func TestDamagedEvents(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	h, _ := counted(t, o)
	want := describe(h)
	files := eventsOf(t, cache)
	if len(files) != 1 {
		t.Fatalf("events in %v", files)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole[:len(whole)-sealSize] {
		if i%11 == 0 {
			bad := slices.Clone(whole)
			bad[i] ^= 0x40
			os.WriteFile(files[0], bad, 0o600)
			h, walked := counted(t, o)
			if got := describe(h); got != want && h.Err() == nil || walked > 0 {
				t.Fatalf("byte %d: read %d files%s", i, walked, firstDifference(want, got))
			}
			if h.Err() == nil {
				t.Errorf("byte %d: nothing was noticed", i)
			}
		}
	}
	h.Forget()
	if h, walked := counted(t, o); describe(h) != want || h.Err() != nil || walked != 3 {
		t.Errorf("forgotten, and yet only %d files were read (%v)", walked, h.Err())
	}
	for _, change := range []func(string){func(p string) { os.Truncate(p, 50) }, func(p string) { os.Remove(p) }} {
		for _, p := range eventsOf(t, cache) {
			change(p)
		}
		if h, walked := counted(t, o); describe(h) != want || walked != 3 {
			t.Errorf("read %d files", walked)
		}
	}
}

// Events that make no sense although their hash is right are noticed as well.
func TestSenselessEvents(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	h, _ := counted(t, o)
	noticed := 0
	for _, d := range h.digests {
		events := d.segments[0].events
		for i := range events {
			was := events[i]
			events[i] = 0xff
			s := storeFor(o)
			if err := s.begin(); err != nil {
				t.Fatal(err)
			}
			if err := h.keep(s, s.take(), h.sound(), len(h.names.records), nil); err != nil {
				t.Fatal(err)
			}
			events[i] = was
			again, walked := counted(t, o)
			describe(again) // other numbers may be read, but never a crash
			if again.Err() != nil {
				noticed++
			}
			if walked > 0 {
				t.Fatalf("byte %d: %d files were read", i, walked)
			}
		}
	}
	if noticed == 0 {
		t.Error("no change was noticed: nothing was tested")
	}
}

// Files of events stay few however often a history grows, and what no index names goes.
func TestFewEventFiles(t *testing.T) {
	dir, cache := partsSample(t), t.TempDir()
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	most := 0
	for i := range 40 {
		name := fmt.Sprintf("g%d.jsonl", i%7)
		row := rowSpec{session: fmt.Sprint("g", i%7), id: fmt.Sprint("m", i), uuid: fmt.Sprint("u", i), tokens: tok(1, int64(i), 0, 0, 0)}.String()
		p := filepath.Join(dir, "projects", "p", name)
		f, err := os.OpenFile(p, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(row)
		f.Close()
		settle(t, dir)
		h, walked := counted(t, o)
		if i > 0 && walked != 1 {
			t.Fatalf("after %d times %d files were read", i, walked)
		}
		if got, want := describe(h), describe(open(t, Options{ConfigDirs: []string{dir}, Shaper: bareShaper})); got != want || h.Err() != nil {
			t.Fatalf("after %d times%s", i, firstDifference(want, got))
		}
		most = max(most, len(storeFor(o).load().files))
		old := time.Now().Add(-2 * abandoned)
		for _, p := range eventsOf(t, cache) {
			os.Chtimes(p, old, old)
		}
	}
	if most < 2 || most > 6 {
		t.Errorf("the index named up to %d files", most)
	}
	if left, named := len(eventsOf(t, cache)), len(storeFor(o).load().files); left > named+1 {
		t.Errorf("%d files are left, %d are named", left, named)
	}
}

// Of a file with many broken lines the first are named and the rest counted, whether its
// events are read or not.
func TestManyBrokenLines(t *testing.T) {
	dir, cache := tree(t, map[string]string{"projects/p/s.jsonl": strings.Repeat("{\n", maxFlaws+5)}), t.TempDir()
	age(t, dir)
	for i := range 2 {
		h, walked := counted(t, Options{ConfigDirs: []string{dir}, CacheDir: cache})
		n := len(h.Warnings)
		if n != maxFlaws+1 || h.Warnings[n-2].Line != maxFlaws || h.Warnings[n-1].Code != "more-flaws" || !strings.HasPrefix(h.Warnings[n-1].Message, "5 more") {
			t.Errorf("warnings %v", h.Warnings)
		}
		if walked != 1-i {
			t.Errorf("run %d read %d files", i, walked)
		}
	}
}

// A transcript of which no event is kept needs no file of events: the cache stays good, alone
// and beside others, also once their events are put together again.
func TestNoEvents(t *testing.T) {
	const nothing = `{"type":"summary","summary":"x"}` + "\n"
	cache := t.TempDir()
	dir := tree(t, map[string]string{"projects/p/n.jsonl": nothing, "projects/p/empty.jsonl": ""})
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	row := rowSpec{session: "g", id: "m", uuid: "u", tokens: tok(1, 2, 3, 0, 0)}.String()
	for i, step := range []struct {
		file, text string
		walked     int
	}{
		{"n.jsonl", "", 1}, {"n.jsonl", "", 0}, {"g.jsonl", row, 1}, {"o.jsonl", nothing, 1}, {"o.jsonl", "", 0},
		{"h.jsonl", strings.Repeat(row, 9), 1}, {"h.jsonl", "", 0}, {"n.jsonl", row, 1}, {"n.jsonl", "", 0},
	} {
		path := filepath.Join(dir, "projects", "p", step.file)
		was, _ := os.ReadFile(path)
		if step.text != "" {
			write(t, path, string(was)+step.text)
		}
		settle(t, dir)
		h, walked := counted(t, o)
		if err := h.Kept(); err != nil || walked != step.walked {
			t.Errorf("step %d: read %d files, want %d (%v)", i, walked, step.walked, err)
		}
		if got, want := describe(h), describe(open(t, Options{ConfigDirs: []string{dir}, Shaper: bareShaper})); got != want || h.Err() != nil {
			t.Errorf("step %d%s", i, firstDifference(want, got))
		}
	}
}
