package client

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mechanical are the calls of the fixture's step, each its own program.
var mechanical = []string{"sort names.txt", "wc -l notes.txt", "head -n 3 log.txt", "du -k notes.txt", "cat VERSION"}

const tally = `---
name: tally
description: Use when asked to tally the notes.
---
# Tally

## Gather

%s

## Report

Say whether the notes agree with the log.
`

// tallyPlugin writes the fixture: a skill that has the model run each call, or, once cut, the
// same calls in one script.
func tallyPlugin(t *testing.T, dir string, cut bool) {
	t.Helper()
	files := map[string]string{".claude-plugin/plugin.json": `{"name": "acme", "version": "1.0.0", "description": "Tallies.", "author": {"name": "Acme"}}`}
	var steps strings.Builder
	for i, c := range mechanical {
		fmt.Fprintf(&steps, "%d. `%s`\n", i+1, c)
	}
	if cut {
		steps.Reset()
		steps.WriteString("Run `tally-facts`.\n")
		files["bin/tally-facts"] = "#!/bin/sh\n" + strings.Join(mechanical, "\n") + "\n"
	}
	files["skills/tally/SKILL.md"] = fmt.Sprintf(tally, steps.String())
	for rel, text := range files {
		path := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// tool runs one of our programs as a user of the client's home would.
func tool(t *testing.T, c *Client, stdin, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(filepath.Join(dist(t), pluginName, "bin", name), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Home}
	cmd.Stdin = strings.NewReader(stdin)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, errs.String())
	}
	return out
}

// uses runs the skill n times, each in a session of its own that finds the provider's cache
// cold, and returns when they began.
func uses(c *Client, api *API, plugin string, n int, calls []string) time.Time {
	start := time.Now().Add(-time.Millisecond)
	for range n {
		api.Reset()
		api.Cool()
		lane := api.Lane("tally", FirstUserHas("# Tally"))
		for _, call := range calls {
			lane.Then(Answer{Calls: []ToolUse{Bash(call)}})
		}
		lane.Then(Answer{Text: "They agree."})
		c.Prompt("/acme:tally", "--plugin-dir", plugin, "--allowedTools", "Bash(*)")
	}
	return start
}

// measured is what a scan says of the skill since a moment.
func measured(t *testing.T, c *Client, plugin string, since time.Time) (invocations, turns, weighted int64) {
	t.Helper()
	var doc struct {
		Components []struct {
			Name        string
			Invocations int64
			Usage       struct {
				Turns         int64
				WeightedMilli int64 `json:"weighted_milli"`
			}
		}
	}
	out := tool(t, c, "", "offload-scan", "--target", plugin, "--since", since.UTC().Format(time.RFC3339Nano))
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	for _, x := range doc.Components {
		if x.Name == "acme:tally" {
			return x.Invocations, x.Usage.Turns, x.Usage.WeightedMilli
		}
	}
	t.Fatalf("acme:tally is not in the scan: %s", out)
	return 0, 0, 0
}

