package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

// runFiles are the documents of a finished run folder.
var runFiles = []string{"inventory.json", "scan.json", "candidates.json", "judgments.json", "verdicts.json", "stable.json", "searches.json", "plan.json", "snapshot.json", "memory-queries.json", "memory-notes.json"}

// auditWhole prepares and finishes an audit of a plugin folder and returns its run folder.
// judgments go to standard input; fill, if set, fills in the form in the run folder instead.
func auditWhole(t *testing.T, target, history, judgments string, fill func(*boundary.Candidates, *boundary.Judgments)) (run, report string) {
	t.Helper()
	dir := t.TempDir()
	run = filepath.Join(dir, "run")
	args := []string{"prepare", target, "--run", run, "--store", filepath.Join(dir, "store"), "--no-cache", "--timezone", "UTC", "--now", "2026-11-04T09:00:00Z"}
	if history != "" {
		args = append(args, "--config-dir", history)
	}
	if _, errs, code := runTool(t, nil, "", "offload-audit", args...); code != 0 {
		t.Fatalf("prepare %s: %d, %s", target, code, errs)
	}
	if fill != nil {
		var cands boundary.Candidates
		var form boundary.Judgments
		decode(t, filepath.Join(run, "candidates.json"), boundary.CandidatesKind, &cands)
		decode(t, filepath.Join(run, "judgments.json"), boundary.JudgmentsKind, &form)
		fill(&cands, &form)
		if err := cli.WriteDocument(filepath.Join(run, "judgments.json"), &form); err != nil {
			t.Fatal(err)
		}
	}
	report, errs, code := runTool(t, nil, judgments, "offload-audit", "finish", run, "--store", filepath.Join(dir, "store"))
	if code != 0 {
		t.Fatalf("finish %s: %d, %s", target, code, errs)
	}
	return run, report
}

