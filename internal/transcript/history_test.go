package transcript

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func manySessions(t *testing.T, n int) string {
	t.Helper()
	files := map[string]string{}
	for i := range n {
		id := fmt.Sprintf("s%03d", i)
		files["projects/p/"+id+".jsonl"] = rowSpec{session: id, id: "m" + id, uuid: "u" + id, tokens: tok(int64(i), 1, 0, 0, 0)}.String()
	}
	return tree(t, files)
}

// Sessions come in order, as often as they are asked for, and a caller may stop.
func TestSessions(t *testing.T) {
	h := open(t, Options{ConfigDirs: []string{manySessions(t, 30)}})
	for stop := range 31 {
		n := 0
		for s := range h.Sessions() {
			if want := fmt.Sprintf("s%03d", n); s.ID != want || s.Main.Turns[0].Tokens.Input != int64(n) {
				t.Fatalf("session %s, want %s", s.ID, want)
			}
			if n++; n == stop {
				break
			}
		}
		if want := stop; stop > 0 && n != want || stop == 0 && n != 30 {
			t.Errorf("%d sessions, want %d", n, want)
		}
	}
}

// Many sessions in one file, one after the other or mixed, are what they are in files of
// their own.
func TestManySessionsInOneFile(t *testing.T) {
	row := func(s, m int) string {
		return rowSpec{session: fmt.Sprintf("s%02d", s), id: fmt.Sprintf("m%d-%d", s, m), uuid: fmt.Sprintf("u%d-%d", s, m), tokens: tok(1, int64(m), 0, 0, 0)}.String()
	}
	var inTurn, mixed strings.Builder
	files := map[string]string{}
	for s := range 20 {
		own := ""
		for m := range 9 {
			own += row(s, m)
		}
		inTurn.WriteString(own)
		files[fmt.Sprintf("projects/p/s%02d.jsonl", s)] = own
	}
	for m := range 9 {
		for s := range 20 {
			mixed.WriteString(row(s, m))
		}
	}
	want := fmt.Sprint(sum(open(t, Options{ConfigDirs: []string{tree(t, files)}})))
	for name, text := range map[string]string{"in turn": inTurn.String(), "mixed": mixed.String()} {
		for _, p := range []pieces{{}, {above: 1, size: 2000}} {
			h := open(t, Options{ConfigDirs: []string{tree(t, map[string]string{"projects/p/all.jsonl": text})}, pieces: p})
			if got := fmt.Sprint(sum(h)); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}

func TestProgressAndCancel(t *testing.T) {
	dir := manySessions(t, 5)
	var sized int64
	var last Progress
	wait := make(chan struct{})
	told := 0
	o := Options{ConfigDirs: []string{dir}, Workers: 1, Sized: func(n int64) { sized = n }}
	o.Progress = func(p Progress) {
		if p.Bytes < last.Bytes || p.Files < last.Files || p.Bytes > p.BytesTotal || p.Files > p.FilesTotal {
			t.Errorf("progress went from %+v to %+v", last, p)
		}
		if last = p; told == 0 && p.Bytes+p.Files > 0 {
			t.Errorf("progress begins with %+v", p)
		}
		if told == 1 {
			close(wait)
		}
		told++
	}
	o.walked = func() { <-wait } // so that there is time to tell
	h := open(t, o)
	if told < 2 || last.FilesTotal != 5 || last.BytesTotal != h.Input.Bytes || sized != h.Input.Bytes {
		t.Errorf("told %d times, last %+v, size %d of %d", told, last, sized, h.Input.Bytes)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Open(ctx, Options{ConfigDirs: []string{dir}, CacheDir: t.TempDir(), walking: cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled scan answers %v", err)
	}
}

// A cache directory that cannot be written is no reason not to answer.
func TestNoPlaceForACache(t *testing.T) {
	dir := manySessions(t, 3)
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	h := open(t, Options{ConfigDirs: []string{dir}, CacheDir: filepath.Join(file, "cache"), MemoKey: "k"})
	if h.Kept() == nil || sum(h).Turns != 3 {
		t.Errorf("cache error %v, %d turns", h.Kept(), sum(h).Turns)
	}
	if err := h.Remember([]byte("x")); err != nil {
		t.Error(err)
	}
}

// However many pieces a file was cut into, of what is appended only that is read.
func TestGrownFileOfManyPieces(t *testing.T) {
	row := func(i int) string {
		return rowSpec{session: "s", id: fmt.Sprint("m", i), uuid: fmt.Sprint("u", i), stop: "end_turn", tokens: tok(1, 2, 3, 0, 0)}.String()
	}
	text := ""
	for i := range 2 * maxSegments {
		text += row(i)
	}
	dir := tree(t, map[string]string{"projects/p/s.jsonl": text})
	o := Options{ConfigDirs: []string{dir}, CacheDir: t.TempDir(), pieces: pieces{above: 1, size: int64(len(row(0)))}}
	for i, want := range []int{2 * maxSegments, 2} {
		settle(t, dir)
		h, walked := counted(t, o)
		if walked < want || walked > want+want/4 {
			t.Errorf("run %d read %d pieces, want about %d", i, walked, want)
		}
		if got := sum(h); got.Turns != 2*maxSegments+i {
			t.Errorf("run %d: %d turns", i, got.Turns)
		}
		appendTo(t, filepath.Join(dir, "projects", "p", "s.jsonl"), row(-1))
	}
}
