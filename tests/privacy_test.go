package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// canary marks every planted word. It occurs nowhere else in the repository's inputs.
const canary = "canaryzq"

// structural are the members of a transcript row that hold no content: ids, names, versions,
// times, and what kind of row it is. Everything else gets a canary.
var structural = map[string]bool{
	"type": true, "subtype": true, "uuid": true, "parentUuid": true, "logicalParentUuid": true, "sessionId": true, "session_id": true, "requestId": true,
	"requestSessionId": true, "timestamp": true, "version": true, "model": true, "role": true, "stop_reason": true, "id": true, "name": true,
	"tool_use_id": true, "toolUseId": true, "sourceToolUseID": true, "sourceToolAssistantUUID": true, "parentToolUseID": true, "toolUseID": true, "agentId": true, "agentType": true,
	"attributionSkill": true, "attributionPlugin": true, "attributionAgent": true, "userType": true, "entrypoint": true, "service_tier": true,
	"skill": true, "subagent_type": true, "commandName": true, "trigger": true, "hookEvent": true, "hookName": true, "speed": true, "inference_geo": true,
	"status": true, "promptId": true, "resolvedModel": true, "kind": true, "operation": true, "level": true,
}

// poison puts a canary into every string of a row that can hold content: at its end, and where
// it is a path or a command also in its middle.
func poison(v any, key string, n *int) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = poison(e, k, n)
		}
	case []any:
		for i, e := range v {
			v[i] = poison(e, key, n)
		}
	case string:
		if structural[key] {
			return v
		}
		*n++
		word := fmt.Sprintf("%s%d", canary, *n)
		switch {
		case key == "file_path" || key == "cwd" || key == "path":
			dir, base := filepath.Split(v)
			return dir + canary + "dir/" + strings.TrimSuffix(base, filepath.Ext(base)) + canary + filepath.Ext(base)
		case key == "command":
			return v + " --" + canary + "=" + canary + " " + canary + "/" + canary + ".md '" + canary + " x' https://" + canary + ".example # " + word
		case strings.Contains(v, "<command-name>"): // the name is a name; its arguments are not
			return strings.Replace(v, "</command-args>", word+"</command-args>", 1)
		case strings.HasPrefix(v, "Base directory for this skill:"):
			return v + "\n" + word
		case strings.Contains(v, "<task-notification>"), strings.HasPrefix(v, "[Request interrupted"):
			return v
		}
		return v + " " + word
	}
	return v
}

// extra are rows of kinds that a generator has no reason to write, and rows that are broken.
var extra = []string{
	`{"type":"summary","summary":"CANARY","leafUuid":"x"}`,
	`{"type":"ai-title","aiTitle":"CANARY","sessionId":"s"}`,
	`{"type":"custom-title","customTitle":"CANARY","sessionId":"s"}`,
	`{"type":"last-prompt","lastPrompt":"CANARY"}`,
	`{"type":"queue-operation","operation":"enqueue","content":"CANARY"}`,
	`{"type":"file-history-snapshot","snapshot":{"trackedFileBackups":{"/x/CANARY.go":{"backupFileName":"CANARY"}}}}`,
	`{"type":"attachment","attachment":{"type":"hook_success","hookEvent":"PostToolUse","command":"CANARY","stdout":"CANARY","stderr":"CANARY"}}`,
	`{"type":"attachment","attachment":{"type":"environment","env":{"TOKEN":"CANARY"},"content":"CANARY"}}`,
	`{"type":"CANARY","CANARY":"CANARY"}`,
	`{"type":"assistant","message":{"id":"CANARY","model":"CANARY CANARY","stop_reason":"end_turn","content":[{"type":"tool_use","id":"t1","name":"Task\" >\nCANARY","input":{"CANARY":"CANARY"}}],"usage":{"input_tokens":1,"output_tokens":1}},"sessionId":"CANARY s","requestId":"CANARY","uuid":"CANARY","version":"CANARY","timestamp":"2026-06-02T10:00:00Z","cwd":"/CANARY","attributionSkill":"CANARY skill","attributionPlugin":"CANARY plugin","attributionAgent":"CANARY agent"}`,
	`{"type":"user","message":{"content":"CANARY cut he`,
	`{"CANARY": "\p"}`,
	`["CANARY"]`,
}

