package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// publicRow is one file of the table in the public transcripts' own README.
type publicRow struct {
	path                           string
	messages, in, write, read, out int64
	malformed                      int
	stamped, inferred              map[string]int64
}

func publicTable(t *testing.T, dir string) []publicRow {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []publicRow
	for _, l := range strings.Split(string(data), "\n") {
		cells := strings.Split(l, "|")
		if len(cells) != 15 || !strings.Contains(cells[2], ".jsonl") {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		n := func(i int) int64 {
			v, err := strconv.ParseInt(cells[i], 10, 64)
			if err != nil {
				t.Fatalf("cell %d of %q: %v", i, l, err)
			}
			return v
		}
		rows = append(rows, publicRow{path: "projects/" + cells[2], messages: n(5), in: n(6), write: n(7), read: n(8), out: n(9),
			malformed: int(n(11)), stamped: counts(cells[12]), inferred: counts(cells[13])})
	}
	if len(rows) < 20 {
		t.Fatalf("only %d rows found in the table", len(rows))
	}
	return rows
}

var countPattern = regexp.MustCompile(`'([^']+)': (\d+)`)

func counts(cell string) map[string]int64 {
	out := map[string]int64{}
	for _, m := range countPattern.FindAllStringSubmatch(cell, -1) {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		out[m[1]] = n
	}
	return out
}

// TestPublicTotals: the totals, stamps and inferred windows of every public fixture are those
// that its README counts. One agent stands in progress rows only, which the README (it counts
// assistant lines) leaves out: its turns are counted apart here.
func TestPublicTotals(t *testing.T) {
	dir := sharedDir(t, "transcripts", "public")
	rows := map[string]*fileSum{}
	progress := int64(0)
	all, h := allRows(t, dir)
	for _, r := range all.rows {
		key := fmt.Sprint(r.File)
		if r.agent == "Plan" { // stands nowhere but in agent_progress rows of a main file
			progress++
			continue
		}
		if rows[key] == nil {
			rows[key] = &fileSum{stamped: map[string]int64{}, inferred: map[string]int64{}}
		}
		rows[key].add(&r)
	}
	byPath := map[string]*fileSum{}
	for i, f := range h.Files {
		if s := rows[fmt.Sprint(i)]; s != nil {
			byPath[f.Path] = s
		}
	}
	bad := map[string]int{}
	for _, w := range h.Warnings {
		bad[w.Path]++
	}
	for _, want := range publicTable(t, dir) {
		got := byPath[want.path]
		if got == nil {
			got = &fileSum{}
		}
		g := fmt.Sprint(got.turns, got.in, got.write, got.read, got.out)
		w := fmt.Sprint(want.messages, want.in, want.write, want.read, want.out)
		if g != w {
			t.Errorf("%s: turns, input, cache write, cache read, output %s, want %s", want.path, g, w)
		}
		if fmt.Sprint(got.stamped) != fmt.Sprint(want.stamped) && len(got.stamped)+len(want.stamped) > 0 {
			t.Errorf("%s: stamped %v, want %v", want.path, got.stamped, want.stamped)
		}
		if fmt.Sprint(got.inferred) != fmt.Sprint(want.inferred) && len(got.inferred)+len(want.inferred) > 0 {
			t.Errorf("%s: windows %v, want %v", want.path, got.inferred, want.inferred)
		}
		if bad[want.path] == 0 && want.malformed > 0 {
			t.Errorf("%s: %d malformed lines, none reported", want.path, want.malformed)
		}
	}
	if progress != 5 {
		t.Errorf("%d turns of the agent that stands in progress rows only, want 5", progress)
	}
	if h.Input.Bad != 30 {
		t.Errorf("%d bad lines, want 30", h.Input.Bad)
	}
}

// fileSum is what the main threads' and agents' own rows of one file add up to.
type fileSum struct {
	turns, in, write, read, out int64
	stamped, inferred           map[string]int64
}

func (f *fileSum) add(r *turnRow) {
	f.turns++
	f.in += r.tokens.Input
	f.write += r.tokens.CacheWrite5m + r.tokens.CacheWrite1h
	f.read += r.tokens.CacheRead
	f.out += r.tokens.Output
	if r.stamp != "" {
		f.stamped[r.stamp]++
	}
	if r.window != "" {
		f.inferred[r.window]++
	}
}
