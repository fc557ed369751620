package client

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/tree"
)

// sharedPlugins is the folder of public plugins; the test is skipped without it.
func sharedPlugins(t *testing.T) string {
	t.Helper()
	root := os.Getenv("SHARED")
	if root == "" {
		root = filepath.Join(repository(), "..", "shared")
	}
	dir := filepath.Join(root, "plugins")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("reference data is absent: neither $SHARED nor ../shared has plugins")
	}
	return dir
}

// take is the inventory of the plugin at dir.
func take(t *testing.T, dir string, o plugin.Options) *inventory.Document {
	t.Helper()
	p, err := plugin.Resolve(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := inventory.Take(p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// brokenPlugins writes every broken fixture into a folder of its own; name → folder.
func brokenPlugins(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository(), "internal", "inventory", "testdata", "broken", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		archive, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		out[name] = filepath.Join(base, name)
		if err := tree.Write(out[name], archive); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// session is what a session of the client says that it loaded.
type session struct {
	Subtype  string   `json:"subtype"`
	Commands []string `json:"slash_commands"`
	Skills   []string `json:"skills"`
	Agents   []string `json:"agents"`
	Servers  []struct {
		Name string `json:"name"`
	} `json:"mcp_servers"`
}

// open starts a session with one plugin, reads its first words and ends it.
func open(t *testing.T, c *Client, dir string) *session {
	t.Helper()
	cmd := exec.Command(c.Bin, "--plugin-dir", dir, "-p", "hello", "--output-format", "stream-json", "--verbose")
	cmd.Dir, cmd.Env = c.Work, c.environ()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var s session
		if json.Unmarshal(lines.Bytes(), &s) == nil && s.Subtype == "init" {
			return &s
		}
	}
	t.Fatalf("%s: the session did not say what it loaded", dir)
	return nil
}

// qualified are the names of plugin components (they hold a colon), sorted, once each.
func qualified(lists ...[]string) []string {
	set := map[string]bool{}
	for _, n := range slices.Concat(lists...) {
		if strings.Contains(n, ":") {
			set[n] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// loaded are an inventory's loaded components as the client names them, without the skills
// that users may not call, which a session does not announce.
func loaded(d *inventory.Document, agents bool) []string {
	var out []string
	for _, c := range d.Components {
		hidden := c.Effective.UserInvocable != nil && !*c.Effective.UserInvocable
		if c.Loaded && !hidden && (c.Kind == audit.KindAgent) == agents {
			out = append(out, d.Target.Name+":"+c.Name)
		}
	}
	return qualified(out)
}

// Issue 7, item 7: what a session of the client loads from a plugin is what the inventory
// says is loaded, for every single public plugin at hand and for every broken one. (Those
// of the large marketplace are compared by details, below.)
func TestInventoryIsWhatASessionLoads(t *testing.T) {
	c := New(t, NewAPI(t))
	dirs := brokenPlugins(t)
	found, _ := filepath.Glob(filepath.Join(sharedPlugins(t), "*", ".claude-plugin", "plugin.json"))
	for _, f := range found {
		dir := filepath.Dir(filepath.Dir(f))
		dirs[filepath.Base(dir)] = dir
	}
	if len(dirs) < 80 {
		t.Errorf("only %d plugins to compare", len(dirs))
	}
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		t.Run(name, func(t *testing.T) {
			d, s := take(t, dirs[name], plugin.Options{}), open(t, c, dirs[name])
			if got, want := loaded(d, false), qualified(s.Commands, s.Skills); !slices.Equal(got, want) {
				t.Errorf("skills and commands:\nwe  %v\nthe client %v", got, want)
			}
			if got, want := loaded(d, true), qualified(s.Agents); !slices.Equal(got, want) {
				t.Errorf("agents:\nwe  %v\nthe client %v", got, want)
			}
		})
	}
}

// details is what `claude plugin details` prints.
type details struct {
	lists    map[string][]string // Skills, Agents, Hooks, MCP servers, LSP servers
	alwaysOn int64
	cost     map[string][][2]int64 // component → always-on, on-invoke; -1 below 20; several of one name
}

var (
	listLine = regexp.MustCompile(`(?m)^  (Skills|Agents|Hooks|MCP servers|LSP servers) \(\d+\)(.*)$`)
	costLine = regexp.MustCompile(`(?m)^  (\S+) +(< 20|~[\d.,]+k?) +(< 20|~[\d.,]+k?)$`)
	onLine   = regexp.MustCompile(`Always-on: +(~[\d.,]+k?) tok`)
)

func parseDetails(text string) details {
	d := details{lists: map[string][]string{}, cost: map[string][][2]int64{}, alwaysOn: -1}
	for _, m := range listLine.FindAllStringSubmatch(text, -1) {
		names, _, _ := strings.Cut(strings.TrimSpace(m[2]), "  ") // a remark stands behind two blanks
		var list []string
		for _, n := range strings.Split(names, ", ") {
			if n = strings.TrimSpace(n); n != "" {
				list = append(list, n)
			}
		}
		slices.Sort(list)
		d.lists[m[1]] = list
	}
	if m := onLine.FindStringSubmatch(text); m != nil {
		d.alwaysOn = rounded(m[1])
	}
	for _, m := range costLine.FindAllStringSubmatch(text, -1) {
		d.cost[m[1]] = append(d.cost[m[1]], [2]int64{rounded(m[2]), rounded(m[3])})
	}
	return d
}

// rounded reads "~1.2k", "~850"; -1 for "< 20".
func rounded(s string) int64 {
	s = strings.ReplaceAll(strings.TrimPrefix(s, "~"), ",", "")
	factor := 1.0
	if rest, ok := strings.CutSuffix(s, "k"); ok {
		s, factor = rest, 1000
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return -1
	}
	return int64(f*factor + 0.5)
}

// near: within 15 % or within the step to which the client rounds.
func near(ours, theirs int64) bool {
	if theirs < 0 {
		return ours < 25
	}
	d := max(ours-theirs, theirs-ours)
	return 100*d <= 15*theirs || d <= 10
}

// Issue 7, item 7: `claude plugin details` lists the same components, hooks and servers, and
// estimates always-on and on-invoke within 15 % of ours. Two differences are of its making:
// it does not look into sub-folders of commands, and it names an agent after its file.
func TestInventoryAgreesWithDetails(t *testing.T) {
	shared := sharedPlugins(t)
	api := NewAPI(t)
	c := New(t, api)
	compared := 0
	compare := func(name, at string, d *inventory.Document) {
		t.Run(name, func(t *testing.T) {
			compared++
			theirs := parseDetails(c.Must("plugin", "details", at))
			for what, ours := range map[string][]string{
				"Skills": detailSkills(d), "Agents": detailAgents(d), "Hooks": hookEvents(d),
				"MCP servers": servers(d, audit.KindMCP), "LSP servers": servers(d, audit.KindLSP),
			} {
				if !slices.Equal(ours, theirs.lists[what]) {
					t.Errorf("%s:\nwe  %v\nthe client %v", what, ours, theirs.lists[what])
				}
			}
			if !near(d.Plugin.Tokens.Trigger, theirs.alwaysOn) {
				t.Errorf("always on: we %d, the client %d", d.Plugin.Tokens.Trigger, theirs.alwaysOn)
			}
			for i := range d.Components {
				k := &d.Components[i]
				costs := theirs.cost[detailName(k)]
				if !k.Loaded || len(costs) == 0 {
					continue
				}
				if !slices.ContainsFunc(costs, func(c [2]int64) bool { return near(k.Tokens.Trigger, c[0]) && near(k.Tokens.Invoke, c[1]) }) {
					t.Errorf("%s: we %d and %d, the client %v", k.Name, k.Tokens.Trigger, k.Tokens.Invoke, costs)
				}
			}
		})
	}
	market := filepath.Join(shared, "marketplace-before")
	c.Must("plugin", "marketplace", "add", market)
	all, err := plugin.ResolveAll(market, plugin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for p, err := range all {
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		at := p.Target.Name + "@" + p.Target.Marketplace
		c.Must("plugin", "install", at)
		d, err := inventory.Take(p)
		if err != nil {
			t.Fatal(err)
		}
		compare(p.Target.Name, at, d)
	}
	for _, m := range markets(t, shared) {
		c.Must("plugin", "marketplace", "add", m.dir)
		res := c.Run("plugin", "install", m.plugin+"@"+m.name)
		p, err := plugin.Resolve("", plugin.Options{MarketplaceFile: m.dir, EntryName: m.plugin})
		if err != nil {
			t.Fatal(err)
		}
		d, err := inventory.Take(p)
		if err != nil {
			t.Fatal(err)
		}
		if p.Refused != "" {
			if res.Code == 0 && c.Run("plugin", "details", m.plugin+"@"+m.name).Code == 0 {
				t.Errorf("%s: we say that the client refuses it (%s), and it does not", m.name, p.Refused)
			}
			continue
		}
		compare(m.name, m.plugin+"@"+m.name, d)
	}
	if compared < 45 {
		t.Errorf("only %d plugins compared", compared)
	}
}

// aMarket is a marketplace of one plugin, made for the test.
type aMarket struct{ dir, name, plugin string }

// markets wraps every single plugin folder into a marketplace of its own, because several
// of them have the same name. The one without a manifest gets an entry that describes it.
func markets(t *testing.T, shared string) []aMarket {
	t.Helper()
	entries, err := os.ReadDir(shared)
	if err != nil {
		t.Fatal(err)
	}
	var out []aMarket
	for _, e := range entries {
		src := filepath.Join(shared, e.Name())
		if !e.IsDir() || e.Name() == "marketplace-before" {
			continue
		}
		m := aMarket{dir: filepath.Join(t.TempDir(), e.Name()), name: "m-" + e.Name(), plugin: e.Name()}
		entry := map[string]any{"source": "./p", "description": "One plugin."}
		if b, err := os.ReadFile(filepath.Join(src, ".claude-plugin", "plugin.json")); err == nil {
			var manifest struct{ Name string }
			if err := json.Unmarshal(b, &manifest); err != nil {
				t.Fatal(err)
			}
			m.plugin = manifest.Name
		} else {
			entry["strict"] = false
			entry["lspServers"] = map[string]any{"clangd": map[string]any{"command": "clangd", "extensionToLanguage": map[string]string{".c": "c"}}}
		}
		entry["name"] = m.plugin
		if err := os.CopyFS(filepath.Join(m.dir, "p"), os.DirFS(src)); err != nil {
			t.Fatal(err)
		}
		doc, _ := json.Marshal(map[string]any{"name": m.name, "owner": map[string]string{"name": "A test"}, "description": "One plugin.", "plugins": []any{entry}})
		if err := tree.Write(m.dir, fmt.Appendf(nil, "-- .claude-plugin/marketplace.json --\n%s\n", doc)); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func detailName(c *inventory.Component) string {
	if c.Kind == audit.KindAgent {
		return strings.TrimSuffix(path.Base(c.Path), ".md")
	}
	return c.Name
}

func detailSkills(d *inventory.Document) []string {
	var out []string
	for i := range d.Components {
		c := &d.Components[i]
		if c.Loaded && c.Kind != audit.KindAgent && !strings.Contains(c.Name, ":") {
			out = append(out, c.Name)
		}
	}
	slices.Sort(out)
	return out
}

func detailAgents(d *inventory.Document) []string {
	var out []string
	for i := range d.Components {
		if c := &d.Components[i]; c.Loaded && c.Kind == audit.KindAgent {
			out = append(out, detailName(c))
		}
	}
	slices.Sort(out)
	return out
}

// hookEvents are the events of the plugin's own hooks; those of a skill's frontmatter come
// and go with the skill.
func hookEvents(d *inventory.Document) []string {
	set := map[string]bool{}
	for _, h := range d.Surface.Hooks {
		if h.NotLoaded == "" && path.Ext(h.Source) == ".json" {
			set[h.Event] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func servers(d *inventory.Document, kind string) []string {
	var out []string
	for _, s := range d.Surface.Servers {
		if s.Kind == kind {
			out = append(out, s.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Issue 7, item 7: each defect that `claude plugin validate --strict` finds in a broken
// plugin, the inventory's checks find too, in the same file and with the client's severity.
func TestInventoryFindsWhatValidateFinds(t *testing.T) {
	c := New(t, nil)
	dirs := brokenPlugins(t)
	defects := 0
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		t.Run(name, func(t *testing.T) {
			res := c.Run("plugin", "validate", "--strict", "--json", dirs[name])
			var v struct {
				Success  bool
				Manifest validated
				Contents []validated
			}
			if err := json.Unmarshal([]byte(res.Stdout), &v); err != nil {
				t.Fatalf("validate printed no JSON: %s%s", res.Stdout, res.Stderr)
			}
			d := take(t, dirs[name], plugin.Options{})
			for _, file := range append(v.Contents, v.Manifest) {
				rel, err := filepath.Rel(dirs[name], file.File)
				if err != nil {
					t.Fatal(err)
				}
				for severity, list := range map[string][]found{"error": file.Errors, "warning": file.Warnings} {
					for _, f := range list {
						defects++
						if !hasCheck(d, filepath.ToSlash(rel), severity) {
							t.Errorf("the client's %s is not found: %s: %s: %s", severity, rel, f.Path, f.Message)
						}
					}
				}
			}
			// The other way round: what we call the client's own finding it finds.
			for _, k := range d.Checks {
				if k.Source == "host" && v.Success {
					t.Errorf("%s is called the client's own, and the client is content", k.ID)
				}
			}
		})
	}
	if defects < 40 {
		t.Errorf("the client found only %d defects in all fixtures", defects)
	}
}

type found struct{ Path, Message string }

type validated struct {
	File             string
	Errors, Warnings []found
}

func hasCheck(d *inventory.Document, file, severity string) bool {
	return slices.ContainsFunc(d.Checks, func(c inventory.Check) bool {
		return c.Path == file && c.Severity == severity && c.Source != "ours"
	})
}

// The line that a session's list carries for a component costs what the inventory says
// (tokens.listed): neither more nor less than the text that the client really sends.
func TestListedIsWhatTheClientSends(t *testing.T) {
	api := NewAPI(t)
	api.Lane("all", Any).Then(Answer{Text: "Done."}).Forever()
	c := New(t, api)
	dirs := brokenPlugins(t)
	cases := []string{dirs["names"], dirs["description-long"], dirs["yaml-mended"], dirs["agent-no-description"], dirs["command-no-front"]}
	archive, err := os.ReadFile(filepath.Join(repository(), "internal", "inventory", "testdata", "frontmatter.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	frontmatter := filepath.Join(t.TempDir(), "frontmatter")
	if err := tree.Write(frontmatter, archive); err != nil {
		t.Fatal(err)
	}
	cases = append(cases, frontmatter)
	shared := sharedPlugins(t)
	for _, name := range []string{"offload-git-plugin-before", "offload-commit-commands", "wellcut-claude-security", "wellcut-must-gather"} {
		cases = append(cases, filepath.Join(shared, name))
	}
	for _, dir := range cases {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			d := take(t, dir, plugin.Options{})
			answer := c.Prompt("hello", "--plugin-dir", dir)
			sent := listedLines(c.Rows(answer.SessionID))
			compared := 0
			for i := range d.Components {
				k := &d.Components[i]
				line, ok := sent[[2]string{k.Kind, d.Target.Name + ":" + k.Name}]
				if !ok && k.Kind != audit.KindAgent {
					line, ok = sent[[2]string{audit.KindSkill, d.Target.Name + ":" + k.Name}]
				}
				if ok != (k.Tokens.Listed > 0) {
					t.Errorf("%s %s: listed %v by the client, we say %d tokens", k.Kind, k.Name, ok, k.Tokens.Listed)
					continue
				}
				if want := int64(len(line)+3) / 4; ok && k.Tokens.Listed != want {
					t.Errorf("%s %s: the client sends %q, %d tokens, we say %d", k.Kind, k.Name, line, want, k.Tokens.Listed)
				}
				if ok {
					compared++
				}
			}
			if compared == 0 {
				t.Error("nothing was listed: nothing was compared")
			}
		})
	}
}

// listedLines are the lines of a session's lists by kind and qualified name; skills and
// commands stand in one list.
func listedLines(rows []map[string]any) map[[2]string]string {
	out := map[[2]string]string{}
	add := func(kind, line string) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		name, _, _ = strings.Cut(name, " (")
		out[[2]string{kind, name}] = line
	}
	for _, row := range rows {
		a, _ := row["attachment"].(map[string]any)
		switch a["type"] {
		case "skill_listing":
			text, _ := a["content"].(string)
			for _, l := range strings.Split(text, "\n") {
				add(audit.KindSkill, l)
			}
		case "agent_listing_delta":
			lines, _ := a["addedLines"].([]any)
			for _, l := range lines {
				s, _ := l.(string)
				add(audit.KindAgent, s)
			}
		}
	}
	return out
}
