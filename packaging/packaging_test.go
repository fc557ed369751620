package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The folder as a user gets it: every tool starts through its launcher, from anywhere and
// through a symbolic link; the checksums hold; a second run gives the same bytes.
func TestFolderIsSelfContained(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the launchers that this test runs are shell scripts")
	}
	host := runtime.GOOS + "-" + runtime.GOARCH
	out := filepath.Join(t.TempDir(), "dist")
	if err := run("..", out, host); err != nil {
		t.Fatal(err)
	}
	tools, err := toolNames("..")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), tools[0])
	if err := os.Symlink(filepath.Join(out, name, "bin", tools[0]), link); err != nil {
		t.Fatal(err)
	}
	started := []string{link}
	for _, tool := range tools {
		started = append(started, filepath.Join(out, name, "bin", tool))
	}
	for _, path := range started {
		stdout, stderr, code := start(t, nil, path, "--version")
		if code != 0 || stderr != "" || !strings.HasPrefix(stdout, filepath.Base(path)+" ") {
			t.Errorf("%s --version: exit %d, %q, %q", path, code, stdout, stderr)
		}
	}
	checkSums(t, out)
	checkLinks(t, filepath.Join(out, name))
	before, err := os.ReadFile(filepath.Join(out, sums))
	if err != nil {
		t.Fatal(err)
	}
	if err := run("..", out, host); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(filepath.Join(out, sums)); !bytes.Equal(before, after) {
		t.Errorf("two runs differ:\n%s\n%s", before, after)
	}
}

// A platform without a binary: one clear line when a person or the model calls a tool,
// silence in a hook.
func TestPlatformWithoutBinary(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the launchers that this test runs are shell scripts")
	}
	bin, fake := filepath.Join(t.TempDir(), "bin"), t.TempDir()
	if err := writeLaunchers(bin, []string{"offload-scan"}); err != nil {
		t.Fatal(err)
	}
	uname := "#!/bin/sh\necho 'Plan9 mips'\n"
	if err := os.WriteFile(filepath.Join(fake, "uname"), []byte(uname), 0o755); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + fake + ":" + os.Getenv("PATH")
	tool := filepath.Join(bin, "offload-scan")
	stdout, stderr, code := start(t, []string{path}, tool, "x")
	if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "Plan9 mips") {
		t.Errorf("called: exit %d, %q, %q; expected 1 and one line that names the platform", code, stdout, stderr)
	}
	stdout, stderr, code = start(t, []string{path, "CLAUDE_PLUGIN_ROOT=/x"}, tool, "x")
	if code != 0 || stdout+stderr != "" {
		t.Errorf("in a hook: exit %d, %q, %q; expected silence", code, stdout, stderr)
	}
}

func TestForeignFolderIsNotEmptied(t *testing.T) {
	out := t.TempDir()
	kept := filepath.Join(out, "kept.txt")
	if err := os.WriteFile(kept, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run("..", out, ""); err == nil || !strings.Contains(err.Error(), "was not made by this command") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestAsPackage(t *testing.T) {
	const src = "// Main main.\npackage main\n\nimport \"os\"\n\nfunc main() { os.Exit(0) } // main\n\ntype T struct{}\n\nfunc (T) main() {}\n"
	const want = "// Main main.\npackage tool\n\nimport \"os\"\n\nfunc Main() { os.Exit(0) } // main\n\ntype T struct{}\n\nfunc (T) main() {}\n"
	got, err := asPackage("main.go", []byte(src))
	if err != nil || string(got) != want {
		t.Errorf("%v:\n%s", err, got)
	}
	if _, err := asPackage("x.go", []byte("package other\n")); err == nil {
		t.Error("a package that is no main was accepted")
	}
}

func start(t *testing.T, env []string, path string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func checkSums(t *testing.T, out string) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(out, sums))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		sum, rel, ok := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(rel)))
		if got := sha256.Sum256(data); !ok || err != nil || hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s: checksum does not hold (%v)", rel, err)
		}
		n++
	}
	if n < 10 {
		t.Errorf("only %d files have a checksum", n)
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)`)

// checkLinks follows every relative link of the folder's Markdown: what it points to must have come along.
func checkLinks(t *testing.T, folder string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			n++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s links to %s, which is not in the folder", filepath.Base(path), m[1])
			}
		}
		return err
	})
	if err != nil || n == 0 {
		t.Errorf("%d links followed: %v", n, err)
	}
}