func decode(t *testing.T, path, kind string, dst any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = jsondoc.Decode(data, kind, dst)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// fillIn answers every row as somebody would who finds a one-time constant and a sound check.
func fillIn(cands *boundary.Candidates, form *boundary.Judgments) {
	evidence := map[string][]string{}
	for i := range cands.Candidates {
		c := &cands.Candidates[i]
		switch {
		case c.Static != nil && c.Static.FirstLine > 0:
			evidence[c.ID] = []string{c.Static.Path + ":" + strconv.Itoa(c.Static.FirstLine)}
		case c.SignatureHash != "":
			evidence[c.ID] = []string{c.SignatureHash}
		}
	}
	for i := range form.Judgments {
		j := &form.Judgments[i]
		answer := func(outcome string) boundary.Answer {
			return boundary.Answer{Outcome: outcome, Why: "as the cited lines say", Evidence: evidence[j.ID]}
		}
		j.Row, j.ScriptPart, j.Residue = "an item", "reads the listing, emits every item with its class", "once"
		j.T1, j.T2, j.T3, j.T4, j.T5 = answer("pass"), answer("pass"), answer("partial"), answer("pass"), answer("pass")
		overrule := boundary.Overrule{When: "the item is locked", ScriptSays: "hold", HumanSays: "keep", Why: "its state cannot be seen", Detectable: true}
		other := overrule
		other.When, other.HumanSays = "the item was made by hand", "leave"
		in := func(name string) map[string]any { return map[string]any{"names": []any{name}} }
		j.Triple = &boundary.Triple{
			Signature: &boundary.Signature{Name: "classify", Params: []boundary.Param{{Name: "names", Type: "list<string>"}}, Returns: "list<enum(keep|drop)>"},
			Pairs: []boundary.Pair{
				{In: in("a"), Out: []any{"keep"}}, {In: in("b"), Out: []any{"drop"}}, {In: map[string]any{"names": []any{}}, Out: []any{}, Edge: true},
			},
			Overrules: []boundary.Overrule{overrule, other},
		}
	}
}

// checkRun validates every document of a run folder against its schema.
func checkRun(t *testing.T, run string) {
	t.Helper()
	schemas := compiledSchemas()
	for _, file := range runFiles {
		data, err := os.ReadFile(filepath.Join(run, file))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := checkDocument(schemas, data); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestOwnFixtures: a whole audit of each fixture plugin, measured and unmeasured; every document fits its schema.
func TestOwnFixtures(t *testing.T) {
	plugins, _ := filepath.Glob(filepath.Join("testdata", "plugins", "*", ".claude-plugin", "plugin.json"))
	if len(plugins) == 0 {
		t.Fatal("no fixture plugins found: nothing was tested")
	}
	for _, manifest := range plugins {
		dir := filepath.Dir(filepath.Dir(manifest))
		name := filepath.Base(dir)
		judgments, _ := os.ReadFile(filepath.Join("testdata", "judgments", name+".yaml"))
		for _, history := range []string{filepath.Join("testdata", "transcripts", name), ""} {
			t.Run(name+"/"+map[bool]string{true: "unmeasured", false: "measured"}[history == ""], func(t *testing.T) {
				if history != "" {
					if _, err := os.Stat(history); err != nil {
						t.Skip("no history of this plugin was written")
					}
				}
				answers := string(judgments)
				if history == "" {
					answers = ""
				}
				run, report := auditWhole(t, dir, history, answers, nil)
				checkRun(t, run)
				if history == "" && !strings.Contains(report, "no measured evidence") {
					t.Errorf("the report does not say that nothing was measured:\n%s", report)
				}
			})
		}
	}
}

// TestSharedPlugins: every public plugin with a manifest is audited on real transcripts, every
// document fits its schema; a folder without one is refused by name (issue 2, it must show 2).
func TestSharedPlugins(t *testing.T) {
	root := needShared(t)
	var folders []string
	for _, pattern := range []string{"plugins/*", "plugins/marketplace-before/*"} {
		list, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		folders = append(folders, list...)
	}
	audited, refused := 0, 0
	for _, dir := range folders {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() || filepath.Base(dir) == "marketplace-before" {
			continue
		}
		history := ""
		if filepath.Base(dir) == "offload-git-plugin-before" {
			history = filepath.Join(root, "transcripts", "public")
		}
		_, err := os.Stat(filepath.Join(dir, ".claude-plugin", "plugin.json"))
		if err != nil {
			refused++
			out, errs, code := runTool(t, nil, "", "offload-audit", "prepare", dir, "--run", filepath.Join(t.TempDir(), "run"))
			if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, filepath.Base(dir)) || !strings.Contains(errs, ".claude-plugin/plugin.json") {
				t.Errorf("%s: exit code %d, stdout %q, stderr %q; want a refusal that names it", dir, code, out, errs)
			}
			continue
		}
		audited++
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			run, _ := auditWhole(t, dir, history, "", fillIn)
			checkRun(t, run)
			var verdicts boundary.Verdicts
			decode(t, filepath.Join(run, "verdicts.json"), boundary.VerdictsKind, &verdicts)
			for _, v := range verdicts.Verdicts {
				if asked := v.Candidate.Kind != audit.Drift && !v.Candidate.AlreadyCut; asked == (v.Judgment == nil) {
					t.Errorf("%s: judged %v, asked %v", v.Candidate.ID, v.Judgment != nil, asked)
				}
			}
			digest, err := os.ReadFile(filepath.Join(run, "digest.md"))
			if err != nil {
				t.Fatal(err)
			}
			if tokens := len(digest) / 4; tokens > 5_500 {
				t.Errorf("the digest is about %d tokens, more than leaves room for the command and the report within 6,000", tokens)
			}
		})
	}
	if audited < 40 || refused == 0 {
		t.Errorf("%d plugins audited and %d folders refused: fewer than there are", audited, refused)
	}
	t.Logf("%d plugins audited, %d folders refused by name", audited, refused)
}

// TestSameInputSameBytes runs every document tool twice on the same input, in another order of directories.
func TestSameInputSameBytes(t *testing.T) {
	dirs := []string{}
	for _, name := range []string{"anxious-like", "token-budget-like", sample} {
		dirs = append(dirs, "--config-dir", filepath.Join("testdata", "transcripts", name))
	}
	backwards := slices.Clone(dirs)
	for i := 1; i < len(dirs); i += 2 {
		backwards[i] = dirs[len(dirs)-i]
	}
	var outputs []string
	for _, d := range [][]string{dirs, dirs, backwards} {
		out, errs, code := runTool(t, nil, "", "offload-scan", append([]string{"--by", "session", "--no-cache"}, d...)...)
		if code != 0 {
			t.Fatal(errs)
		}
		outputs = append(outputs, out)
	}
	if outputs[0] != outputs[1] {
		t.Error("two runs differ")
	}
	if outputs[0] != outputs[2] {
		t.Error("the order of the directories changes the document")
	}
}
