//go:build unix

package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// killed plays runs that are killed at a random moment, and says what became of them.
type killed struct {
	t      *testing.T
	store  string
	random *rand.Rand
	// typical is how long an undisturbed run takes.
	typical time.Duration
	dead    int // runs that the signal reached
}

// run starts a tool in a process group of its own and kills the group, git children included, at
// a random moment of its life. It reports whether the tool had ended well before that.
func (k *killed) run(name string, args ...string) bool {
	k.t.Helper()
	cmd := exec.Command(filepath.Join(toolsDir, name), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + k.t.TempDir(), "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GORACE=" + raceExit}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdin = strings.NewReader("")
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			k.t.Fatalf("%s %q failed undisturbed: %v", name, args, err)
		}
		return true
	case <-time.After(time.Duration(k.random.Int64N(int64(k.typical) * 5 / 4))): // so that some end before
	}
	target := cmd.Process.Pid
	if k.random.IntN(4) > 0 { // now and then only the tool dies, and a git of its own works on
		target = -target
	}
	_ = syscall.Kill(target, syscall.SIGKILL) // the process may just have ended
	if err := <-done; err == nil {
		return true
	}
	k.dead++
	return false
}

// settle runs the tool undisturbed.
func (k *killed) settle(name string, args ...string) {
	k.t.Helper()
	begun := time.Now()
	if _, stderr, code := runTool(k.t, []string{"GIT_CONFIG_NOSYSTEM=1"}, "", name, args...); code != 0 {
		k.t.Fatalf("%s %q after a kill: exit %d, %s", name, args, code, stderr)
	}
	k.typical = (k.typical*2 + time.Since(begun)) / 3
}

// times are the created_at of every snapshot line of the store, as it stands on disk.
func (k *killed) times(plugin string) map[string]int {
	k.t.Helper()
	data, err := os.ReadFile(filepath.Join(k.store, "snapshots", plugin+".jsonl"))
	if err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range bytes.Lines(data) {
		if gjson.ValidBytes(line) {
			seen[gjson.GetBytes(line, "created_at").String()]++
		}
	}
	return seen
}

// sound fails the test unless the store verifies and each of the n moments stands in it once.
func (k *killed) sound(plugin string, n int) {
	k.t.Helper()
	stdout, stderr, code := runTool(k.t, nil, "", "audit-snapshot", "verify", "--store", k.store, "--format", "text")
	if code != 0 {
		k.t.Errorf("verify: exit %d\n%s%s", code, stdout, stderr)
	}
	seen := k.times(plugin)
	for i := range n {
		if seen[moment(i)] != 1 {
			k.t.Errorf("run %d stands in the store %d times", i, seen[moment(i)])
		}
	}
	if len(seen) != n {
		k.t.Errorf("%d snapshots, want %d", len(seen), n)
	}
	if k.dead < n/10 {
		k.t.Errorf("only %d of %d runs were killed: the moments are not spread over a run", k.dead, n)
	}
	k.t.Logf("%d runs, %d killed before they had ended; a run takes %v", n, k.dead, k.typical.Round(time.Millisecond))
}

func moment(i int) string {
	return time.Date(2026, 11, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
}

// kills is how many runs to kill: few in a normal test run, KILLS of each kind when that is set.
func kills(t *testing.T, normally int) int {
	t.Helper()
	if s := os.Getenv("KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("KILLS=%q: expected a number", s)
		}
		return n
	}
	if testing.Short() {
		return max(1, normally/10)
	}
	if raceEnabled {
		return normally / 2 // the tools are slower by as much
	}
	return normally
}