// plantCanaries rewrites every transcript under dir and returns how many places got one.
func plantCanaries(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") && !strings.HasSuffix(path, ".meta.json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			dec.UseNumber()
			var row any
			if dec.Decode(&row) != nil {
				out.WriteString(lines.Text() + "\n")
				continue
			}
			poisoned, err := json.Marshal(poison(row, "", &n))
			if err != nil {
				return err
			}
			out.Write(append(poisoned, '\n'))
		}
		if strings.HasSuffix(path, ".jsonl") && !strings.Contains(path, "subagents") {
			for _, row := range extra {
				out.WriteString(strings.ReplaceAll(row, "CANARY", canary) + "\n")
				n++
			}
		}
		return os.WriteFile(path, out.Bytes(), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// refused marks a call that must be refused.
const refused = "no-such-thing"

// outputs are all that tools said and wrote, by where it was said.
type outputs map[string]string

// leak names the first output that holds a canary, "" when none does.
func (o outputs) leak() string {
	for _, where := range slices.Sorted(mapKeys(o)) {
		if i := strings.Index(strings.ToLower(o[where]), canary); i >= 0 {
			from := max(0, i-120)
			return fmt.Sprintf("%s: …%s…", where, strings.ReplaceAll(o[where][from:min(len(o[where]), i+40)], "\n", "\\n"))
		}
	}
	return ""
}

func mapKeys(o outputs) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range o {
			if !yield(k) {
				return
			}
		}
	}
}

