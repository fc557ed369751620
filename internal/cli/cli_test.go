package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// play runs a small tool that echoes what it was given.
func play(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	sys := Sys{
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" },
		Now:    func() time.Time { return time.Unix(0, 0) },
	}
	code = Do(context.Background(), echoTool(), args, sys)
	return code, out.String(), errs.String()
}

func echoTool() *Tool {
	echo := &Verb{
		Name: "echo", Args: "WORD", MinArgs: 1, MaxArgs: 2, Purpose: "Echo a word.", Stdin: true,
		Examples: []string{"echoer echo hi"}, Formats: []string{JSON, Text},
		Setup: func(f *Flags) Run {
			loud := f.Bool("loud", "shout")
			list := f.Strings("with", "add `WORD`")
			return func(c *Call) error {
				words := strings.Join(append(c.Args, *list...), " ")
				if *loud {
					words = strings.ToUpper(words)
				}
				return c.Emit(map[string]any{"document": "echo/v1", "words": words}, func(w io.Writer) error {
					_, err := fmt.Fprintln(w, words)
					return err
				})
			}
		},
	}
	ends := func(name string, end func(c *Call) error) *Verb {
		return &Verb{Name: name, Purpose: "End so.", Setup: func(*Flags) Run {
			return func(c *Call) error {
				fmt.Fprint(c.Out, "half an answer")
				return end(c)
			}
		}}
	}
	return &Tool{Name: "echoer", Purpose: "Echoes.", Verbs: []*Verb{
		echo,
		ends("could-not", func(*Call) error { return errors.New("disk\nfull") }),
		ends("bad-input", func(*Call) error { return BadInput(errors.New("not a document")) }),
		ends("findings", func(*Call) error { return ErrFindings }),
		ends("panics", func(*Call) error { panic("boom\ngoroutine 1") }),
	}}
}

func TestDriver(t *testing.T) {
	for _, tt := range []struct {
		name, args, out, err string
		code                 int
	}{
		{"flags after words", "echo hi --format text --loud", "HI\n", "", 0},
		{"flags before words", "--format=text echo --loud hi", "HI\n", "", 0},
		{"flags between", "echo -format text a --with c b", "a b c\n", "", 0},
		{"double dash", "echo --format text -- --loud", "--loud\n", "", 0},
		{"double dash as a value", "echo --format text --with -- a", "a --\n", "", 0},
		{"json by default", "echo hi", "{\n  \"document\": \"echo/v1\",\n  \"words\": \"hi\"\n}\n", "", 0},
		{"unknown flag", "echo hi --nope", "", "echoer echo: unknown flag --nope (see echoer echo --help)\n", 2},
		{"missing value", "echo hi --with", "", "echoer echo: --with needs a value (see echoer echo --help)\n", 2},
		{"bad switch", "echo hi --loud=x", "", "echoer echo: --loud: \"x\" is no fitting value (see echoer echo --help)\n", 2},
		{"unknown format", "echo hi --format xml", "", "echoer echo: --format \"xml\": expected one of json, text (see echoer echo --help)\n", 2},
		{"too few", "echo", "", "echoer echo: too few words: expected WORD (see echoer echo --help)\n", 2},
		{"too many", "echo a b c", "", "echoer echo: unexpected word \"c\": expected only WORD (see echoer echo --help)\n", 2},
		{"no verb", "", "", "echoer: no verb: expected one of echo, could-not, bad-input, findings, panics (see echoer --help)\n", 2},
		{"wrong verb", "sing", "", "echoer: \"sing\" is no verb: expected one of echo, could-not, bad-input, findings, panics (see echoer --help)\n", 2},
		{"version", "--version", "echoer " + Version + "\n", "", 0},
		{"version of a verb", "echo --version", "echoer " + Version + "\n", "", 0},
		{"could not", "could-not", "", "echoer could-not: disk full\n", 1},
		{"bad input", "bad-input", "", "echoer bad-input: not a document\n", 2},
		{"findings", "findings", "half an answer", "", 1},
		{"panic", "panics", "", "echoer panics: internal error: boom goroutine 1; nothing was written to standard output\n", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := play(t, "", strings.Fields(tt.args)...)
			if code != tt.code || out != tt.out || errs != tt.err {
				t.Errorf("echoer %s:\n got %d, stdout %q, stderr %q\nwant %d, stdout %q, stderr %q",
					tt.args, code, out, errs, tt.code, tt.out, tt.err)
			}
		})
	}
}

