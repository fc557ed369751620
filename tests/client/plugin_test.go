package client

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const (
	pluginName  = "inference-arbitrage"
	pluginAtAll = pluginName + "@" + pluginName // plugin@marketplace: they have the same name
)

// repository is the root of the module, read whole once: so that a cached test result does not
// outlive a change in a source that is only compiled by the packaging.
var repository = sync.OnceValue(func() string {
	root, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	for _, dir := range []string{"internal", "tools", "packaging", "skills", "agents", "commands", "hooks", ".claude-plugin"} {
		filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				_, _ = os.ReadFile(path) // what cannot be read cannot have been compiled
			}
			return nil
		})
	}
	return root
})

var packaged struct {
	sync.Once
	dir string
	err error
}

// dist is the packaged plugin's marketplace folder, with this platform's binary, made once.
func dist(t *testing.T) string {
	t.Helper()
	packaged.Do(func() {
		if packaged.dir, packaged.err = os.MkdirTemp("", "dist-"); packaged.err != nil {
			return
		}
		packaged.dir = filepath.Join(packaged.dir, "dist")
		cmd := exec.Command("go", "run", "./packaging", "-out", packaged.dir, "-only", runtime.GOOS+"-"+runtime.GOARCH)
		cmd.Dir = repository()
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			packaged.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if packaged.err != nil {
		t.Fatal(packaged.err)
	}
	return packaged.dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	if packaged.dir != "" {
		os.RemoveAll(filepath.Dir(packaged.dir))
	}
	os.Exit(code)
}

// Issue 7, item 1: both manifests pass the client's strict validation, as they stand in the
// repository and as they are packaged. The older client passes them too, but warns of a field
// that it does not know yet.
func TestValidateStrict(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		open   func(testing.TB, *API) *Client
		strict []string
	}{"pinned": {New, []string{"--strict"}}, "old": {NewOld, nil}} {
		t.Run(name, func(t *testing.T) {
			c := run.open(t, nil)
			for _, path := range []string{repository(), dist(t), filepath.Join(dist(t), pluginName),
				filepath.Join(repository(), ".claude-plugin", "plugin.json"), filepath.Join(repository(), ".claude-plugin", "marketplace.json")} {
				if res := c.Run(append([]string{"plugin", "validate", path}, run.strict...)...); res.Code != 0 {
					t.Errorf("validate %s: exit %d\n%s%s", path, res.Code, res.Stdout, res.Stderr)
				}
			}
		})
	}
}

// listed is one row of `plugin list --json`.
type listed struct {
	ID          string `json:"id"`
	Version     string `json:"version"`
	Enabled     bool   `json:"enabled"`
	InstallPath string `json:"installPath"`
	ReadFrom    string `json:"readFromFolder"`
}

func list(t *testing.T, c *Client) *listed {
	t.Helper()
	var rows []listed
	if err := json.Unmarshal([]byte(c.Must("plugin", "list", "--json")), &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.ID == pluginAtAll {
			return &r
		}
	}
	return nil
}

// Issue 7, item 1: install, list, details and uninstall, from a marketplace that is a folder.
// What a user would miss is not in the folder that uninstalling deletes.
func TestInstallFromFolder(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	c.Install(dist(t), pluginAtAll)
	got := list(t, c)
	if got == nil || !got.Enabled || got.ReadFrom != filepath.Join(dist(t), pluginName) {
		t.Fatalf("listed: %+v", got)
	}
	details := c.Must("plugin", "details", pluginName)
	for _, want := range []string{"Skills", "offload-audit", "offload-analyst"} {
		if !strings.Contains(details, want) {
			t.Errorf("details do not name %s:\n%s", want, details)
		}
	}
	if out := runTool(t, c, api, "offload-audit --version"); !strings.HasPrefix(out, "offload-audit ") {
		t.Errorf("the tool in a session: %q", out)
	}
	store := filepath.Join(c.Home, ".local", "share", pluginName, "store")
	if out := runTool(t, c, api, "offload-audit doctor"); !strings.Contains(out, store) || strings.Contains(out, "broken") {
		t.Errorf("doctor:\n%s", out)
	}
	kept := filepath.Join(store, "snapshots", "x.jsonl")
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c.Must("plugin", "uninstall", pluginAtAll)
	if got := list(t, c); got != nil {
		t.Errorf("still listed: %+v", got)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("uninstalling took the audits: %v", err)
	}
}

// The options that a user gives to the plugin reach the tools that the model runs, although the
// client hands them to hooks only.
func TestPluginOptions(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	kept := filepath.Join(c.Home, "audits")
	c.Must("plugin", "marketplace", "add", dist(t))
	c.Must("plugin", "install", pluginAtAll, "--config", "store="+kept, "--config", "timezone=Asia/Tokyo", "--config", "push=true")
	out := runTool(t, c, api, "offload-audit doctor")
	for _, want := range []string{kept + " (a folder", "timezone (" + filepath.Join(c.ConfigDir(), "settings.json") + ")", "push ("} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q:\n%s", want, out)
		}
	}
}

// The same from a git marketplace: the plugin then runs from the client's cache.
func TestInstallFromGit(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	repo := t.TempDir()
	if err := os.CopyFS(repo, os.DirFS(dist(t))); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "release"}, {"add", "--all"},
		{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m", "release"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	// The client refuses file: addresses; git itself maps this one to the folder.
	config := fmt.Sprintf("[url \"file://%s\"]\n\tinsteadOf = https://example.invalid/plugin.git\n", repo)
	if err := os.WriteFile(filepath.Join(c.Home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	c.Install("https://example.invalid/plugin.git#release", pluginAtAll)
	got := list(t, c)
	if got == nil || got.ReadFrom != "" || !strings.HasPrefix(got.InstallPath, c.ConfigDir()) {
		t.Fatalf("listed: %+v", got)
	}
	if err := os.RemoveAll(repo); err != nil {
		t.Fatal(err)
	}
	if out := runTool(t, c, api, "command -v offload-audit; offload-audit --version"); !strings.Contains(out, got.InstallPath) || !strings.Contains(out, "\noffload-audit ") {
		t.Errorf("the tool in a session: %q, expected it from %s", out, got.InstallPath)
	}
}

// runTool has the model run one command and returns what it was shown.
func runTool(t *testing.T, c *Client, api *API, command string) string {
	t.Helper()
	api.Reset()
	api.Lane("tool", Any).Then(Answer{Calls: []ToolUse{Bash(command)}}, Answer{Text: "done"})
	c.Prompt("run it", "--allowedTools", "Bash(*)")
	log := api.Log()
	if len(log) != 2 || len(log[1].Request.Results()) != 1 {
		t.Fatalf("%d requests", len(log))
	}
	return log[1].Request.Results()[0].Content.Text()
}
