package transcript

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// bulk is a history by the repository's own generator, made once: 24 MiB.
var bulk = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "transcript-bench")
	if err == nil {
		_, err = corpus.Bulk(dir, corpus.BulkOptions{Seed: 1, Bytes: 24 << 20})
	}
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := bulk(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func bulkDir(t testing.TB) string {
	t.Helper()
	dir, err := bulk()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// bulkLines are all lines of the main files, in memory.
func bulkLines(t testing.TB) (lines [][]byte, size int64) {
	t.Helper()
	err := filepath.WalkDir(bulkDir(t), func(p string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".jsonl") || strings.Contains(p, "agent-") {
			return err
		}
		data, err := os.ReadFile(p)
		lines = append(lines, bytes.Split(data, []byte("\n"))...)
		size += int64(len(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, size
}

func feedAll(w *walker, lines [][]byte) {
	w.begin("s", "", 0)
	at := int64(0)
	for _, line := range lines {
		w.feed(line, at)
		at += int64(len(line)) + 1
	}
	w.reuse.settle(&w.pack)
}

// The walk allocates nothing per line once its names are known.
func TestWalkAllocatesNothing(t *testing.T) {
	if racing {
		t.Skip("the race detector allocates")
	}
	lines, _ := bulkLines(t)
	w := &walker{desk: newDesk(newNames())}
	feedAll(w, lines)
	perPass := testing.AllocsPerRun(3, func() { feedAll(w, lines) })
	bodies := 0 // the rows of a skill's body, whose place is matched by pattern, and totals
	for _, line := range lines {
		if bytes.Contains(line, []byte("Base directory for this skill")) || bytes.Contains(line, []byte(`"cost-state"`)) {
			bodies++
		}
	}
	if len(lines) < 5000 || perPass > float64(30*bodies) {
		t.Errorf("%v allocations in %d lines, of which %d may", perPass, len(lines), bodies)
	}
	plain := lines[:0:0]
	for _, line := range lines {
		if !bytes.Contains(line, []byte("Base directory for this skill")) && !bytes.Contains(line, []byte(`"cost-state"`)) {
			plain = append(plain, line)
		}
	}
	if n := testing.AllocsPerRun(3, func() { feedAll(w, plain) }); n != 0 {
		t.Errorf("%v allocations in %d plain lines", n, len(plain))
	}
}

// BenchmarkWalk is the structural pass and the packing of events, in memory, one worker.
func BenchmarkWalk(b *testing.B) {
	lines, size := bulkLines(b)
	w := &walker{desk: newDesk(newNames())}
	feedAll(w, lines)
	b.SetBytes(size)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		feedAll(w, lines)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(lines)), "ns/line")
}

// BenchmarkLex is the proof that lines are JSON, and nothing else.
func BenchmarkLex(b *testing.B) {
	lines, size := bulkLines(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			skipValue(line, 0, 0)
		}
	}
}

func benchmarkOpen(b *testing.B, o Options) {
	o.ConfigDirs = []string{bulkDir(b)}
	b.SetBytes(open(b, o).Input.Bytes)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		for range open(b, o).Sessions() {
		}
	}
}

// BenchmarkScanCold reads, merges and yields everything.
func BenchmarkScanCold(b *testing.B) { benchmarkOpen(b, Options{}) }

// BenchmarkScanCached does it from digests.
func BenchmarkScanCached(b *testing.B) {
	age(b, bulkDir(b))
	benchmarkOpen(b, Options{CacheDir: b.TempDir()})
}

// BenchmarkMerge is what comes after the reading: owners, and the sessions.
func BenchmarkMerge(b *testing.B) {
	h, err := Open(context.Background(), Options{ConfigDirs: []string{bulkDir(b)}})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(h.Input.Bytes)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		h.sessions = nil
		if err := h.merge(); err != nil {
			b.Fatal(err)
		}
		for range h.Sessions() {
		}
	}
}
