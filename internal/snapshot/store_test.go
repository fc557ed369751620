package snapshot_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// open opens the store in dir.
func open(t testing.TB, dir string) *snapshot.Store {
	t.Helper()
	s, err := snapshot.Open(dir, cli.Git)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// gitStore makes an empty git work tree.
func gitStore(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull) // nobody's identity, nobody's hooks
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	dir := t.TempDir()
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	return dir
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := cli.Git(context.Background(), dir, nil, args...)
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// record appends the n-th run of acme.
func record(s *snapshot.Store, n int, o snapshot.Options) (*snapshot.Outcome, error) {
	o.Page = func(history []snapshot.Document, doc *snapshot.Document) []byte {
		page := "# " + doc.SnapshotID + "\n"
		if n := len(history); n > 0 {
			page += "after " + history[n-1].SnapshotID + "\n"
		}
		return []byte(page)
	}
	now := fmt.Sprintf("2026-10-01T00:%02d:%02dZ", n/60, n%60)
	return s.Append(context.Background(), "acme", o, func(history []snapshot.Document) (*snapshot.Run, error) {
		doc, err := snapshot.Compose(snapshot.Input{
			Stable:  &stability.Document{Target: audit.Target{Name: "acme", ResolvedBy: "path"}, RubricVersion: "1.0"},
			History: history, Now: now, ToolVersion: "test",
		})
		if err != nil {
			return nil, err
		}
		return &snapshot.Run{Snapshot: doc}, nil
	})
}

func mustRecord(t testing.TB, s *snapshot.Store, n int, o snapshot.Options) *snapshot.Outcome {
	t.Helper()
	out, err := record(s, n, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sound fails the test unless the store verifies and has n snapshots.
func sound(t testing.TB, s *snapshot.Store, n int) {
	t.Helper()
	check, err := s.Verify()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]snapshot.Finding{}, check.Findings); diff != "" || check.Snapshots != n {
		t.Fatalf("%d snapshots, want %d; findings: %s", check.Snapshots, n, diff)
	}
}

func TestStorePlain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made when needed")
	s := open(t, dir)
	if h, p, err := s.History("acme"); err != nil || len(h) != 0 || len(p) != 0 {
		t.Fatalf("an absent store: %v %v %v", h, p, err)
	}
	first := mustRecord(t, s, 1, snapshot.Options{})
	second := mustRecord(t, s, 2, snapshot.Options{})
	if second.Snapshot.DiffAgainst != first.Snapshot.SnapshotID {
		t.Errorf("the second compares with %q", second.Snapshot.DiffAgainst)
	}
	again := mustRecord(t, s, 2, snapshot.Options{})
	if again.Recorded || again.Snapshot.SnapshotID != second.Snapshot.SnapshotID {
		t.Errorf("the same run again: recorded %v as %s", again.Recorded, again.Snapshot.SnapshotID)
	}
	sound(t, s, 2)
	if _, err := os.Stat(filepath.Join(dir, "Audits", "acme", "2026-10-01.md")); err != nil {
		t.Error("a page a run: ", err)
	}
	if pages, _ := filepath.Glob(filepath.Join(dir, "Audits", "acme", "2026-*.md")); len(pages) != 2 {
		t.Errorf("pages of two runs: %q", pages)
	}
	if _, err := record(s, 3, snapshot.Options{Push: true}); err == nil {
		t.Error("a plain folder was pushed")
	}
}

