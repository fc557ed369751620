package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scenarios are the folders of real-client histories.
func scenarios(t *testing.T) []string {
	t.Helper()
	dir := sharedDir(t, "transcripts", "real-cli")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	if len(out) < 20 {
		t.Fatalf("only %d scenarios", len(out))
	}
	return out
}

// TestInferredAgainstStamped holds the inferred windows against every stamp that a real client
// wrote, over all fixtures, and prints the table: all are reproduced, and none is invented.
func TestInferredAgainstStamped(t *testing.T) {
	dirs := append(scenarios(t), sharedDir(t, "transcripts", "public"))
	table := map[[2]bool]int{} // stamped, inferred → turns of clients that stamp
	names, differ := map[string]int{}, 0
	for _, dir := range dirs {
		all, _ := allRows(t, dir)
		for _, r := range all.rows {
			if r.blind || r.sub {
				continue
			}
			table[[2]bool{r.stamp != "", r.window != ""}]++
			if r.stamp != "" && r.window != "" {
				names[r.stamp]++
				if !sameSkill(r.stamp, r.window) {
					differ++
					t.Errorf("%s: stamped %s, inferred %s", filepath.Base(dir), r.stamp, r.window)
				}
			}
			if (r.stamp != "") != (r.window != "") {
				t.Errorf("%s: line %d: stamp %q, window %q", filepath.Base(dir), r.Line, r.stamp, r.window)
			}
		}
	}
	t.Logf("main-thread turns of clients that stamp:\n              inferred  not inferred\n  stamped     %8d  %12d\n  not stamped %8d  %12d\n  names differ %d; by name %v",
		table[[2]bool{true, true}], table[[2]bool{true, false}], table[[2]bool{false, true}], table[[2]bool{false, false}], differ, names)
	if table[[2]bool{true, true}] < 30 {
		t.Errorf("only %d stamped turns were compared", table[[2]bool{true, true}])
	}
}

// TestAttributionTable plays each row of the attribution table of the host's page (7-host.md 3).
func TestAttributionTable(t *testing.T) {
	root := sharedDir(t, "transcripts", "real-cli")
	for _, c := range []struct {
		name, scenario string
		// want are the turns by thread kind and owner: "main plugin/skill source" → turns.
		want string
	}{
		{"a plugin's slash command owns its turn, the next prompt nothing", "slash", "main none:1 main probe/probe:audit stamped:3"},
		{"the turn that calls Skill is not the skill's, those after it are", "skill-tool", "main none:4 main probe/probe:probe-skill stamped:2"},
		{"a plugin's agent is its own", "plugin-agent", "main none:3 sub(general-purpose) /general-purpose agent:2 sub(probe:inherit-agent) probe/probe:inherit-agent agent:2 sub(probe:probe-agent) probe/probe:probe-agent agent:4"},
		{"any agent under a skill is the skill's", "skill-then-agent", "main probe/probe:audit stamped:3 main probe/probe:probe-skill stamped:2 sub(general-purpose) probe/probe:audit stamped:3 sub(probe:inherit-agent) probe/probe:audit stamped:2"},
		{"workflow agents inherit too", "workflow", "main none:1 main probe/probe:audit stamped:2 sub(workflow-subagent) probe/probe:audit stamped:3"},
		{"a plugin's agent under the user's own skill is the agent's, as the stamped plugin says", "user-skill", "main /myskill stamped:2 main none:1 sub(probe:probe-agent) probe/probe:probe-agent agent:1"},
		{"a forked skill is a subagent without an agent's stamp", "skill-fork-and-model", "main none:1 main probe2/probe2:hmodel stamped:3 main probe2/probe2:s1 stamped:4 sub(probe2:a-name) probe2/probe2:forked stamped:2 sub(probe2:a-name) probe2/probe2:hmodel stamped:2"},
		{"a background agent's report clears the skill", "slash-background", "main none:1 main probe/probe:audit stamped:2 sub(general-purpose) probe/probe:audit stamped:2"},
		{"MCP fields change nothing", "slash-mcp", "main probe/probe:audit stamped:4"},
		{"MCP alone attributes nothing", "mcp", "main none:4"},
		{"a fork agent inherits", "agent-fork-slash", "main probe/probe:audit stamped:2 sub(fork) probe/probe:audit stamped:1"},
		{"a plain fork is an agent", "agent-fork", "main none:3 sub(fork) /fork agent:2"},
		{"the older client stamps the same", "v2.1.197-skill-then-agent", "main probe/probe:audit stamped:3 main probe/probe:probe-skill stamped:2 sub(general-purpose) probe/probe:audit stamped:3 sub(probe:inherit-agent) probe/probe:audit stamped:2"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			got := owners(t, filepath.Join(root, c.scenario))
			if got != c.want {
				t.Errorf("%s:\n got  %s\n want %s", c.name, got, c.want)
			}
		})
	}
}

// owners sums up who owns the turns of a history.
func owners(t *testing.T, dir string) string {
	t.Helper()
	n := map[string]int{}
	all, _ := allRows(t, dir)
	for _, r := range all.rows { // components are resolved by now
		where := "main"
		if r.sub {
			where = "sub(" + r.agent + ")"
		}
		who := "none"
		if r.use != nil {
			who = fmt.Sprintf("%s/%s %s", r.use.of.plugin, r.use.of.name, sourceNames[r.source])
		}
		n[where+" "+who]++
	}
	var out []string
	for k, v := range n {
		out = append(out, fmt.Sprintf("%s:%d", k, v))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestBackgroundReport: the client takes the stamp away when a background agent reports; the turn
// after it is nobody's, and coverage says that it probably is somebody's.
func TestBackgroundReport(t *testing.T) {
	d := scanned(t, filepath.Join(sharedDir(t, "transcripts", "real-cli"), "slash-background"))
	if got := d.Attribution.CoveragePPM; got == nil || *got != 800_000 {
		t.Errorf("coverage %v of four attributed turns and one after the report", d.Attribution)
	}
	d = scanned(t, filepath.Join(sharedDir(t, "transcripts", "real-cli"), "background-agent"))
	if d.Attribution.CoveragePPM == nil || *d.Attribution.CoveragePPM != million {
		t.Errorf("without a skill at work nothing was taken away: %+v", d.Attribution)
	}
}
