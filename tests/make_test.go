package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kitchen is a folder in which make runs the tools of this tree, built already, by this tree's Makefile.
func kitchen(t *testing.T) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is absent")
	}
	dir = t.TempDir()
	if err := os.Symlink(toolsDir, filepath.Join(dir, "bin")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	return dir
}

// runMake runs make in dir; what would build says nothing and builds nothing.
func runMake(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	makefile, err := filepath.Abs("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	cmd := exec.Command("make", append([]string{"-s", "-f", makefile, "GO=:"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "TZ=UTC", "GORACE=" + raceExit}, env...)
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// TestMakeTakesATargetAsItStands: neither make nor its shell runs what stands in TARGET or
// ARGS, and a folder by such a name is found.
func TestMakeTakesATargetAsItStands(t *testing.T) {
	dir := kitchen(t)
	untouched := func(what string) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Fatalf("%s was run", what)
		}
	}
	for _, name := range []string{"$(touch pwned)", "$(shell touch pwned)", "`touch pwned`", "a'; touch pwned; '", "$$(touch pwned)", `a "b" $c`} {
		manifest := filepath.Join(dir, name, ".claude-plugin", "plugin.json")
		if err := os.MkdirAll(filepath.Dir(manifest), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(manifest, []byte(`{"name": "keeper"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, call := range []struct{ env, args []string }{
			{nil, []string{"TARGET=./" + name}}, {[]string{"TARGET=./" + name}, nil},
		} {
			out, errs, err := runMake(t, dir, call.env, append([]string{"audit"}, call.args...)...)
			untouched(name)
			if err != nil || !strings.HasPrefix(out, "keeper: ") {
				t.Errorf("%s: %v, %s%s", name, err, out, errs)
			}
			// FR-7: the run lies where it can be found again, and is named.
			if !strings.Contains(out, "run folder: "+filepath.Join(dir, "home", ".local", "share", "inference-arbitrage", "runs", "keeper-")) {
				t.Errorf("%s: no run folder of the user's is named:\n%s", name, out)
			}
		}
		out, errs, err := runMake(t, dir, nil, "audit", "TARGET=./nowhere/"+name)
		untouched(name)
		if err == nil || out != "" {
			t.Errorf("nowhere/%s: %v, %s%s", name, err, out, errs)
		}
	}
	for _, args := range []string{"--config-dir $(shell touch pwned)", "--config-dir $(touch pwned)", "; touch pwned", "--no-cache `touch pwned`"} {
		out, errs, err := runMake(t, dir, nil, "audit", "TARGET=./$(touch pwned)", "ARGS="+args)
		untouched(args)
		if err == nil || out != "" {
			t.Errorf("ARGS=%s: %v, %s%s", args, err, out, errs)
		}
	}
	out, errs, err := runMake(t, dir, nil, "audit", "TARGET=./$(touch pwned)", "ARGS=--no-cache --run 'my run'")
	if err != nil || !strings.Contains(out, "run folder: "+filepath.Join(dir, "my run")+"\n") {
		t.Errorf("ARGS: %v, %s%s", err, out, errs)
	}
}

// TestMakeSaysThatItBuilds: the first build is not silent, later ones are.
func TestMakeSaysThatItBuilds(t *testing.T) {
	dir := kitchen(t)
	const says = "building the tools; the first time takes a minute\n"
	if _, errs, err := runMake(t, t.TempDir(), nil, "build"); err != nil || errs != says {
		t.Errorf("first: %v, %q", err, errs)
	}
	if _, errs, err := runMake(t, dir, nil, "build"); err != nil || errs != "" {
		t.Errorf("again: %v, %q", err, errs)
	}
}