// kill plays n runs: each is killed at a random moment; what had ended well must stand in the
// store at once; then the run is made again and must stand there once.
func (k *killed) kill(plugin string, n int, name string, args func(i int) []string) {
	k.t.Helper()
	for i := range n {
		ended := k.run(name, args(i)...)
		if ended && k.times(plugin)[moment(i)] != 1 {
			k.t.Fatalf("run %d ended well and does not stand in the store once", i)
		}
		if i%2 == 0 || i == n-1 { // else the next run has to make up for two
			if i > 0 && i%2 == 0 {
				k.settle(name, args(i-1)...)
			}
			k.settle(name, args(i)...)
		}
	}
	if n%2 == 0 && n > 1 {
		k.settle(name, args(n-2)...)
	}
	k.sound(plugin, n)
}

// anAudit prepares the sample audit and returns its run folder and stable document.
func anAudit(t *testing.T) (run, stable string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	scratch := filepath.Join(t.TempDir(), "store")
	for _, args := range [][]string{
		{"prepare", "testdata/plugins/worktree-discipline-like-uncut", "--config-dir", "testdata/transcripts/worktree-discipline-like-uncut", "--run", run, "--store", scratch},
		{"finish", run, "--judgments", "testdata/judgments/worktree-discipline-like-uncut.yaml", "--store", scratch, "--now", "2026-01-01"},
	} {
		if _, stderr, code := runTool(t, nil, "", "offload-audit", args...); code != 0 {
			t.Fatalf("offload-audit %q: exit %d, %s", args, code, stderr)
		}
	}
	return run, filepath.Join(run, "stable.json")
}

// TestKill (FR-5.1, issue 6): kill -9 at random moments of record and finish loses and doubles nothing.
func TestKill(t *testing.T) {
	run, stable := anAudit(t)
	name := pluginOf(t, stable)
	recordArgs := func(store string) func(int) []string {
		return func(i int) []string {
			return []string{"record", "--stable", stable, "--scan", filepath.Join(run, "scan.json"), "--store", store, "--now", moment(i)}
		}
	}
	finishArgs := func(store string) func(int) []string {
		return func(i int) []string {
			return []string{"finish", run, "--judgments", filepath.Join(run, "judgments.json"), "--store", store, "--now", moment(i)}
		}
	}
	for _, tt := range []struct {
		name, tool string
		git        bool
		n          int
		args       func(store string) func(int) []string
	}{
		{"record", "audit-snapshot", false, 40, recordArgs},
		{"record in git", "audit-snapshot", true, 12, recordArgs},
		{"finish", "offload-audit", false, 20, finishArgs},
		{"finish in git", "offload-audit", true, 8, finishArgs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			if s := os.Getenv("SEED"); s != "" {
				if _, err := fmt.Sscan(s, &seed); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("SEED=%d", seed)
			k := &killed{t: t, random: rand.New(rand.NewPCG(seed, 1)), typical: 60 * time.Millisecond}
			n := kills(t, tt.n)
			for _, place := range []string{"scratch", "store"} { // first one undisturbed run, to know how long it takes
				k.store = filepath.Join(t.TempDir(), place)
				if tt.git {
					k.initGit()
				}
				if place == "scratch" {
					begun := time.Now()
					k.settle(tt.tool, tt.args(k.store)(0)...)
					k.typical = time.Since(begun)
				}
			}
			k.kill(name, n, tt.tool, tt.args(k.store))
			if tt.git {
				k.cleanGit()
			}
		})
	}
}

func pluginOf(t *testing.T, stable string) string {
	t.Helper()
	data, err := os.ReadFile(stable)
	if err != nil {
		t.Fatal(err)
	}
	return gjson.GetBytes(data, "target.name").String()
}

func (k *killed) git(args ...string) string {
	k.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", k.store}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		k.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (k *killed) initGit() {
	k.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		k.t.Skip("git is not installed")
	}
	if err := os.MkdirAll(k.store, 0o755); err != nil {
		k.t.Fatal(err)
	}
	k.git("init", "--quiet")
}

// cleanGit: everything is committed, and the repository itself is sound.
func (k *killed) cleanGit() {
	k.t.Helper()
	if left := k.git("status", "--porcelain"); left != "" {
		k.t.Errorf("not committed: %s", left)
	}
	k.git("fsck", "--no-dangling", "--no-progress")
}
