package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/tree"
)

// A pluginAt is a plugin's manifest in a folder.
func pluginAt(dir, name, version string) string {
	return "-- " + dir + "/.claude-plugin/plugin.json --\n{\"name\": \"" + name + "\", \"version\": \"" + version + "\"}\n"
}

// installed is a host's record; $DIR stands for the test's folder.
func installed(entries string) string {
	return "-- root/installed_plugins.json --\n{\"version\": 2, \"plugins\": {" + entries + "}}\n"
}

const cacheMany = "root/cache/m/p/"

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name, archive, target string
		want                  string // dir | by | marketplace | version
		err                   string // or a part of the error
		warning               string // code of a warning that must be there
	}{
		{name: "FR-1.1 a path", archive: pluginAt("here/p", "p", "1.0.0"), target: "here/p", want: "here/p|path||1.0.0"},
		{name: "FR-1.1 a path comes before a name", archive: pluginAt("p", "other", "9.0.0") + pluginAt(cacheMany+"1.0.0", "p", "1.0.0"), target: "p", want: "p|path||9.0.0"},
		{name: "FR-1.1 a folder of that name without manifest does not hide an installed one", archive: "mkdir p\n" + pluginAt(cacheMany+"1.0.0", "p", "1.0.0"), target: "p",
			want: cacheMany + "1.0.0|cache|m|1.0.0"},
		{name: "FR-1.1 installed", archive: pluginAt("far/p", "p", "1.0.0") + pluginAt(cacheMany+"2.0.0", "p", "2.0.0") +
			installed(`"p@m": [{"scope": "user", "installPath": "$DIR/far/p", "version": "1.0.0"}]`), target: "p", want: "far/p|installed|m|1.0.0"},
		{name: "FR-1.1 installed, record of version 1", archive: pluginAt("far/p", "p", "1.0.0") + installed(`"p@m": {"installPath": "$DIR/far/p", "version": "1.0.0"}`), target: "p",
			want: "far/p|installed|m|1.0.0"},
		{name: "FR-1.1 installed twice, the higher version", archive: pluginAt("a", "p", "1.9.0") + pluginAt("b", "p", "1.10.0") +
			installed(`"p@m": [{"installPath": "$DIR/a", "version": "1.9.0"}, {"installPath": "$DIR/b", "version": "1.10.0"}]`), target: "p@m", want: "b|installed|m|1.10.0"},
		{name: "FR-1.1 the record's folder is gone: the cache", archive: pluginAt(cacheMany+"2.0.0", "p", "2.0.0") +
			installed(`"p@m": [{"installPath": "$DIR/gone", "version": "1.0.0"}]`), target: "p", want: cacheMany + "2.0.0|cache|m|2.0.0"},
		{name: "FR-1.1 highest semver, not the last name", archive: pluginAt(cacheMany+"1.9.0", "p", "1.9.0") + pluginAt(cacheMany+"1.10.0", "p", "1.10.0") + pluginAt(cacheMany+"1.10.0-rc.1", "p", "1.10.0-rc.1"),
			target: "p", want: cacheMany + "1.10.0|cache|m|1.10.0"},
		{name: "FR-1.1 hashes come after semver", archive: "touch " + cacheMany + "ffffffffffff 2000000000\n" + pluginAt(cacheMany+"1.0.0", "p", "1.0.0") + pluginAt(cacheMany+"ffffffffffff", "p", "3.0.0"),
			target: "p", want: cacheMany + "1.0.0|cache|m|1.0.0"},
		{name: "FR-1.1 hashes by modification time", archive: "touch " + cacheMany + "aaaaaaa 2000000000\ntouch " + cacheMany + "fffffff 1000000000\n" + pluginAt(cacheMany+"aaaaaaa", "p", "3.0.0") + pluginAt(cacheMany+"fffffff", "p", "2.0.0"),
			target: "p", want: cacheMany + "aaaaaaa|cache|m|3.0.0"},
		{name: "FR-1.1 orphans are left out", archive: pluginAt(cacheMany+"1.0.0", "p", "1.0.0") + pluginAt(cacheMany+"2.0.0", "p", "2.0.0") + "-- " + cacheMany + "2.0.0/.orphaned_at --\n1\n",
			target: "p", want: cacheMany + "1.0.0|cache|m|1.0.0"},
		{name: "FR-1.1 only orphans: the newest, with a warning", archive: "touch " + cacheMany + "1.0.0 2000000000\ntouch " + cacheMany + "2.0.0 1000000000\n" + pluginAt(cacheMany+"1.0.0", "p", "1.0.0") + pluginAt(cacheMany+"2.0.0", "p", "2.0.0") +
			"-- " + cacheMany + "1.0.0/.orphaned_at --\n1\n-- " + cacheMany + "2.0.0/.orphaned_at --\n1\n", target: "p", want: cacheMany + "1.0.0|orphan|m|1.0.0", warning: "target-orphaned"},
		{name: "FR-1.1 several marketplaces", archive: pluginAt("root/cache/m2/p/1.0.0", "p", "1.0.0") + pluginAt("root/cache/m1/p/1.0.0", "p", "1.0.0"), target: "p", err: "p@m1, p@m2"},
		{name: "FR-1.1 several marketplaces, installed", archive: pluginAt("a", "p", "1.0.0") + pluginAt("b", "p", "1.0.0") + installed(`"p@m2": [{"installPath": "$DIR/a"}], "p@m1": [{"installPath": "$DIR/b"}]`),
			target: "p", err: "p@m1, p@m2"},
		{name: "FR-1.1 name@marketplace", archive: pluginAt("root/cache/m2/p/1.0.0", "p", "1.0.0") + pluginAt("root/cache/m1/p/2.0.0", "p", "2.0.0"), target: "p@m2", want: "root/cache/m2/p/1.0.0|cache|m2|1.0.0"},
		{name: "FR-1.1 a directory marketplace is read where it stands", archive: pluginAt("market/plugins/p", "p", "2.0.0") + pluginAt("root/cache/m/p/1.0.0", "p", "1.0.0") +
			"-- market/.claude-plugin/marketplace.json --\n{\"name\": \"m\", \"plugins\": [{\"name\": \"p\", \"source\": \"./plugins/p\"}]}\n" +
			"-- root/known_marketplaces.json --\n{\"m\": {\"source\": {\"source\": \"directory\", \"path\": \"$DIR/market\"}, \"installLocation\": \"$DIR/market\"}}\n" +
			installed(`"p@m": [{"installPath": "$DIR/root/cache/m/p/1.0.0", "version": "1.0.0"}]`), target: "p", want: "market/plugins/p|directory-marketplace|m|2.0.0"},
		{name: "FR-1.1 installed from git, described by its entry alone", archive: "-- root/cache/m/lsp/1.0.0/README.md --\nhi\n" +
			"-- root/marketplaces/m/.claude-plugin/marketplace.json --\n{\"name\": \"m\", \"plugins\": [{\"name\": \"lsp\", \"version\": \"1.0.0\", \"source\": \"./lsp\", \"lspServers\": {\"x\": {\"command\": \"x\"}}}]}\n" +
			"-- root/known_marketplaces.json --\n{\"m\": {\"source\": {\"source\": \"git\", \"url\": \"https://example.org/m.git\"}, \"installLocation\": \"$DIR/root/marketplaces/m\"}}\n" +
			installed(`"lsp@m": [{"installPath": "$DIR/root/cache/m/lsp/1.0.0", "version": "1.0.0"}]`), target: "lsp", want: "root/cache/m/lsp/1.0.0|installed|m|1.0.0"},
		{name: "FR-1.3 a folder without manifest", archive: "mkdir here/p\n", target: "here/p", err: "here/p: expected .claude-plugin/plugin.json, found none"},
		{name: "FR-1.3 a marketplace", archive: "-- here/.claude-plugin/marketplace.json --\n{\"plugins\": []}\n", target: "./here", err: "use --all"},
		{name: "FR-1.3 a file", archive: "-- here --\nx\n", target: "./here", err: "not a folder"},
		{name: "FR-1.3 nothing", archive: "", target: "./here", err: "no such folder"},
		{name: "an unknown name", archive: "mkdir root\n", target: "nobody", err: `plugin "nobody"`},
		{name: "a broken record is named", archive: "-- root/installed_plugins.json --\n{\n", target: "p", err: "installed_plugins.json"},
		{name: "no target", archive: "", target: "", err: "no target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := realTemp(t)
			if err := tree.Write(dir, []byte(strings.ReplaceAll(c.archive, "$DIR", filepath.ToSlash(dir)))); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			p, err := Resolve(c.target, Options{PluginsRoot: filepath.Join(dir, "root")})
			if c.err != "" {
				if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), c.err) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("error %v, expected one line with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(dir, p.Target.Path)
			got := strings.Join([]string{filepath.ToSlash(rel), p.Target.ResolvedBy, p.Target.Marketplace, p.Target.Version}, "|")
			if got != c.want {
				t.Errorf("%s, expected %s", got, c.want)
			}
			if c.warning != "" && !hasWarning(p, c.warning) {
				t.Errorf("warnings %v, expected %s", p.Warnings, c.warning)
			}
		})
	}
}

