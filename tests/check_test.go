package tests

import (
	"path/filepath"
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
