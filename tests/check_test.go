package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckExitCodes (issue 2): 0 nothing above the threshold, 1 findings, 2 called wrongly
// or bad input; with 2 nothing stands on standard output.
func TestCheckExitCodes(t *testing.T) {
	plugin := func(name string) string { return filepath.Join("testdata", "plugins", name) }
	for _, row := range []struct {
		name string
		args []string
		want int
	}{
		{"well cut", []string{plugin("token-budget-like")}, 0},
		{"a candidate", []string{plugin("worktree-discipline-like-uncut")}, 1},
		{"a candidate, in SARIF", []string{plugin("worktree-discipline-like-uncut"), "--format", "sarif"}, 1},
		{"below the level", []string{plugin("worktree-discipline-like-uncut"), "--fail-on", "file"}, 0},
		{"no such level", []string{plugin("token-budget-like"), "--fail-on", "loud"}, 2},
		{"no target", nil, 2},
		{"a component in UTF-16", []string{utf16Plugin(t)}, 2},
		{"a component in UTF-16, reporting only", []string{utf16Plugin(t), "--fail-on", "never"}, 2},
		{"no plugin", []string{t.TempDir()}, 2},
		{"no such waivers", []string{plugin("token-budget-like"), "--waivers", "nowhere.yaml"}, 2},
		{"a baseline that is none", []string{plugin("token-budget-like"), "--baseline", "check_test.go"}, 2},
		{"judgments that are none", []string{plugin("token-budget-like"), "--judgments", "check_test.go"}, 2},
	} {
		stdout, stderr, code := runTool(t, nil, "", "offload-audit", append([]string{"check"}, row.args...)...)
		if code != row.want || (code == 2) != (stdout == "") || (code == 2) != (stderr != "") {
			t.Errorf("%s: exit %d, want %d; stdout %.80q stderr %.200q", row.name, code, row.want, stdout, stderr)
		}
	}
}

// utf16Plugin is a plugin whose only skill is stored in UTF-16.
func utf16Plugin(t *testing.T) string {
	text := []byte("\xff\xfe")
	for _, r := range "---\nname: sweep\ndescription: Sweep.\n---\n1. Run `git fetch`.\n" {
		text = append(text, byte(r), 0)
	}
	return onePlugin(t, text)
}

func onePlugin(t *testing.T, skill []byte) string {
	dir := t.TempDir()
	for name, text := range map[string][]byte{
		".claude-plugin/plugin.json": []byte(`{"name": "desk", "version": "1.0.0"}`), "skills/sweep/SKILL.md": skill,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCheckUnreadable: of a component, or a folder of components, that may not be read a check
// says so in one line and exits with 2; of another file that may not be read it warns.
func TestCheckUnreadable(t *testing.T) {
	top := t.TempDir()
	tool := filepath.Join(top, "offload-audit")
	binary, err := os.ReadFile(filepath.Join(toolsDir, "offload-audit"+exeSuffix))
	if err == nil {
		err = os.WriteFile(tool, binary, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	command := []string{tool}
	if os.Geteuid() == 0 { // nothing is unreadable to root
		if _, err := exec.LookPath("setpriv"); err != nil {
			t.Skip("run by root, and without setpriv to be somebody else")
		}
		command = []string{"setpriv", "--reuid=65534", "--clear-groups", tool}
	}
	for _, row := range []struct {
		name, forbid, want string
		code               int
	}{
		{"a component", "skills/sweep/SKILL.md", "skills/sweep/SKILL.md cannot be read: permission denied\n", 2},
		{"its folder", "skills/sweep", "skills/sweep cannot be read; which components stand in it is not known\n", 2},
		{"all skills", "skills", "skills cannot be read; which components", 2},
		{"notes of a skill", "skills/sweep/notes", `"code": "path-unreadable"`, 0},
	} {
		dir := onePlugin(t, []byte("---\nname: sweep\ndescription: Sweep.\n---\nSweep.\n"))
		forbidden := filepath.Join(dir, row.forbid)
		if row.name == "notes of a skill" {
			err = os.Mkdir(forbidden, 0o755)
		}
		if err == nil {
			err = os.Chmod(forbidden, 0)
		}
		for _, open := range []string{dir, filepath.Dir(dir), top, filepath.Dir(top)} {
			if err == nil {
				err = os.Chmod(open, 0o755)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(forbidden, 0o755) })
		cmd := exec.Command(command[0], append(command[1:], "check", dir, "--no-cache", "--format", "json")...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TZ=UTC", "GORACE=" + raceExit}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != row.code || !strings.Contains(string(out), row.want) || code == 2 && strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: exit %d, want %d with %q: %s", row.name, code, row.code, row.want, out)
		}
	}
}
