package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sample is the bundled sample of `make audit`.
const sample = "worktree-discipline-like-uncut"

// auditSample does what `make audit` does and returns the report, its folder by a fixed name.
func auditSample(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	judgments, err := os.ReadFile(filepath.Join("testdata", "judgments", sample+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	run, store := filepath.Join(dir, "run"), filepath.Join(dir, "store")
	_, errs, code := runTool(t, nil, "", "offload-audit", "prepare", filepath.Join("testdata", "plugins", sample),
		"--config-dir", filepath.Join("testdata", "transcripts", sample), "--run", run, "--store", store, "--no-cache", "--now", "2026-11-04T09:00:00Z")
	if code != 0 {
		t.Fatalf("prepare: %d, %s", code, errs)
	}
	out, errs, code := runTool(t, nil, string(judgments), "offload-audit", "finish", run, "--store", store)
	if code != 0 {
		t.Fatalf("finish: %d, %s", code, errs)
	}
	return strings.ReplaceAll(out, dir, "/tmp/sample")
}

// TestReadmeSample: the report in the README is the one that the sample gives.
func TestReadmeSample(t *testing.T) {
	block := regexp.MustCompile("(?s)(<!-- sample report -->\n```\n)(.*?)(```\n<!-- /sample report -->)")
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := block.FindSubmatch(readme)
	if m == nil {
		t.Fatal("README.md has no sample report")
	}
	report := auditSample(t)
	if !strings.Contains(report, "to offload") {
		t.Fatalf("the sample shows nothing to offload:\n%s", report)
	}
	if *update {
		readme = block.ReplaceAll(readme, []byte("${1}"+strings.ReplaceAll(report, "$", "$$")+"${3}"))
		if err := os.WriteFile("../README.md", readme, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(m[2]) != report {
		t.Errorf("README.md shows another report than the sample gives (-update writes it):\n%s\ngot\n%s", m[2], report)
	}
}

// TestReadmeCommands: every make target and every tool call in the README's code exists.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := regexp.MustCompile(`(?m)\bmake ([a-z][a-z-]*)`).FindAllStringSubmatch(string(readme), -1)
	if len(targets) == 0 {
		t.Error("README.md names no make target: nothing was checked")
	}
	for _, m := range targets {
		if !regexp.MustCompile(`(?m)^` + m[1] + `:`).Match(makefile) {
			t.Errorf("README.md says make %s; the Makefile has no such target", m[1])
		}
	}
	verbs := regexp.MustCompile("`(offload-audit|offload-scan|audit-snapshot) ([a-z-]+)").FindAllStringSubmatch(string(readme), -1)
	for _, m := range verbs {
		if _, errs, code := runTool(t, nil, "", m[1], m[2], "--help"); code != 0 {
			t.Errorf("README.md says %s %s: %s", m[1], m[2], errs)
		}
	}
}

// TestHelpHasWorkingExamples: the flags of every example in every help exist.
func TestHelpHasWorkingExamples(t *testing.T) {
	seen := 0
	for _, tool := range ownTools(t) {
		pages := [][]string{{"--help"}}
		help, _, _ := runTool(t, nil, "", tool, "--help")
		for _, m := range regexp.MustCompile(`(?m)^  `+tool+` ([a-z][a-z-]*) \[flags\]`).FindAllStringSubmatch(help, -1) {
			pages = append(pages, []string{m[1], "--help"})
		}
		for _, page := range pages {
			help, errs, code := runTool(t, nil, "", tool, page...)
			if code != 0 {
				t.Errorf("%s %v: %s", tool, page, errs)
			}
			_, examples, ok := strings.Cut(help, "\nExamples:\n")
			if !ok {
				t.Errorf("%s %v: no examples", tool, page)
			}
			for line := range strings.Lines(examples) {
				seen++
				checkExample(t, tool, strings.TrimSpace(line))
			}
		}
	}
	if seen == 0 {
		t.Error("no examples found: nothing was checked")
	}
}

// checkExample asks the tool itself: --help after an example's own words and flags must be help, not an error.
func checkExample(t *testing.T, tool, line string) {
	t.Helper()
	words := strings.Fields(regexp.MustCompile(`[<>|].*`).ReplaceAllString(line, ""))
	if len(words) == 0 || words[0] != tool {
		t.Errorf("example %q does not call %s", line, tool)
		return
	}
	if slices.Contains(words, "--help") {
		return
	}
	if _, errs, code := runTool(t, nil, "", tool, append(words[1:], "--help")...); code != 0 {
		t.Errorf("example %q: %s", line, errs)
	}
}

// TestMakefileHelp: `make help` lists every target that is for people.
func TestMakefileHelp(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is absent")
	}
	cmd := exec.Command("make", "-s", "help")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make help: %v\n%s", err, out)
	}
	for _, target := range []string{"audit", "test", "check", "build", "self-audit", "docs"} {
		if !strings.Contains(string(out), "make "+target) {
			t.Errorf("make help does not list %s:\n%s", target, out)
		}
	}
}
