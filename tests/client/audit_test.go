package client

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

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
			if len(log) != 2 || log[0].Lane != "audit" || log[1].Lane != "audit" || len(got.Denials) != 0 {
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
			if tokens >= 6000 {
				t.Errorf("the plugin put about %d tokens into the context, at most 6,000 are allowed", tokens)
			}
			ownWork(t, c, 2, got.SessionID)
		})
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
