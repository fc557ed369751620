package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// others are tools that count tokens too, with the arguments that make them print a total as JSON.
var others = []struct {
	tool string
	args []string
}{
	{"ccusage", []string{"session", "--json", "--offline"}},
	{"cc-tokens", []string{"--json"}},
}

// maxOther bounds how long another tool may take.
const maxOther = 5 * time.Minute

// compareOthers asks the other tools that are on PATH, and says why their totals differ from ours.
func compareOthers(ctx context.Context, dirs []string, r *scan.Reconciliation) error {
	var rows *scan.RowSums
	for _, o := range others {
		path, err := exec.LookPath(o.tool)
		if err != nil {
			continue
		}
		answer := scan.Other{Tool: o.tool, Causes: []scan.Cause{}}
		theirs, version, trouble := ask(ctx, path, o.args, dirs)
		if trouble != "" {
			answer.Version, answer.Trouble = version, trouble
			r.Others = append(r.Others, answer)
			continue
		}
		if rows == nil {
			if rows, err = scan.ReadRows(dirs); err != nil {
				return err
			}
		}
		r.Others = append(r.Others, rows.Explain(o.tool, version, r.Ours, theirs))
	}
	return nil
}

// ask runs one tool over the directories. Its own words never leave here: they may hold content.
func ask(ctx context.Context, path string, args, dirs []string) (theirs scan.Counters, version, trouble string) {
	ctx, stop := context.WithTimeout(ctx, maxOther)
	defer stop()
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+strings.Join(dirs, ","), "NO_COLOR=1", "LOG_LEVEL=0")
		return cmd.Output()
	}
	if out, err := run("--version"); err == nil {
		version = plain(out)
	}
	out, err := run(args...)
	if err != nil {
		return theirs, version, "it could not be run over these directories"
	}
	if i := bytes.IndexByte(out, '{'); i >= 0 && gjson.ValidBytes(out[i:]) {
		total := gjson.GetBytes(out[i:], "totals")
		if n := total.Get("outputTokens"); n.Exists() {
			return scan.Counters{Input: total.Get("inputTokens").Int(), Output: n.Int(), CacheRead: total.Get("cacheReadTokens").Int(),
				CacheWrite: total.Get("cacheCreationTokens").Int()}, version, ""
		}
	}
	return theirs, version, "its answer holds no totals that are understood here"
}

// plain keeps what a version is made of.
func plain(out []byte) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return -1
	}, string(out[:min(len(out), 40)]))
}

func writeOthers(w io.Writer, list []scan.Other) {
	line := func(c scan.Counters) string {
		return fmt.Sprintf("input %d, output %d, cache read %d, cache write %d", c.Input, c.Output, c.CacheRead, c.CacheWrite)
	}
	for _, o := range list {
		fmt.Fprintf(w, "\n%s %s: ", o.Tool, o.Version)
		if o.Trouble != "" {
			fmt.Fprintln(w, o.Trouble)
			continue
		}
		fmt.Fprintf(w, "%s\n  ours   %s\n  theirs %s\n", map[bool]string{true: "the same to the token", false: "differs"}[o.Ours == o.Theirs], line(o.Ours), line(o.Theirs))
		if o.Rule != "" && o.Ours != o.Theirs {
			fmt.Fprintf(w, "  its total is that of %s\n", o.Rule)
		}
		for _, c := range o.Causes {
			fmt.Fprintf(w, "  %s, %s: %s (ours has more: %s)\n", c.Cause, wording.Amount(c.Responses, "response", "responses"), c.Says, line(c.Difference))
		}
		if o.Unexplained != (scan.Counters{}) {
			fmt.Fprintf(w, "  unexplained (theirs has more): %s\n", line(o.Unexplained))
		}
	}
}