// FR-5.1: a torn last line is told, kept, and does not swallow the next one.
func TestStoreTornLine(t *testing.T) {
	for _, tt := range []struct {
		name, tail string
		snapshots  int
		findings   []string // by Verify, before the next append and after it
		after      []string
	}{
		{"cut in the middle", `{"document":"snapshot/v1","snapsh`, 1, []string{"torn-line"}, []string{"torn-aside"}},
		{"one byte", `{`, 1, []string{"torn-line"}, []string{"torn-aside"}},
		{"another kind", `{"document":"scan/v1"}` + "\n", 1, []string{"bad-line"}, []string{"bad-line"}},
		{"binary", "\x00\x00\x00\n", 1, []string{"bad-line"}, []string{"bad-line"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			mustRecord(t, s, 1, snapshot.Options{})
			name := filepath.Join(dir, "snapshots", "acme.jsonl")
			f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(tt.tail); err != nil {
				t.Fatal(err)
			}
			f.Close()
			if diff := cmp.Diff(tt.findings, codes(t, s)); diff != "" {
				t.Errorf("before: %s", diff)
			}
			out := mustRecord(t, s, 2, snapshot.Options{})
			if len(out.Problems) != 1 {
				t.Errorf("the append told %v", out.Problems)
			}
			if diff := cmp.Diff(tt.after, codes(t, s)); diff != "" {
				t.Errorf("after: %s", diff)
			}
			if h, _, err := s.History("acme"); err != nil || len(h) != 2 {
				t.Errorf("%d snapshots, %v", len(h), err)
			}
			if tt.after[0] == "torn-aside" {
				aside, _ := filepath.Glob(name + ".torn-*")
				if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != tt.tail {
					t.Errorf("kept %q, %v", kept, err)
				}
			}
		})
	}
}

// A snapshot that lost only its line end is whole, and stays.
func TestStoreLineWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	mustRecord(t, s, 1, snapshot.Options{})
	name := filepath.Join(dir, "snapshots", "acme.jsonl")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[:len(data)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	out := mustRecord(t, s, 2, snapshot.Options{})
	if len(out.Problems) != 1 {
		t.Errorf("told %v", out.Problems)
	}
	sound(t, s, 2)
}

func codes(t testing.TB, s *snapshot.Store) []string {
	t.Helper()
	check, err := s.Verify()
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, f := range append(check.Findings, check.Notes...) {
		list = append(list, f.Code)
	}
	return list
}

// What verify finds in lines that each are a snapshot.
func TestVerify(t *testing.T) {
	line := func(id, at, target, diff string) string {
		data, err := jsondoc.Line(snapshot.Document{Document: snapshot.Kind, SnapshotID: id, CreatedAt: at, Target: audit.Target{Name: target}, DiffAgainst: diff})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const one, two = "2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z"
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"sound but for its pages", line("snap1:a", one, "acme", "") + line("snap1:b", two, "acme", "snap1:a"), []string{"missing-page", "missing-page", "missing-page"}},
		{"compares with nothing that stands before it", line("snap1:a", one, "acme", "snap1:b") + line("snap1:b", two, "acme", "snap1:a"),
			[]string{"missing-page", "missing-page", "missing-page", "dangling-diff"}},
		{"about another plugin", line("snap1:a", one, "other", ""), []string{"missing-page", "missing-page", "wrong-target"}},
		{"older than the one before it", line("snap1:a", two, "acme", "") + line("snap1:b", one, "acme", "snap1:a"), []string{"missing-page", "missing-page", "missing-page", "out-of-order"}},
		{"twice", line("snap1:a", one, "acme", "") + line("snap1:a", one, "acme", ""), []string{"missing-page", "missing-page", "duplicate-id"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "snapshots"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "snapshots", "acme.jsonl"), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, codes(t, open(t, dir))); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := open(t, t.TempDir()).Verify(); err == nil {
		t.Error("an empty folder passed for a store")
	}
}

