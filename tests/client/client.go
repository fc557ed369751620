package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Client is one installed client with a home of its own.
type Client struct {
	Bin string
	// Home holds .claude; Work is the directory it runs in.
	Home, Work string
	// Env is added to the clean environment.
	Env []string

	t   testing.TB
	api *API
}

// New is the pinned client, talking to api. The test is skipped where CLAUDE_BIN is not set.
func New(t testing.TB, api *API) *Client { return newClient(t, api, "CLAUDE_BIN") }

// NewOld is the older client of CLAUDE_BIN_OLD.
func NewOld(t testing.TB, api *API) *Client { return newClient(t, api, "CLAUDE_BIN_OLD") }

func newClient(t testing.TB, api *API, variable string) *Client {
	t.Helper()
	bin := os.Getenv(variable)
	if bin == "" {
		t.Skipf("%s is not set: .ci/client.sh installs the client and prints it", variable)
	}
	// A short path: the project folder's name in the history is made of it.
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{Bin: bin, Home: filepath.Join(root, "home"), Work: filepath.Join(root, "work"), t: t, api: api}
	for _, d := range []string{c.ConfigDir(), c.Work} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// ConfigDir is the client's configuration directory, where its history stands.
func (c *Client) ConfigDir() string { return filepath.Join(c.Home, ".claude") }

// Result is what a run printed and how it ended.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Run runs the client with args and nothing on standard input.
func (c *Client) Run(args ...string) Result { return c.RunIn(c.Work, args...) }

// RunIn is Run in another working directory.
func (c *Client) RunIn(dir string, args ...string) Result {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Bin, args...)
	cmd.Dir = dir
	cmd.Env = c.environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatalf("claude %s: %v", strings.Join(args, " "), err)
	}
	return Result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// environ is clean: nothing of the caller's but where programs are.
func (c *Client) environ() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Home, "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(),
		"ANTHROPIC_API_KEY=not-a-key", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"GIT_CONFIG_NOSYSTEM=1"}
	if c.api != nil {
		env = append(env, "ANTHROPIC_BASE_URL="+c.api.URL())
	}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+c.Home, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return append(env, c.Env...)
}

// Answered is a print run's JSON result.
type Answered struct {
	Result    string `json:"result"`
	SessionID string `json:"session_id"`
	IsError   bool   `json:"is_error"`
	NumTurns  int    `json:"num_turns"`
	Denials   []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
	CostUSD float64 `json:"total_cost_usd"`
}

// Prompt is one print run under the client's default permissions, unless more says otherwise;
// it must succeed.
func (c *Client) Prompt(text string, more ...string) Answered {
	c.t.Helper()
	res := c.Run(append([]string{"-p", text, "--output-format", "json"}, more...)...)
	var a Answered
	if err := json.Unmarshal([]byte(res.Stdout), &a); err != nil || res.Code != 0 {
		c.t.Fatalf("claude -p: exit %d\nstdout: %s\nstderr: %s", res.Code, res.Stdout, res.Stderr)
	}
	return a
}

// Must runs the client and requires success; it returns standard output.
func (c *Client) Must(args ...string) string {
	c.t.Helper()
	res := c.Run(args...)
	if res.Code != 0 {
		c.t.Fatalf("claude %s: exit %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), res.Code, res.Stdout, res.Stderr)
	}
	return res.Stdout
}

// Install adds the marketplace (a directory or an address) and installs name from it.
func (c *Client) Install(marketplace, name string) {
	c.t.Helper()
	c.Must("plugin", "marketplace", "add", marketplace)
	c.Must("plugin", "install", name)
}

// Rows are the rows of the history of session, main file and subagents, in file order.
func (c *Client) Rows(session string) []map[string]any {
	c.t.Helper()
	var rows []map[string]any
	err := filepath.WalkDir(filepath.Join(c.ConfigDir(), "projects"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") || !strings.Contains(path, session) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			var row map[string]any
			if json.Unmarshal(line, &row) == nil {
				rows = append(rows, row)
			}
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return rows
}
