package tests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

var update = flag.Bool("update", false, "rewrite goldens and generated files from what the tools say now")

// toolsDir holds the tools that the stories run, built once from the sources of this tree.
var toolsDir string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tools")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	toolsDir = dir
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	if raceEnabled {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "./tools/...")...)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build ./tools/...: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// shared is the folder of reference data beside the repository, "" where it is absent.
func shared() string {
	dir := os.Getenv("SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return ""
	}
	return dir
}

// needShared returns that folder or skips the test, saying so.
func needShared(t *testing.T) string {
	t.Helper()
	dir := shared()
	if dir == "" {
		t.Skip("reference data is absent: neither $SHARED nor ../shared is a folder")
	}
	return dir
}

// TestStories plays every script. In a story the tools are on PATH, $TESTDATA is
// tests/testdata, $SHARED the reference data ([shared] says whether it is there),
// HOME an empty folder, the zone UTC. "json FILE PATH VALUE" compares one member.
func TestStories(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			for _, e := range os.Environ() { // a clean room: only what a machine needs
				name, _, _ := strings.Cut(e, "=")
				switch {
				case name == "CLAUDE_CONFIG_DIR", strings.HasPrefix(name, "CLAUDE_"), strings.HasPrefix(name, "XDG_"):
					env.Setenv(name, "")
				}
			}
			env.Setenv("PATH", toolsDir+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("TZ", "UTC")
			env.Setenv("GORACE", raceExit)
			env.Setenv("TESTDATA", testdata)
			env.Setenv("SHARED", shared())
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "shared":
				return shared() != "", nil
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"json": jsonCmd, "lines": linesCmd,
		},
	})
	scripts, _ := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if len(scripts) == 0 {
		t.Error("no stories found: nothing was tested")
	}
	for _, s := range scripts {
		text, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		if !strings.HasPrefix(first, "#") || !cites(first) {
			t.Errorf("%s: the first line cites no requirement (FR-…, S…, §… or an issue)", s)
		}
	}
}

// cites says whether a script's first line names what it proves.
func cites(line string) bool {
	for _, mark := range []string{"FR-", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "§", "issue "} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// jsonCmd: json FILE PATH VALUE compares the member at a gjson path; FILE may be stdout.
// A VALUE of "null", a number or text is compared with the raw value, unquoted.
func jsonCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	text := ts.ReadFile(args[0])
	if !gjson.Valid(text) {
		ts.Fatalf("%s is not JSON", args[0])
	}
	r := gjson.Get(text, args[1])
	got := r.Raw
	switch {
	case !r.Exists():
		got = "absent"
	case r.Type == gjson.String:
		got = r.String()
	}
	if (got == args[2]) == neg {
		ts.Fatalf("%s: %s is %s, want %s%s", args[0], args[1], got, map[bool]string{true: "anything but "}[neg], args[2])
	}
}

// linesCmd: lines FILE N checks that FILE (or stdout, stderr) has exactly N lines.
func linesCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	text := ts.ReadFile(args[0])
	got := fmt.Sprint(strings.Count(text, "\n"))
	if (got == args[1]) == neg {
		ts.Fatalf("%s has %s lines, want %s:\n%s", args[0], got, args[1], text)
	}
}

// raceExit keeps a tool that was built with the race detector from sleeping a second as it ends.
const raceExit = "atexit_sleep_ms=0"

// exeSuffix ends the name of a program here.
var exeSuffix = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// runTool runs one tool outside a story and returns its streams and exit code.
func runTool(t testing.TB, env []string, stdin, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(filepath.Join(toolsDir, name+exeSuffix), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TZ=UTC", "GORACE=" + raceExit}, env...)
	if err := cmd.Run(); err != nil {
		if _, exited := err.(*exec.ExitError); !exited {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