// snapshotOf prepares and finishes one audit of what happened since a moment, and returns the
// record of it.
func snapshotOf(t *testing.T, c *Client, plugin string, since time.Time) record {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	digest := string(tool(t, c, "", "offload-audit", "prepare", plugin, "--run", run, "--since", since.UTC().Format(time.RFC3339Nano)))
	answers := ""
	if rows := judgments(digest); len(rows) > 0 {
		answers = "document: judgments/v1\ntarget: acme\njudgments:\n" + strings.Join(rows, "")
	}
	tool(t, c, answers, "offload-audit", "finish", run)
	data, err := os.ReadFile(filepath.Join(run, "snapshot.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// record is what the test looks at of a snapshot.
type record struct {
	Candidates []struct {
		Candidate struct {
			ID       string
			Kind     string
			Measured *struct {
				Invocations      int64
				RecoverableMilli int64 `json:"recoverable_milli"`
			}
		}
		Final, Issue, Status string
	}
	Absent []struct {
		ID        string
		Status    string
		StatusWhy string `json:"status_why"`
	}
}

// statusOf is the candidate's status in r, wherever it stands.
func (r record) statusOf(id string) string {
	for _, x := range r.Candidates {
		if x.Candidate.ID == id {
			return x.Status
		}
	}
	for _, x := range r.Absent {
		if x.ID == id {
			return x.Status + ": " + x.StatusWhy
		}
	}
	return "not in the record"
}

// Issue 7, item 5: what an audit predicts comes true. A skill's sequence of five mechanical
// calls recurs in the real client; the audit says what one call instead would save; the step is
// cut into a script; the same skill runs in the same client; the saving per use, from the
// transcripts' own usage, is within a tenth of the prediction. The next audits report the
// candidate as claimed once its issue is closed, and as resolved once enough uses have shown it.
func TestForecastComesTrue(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	plugin := workshop(t, c)
	const n = 6

	tallyPlugin(t, plugin, false)
	began := uses(c, api, plugin, n, mechanical)
	before, turns, spent := measured(t, c, plugin, began)
	if before != n || turns != n*int64(len(mechanical)+1) {
		t.Fatalf("before the cut: %d uses and %d turns, ran %d and %d", before, turns, n, n*(len(mechanical)+1))
	}
	first := snapshotOf(t, c, plugin, began)
	id, predicted := "", int64(0)
	for _, x := range first.Candidates {
		if x.Candidate.Kind == "procedure" || x.Candidate.Kind == "sequence" {
			id, predicted = x.Candidate.ID, x.Candidate.Measured.RecoverableMilli/x.Candidate.Measured.Invocations
			if x.Final != "file" || x.Issue == "" {
				t.Errorf("%s: %s, tracked at %q; expected it filed", id, x.Final, x.Issue)
			}
		}
	}
	if id == "" {
		t.Fatalf("the sequence is no candidate: %+v", first)
	}

	tallyPlugin(t, plugin, true)
	began = uses(c, api, plugin, 1, []string{"tally-facts"})
	closeIssues(t, c)
	if got := snapshotOf(t, c, plugin, began).statusOf(id); !strings.HasPrefix(got, "claimed-fixed-unconfirmed") {
		t.Errorf("after one use: %s", got)
	}
	uses(c, api, plugin, n-1, []string{"tally-facts"})
	after, turns, cheaper := measured(t, c, plugin, began)
	if after != n || turns != 2*n {
		t.Fatalf("after the cut: %d uses and %d turns, ran %d and %d", after, turns, n, 2*n)
	}
	if got := snapshotOf(t, c, plugin, began).statusOf(id); !strings.HasPrefix(got, "resolved") {
		t.Errorf("after %d uses: %s", n, got)
	}

	cameTrue(t, predicted, spent/n, cheaper/n)
}

// The same for a preload: what an audit says of calls that open every use comes true when the
// client runs them as the skill loads.
func TestPreloadForecastComesTrue(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	plugin := workshop(t, c)
	const n = 4
	tallyPlugin(t, plugin, false)
	skill := filepath.Join(plugin, "skills", "tally", "SKILL.md")
	write(t, skill, fmt.Sprintf(tally, "Know the names, the notes, the log and the version first."))
	began := uses(c, api, plugin, n, mechanical)
	_, _, spent := measured(t, c, plugin, began)
	var predicted int64
	for _, x := range snapshotOf(t, c, plugin, began).Candidates {
		if x.Candidate.Kind == "preload" {
			predicted = x.Candidate.Measured.RecoverableMilli / n
		}
	}
	text := fmt.Sprintf(strings.Replace(tally, "\n---\n#", "\nallowed-tools: Bash(*)\n---\n#", 1), "```!\n"+strings.Join(mechanical, "\n")+"\n```\n")
	write(t, skill, text)
	began = uses(c, api, plugin, n, nil)
	after, turns, cheaper := measured(t, c, plugin, began)
	if after != n || turns != n {
		t.Fatalf("with the preload: %d uses and %d turns, ran %d of each", after, turns, n)
	}
	cameTrue(t, predicted, spent/n, cheaper/n)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// workshop lays out the working directory and says where the fixture plugin goes.
func workshop(t *testing.T, c *Client) (plugin string) {
	t.Helper()
	for name, text := range map[string]string{"names.txt": "b\na\n", "notes.txt": "one\n", "log.txt": "x\ny\n", "VERSION": "1\n"} {
		write(t, filepath.Join(c.Work, name), text)
	}
	return filepath.Join(c.Work, "acme")
}

// cameTrue compares a prediction with what one use cost before and after.
func cameTrue(t *testing.T, predicted, before, after int64) {
	t.Helper()
	realised := before - after
	t.Logf("per use, in thousandths of a token: spent %d, then %d; realised %d, predicted %d (%+.1f %%)",
		before, after, realised, predicted, 100*float64(predicted-realised)/float64(realised))
	if 10*max(predicted-realised, realised-predicted) > realised {
		t.Errorf("the prediction of %d is not within a tenth of the %d that were saved", predicted, realised)
	}
}

// closeIssues closes every finding that the store's folder of findings holds, as who did the work would.
func closeIssues(t *testing.T, c *Client) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join(store(c), "Issues"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		return os.WriteFile(path, []byte(strings.Replace(string(data), "state: open", "state: closed\nresolution: completed", 1)), 0o644)
	})
	if err != nil || n == 0 {
		t.Fatalf("closed %d findings: %v", n, err)
	}
}
