package transcript

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// sharedData is a path of the shared data; the test is skipped where it is absent.
func sharedData(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	p, err := filepath.Abs(filepath.Join(append([]string{root}, parts...)...))
	if err == nil {
		_, err = os.Stat(p)
	}
	if err != nil {
		t.Skip("shared data absent: set SHARED to its directory")
	}
	return p
}

// The client's own totals are the sum over a session's files, token for token. A fork's
// hold its parent's too; a compaction's request stands on no row; a turn that was cut
// off has an output that is a lower bound. Each of these shows in the session itself.
func TestOracle(t *testing.T) {
	root := sharedData(t, "transcripts", "real-cli")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	exact, inherited, compacted, cut := 0, 0, 0, 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		type spend struct {
			models      map[string]audit.Tokens
			oracle      []ModelTotal
			parent      string
			compactions int
			open        bool
		}
		sessions := map[string]spend{}
		for s := range open(t, Options{ConfigDirs: []string{filepath.Join(root, e.Name())}}).Sessions() {
			sp := spend{map[string]audit.Tokens{}, append([]ModelTotal(nil), s.Oracle...), s.ForkOf, s.Compactions, false}
			for _, th := range s.threads() {
				for i := range th.Turns {
					addTo(sp.models, th.Turns[i].Model, th.Turns[i].Tokens)
					sp.open = sp.open || !th.Turns[i].Final
				}
			}
			sessions[s.ID] = sp
		}
		for id, sp := range sessions {
			if len(sp.oracle) == 0 {
				continue
			}
			for _, want := range sp.oracle {
				have := sp.models[want.Model]
				switch {
				case sp.parent != "":
					add(&have, sessions[sp.parent].models[want.Model])
					inherited++
				case sp.compactions > 0:
					if have.Output >= want.Tokens.Output || have.Input >= want.Tokens.Input {
						t.Errorf("%s: a compaction's request should be missing: %v, %v", e.Name(), have, want.Tokens)
					}
					compacted++
					continue
				case sp.open:
					if have.Output > want.Tokens.Output {
						t.Errorf("%s: not a lower bound: %v, %v", e.Name(), have, want.Tokens)
					}
					have.Output = want.Tokens.Output
					cut++
				default:
					exact++
				}
				if have != want.Tokens || want.CacheWrite != want.Tokens.CacheWrite5m+want.Tokens.CacheWrite1h {
					t.Errorf("%s %s %s: %v, the client says %v", e.Name(), id, want.Model, have, want.Tokens)
				}
			}
			if sp.compactions == 0 && len(sp.models) > len(sp.oracle) {
				t.Errorf("%s %s: models %v, the client knows %d", e.Name(), id, maps.Keys(sp.models), len(sp.oracle))
			}
		}
	}
	if exact < 15 || inherited == 0 || compacted == 0 || cut == 0 {
		t.Errorf("exact %d, inherited %d, compacted %d, cut %d: too little was compared", exact, inherited, compacted, cut)
	}
}