func hasWarning(p *Plugin, code string) bool {
	for _, w := range p.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// realTemp is a temporary folder by its resolved name.
func realTemp(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

const market = `-- .claude-plugin/marketplace.json --
{
  "name": "m",
  "metadata": {"pluginRoot": "./plugins"},
  "plugins": [
    {"name": "plain", "source": "./plugins/plain", "version": "9.9.9"},
    {"name": "rooted", "source": "rooted"},
    {"name": "entry-only", "source": "./bare", "strict": false, "version": "0.1.0", "skills": ["./skills/one"], "lspServers": {"x": {"command": "x"}}},
    {"name": "alias", "source": "./plugins/plain"},
    {"name": "whole", "source": "./", "strict": false, "skills": ["./skills/two"]},
    {"name": "dot", "source": "."},
    {"name": "gone", "source": "./plugins/gone"},
    {"name": "far", "source": {"source": "github", "repo": "a/b", "sha": "0"}},
    {"name": "sub", "source": {"source": "git-subdir", "url": "https://example.org/x.git", "path": "p"}},
    {"name": "addr", "source": {"source": "url", "url": "https://example.org/x.git"}},
    {"name": "nowhere"}
  ]
}
-- plugins/plain/.claude-plugin/plugin.json --
{"name": "plain", "version": "1.0.0"}
-- plugins/rooted/.claude-plugin/plugin.json --
{"name": "rooted"}
-- bare/skills/one/SKILL.md --
---
name: one
description: One.
---
One.
-- skills/two/SKILL.md --
---
name: two
description: Two.
---
Two.
`

func TestResolveAll(t *testing.T) {
	dir := realTemp(t)
	if err := tree.Write(dir, []byte(market)); err != nil {
		t.Fatal(err)
	}
	all, err := ResolveAll(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for p, err := range all {
		if err != nil {
			got = append(got, "error")
			continue
		}
		rel, _ := filepath.Rel(dir, p.Target.Path)
		got = append(got, p.Target.Name+"@"+p.Target.Marketplace+"="+filepath.ToSlash(rel)+":"+p.Target.Version)
	}
	want := []string{
		"plain@m=plugins/plain:1.0.0",      // K08: the manifest's version counts, not the entry's
		"rooted@m=plugins/rooted:",         // K05: metadata.pluginRoot stands before a bare name
		"entry-only@m=bare:0.1.0",          // K01 K03 M14: the entry alone describes it
		"plain@m=plugins/plain:1.0.0",      // K07: the manifest's name counts
		"whole@m=.:",                       // K02 K09: the marketplace's own folder
		"dot@m=.:",                         // K06: "." is the marketplace itself
		"error",                            // K03: the folder is missing
		"error", "error", "error", "error", // K04: elsewhere, or nowhere
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestResolveEntry(t *testing.T) {
	dir := realTemp(t)
	if err := tree.Write(dir, []byte(market)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{dir, filepath.Join(dir, ".claude-plugin", "marketplace.json")} {
		p, err := Resolve("", Options{MarketplaceFile: file, EntryName: "entry-only"})
		if err != nil {
			t.Fatal(err)
		}
		if got := found(p); got != "skill one skills/one/SKILL.md\n" || p.Target.ResolvedBy != ByEntry || len(p.Manifest.LSP) != 1 {
			t.Errorf("%s %+v", got, p.Target)
		}
	}
	for _, c := range []struct{ file, name, err string }{
		{dir, "nobody", "no entry named"},
		{dir, "", "go together"},
		{dir, "far", "not a folder of this marketplace"},
		{filepath.Join(dir, "bare"), "x", "no such file, expected a marketplace"},
	} {
		if _, err := Resolve("", Options{MarketplaceFile: c.file, EntryName: c.name}); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s %s: %v, expected %q", c.file, c.name, err, c.err)
		}
	}
}

func TestErrorsCarryTheirKind(t *testing.T) {
	dir := realTemp(t)
	var not *NotPluginError
	if _, err := Resolve(dir, Options{}); !errors.As(err, &not) || not.Dir != dir {
		t.Errorf("%v", err)
	}
	if err := tree.Write(dir, []byte(pluginAt("cache/a/p/1.0.0", "p", "1.0.0")+pluginAt("cache/b/p/1.0.0", "p", "1.0.0"))); err != nil {
		t.Fatal(err)
	}
	var many *AmbiguousError
	if _, err := Resolve("p", Options{PluginsRoot: dir}); !errors.As(err, &many) || len(many.Marketplaces) != 2 {
		t.Errorf("%v", err)
	}
}

func TestDefaultRoot(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"CLAUDE_CODE_PLUGIN_CACHE_DIR": "/x", "CLAUDE_CONFIG_DIR": "/y", "HOME": "/h"}, "/x"},
		{map[string]string{"CLAUDE_CONFIG_DIR": "/y", "HOME": "/h"}, "/y/plugins"},
		{map[string]string{"CLAUDE_CONFIG_DIR": "/y,/z", "HOME": "/h"}, "/y/plugins"},
		{map[string]string{"HOME": "/h"}, "/h/.claude/plugins"},
		{map[string]string{"USERPROFILE": "/u"}, "/u/.claude/plugins"},
		{map[string]string{}, ""},
	} {
		if got := filepath.ToSlash(DefaultRoot(func(k string) string { return c.env[k] })); got != c.want {
			t.Errorf("%v: %q, expected %q", c.env, got, c.want)
		}
	}
}

func TestCleanRel(t *testing.T) {
	for in, want := range map[string]string{
		"./a/b/": "a/b", "a": "a", "./": ".", ".": ".", "a/../b": "b", "../a": "", "/a": "", "": "", `.\a\b`: "a/b", `C:\x`: "", "C:/x": "",
		"${CLAUDE_PLUGIN_ROOT}/a": "a", "./..": "",
	} {
		if got := cleanRel(in); got != want {
			t.Errorf("%q: %q, expected %q", in, got, want)
		}
	}
}

func TestUnreadableFolderIsAnError(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("as root every folder is readable")
	}
	dir := realTemp(t)
	if err := tree.Write(dir, []byte("chmod 000 p\n"+pluginAt("p", "p", "1.0.0"))); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, "p"), 0o755)
	if _, err := Resolve(filepath.Join(dir, "p"), Options{}); err == nil {
		t.Error("no error")
	}
}