func TestHelpNamesEverything(t *testing.T) {
	code, out, _ := play(t, "", "--help")
	for _, want := range []string{"Echoes.", "echoer echo [flags] WORD", "findings"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("tool help lacks %q:\n%s", want, out)
		}
	}
	code, out, _ = play(t, "", "echo", "--help")
	for _, want := range []string{"Echo a word.", "--loud", "--with WORD", "--format FORMAT", "(default json)", "Examples:\n  echoer echo hi"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("verb help lacks %q:\n%s", want, out)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestUnwritableOutputIsAFailure(t *testing.T) {
	var errs bytes.Buffer
	sys := Sys{Stdout: brokenPipe{}, Stderr: &errs, Getenv: os.Getenv, Now: time.Now}
	if code := Do(context.Background(), echoTool(), []string{"echo", "hi"}, sys); code != 1 {
		t.Errorf("exit code %d, want 1; stderr %q", code, errs.String())
	}
}

func TestReadInput(t *testing.T) {
	c := &Call{sys: Sys{Stdin: strings.NewReader("from stdin")}}
	if got, err := c.ReadInput("f", "-"); string(got) != "from stdin" || err != nil {
		t.Errorf("ReadInput(-) = %q, %v", got, err)
	}
	_, err := c.ReadInput("scan", filepath.Join(t.TempDir(), "none.json"))
	if ExitCode(err) != 2 || !strings.Contains(err.Error(), "--scan: ") || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("missing file: %v (exit %d)", err, ExitCode(err))
	}
	if _, err := c.ReadInput("scan", ""); ExitCode(err) != 2 {
		t.Errorf("missing flag: %v", err)
	}
	if _, err := c.ReadInput("scan", t.TempDir()); ExitCode(err) != 2 {
		t.Errorf("a folder: %v", err)
	}
}

func TestWriteFileIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, content := range []string{"first", "second, longer"} {
		if err := WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("read %q, want %q", got, content)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files left, want 1", len(entries))
	}
	if err := WriteFile(filepath.Join(dir, "no", "a.json"), nil); err == nil {
		t.Error("a missing folder was no error")
	}
}