// everything runs each tool in each of its formats over a poisoned history and collects what
// they say and write. bin holds the tools. It returns the tools that it ran. A call that is
// refused would prove nothing, so only those that mean to be may be. With brief it stops after
// the first documents.
func everything(t *testing.T, bin, plugin, history string, brief bool) (outputs, map[string]bool) {
	t.Helper()
	out, ran := outputs{}, map[string]bool{}
	work := t.TempDir()
	store := filepath.Join(work, "store")
	call := func(stdin, tool string, args ...string) string {
		cmd := exec.Command(filepath.Join(bin, tool+exeSuffix), args...)
		var stdout, stderr strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TZ=UTC"}
		err := cmd.Run()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		where := tool + " " + strings.Join(args, " ")
		out[where+" (stdout)"], out[where+" (stderr)"] = stdout.String(), stderr.String()
		ran[tool] = true
		if code := cmd.ProcessState.ExitCode(); (code > 1) != slices.Contains(args, refused) {
			t.Errorf("%s: exit code %d: %s", where, code, stderr.String())
		}
		return stdout.String()
	}
	keep := func(name, text string) string {
		path := filepath.Join(work, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	from := []string{"--config-dir", history, "--no-cache"}
	with := func(args ...string) []string { return append(args, from...) }

	inv := keep("inventory.json", call("", "plugin-inventory", plugin))
	call("", "plugin-inventory", plugin, "--format", "text")
	text := call("", "offload-scan", with("--target", plugin, "--by", "session")...)
	sc := keep("scan.json", text)
	call("", "offload-scan", with("--by", "session")...)
	if brief {
		return out, ran
	}
	for _, format := range []string{"text", "json"} {
		call("", "offload-scan", with("--format", format)...)
		call("", "offload-scan", with("overview", "--format", format)...)
		call("", "offload-scan", with("reconcile", "--format", format)...)
	}
	for i, id := range explainable(t, text) {
		call("", "offload-scan", with("explain", id, "--target", plugin, "--format", []string{"text", "json"}[i%2])...)
	}
	call("", "offload-scan", with("explain", refused)...)

	evidence := []string{"--inventory", inv, "--scan", sc}
	cands := call("", "boundary-classify", append([]string{"propose"}, evidence...)...)
	call("", "boundary-classify", append([]string{"propose", "--format", "text"}, evidence...)...)
	judgments := keep("judgments.json", judged(t, cands, call("", "boundary-classify", append([]string{"form"}, evidence...)...)))
	classify := append([]string{"classify", "--judgments", judgments}, evidence...)
	verdicts := keep("verdicts.json", call("", "boundary-classify", classify...))
	call("", "boundary-classify", append(classify, "--format", "text")...)
	stable := keep("stable.json", call("", "stability-classify", "--verdicts", verdicts, "--history", keep("history.jsonl", "")))
	call("", "stability-classify", "--verdicts", verdicts, "--history", keep("history.jsonl", ""), "--format", "text")
	searches := keep("searches.json", call("", "filing-plan", "searches", "--stable", stable))
	found := call("", "filing-plan", "existing", "--searches", searches)
	existing := keep("existing.json", strings.Replace(found, `"channel": "file",`, "", 1)) // so that it serves every channel
	for _, channel := range []string{"github", "gitea", "delegate", "file"} {
		for _, format := range []string{"json", "text"} {
			args := []string{"plan", "--stable", stable, "--existing", existing, "--channel", channel, "--format", format}
			if channel == "delegate" {
				args = append(args, "--delegate", "filer")
			}
			call("", "filing-plan", args...)
		}
	}

	run := filepath.Join(work, "run")
	now := []string{"--now", "2026-11-04T09:00:00Z", "--store", store, "--timezone", "UTC"}
	for _, format := range []string{"text", "json"} {
		call("", "offload-audit", append(with("prepare", plugin, "--run", run+format, "--format", format), now...)...)
		writeFile(t, filepath.Join(run+format, "judgments.json"), judged(t, read(filepath.Join(run+format, "candidates.json")), read(filepath.Join(run+format, "judgments.json"))))
		call("", "offload-audit", "finish", run+format, "--store", store, "--format", format)
		call("", "offload-audit", with("check", plugin, "--format", format)...)
	}
	call("", "offload-audit", "rank", plugin)
	call("", "offload-audit", with("doctor")...)
	name := filepath.Base(plugin)
	for _, verb := range []string{"diff", "trend", "summary", "html", "memory-queries", "memory-notes"} {
		call("", "audit-snapshot", verb, name, "--store", store)
	}
	for _, verb := range []string{"diff", "trend"} {
		call("", "audit-snapshot", verb, name, "--store", store, "--format", "text")
	}
	call("", "audit-snapshot", "verify", "--store", store)
	call("", "audit-snapshot", "record", "--stable", stable, "--scan", sc, "--store", filepath.Join(work, "store2"), "--now", "2026-11-04T09:00:00Z")
	for _, dir := range []string{work} { // run folders, stores, every document kept on the way
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				out["file "+strings.TrimPrefix(path, work)] = read(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out, ran
}

func read(path string) string {
	data, _ := os.ReadFile(path) // what is not there has leaked nothing
	return string(data)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// explainable are ids of a scan of every kind.
func explainable(t *testing.T, text string) []string {
	t.Helper()
	var d scan.Document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("scan: %v", err)
	}
	ids := []string{"usage", "unattributed", "plausible", "blind", "class:mechanical", "source:stamped"}
	for _, s := range d.Sequences {
		ids = append(ids, s.ID)
	}
	for _, s := range d.Staples {
		ids = append(ids, s.ID)
	}
	for _, c := range d.Components {
		ids = append(ids, c.Name)
	}
	return ids
}

// judged fills a form in, so that the documents after it have something to say.
func judged(t *testing.T, cands, form string) string {
	t.Helper()
	var c boundary.Candidates
	var f boundary.Judgments
	if err := json.Unmarshal([]byte(cands), &c); err != nil {
		t.Fatalf("candidates: %v", err)
	}
	if err := json.Unmarshal([]byte(form), &f); err != nil {
		t.Fatalf("judgments: %v", err)
	}
	fillIn(&c, &f)
	data, err := json.Marshal(&f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// poisoned plants a history and its plugin, and a canary in every place where content can stand.
func poisoned(t *testing.T) (plugin, history string) {
	t.Helper()
	dir := t.TempDir()
	plugin, history = filepath.Join(dir, "acme"), filepath.Join(dir, "history")
	sc := corpus.Triage(3)
	sc.Client = "2.1.332"
	for i := range sc.Skills {
		sk := &sc.Skills[i]
		sk.Retries++ // retries of a program that nobody knows
		sk.Opening = append(sk.Opening, corpus.Staple{Name: "notes", Call: corpus.Read("/home/dev/app/notes.md", "notes")})
	}
	if _, err := corpus.Plant(history, sc); err != nil {
		t.Fatal(err)
	}
	if err := sc.WritePlugin(plugin); err != nil {
		t.Fatal(err)
	}
	if n := plantCanaries(t, history); n < 3000 {
		t.Fatalf("only %d canaries were planted", n)
	}
	return plugin, history
}

// hooks answer the host with content, which is what they are for; they write no document.
var hooks = []string{}

// TestNothingOfTheContentLeaves: no prompt, argument, file content, result, path, URL, title,
// branch name or environment of any transcript reaches a document, page, issue body, memory
// payload, log line or error message of any tool (FR-3.5).
func TestNothingOfTheContentLeaves(t *testing.T) {
	plugin, history := poisoned(t)
	out, ran := everything(t, toolsDir, plugin, history, false)
	if where := out.leak(); where != "" {
		t.Error(where)
	}
	bodies := 0
	for where, text := range out {
		if strings.Contains(where, "filing-plan plan") && strings.Contains(text, "ia-candidate") {
			bodies++
		}
	}
	if bodies == 0 {
		t.Error("no issue body was planned, so none could leak")
	}
	var d scan.Document
	if err := json.Unmarshal([]byte(out["offload-scan --target "+plugin+" --by session --config-dir "+history+" --no-cache (stdout)"]), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Sequences) == 0 || len(d.Staples) == 0 || len(d.Components) == 0 || d.Input.Bad == 0 {
		t.Errorf("nothing was measured, so nothing could leak: %d sequences, %d staples, %d components", len(d.Sequences), len(d.Staples), len(d.Components))
	}
	entries, err := os.ReadDir(filepath.Join("..", "tools"))
	if err != nil || len(entries) == 0 {
		t.Fatal("no tools found", err)
	}
	for _, e := range entries {
		if e.IsDir() && !ran[e.Name()] && !slices.Contains(hooks, e.Name()) {
			t.Errorf("tools/%s: not covered by this test", e.Name())
		}
	}
}

// TestALeakIsNoticed is the negative control: tools built with a masker that lets one kind of
// word through fail the same check.
func TestALeakIsNoticed(t *testing.T) {
	plugin, history := poisoned(t)
	for name, cut := range map[string]struct{ file, mask, leak string }{
		"file names":                {"path.go", `return "<path." + ext + ">"`, `return p`},
		"skill names that are none": {"masker.go", `return "<name>"`, `return s`},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := everything(t, leakyTools(t, cut.file, cut.mask, cut.leak), plugin, history, true)
			if out.leak() == "" {
				t.Error("a masker that lets them through was not noticed")
			}
		})
	}
}

// leakyTools builds the tools that measure, with one mask of internal/signature replaced.
func leakyTools(t *testing.T, file, mask, leak string) string {
	t.Helper()
	src, err := filepath.Abs(filepath.Join("..", "internal", "signature", file))
	if err != nil {
		t.Fatal(err)
	}
	text := read(src)
	if strings.Count(text, mask) != 1 {
		t.Fatalf("%s: expected %q once", file, mask)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, file), filepath.Join(dir, "overlay.json")
	writeFile(t, changed, strings.Replace(text, mask, leak, 1))
	plan, err := json.Marshal(map[string]any{"Replace": map[string]string{src: changed}})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, overlay, string(plan))
	bin := filepath.Join(dir, "bin") + string(filepath.Separator)
	build := exec.Command("go", "build", "-overlay", overlay, "-o", bin, "./tools/offload-scan", "./tools/plugin-inventory")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}
