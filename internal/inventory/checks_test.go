package inventory

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/tree"
)

var update = flag.Bool("update", false, "rewrite the expectations under testdata")

// take writes the archive to a folder of its own and takes its inventory.
func take(t *testing.T, archive string) *Document {
	t.Helper()
	dir := t.TempDir()
	if err := tree.Write(dir, []byte(archive)); err != nil {
		t.Fatal(err)
	}
	d, _ := encode(t, dir)
	return d
}

// TestChecks holds every broken plugin under testdata/broken to the findings that its
// comment lists ("check ID PATH:LINE"), all of them and no others.
func TestChecks(t *testing.T) {
	files, err := filepath.Glob("testdata/broken/*.txtar")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d fixtures (%v), expected the whole set", len(files), err)
	}
	used := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, c := range take(t, string(archive)).Checks {
				used[c.ID] = true
				fmt.Fprintf(&got, "check %s %s:%d\n", c.ID, c.Path, c.Line)
				if c.Message == "" || c.Remediation == "" || strings.Contains(c.Message, "\n") {
					t.Errorf("%s: message %q, remediation %q", c.ID, c.Message, c.Remediation)
				}
			}
			if *update {
				rewrite(t, file, archive, got.String())
				return
			}
			var want strings.Builder
			for _, l := range strings.Split(string(txtar.Parse(archive).Comment), "\n") {
				if strings.HasPrefix(l, "check ") {
					want.WriteString(l + "\n")
				}
			}
			if got.String() != want.String() {
				t.Errorf("found\n%swant\n%s", got.String(), want.String())
			}
		})
	}
	// Rules that no fixture here can show: they need much text, or a marketplace.
	for _, id := range []string{"listing-budget", "invoke-large", "hook-long-inline", "entry-name-differs", "entry-version-differs"} {
		used[id] = true
	}
	for id := range rules {
		if !used[id] {
			t.Errorf("no fixture shows %s", id)
		}
	}
}

func rewrite(t *testing.T, file string, archive []byte, checks string) {
	t.Helper()
	ar := txtar.Parse(archive)
	var keep []string
	for _, l := range strings.Split(strings.TrimRight(string(ar.Comment), "\n"), "\n") {
		if !strings.HasPrefix(l, "check ") {
			keep = append(keep, l)
		}
	}
	ar.Comment = []byte(strings.Join(keep, "\n") + "\n" + checks)
	if out := txtar.Format(ar); !bytes.Equal(out, archive) {
		if err := os.WriteFile(file, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryCheckHasItsRule reads the sources: an id without a rule would have no severity.
func TestEveryCheckHasItsRule(t *testing.T) {
	call := regexp.MustCompile(`c\.add\("([a-z-]+)"`)
	files, _ := filepath.Glob("checks_*.go")
	seen := map[string]bool{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllSubmatch(src, -1) {
			seen[string(m[1])] = true
		}
	}
	for id := range seen {
		if rules[id].severity == "" {
			t.Errorf("%s has no rule", id)
		}
	}
	for id := range rules {
		if !seen[id] {
			t.Errorf("the rule %s is never applied", id)
		}
	}
}

func checkIDs(d *Document) string {
	var ids []string
	for _, c := range d.Checks {
		ids = append(ids, fmt.Sprintf("%s@%s:%d", c.ID, c.Path, c.Line))
	}
	return strings.Join(ids, " ")
}

func TestBudgets(t *testing.T) {
	one := func(name string, desc, body int) string {
		return "-- skills/" + name + "/SKILL.md --\n---\nname: " + name + "\ndescription: " + strings.Repeat("d", desc) + "\n---\n" + strings.Repeat("b", body) + "\n"
	}
	many := okManifest
	for i := range 8 {
		many += one(fmt.Sprintf("s%d", i), 980, 1)
	}
	for _, c := range []struct{ name, archive, want string }{
		{"just inside", many, ""},
		{"one entry more", many + one("more", 400, 1), "listing-budget@.claude-plugin/plugin.json:0"},
		{"users alone may call it: not listed", many + strings.Replace(one("more", 400, 1), "---\nb", "disable-model-invocation: true\n---\nb", 1), ""},
		{"a text at the limit", okManifest + one("a", 5, 4*invokeLarge-1), ""},
		{"a text over it", okManifest + one("a", 5, 4*invokeLarge), "invoke-large@skills/a/SKILL.md:0"},
		{"H08 a long one-liner", okManifest + one("a", 5, 1) + "-- hooks/hooks.json --\n{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo " + strings.Repeat("x", longInline) + "\"}]}]}}\n",
			"hook-long-inline@hooks/hooks.json:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkIDs(take(t, c.archive)); got != c.want {
				t.Errorf("%q, expected %q", got, c.want)
			}
		})
	}
}

// K07, K08: what the marketplace says of a plugin and what the plugin says of itself.
func TestEntryAgainstManifest(t *testing.T) {
	dir := t.TempDir()
	if err := tree.Write(dir, []byte("-- .claude-plugin/marketplace.json --\n{\"name\": \"m\", \"plugins\": [\n{\"name\": \"other\",\n\"source\": \"./p\",\n\"version\": \"1.0.0\"}]}\n"+
		"-- p/.claude-plugin/plugin.json --\n{\"name\": \"sample\", \"version\": \"2.0.0\", \"description\": \"d\", \"author\": {\"name\": \"a\"}}\n-- p/skills/a/SKILL.md --\n---\nname: a\ndescription: d\n---\nx\n")); err != nil {
		t.Fatal(err)
	}
	p, err := plugin.Resolve("", plugin.Options{MarketplaceFile: dir, EntryName: "other"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Take(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := checkIDs(d); got != "entry-name-differs@marketplace.json:2 entry-version-differs@marketplace.json:4" || d.Target.Version != "2.0.0" || d.Target.Name != "sample" {
		t.Errorf("%s, %+v", got, d.Target)
	}
}