// A later version stops every reader; nothing is written on top of it.
func TestStoreNewerVersion(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	mustRecord(t, s, 1, snapshot.Options{})
	name := filepath.Join(dir, "snapshots", "acme.jsonl")
	if err := os.WriteFile(name, []byte(`{"document":"snapshot/v99"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := record(s, 2, snapshot.Options{}); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"unknown-version"}, codes(t, s)); diff != "" {
		t.Error(diff)
	}
}

// FR-5.1: two runs at once do not lose a record.
func TestStoreConcurrent(t *testing.T) {
	for _, kind := range []string{"plain", "git"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			runs := 40
			if kind == "git" {
				dir, runs = gitStore(t), 6
			}
			var wg sync.WaitGroup
			errs := make([]error, runs)
			for n := range runs {
				wg.Go(func() {
					s, err := snapshot.Open(dir, cli.Git)
					if err == nil {
						_, err = record(s, n, snapshot.Options{})
					}
					errs[n] = err
				})
			}
			wg.Wait()
			for n, err := range errs {
				if err != nil {
					t.Errorf("run %d: %v", n, err)
				}
			}
			h, problems, err := open(t, dir).History("acme")
			if err != nil || len(h) != runs || len(problems) != 0 {
				t.Errorf("%d snapshots, want %d; %v, %v", len(h), runs, problems, err)
			}
			// Each saw all that was recorded before it, and compares with the latest of an earlier moment.
			at := map[string]int{}
			for i := range h {
				at[h[i].SnapshotID] = i
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(snapshot.HistoryPath("acme"))))
			if err != nil {
				t.Fatal(err)
			}
			var recorded []int
			for line := range strings.Lines(string(text)) {
				one, _, err := snapshot.ReadHistory(strings.NewReader(line))
				if err != nil || len(one) != 1 {
					t.Fatalf("%d snapshots in a line, %v", len(one), err)
				}
				i, want := at[one[0].SnapshotID], ""
				for _, k := range slices.Sorted(slices.Values(recorded)) {
					if k < i {
						want = h[k].SnapshotID
					}
				}
				if one[0].DiffAgainst != want {
					t.Errorf("snapshot %d compares with %q, want %q", i, one[0].DiffAgainst, want)
				}
				recorded = append(recorded, i)
			}
			if kind == "git" {
				if got := git(t, dir, "rev-list", "--count", "HEAD"); got != fmt.Sprint(runs) {
					t.Errorf("%s commits for %d runs", got, runs)
				}
			}
		})
	}
}

// FR-5.1: a real git store, pushed and cloned again; two clones that both append lose nothing.
func TestStoreGit(t *testing.T) {
	first := gitStore(t)
	bare := t.TempDir()
	git(t, bare, "init", "--quiet", "--bare", "--initial-branch=main")
	git(t, first, "remote", "add", "origin", bare)
	if err := os.WriteFile(filepath.Join(first, "Home.md"), []byte("a wiki\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, first, "add", "Home.md")                                                                                   // what the user has staged stays staged
	if err := os.WriteFile(filepath.Join(first, ".git", "info", "exclude"), []byte("*.jsonl\n"), 0o644); err != nil { // ignored or not, the runs are committed
		t.Fatal(err)
	}
	one := open(t, first)
	if out := mustRecord(t, one, 1, snapshot.Options{Push: true}); !out.Pushed || out.NotPushed != nil {
		t.Fatalf("not pushed: %v", out.NotPushed)
	}
	if got := git(t, first, "status", "--porcelain"); got != "A  Home.md" {
		t.Errorf("the user's own file was touched, or the run left something: %q", got)
	}
	second := filepath.Join(t.TempDir(), "clone")
	git(t, bare, "clone", "--quiet", bare, second)
	two := open(t, second)
	sound(t, two, 1)
	mustRecord(t, one, 2, snapshot.Options{})                  // not pushed yet
	mustRecord(t, two, 3, snapshot.Options{Push: true})        // another clone was faster
	out := mustRecord(t, one, 4, snapshot.Options{Push: true}) // takes that in first
	if !out.Pushed {
		t.Fatalf("not pushed: %v", out.NotPushed)
	}
	third := filepath.Join(t.TempDir(), "clone")
	git(t, bare, "clone", "--quiet", bare, third)
	h, problems, err := open(t, third).History("acme")
	if err != nil || len(h) != 4 || len(problems) != 0 {
		t.Errorf("%d snapshots of 4; %v %v", len(h), problems, err)
	}
	sound(t, open(t, third), 4)
	git(t, first, "remote", "set-url", "origin", filepath.Join(bare, "nowhere"))
	out = mustRecord(t, one, 5, snapshot.Options{Push: true})
	if out.Pushed || out.NotPushed == nil || !out.Recorded {
		t.Errorf("a push into nowhere: %+v", out)
	}
}

// An append that died after its line but before its commit, and left git's own lock behind.
func TestStoreGitRecovers(t *testing.T) {
	dir := gitStore(t)
	s := open(t, dir)
	mustRecord(t, s, 1, snapshot.Options{})
	for _, name := range []string{"index.lock", "inference-arbitrage.busy"} {
		if err := os.WriteFile(filepath.Join(dir, ".git", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, "Audits", "acme", "half.md")
	if err := os.WriteFile(left, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRecord(t, s, 2, snapshot.Options{})
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("left over: %q", got)
	}
	if got := git(t, dir, "log", "--format=%s", "--reverse"); !strings.Contains(got, "interrupted") || strings.Count(got, "\n") != 2 {
		t.Errorf("commits: %q", got)
	}
}

// An append that died while it took in another clone's runs left a rebase behind.
func TestStoreGitRecoversRebase(t *testing.T) {
	dir := gitStore(t)
	s := open(t, dir)
	mustRecord(t, s, 1, snapshot.Options{})
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "Home.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "add", "Home.md")
		git(t, dir, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "--message", text)
	}
	git(t, dir, "branch", "other")
	write("ours\n")
	git(t, dir, "checkout", "--quiet", "other")
	write("theirs\n")
	git(t, dir, "checkout", "--quiet", "main")
	if _, err := cli.Git(context.Background(), dir, nil, "-c", "user.name=x", "-c", "user.email=x@y", "rebase", "other"); err == nil {
		t.Fatal("the rebase met no conflict")
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "inference-arbitrage.busy"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	mustRecord(t, s, 2, snapshot.Options{})
	sound(t, s, 2)
	if got := git(t, dir, "symbolic-ref", "--short", "HEAD"); got != "main" {
		t.Errorf("on %s", got)
	}
	if got := git(t, dir, "rev-list", "--count", "HEAD"); got != "3" {
		t.Errorf("%s commits", got)
	}
}

// Where a hook of the user's refuses the commit, the run is recorded and the refusal told; once it
// lets them pass, the next run commits both.
func TestStoreGitRefused(t *testing.T) {
	dir := gitStore(t)
	s := open(t, dir)
	mustRecord(t, s, 1, snapshot.Options{})
	hook := filepath.Join(dir, ".git", "hooks", "pre-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho no audits here >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 3; n++ {
		if _, err := record(s, n, snapshot.Options{}); err == nil || !strings.Contains(err.Error(), "recorded but not committed") {
			t.Errorf("run %d: %v", n, err)
		}
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	mustRecord(t, s, 4, snapshot.Options{})
	sound(t, s, 4)
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("left over: %q", got)
	}
}

// A name cannot leave the store.
func TestStoreNames(t *testing.T) {
	for _, name := range []string{"../up", "a/b", ".hidden", "ünïcode", "a b", `c:\d`, ".."} {
		p := snapshot.HistoryPath(name)
		if !filepath.IsLocal(p) || strings.Count(p, "/") != 1 || strings.HasPrefix(filepath.Base(p), ".") {
			t.Errorf("%q stands at %q", name, p)
		}
	}
	for _, d := range []snapshot.Document{{Target: audit.Target{Name: "acme"}, CreatedAt: "../../../x"}, {Target: audit.Target{Name: "acme"}, SnapshotID: "snap1:../../../../x"}, {Target: audit.Target{Name: "../../x"}}} {
		before := []snapshot.Document{{CreatedAt: d.CreatedAt, SnapshotID: "snap1:0"}}
		if p := snapshot.PagePath(before, &d); !filepath.IsLocal(p) || strings.Count(p, "/") != 2 || !strings.HasPrefix(p, "Audits/") {
			t.Errorf("a snapshot from elsewhere has its page at %q", p)
		}
	}
	s := open(t, t.TempDir())
	_, err := s.Append(context.Background(), "acme", snapshot.Options{}, func([]snapshot.Document) (*snapshot.Run, error) {
		return &snapshot.Run{Snapshot: &snapshot.Document{}, Files: map[string][]byte{"../out.md": nil}}, nil
	})
	if err == nil {
		t.Error("a file was written outside the store")
	}
}