// The public sessions' totals, file by file, as their list states them.
func TestPublicTotals(t *testing.T) {
	root := sharedData(t, "transcripts", "public")
	list, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, Options{ConfigDirs: []string{root}})
	type total struct {
		messages, bad int64
		tokens        audit.Tokens
	}
	got := map[string]total{}
	relayed := 0 // agents' turns that stand in progress rows only, which the list leaves out
	for s := range h.Sessions() {
		for _, th := range s.threads() {
			for i := range th.Turns {
				u := &th.Turns[i]
				if th.AgentID != "" && !strings.Contains(h.Files[u.File].Path, "agent-") {
					relayed++
					continue
				}
				name := strings.TrimPrefix(h.Files[u.File].Path, "projects/")
				v := got[name]
				v.messages++
				add(&v.tokens, u.Tokens)
				got[name] = v
			}
		}
	}
	for _, w := range h.Warnings {
		if w.Code == "bad-line" {
			name := strings.TrimPrefix(w.Path, "projects/")
			v := got[name]
			v.bad++
			got[name] = v
		}
	}
	checked := 0
	for _, line := range strings.Split(string(list), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 12 || !strings.HasPrefix(strings.TrimSpace(cells[2]), "`") || !strings.Contains(cells[2], ".jsonl") {
			continue
		}
		n := func(i int) int64 {
			v, err := strconv.ParseInt(strings.TrimSpace(cells[i]), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		name := strings.Trim(strings.TrimSpace(cells[2]), "`")
		have := got[name]
		write := have.tokens.CacheWrite5m + have.tokens.CacheWrite1h
		if have.messages != n(5) || have.tokens.Input != n(6) || write != n(7) || have.tokens.CacheRead != n(8) || have.tokens.Output != n(9) {
			t.Errorf("%s: %+v, want %s", name, have, line)
		}
		if bad := n(11); have.bad != min(bad, maxFlaws) {
			t.Errorf("%s: %d bad lines named, of %d", name, have.bad, bad)
		}
		checked++
	}
	if checked != 24 {
		t.Errorf("%d files were checked, the list has 24", checked)
	}
	if relayed != 5 {
		t.Errorf("%d turns from progress rows, want the Plan agent's 5", relayed)
	}
	if h.Input.Bad != 30 {
		t.Errorf("%d bad lines, want 30", h.Input.Bad)
	}
}

// truth is what the shared generator knows of its corpus.
type truth struct {
	Bytes, Files, Lines, BadLines, MessagesByID int64
	UsageByID                                   struct{ In, Out, CC, CR int64 }
	ToolUses, ToolResults, ToolErrors           int64
}

func generate(t testing.TB, args ...string) (dir string, want truth) {
	t.Helper()
	gen := sharedData(t, "tools", "bench", "gen")
	dir = t.TempDir()
	cmd := exec.Command("go", append([]string{"run", ".", "-out", dir}, args...)...)
	cmd.Dir = gen
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, want
}

func (want truth) check(t *testing.T, name string, h *History) {
	t.Helper()
	got := sum(h)
	u := want.UsageByID
	if int64(got.Turns) != want.MessagesByID || got.Tokens.Input != u.In || got.Tokens.Output != u.Out ||
		got.Tokens.CacheRead != u.CR || got.Tokens.CacheWrite5m+got.Tokens.CacheWrite1h != u.CC {
		t.Errorf("%s: %d turns, %+v; want %d, %+v", name, got.Turns, got.Tokens, want.MessagesByID, u)
	}
	if int64(got.Calls) != want.ToolUses || int64(got.Answered) != want.ToolResults || int64(got.Errors) != want.ToolErrors {
		t.Errorf("%s: %d calls, %d answered, %d errors; want %d, %d, %d", name, got.Calls, got.Answered, got.Errors, want.ToolUses, want.ToolResults, want.ToolErrors)
	}
	if in := (Input{Files: want.Files, Bytes: want.Bytes, Lines: want.Lines, Bad: want.BadLines}); h.Input != in {
		t.Errorf("%s: input %+v, want %+v", name, h.Input, in)
	}
}

// Totals equal the generator's, however the files are cut.
func TestTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("generates 20 MB")
	}
	for _, args := range [][]string{
		{"-size", "20MB", "-seed", "7"},
		{"-size", "12MB", "-seed", "3", "-btw", "0.3"},
		{"-size", "12MB", "-seed", "5", "-spaced", "0.5"},
	} {
		dir, want := generate(t, args...)
		whole := ""
		for _, o := range []Options{
			{pieces: pieces{above: 1 << 40, size: 1}}, {}, {Workers: 1},
			{pieces: pieces{above: 100_000, size: 777_777}},
			{pieces: pieces{above: 1, size: 131_071}},
		} {
			o.ConfigDirs = []string{dir}
			h := open(t, o)
			want.check(t, strings.Join(args, " "), h)
			if got := describe(h); whole == "" {
				whole = got
			} else if got != whole {
				t.Errorf("%v cut by %v: other sessions than uncut%s", args, o.pieces, firstDifference(whole, got))
			}
		}
		grown, cache := t.TempDir(), t.TempDir()
		for _, share := range []int64{60, 97, 100, 100} { // percent of each file, then the same again
			regrow(t, dir, grown, share)
			h := open(t, Options{ConfigDirs: []string{grown}, CacheDir: cache, pieces: pieces{above: 1 << 20, size: 333_333}})
			if share == 100 {
				want.check(t, "grown, from the cache", h)
				if got := describe(h); got != whole {
					t.Errorf("%v grown: other sessions than at once%s", args, firstDifference(whole, got))
				}
			}
		}
		one := filepath.Join(t.TempDir(), "projects", "p", "all.jsonl")
		if err := os.MkdirAll(filepath.Dir(one), 0o755); err != nil {
			t.Fatal(err)
		}
		appendAll(t, dir, one)
		got := sum(open(t, Options{ConfigDirs: []string{filepath.Dir(filepath.Dir(filepath.Dir(one)))}}))
		if int64(got.Turns) != want.MessagesByID || got.Tokens.Output != want.UsageByID.Out || int64(got.Calls) != want.ToolUses {
			t.Errorf("%v in one file: %d turns, %d calls, output %d", args, got.Turns, got.Calls, got.Tokens.Output)
		}
	}
}

// regrow makes each file of a history a longer beginning of another's.
func regrow(t *testing.T, from, to string, percent int64) {
	t.Helper()
	if err := filepath.WalkDir(from, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(from, p)
		whole, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(at, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		size := int64(len(whole)) * percent / 100
		if strings.HasSuffix(p, ".json") {
			size = int64(len(whole))
		}
		if size > info.Size() {
			_, err = f.Write(whole[info.Size():size])
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// appendAll puts all transcripts of a history into one file; a last line without its end
// gets one, so that it does not run into the next file's.
func appendAll(t *testing.T, from, to string) {
	t.Helper()
	var all []byte
	if err := filepath.WalkDir(from, func(p string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".jsonl") {
			return err
		}
		data, err := os.ReadFile(p)
		if n := len(data); n > 0 && data[n-1] != '\n' {
			data = append(data, '\n')
		}
		all = append(all, data...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	write(t, to, string(all))
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "\n" + x[i] + "\n" + y[i]
		}
	}
	return ": one is longer"
}