func TestPlaces(t *testing.T) {
	home := t.TempDir()
	claude := filepath.Join(home, ".claude")
	if err := os.Mkdir(claude, 0o755); err != nil {
		t.Fatal(err)
	}
	call := func(env map[string]string) *Call {
		return &Call{sys: Sys{Getenv: func(k string) string { return env[k] }, Now: time.Now}}
	}
	dirs := func(c *Call, flags ...string) string {
		d, err := c.ConfigDirs(flags)
		if err != nil {
			return fmt.Sprint("exit ", ExitCode(err))
		}
		return strings.Join(d, ",")
	}
	for _, tt := range []struct{ name, got, want string }{
		{"no home: no history", dirs(call(nil)), ""},
		{"home", dirs(call(map[string]string{"HOME": home})), claude},
		{"variable", dirs(call(map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": home + ", " + claude})), home + "," + claude},
		{"flag wins", dirs(call(map[string]string{"CLAUDE_CONFIG_DIR": home}), claude), claude},
		{"named but missing", dirs(call(nil), filepath.Join(home, "none")), "exit 2"},
		{"data", call(map[string]string{"HOME": home}).DataDir(), filepath.Join(home, ".local", "share", "inference-arbitrage")},
		{"relative XDG is ignored", call(map[string]string{"HOME": home, "XDG_CACHE_HOME": "x"}).CacheDir(), filepath.Join(home, ".cache", "inference-arbitrage")},
		{"no place", call(nil).DataDir(), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestZoneAndNow(t *testing.T) {
	c := &Call{sys: Sys{Getenv: func(k string) string { return map[string]string{"TZ": ":Asia/Tokyo"}[k] }, Now: func() time.Time { return time.Unix(7, 9) }}}
	if loc, err := c.Zone(""); err != nil || loc.String() != "Asia/Tokyo" {
		t.Errorf("Zone from TZ = %v, %v", loc, err)
	}
	if loc, err := c.Zone("Europe/Berlin"); err != nil || loc.String() != "Europe/Berlin" {
		t.Errorf("Zone from the flag = %v, %v", loc, err)
	}
	for _, bad := range []string{"Local", "Mars/Phobos", "../etc"} {
		if _, err := c.Zone(bad); ExitCode(err) != 2 {
			t.Errorf("Zone(%q): %v", bad, err)
		}
	}
	if now, err := c.Now("2026-11-30T12:00:00+01:00"); err != nil || now.Format(time.RFC3339) != "2026-11-30T11:00:00Z" {
		t.Errorf("Now = %v, %v", now, err)
	}
	if now, _ := c.Now(""); now.Unix() != 7 || now.Nanosecond() != 0 {
		t.Errorf("the clock: %v", now)
	}
	if _, err := c.Now("yesterday"); ExitCode(err) != 2 {
		t.Errorf("Now(yesterday): %v", err)
	}
}

func TestWordsFromStandardInput(t *testing.T) {
	for _, tt := range []struct {
		typed, out, err string
		code            int
	}{
		{"hi --loud", "HI\n", "", 0},
		{"'two words'  \"and more\"\n", "two words and more\n", "", 0},
		{"'$(touch x); `id`' '|'", "$(touch x); `id` |\n", "", 0},
		{"''", "\n", "", 0},
		{"", "", "too few words", 2},
		{"it's", "", "a ' is not closed", 2},
		{"a --nope", "", "unknown flag --nope", 2},
		{strings.Repeat("x", maxTyped+1), "", "more than 8192 bytes", 2},
	} {
		code, out, errs := play(t, tt.typed, "echo", "--stdin", "--format", "text")
		if code != tt.code || out != tt.out || !strings.Contains(errs, tt.err) {
			t.Errorf("%.40q: got %d, %q, %q", tt.typed, code, out, errs)
		}
	}
}

func TestOfferedInput(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	silent, keep := io.Pipe()
	defer keep.Close()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		in   io.Reader
		want string
		err  error
	}{
		{"text", context.Background(), strings.NewReader("a: b"), "a: b", nil},
		{"empty", context.Background(), strings.NewReader(""), "", nil},
		{"blank", context.Background(), strings.NewReader(" \n"), "", nil},
		{"silent and interrupted", ctx, silent, "", context.Canceled},
	} {
		c := &Call{Context: tt.ctx, sys: Sys{Stdin: tt.in, Stderr: io.Discard}}
		got, err := c.OfferedInput()
		if string(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	c := &Call{Context: context.Background(), sys: Sys{Stdin: null}}
	if got, err := c.OfferedInput(); got != nil || err != nil {
		t.Errorf("the null device: %q, %v", got, err)
	}
}

// TestVerbsOfARoot: a misspelt verb, or one behind a flag's value, is told which verbs there are.
func TestVerbsOfARoot(t *testing.T) {
	tool := echoTool()
	tool.Root = &Verb{Setup: func(f *Flags) Run {
		f.String("since", "", "count from `D` on")
		return func(*Call) error { return nil }
	}}
	for _, args := range []string{"ecco", "--since 7d echo"} {
		var out, errs bytes.Buffer
		sys := Sys{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, Now: time.Now}
		words := strings.Fields(args)
		want := fmt.Sprintf("echoer: unexpected word %q: expected none, or first of all a verb: echo, could-not, bad-input, findings, panics (see echoer --help)\n", words[len(words)-1])
		if code := Do(context.Background(), tool, words, sys); code != 2 || errs.String() != want {
			t.Errorf("%s: %d, %q, want 2, %q", args, code, errs.String(), want)
		}
	}
}
