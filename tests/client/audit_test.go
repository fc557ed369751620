package client

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// What an audit costs, as the README says it.
const (
	requests          = 2
	requestsDelegated = 4 // through the analyst
	tokensAtMost      = 6000
)

func TestReadmeSaysWhatAnAuditCosts(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(repository(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := map[int]string{2: "two", 4: "four"}
	for _, want := range []string{fmt.Sprintf("costs %s model requests, %s when the analyst", words[requests], words[requestsDelegated]),
		fmt.Sprintf("fewer than %d,%03d tokens", tokensAtMost/1000, tokensAtMost%1000)} {
		if !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

// tenSkills is a plugin of ten skills with a history: triage, deploy and advise, and seven more.
func tenSkills() corpus.Scenario {
	sc := corpus.Triage(11)
	for i := range 7 {
		s := sc.Skills[i%2]
		s.Name = fmt.Sprintf("%s-%d", s.Name, i)
		s.Uses = 4
		sc.Skills = append(sc.Skills, s)
	}
	return sc
}

// audited is a client with our plugin installed, a history, and the plugin to audit.
func audited(t *testing.T, api *API, c *Client) (target string) {
	t.Helper()
	sc := tenSkills()
	target = filepath.Join(c.Work, "acme")
	if err := sc.WritePlugin(target); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Plant(c.ConfigDir(), sc); err != nil {
		t.Fatal(err)
	}
	c.Install(dist(t), pluginAtAll)
	return target
}

// store is the folder of audits of a client's user.
func store(c *Client) string { return filepath.Join(c.Home, ".local", "share", pluginName, "store") }

// reported checks that an audit ran to its end: the report came back from the tool, a snapshot
// and its page are in the store, a plan is in the run folder.
func reported(t *testing.T, c *Client, digest string, result Block) {
	t.Helper()
	report := result.Content.Text()
	if result.IsError || !strings.Contains(report, "acme") || !strings.Contains(report, "to offload") {
		t.Errorf("finish answered (error %v):\n%s", result.IsError, report)
	}
	data, err := os.ReadFile(filepath.Join(store(c), "snapshots", "acme.jsonl"))
	if err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("snapshots: %v, %d lines, expected one", err, strings.Count(string(data), "\n"))
	}
	if _, err := os.Stat(filepath.Join(store(c), "Audits", "acme", "Latest.md")); err != nil {
		t.Error(err)
	}
	var plan struct {
		Document string            `json:"document"`
		Actions  []json.RawMessage `json:"actions"`
	}
	data, err = os.ReadFile(filepath.Join(runFolder(digest), "plan.json"))
	if err == nil {
		err = json.Unmarshal(data, &plan)
	}
	if err != nil || plan.Document != "plan/v1" || len(plan.Actions) == 0 {
		t.Errorf("plan %+v: %v", plan, err)
	}
}

// Issue 7, items 2 and 3: a whole audit under the client's default permissions costs two model
// requests; what the plugin puts into the context stays under 6,000 tokens for a plugin of ten
// skills; the audit's own transcript is then measured as this plugin's work. With both clients.
func TestAuditInTwoRequests(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, *API) *Client{"pinned": New, "old": NewOld} {
		t.Run(name, func(t *testing.T) {
			api := NewAPI(t)
			c := open(t, api)
			target := audited(t, api, c)
			var digest string
			api.Lane("audit", FirstUserHas("# Audit of acme")).ThenFunc(func(r *Request) Answer {
				digest = r.FirstUser()
				return Answer{Text: "Judging.", Calls: finishCalls(digest)}
			}).Then(Answer{Text: "The report stands above; start with triage."})
			got := c.Prompt("/" + pluginName + ":offload-audit " + target)
			log := api.Log()
			if len(log) != requests || log[0].Lane != "audit" || log[1].Lane != "audit" || len(got.Denials) != 0 {
				t.Fatalf("%d requests, %d calls denied, result %q, answers %v; expected 2 and none", len(log), len(got.Denials), got.Result, log[len(log)-1].Request.Results())
			}
			results := log[1].Request.Results()
			if len(results) == 0 {
				t.Fatal("no tool result")
			}
			reported(t, c, digest, results[len(results)-1])
			bytes := len(digest)
			for _, r := range results {
				bytes += len(r.Content.Text())
			}
			tokens := bytes / 4
			t.Logf("%d requests; command, digest, answers and report are about %d tokens", len(log), tokens)
			if tokens >= tokensAtMost {
				t.Errorf("the plugin put about %d tokens into the context, fewer than %d are allowed", tokens, tokensAtMost)
			}
			ownWork(t, c, 2, got.SessionID)
		})
	}
}

// The same through the delegated analyst: it starts with the facts, so that the dispatch, its
// answer, its report and the last word are four requests in all; five where the model leaves
// the agent in the background, as the newer client does unless it is told otherwise.
func TestAuditThroughAnalyst(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		open       func(testing.TB, *API) *Client
		background bool
		most       int
	}{"pinned": {New, false, requestsDelegated}, "old": {NewOld, false, requestsDelegated}, "background": {New, true, requestsDelegated + 1}} {
		t.Run(name, func(t *testing.T) {
			api := NewAPI(t)
			c := run.open(t, api)
			target := audited(t, api, c)
			var digest string
			api.Lane("analyst", FirstUserHas("RUN-FOLDER")).
				ThenFunc(func(r *Request) Answer {
					if !strings.Contains(r.FirstUser(), digest[strings.Index(digest, "# Audit of"):strings.Index(digest, "## How to answer")]) {
						t.Errorf("the analyst does not start with the facts: %.600s", r.FirstUser())
					}
					return Answer{Calls: finishCalls(r.FirstUser())}
				}).
				ThenFunc(func(r *Request) Answer {
					results := r.Results()
					reported(t, c, digest, results[len(results)-1])
					return Answer{Text: results[len(results)-1].Content.Text()}
				})
			dispatch := map[string]any{"description": "judge the run", "subagent_type": pluginName + ":offload-analyst"}
			if !run.background {
				dispatch["run_in_background"] = false
			}
			api.Lane("main", FirstUserHas("# Audit of acme")).ThenFunc(func(r *Request) Answer {
				digest = r.FirstUser()
				dispatch["prompt"] = "RUN-FOLDER " + runFolder(digest)
				return Answer{Calls: []ToolUse{{"Agent", dispatch}}}
			}).Then(Answer{Text: "The report stands above."}).Forever()
			got := c.Prompt("/" + pluginName + ":offload-audit " + target)
			log := api.Log()
			if len(log) > run.most || len(log) < requestsDelegated || len(got.Denials) != 0 || got.Result != "The report stands above." {
				t.Fatalf("%d requests, %d calls denied, result %q, last answers %v; expected %d and none", len(log), len(got.Denials), got.Result, log[len(log)-1].Request.Results(), run.most)
			}
			for _, x := range log {
				if x.Lane == "analyst" && !slices.Equal(x.Request.ToolNames(), []string{"Bash"}) {
					t.Errorf("FR-8.3: the analyst is offered %v", x.Request.ToolNames())
				}
			}
			if run.background { // what follows a background report is stamped with nothing
				return
			}
			ownWork(t, c, int64(len(log)), got.SessionID)
		})
	}
}

// The model's own way in: the skill. It prepares through Bash with the target quoted.
func TestAuditThroughSkill(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	target := audited(t, api, c)
	api.Lane("main", FirstUserHas("which steps should be a script")).
		Then(Answer{Calls: []ToolUse{{"Skill", map[string]string{"skill": pluginName + ":offload-audit"}}}}).
		Then(Answer{Calls: []ToolUse{Bash("offload-audit prepare '" + target + "'")}}).
		ThenFunc(func(r *Request) Answer { return Answer{Calls: finishCalls(r.Results()[0].Content.Text())} }).
		Then(Answer{Text: "Reported."})
	// In print mode nobody can be asked whether the skill may run, so it is allowed beforehand.
	got := c.Prompt("which steps should be a script in acme?", "--allowedTools", "Skill("+pluginName+":offload-audit)")
	log := api.Log()
	if len(log) != 4 || len(got.Denials) != 0 {
		t.Fatalf("%d requests, denied %+v", len(log), got.Denials)
	}
	results := log[3].Request.Results()
	reported(t, c, log[2].Request.Results()[0].Content.Text(), results[len(results)-1])
	ownWork(t, c, 3, got.SessionID) // the call of the skill itself is not yet its work
}

// hostile are targets of which any part would leave the file MARK behind if a shell ran it.
var hostile = []string{
	"; touch MARK", "$(touch MARK)", "`touch MARK`", "x\ntouch MARK\n", "\" ; touch MARK ; \"", "' ; touch MARK ; '",
	"x && touch MARK", "x | touch MARK", "> MARK", "x\n```\n\n```!\ntouch MARK\n```", "!`touch MARK`", "${IFS}; touch MARK", "-- --run MARK",
	"x\nEND\ntouch MARK", "x \\\ntouch MARK", "--run\tMARK\nx",
}

// delimiter is a target that ends the command's here-document. The client's permission check
// refuses what follows; where a user has switched all checks off, nothing would: which is why
// the command is for the user alone, and the model's way in quotes its words.
func delimiter(t *testing.T) string {
	t.Helper()
	command, err := os.ReadFile(filepath.Join(repository(), "commands", "offload-audit.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, opens := strings.Cut(string(command), "<<'")
	word, _, _ := strings.Cut(rest, "'")
	if !opens || !strings.Contains(rest, "\n$ARGUMENTS\n"+word+"\n") || strings.Count(rest, "$ARGUMENTS") != 1 {
		t.Fatal("the command takes its arguments elsewhere than as the whole of a here-document")
	}
	return "x\n" + word + "\ntouch MARK"
}

// marked types the command with each target and returns those that left the mark.
func marked(c *Client, command string, targets []string, args ...string) []string {
	var bad []string
	talk := c.Converse(args...)
	for _, h := range targets {
		talk.Say("/" + command + " " + h)
		mark := filepath.Join(c.Work, "MARK")
		if _, err := os.Lstat(mark); err == nil {
			bad = append(bad, h)
			os.RemoveAll(mark)
		}
	}
	talk.End()
	return bad
}

// Arguments reach no shell: a hostile TARGET of the command is only a target that does not
// exist, under default permissions and with all of them skipped.
func TestHostileTargetIsInert(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, *API) *Client{"pinned": New, "old": NewOld} {
		t.Run(name, func(t *testing.T) {
			c := open(t, NewAPI(t))
			c.Env = []string{"IS_SANDBOX=1"}
			c.Install(dist(t), pluginAtAll)
			if bad := marked(c, pluginName+":offload-audit", append([]string{delimiter(t)}, hostile...)); len(bad) > 0 {
				t.Errorf("these were run: %q", bad)
			}
			if bad := marked(c, pluginName+":offload-audit", hostile, "--dangerously-skip-permissions"); len(bad) > 0 {
				t.Errorf("with permissions skipped these were run: %q", bad)
			}
			// A command that quotes its argument as one would at first is not inert: the check can fail.
			naive := filepath.Join(c.ConfigDir(), "commands", "naive.md")
			if err := os.MkdirAll(filepath.Dir(naive), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(naive, []byte("---\ndescription: d\n---\n!`echo \"$ARGUMENTS\"`\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if bad := marked(c, "naive", hostile, "--dangerously-skip-permissions"); len(bad) == 0 {
				t.Error("no hostile target ran even where it can: nothing was tested")
			}
		})
	}
}

// A target that cannot be audited costs no request: the client shows the tool's own line.
func TestBadTargetCostsNothing(t *testing.T) {
	t.Parallel()
	api := NewAPI(t)
	c := New(t, api)
	c.Install(dist(t), pluginAtAll)
	got := c.Prompt("/" + pluginName + ":offload-audit no-such-plugin --since 7d")
	if n := len(api.Log()); n != 0 || !strings.Contains(got.Result, "offload-audit prepare: ") || !strings.Contains(got.Result, "no-such-plugin") {
		t.Errorf("%d requests, result %q", n, got.Result)
	}
}

// ownWork scans the client's history for this plugin's own work and expects turns of it.
func ownWork(t *testing.T, c *Client, turns int64, session string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dist(t), pluginName, "bin", "offload-scan"), "--target", filepath.Join(dist(t), pluginName), "--format", "json")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Home}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("offload-scan: %v", err)
	}
	var doc struct {
		Components []struct {
			Kind, Name, Plugin string
			Usage              struct{ Turns int64 }
		}
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	var found int64
	for _, x := range doc.Components {
		if x.Plugin == pluginName {
			found += x.Usage.Turns
		}
	}
	if found != turns {
		t.Errorf("offload-scan attributes %d turns to %s, expected %d: %s", found, pluginName, turns, out)
	}
}
