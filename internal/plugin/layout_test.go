package plugin

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/tree"
)

// found renders what Resolve made of a folder: a line for each component with the
// reason when the host ignores it, then warnings, then how the frontmatter read.
func found(p *Plugin) string {
	var sb strings.Builder
	for i := range p.Components {
		c := &p.Components[i]
		fmt.Fprintf(&sb, "%s %s %s", c.Kind, c.Name, c.Path)
		if !c.Loaded() {
			fmt.Fprintf(&sb, " | %s", c.NotLoaded)
		}
		sb.WriteByte('\n')
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&sb, "warning %s %s\n", w.Code, w.Path)
	}
	return sb.String()
}

const okManifest = "-- .claude-plugin/plugin.json --\n{\"name\": \"sample\", \"version\": \"1.0.0\"}\n"

func withManifest(fields string) string {
	return "-- .claude-plugin/plugin.json --\n{\"name\": \"sample\", " + fields + "}\n"
}

// skill, agent and command are minimal components at a path.
func skill(path, name string) string {
	return "-- " + path + " --\n---\nname: " + name + "\ndescription: It is " + name + ".\n---\nDo it.\n"
}

var layouts = []struct{ name, archive, want string }{
	{"M01 skills string adds to the default folder", withManifest(`"skills": "./more"`) + skill("skills/a/SKILL.md", "a") + skill("more/b/SKILL.md", "b"),
		"skill a skills/a/SKILL.md\nskill b more/b/SKILL.md\n"},
	{"M02 skills array, the default folder among them", withManifest(`"skills": ["./skills/", "./more/b"]`) + skill("skills/a/SKILL.md", "a") + skill("more/b/SKILL.md", "bee"),
		"skill a skills/a/SKILL.md\nskill bee more/b/SKILL.md\n"},
	{"M03 path without ./ is refused", withManifest(`"skills": "more"`) + skill("more/b/SKILL.md", "b"),
		"skill b more/b/SKILL.md | " + HostRefuses + "a path of the manifest's skills does not start with ./\n"},
	{"M04 path with ../ inside and out", withManifest(`"skills": ["./x/../more", "./../out"]`) + skill("more/b/SKILL.md", "b") + skill("skills/a/SKILL.md", "a"),
		"skill a skills/a/SKILL.md\nskill b more/b/SKILL.md\n"},
	{"M05 a glob names nothing", withManifest(`"commands": "./packs/*/commands"`) + skill("packs/x/commands/c.md", "c"), ""},
	{"M06 agents: a file", withManifest(`"agents": ["./x.agent.md"]`) + skill("x.agent.md", "ex") + skill("agents/old.md", "old"),
		"agent ex x.agent.md\nagent old agents/old.md | " + Replaced + "\n"},
	{"M07 component folders inside a skill", withManifest(`"commands": "./skills/s/commands/"`) + skill("skills/s/SKILL.md", "s") + skill("skills/s/commands/go.md", "go"),
		"command go skills/s/commands/go.md\nskill s skills/s/SKILL.md\n"},
	{"M07 an agents folder is refused", withManifest(`"agents": "./skills/s/agents/"`) + skill("skills/s/SKILL.md", "s") + skill("skills/s/agents/x.md", "x"),
		"agent x skills/s/agents/x.md | " + HostRefuses + "the manifest's agents names something that is no .md file\n" +
			"skill s skills/s/SKILL.md | " + HostRefuses + "the manifest's agents names something that is no .md file\n"},
	{"M08 absolute path", withManifest(`"commands": "/etc"`) + skill("commands/c.md", "c"),
		"command c commands/c.md | " + HostRefuses + "a path of the manifest's commands does not start with ./\n"},
	{"M17 no version", "-- .claude-plugin/plugin.json --\n{\"name\": \"sample\"}\n" + skill("skills/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\n"},
	{"M19 M20 M22 author string, repository object, unknown keys", withManifest(`"author": "me", "repository": {"url": "x"}, "requires": [1], "mcp": {}`) + skill("skills/a/SKILL.md", "a"),
		"skill a skills/a/SKILL.md\n"},
	{"M24 BOM and CRLF", "bytes .claude-plugin/plugin.json \"\\xef\\xbb\\xbf{\\r\\n\\\"name\\\": \\\"sample\\\"\\r\\n}\"\n" + skill("skills/a/SKILL.md", "a"),
		"skill a skills/a/SKILL.md\nwarning text-bom .claude-plugin/plugin.json\n"},
	{"M24 not JSON", "-- .claude-plugin/plugin.json --\n{\"name\": \"sample\",\n" + skill("skills/a/SKILL.md", "a"),
		"skill a skills/a/SKILL.md | " + HostRefuses + "the manifest is no JSON object\nwarning manifest-unreadable .claude-plugin/plugin.json\n"},
	{"M24 duplicate keys, the last counts", "-- .claude-plugin/plugin.json --\n{\"name\": \"first\", \"name\": \"sample\"}\n" + skill("skills/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\n"},
	{"M25 nested roots stop the walk", okManifest + skill("skills/a/SKILL.md", "a") + "-- inner/.claude-plugin/plugin.json --\n{\"name\": \"inner\"}\n" + skill("inner/skills/b/SKILL.md", "b") +
		"-- skills/a/fixtures/p/.claude-plugin/plugin.json --\n{\"name\": \"p\"}\n" + skill("skills/a/fixtures/p/skills/c/SKILL.md", "c"),
		"skill a skills/a/SKILL.md\nwarning path-nested-plugin inner\nwarning path-nested-plugin skills/a/fixtures/p\n"},
	{"M25 unless the manifest names it", withManifest(`"skills": "./inner/skills"`) + "-- inner/.claude-plugin/plugin.json --\n{\"name\": \"inner\"}\n" + skill("inner/skills/b/SKILL.md", "b"),
		"skill b inner/skills/b/SKILL.md\n"},
	{"M26 manifests of other hosts beside it", okManifest + "-- .codex-plugin/plugin.json --\n{\"name\": \"codex\"}\n-- .cursor-plugin/plugin.json --\n{}\n" + skill("skills/a/SKILL.md", "a"),
		"skill a skills/a/SKILL.md\n"},
	{"M27 no component", okManifest + "-- README.md --\nhi\n", ""},
	{"M29 CLAUDE.md is no component", okManifest + "-- CLAUDE.md --\nhi\n" + skill("skills/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\n"},
	{"commands in an object (schema store)", withManifest(`"commands": {"about": {"source": "./docs/about.md"}, "hi": {"content": "---\ndescription: Hi.\n---\nSay hi."}}`) + skill("docs/about.md", "x"),
		"command about docs/about.md\ncommand hi .claude-plugin/plugin.json\n"},

	{"C01 nested below a skill is not loaded, samples are none", okManifest + skill("skills/a/SKILL.md", "a") + skill("skills/a/web/SKILL.md", "web") + skill("skills/group/b/SKILL.md", "b") +
		skill("skills/a/assets/sample/SKILL.md", "sample"),
		"skill a skills/a/SKILL.md\nskill a/web skills/a/web/SKILL.md | " + NestedSkill + "\nskill group/b skills/group/b/SKILL.md | " + NestedSkill + "\n"},
	{"C02 SKILL.md outside skills is none", okManifest + skill("skills/a/SKILL.md", "a") + skill(".agents/skills/a/SKILL.md", "a") + skill("docs/ja-JP/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\n"},
	{"C03 lower-case skill.md is reported", okManifest + skill("skills/a/skill.md", "a") + skill("skills/b/Skill.md", "b"),
		"skill a skills/a/skill.md | " + WrongCase + "\nskill b skills/b/Skill.md | " + WrongCase + "\n"},
	{"C04 root SKILL.md alone", okManifest + skill("SKILL.md", "rooted"), "skill rooted SKILL.md\n"},
	{"C04 root SKILL.md beside skills", okManifest + skill("SKILL.md", "rooted") + skill("skills/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\nskill rooted SKILL.md | " + RootIgnored + "\n"},
	{"C04 root SKILL.md with a skills key", withManifest(`"skills": "./more"`) + skill("SKILL.md", "rooted") + skill("more/a/SKILL.md", "a"), "skill a more/a/SKILL.md\nskill rooted SKILL.md | " + RootIgnored + "\n"},
	{"C04 root SKILL.md without a name is called after the folder", okManifest + "-- SKILL.md --\n---\ndescription: d\n---\nx\n", "skill anything SKILL.md\n"},
	{"C05 skills is a symlink out of the plugin", "symlink skills -> ../elsewhere\n" + okManifest, "warning path-dangling skills\n"},
	{"C05 skills is a symlink inside", "symlink skills -> lib\n" + okManifest + skill("lib/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\n"},
	{"C05 a skill folder that escapes", "symlink skills/out -> ../../..\n" + okManifest + skill("skills/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\nwarning path-escapes skills/out\n"},
	{"C06 dangling", "symlink skills/gone -> ../nowhere\n" + okManifest + skill("skills/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\nwarning path-dangling skills/gone\n"},
	{"C07 linked skills load, once each", "symlink skills/b/SKILL.md -> ../../lib/b.md\nsymlink skills/c -> a\n" + okManifest + skill("skills/a/SKILL.md", "a") + skill("lib/b.md", "b"),
		"skill a skills/a/SKILL.md\nskill b skills/b/SKILL.md\nskill c skills/c/SKILL.md | " + SameFile + "\n"},
	{"C07 linked commands and agents do not", "symlink commands/x.md -> ../lib/b.md\nsymlink agents/sub -> ../lib\n" + okManifest + skill("lib/b.md", "b"),
		"agent sub:b agents/sub/b.md | " + LinkedFile + "\ncommand x commands/x.md | " + LinkedFile + "\n"},
	{"C05 a cycle of links ends", "symlink skills/a/up -> ../..\nsymlink loop -> .\n" + okManifest + skill("skills/a/SKILL.md", "a"), "skill a skills/a/SKILL.md\n"},
	{"C08 other files in component folders", okManifest + skill("agents/a.md", "a") + "-- agents/x.yaml --\nx: 1\n" + skill("commands/c.md", "c") + "-- commands/create/preflight.sh --\ntrue\n",
		"agent a agents/a.md\ncommand c commands/c.md\n"},
	{"C09 sub-folders", okManifest + skill("commands/git/pr.md", "ignored") + skill("commands/git/deep/x.md", "ignored") + skill("agents/ops/a.md", "deployer"),
		"agent ops:deployer agents/ops/a.md\ncommand git:deep:x commands/git/deep/x.md\ncommand git:pr commands/git/pr.md\n"},
	{"C09 a skill inside commands", okManifest + skill("commands/deploy/SKILL.md", "x") + skill("commands/deploy/notes.md", "n"), "skill deploy commands/deploy/SKILL.md\n"},
	{"C09 skills among commands: deeper, in lower case, with files below", okManifest + skill("commands/a/b/SKILL.md", "x") + skill("commands/a/b/c/x.md", "n") + skill("commands/low/skill.md", "l") + skill("commands/a/z.md", "z"),
		"command a:z commands/a/z.md\nskill a:b commands/a/b/SKILL.md\nskill low commands/low/skill.md\n"},
	{"C09 a SKILL.md at the top of commands", okManifest + skill("commands/SKILL.md", "x") + skill("commands/y.md", "y"), "skill commands commands/SKILL.md\n"},
	{"C08 every .md in agents is one", okManifest + "-- agents/README.md --\nhi\n", "agent README agents/README.md\n"},
	{"C09 only a lower-case extension goes from a command's name", okManifest + skill("commands/UP.MD", "x"), "command UP.MD commands/UP.MD\n"},
	{"F14 a component in UTF-16 is no text that is read", "bytes skills/a/SKILL.md \"\\xff\\xfe-\\x00\"\n" + okManifest,
		"skill a skills/a/SKILL.md\nwarning text-utf-16 skills/a/SKILL.md\nwarning text-not-utf8 skills/a/SKILL.md\nwarning text-nul-bytes skills/a/SKILL.md\nwarning component-unreadable skills/a/SKILL.md\n"},
	{"C12 blanks and braces in names", okManifest + skill("skills/my skill/SKILL.md", "x") + skill("skills/a{b}/SKILL.md", "y"), "skill a-b- skills/a{b}/SKILL.md\nskill my-skill skills/my skill/SKILL.md\n"},
	{"C15 x.agent.md", okManifest + skill("agents/x.agent.md", "ex") + "-- agents/y.agent.md --\nno block\n", "agent ex agents/x.agent.md\nagent y.agent agents/y.agent.md\n"},
	{"F07 names: missing, other than the folder, not kebab", okManifest + "-- skills/a/SKILL.md --\n---\ndescription: d\n---\nx\n" + skill("skills/b/SKILL.md", "Other Name") + "-- commands/c.md --\n---\ndescription: d\n---\nx\n",
		"command c commands/c.md\nskill a skills/a/SKILL.md\nskill b skills/b/SKILL.md\n"},
	{"F07 two agents of one name: the second is not loaded", okManifest + skill("agents/a.md", "same") + skill("agents/b.md", "same"), "agent same agents/a.md\nagent same agents/b.md | " + NameTaken + "\n"},
}

func TestLayouts(t *testing.T) {
	for _, c := range layouts {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "anything")
			if err := tree.Write(dir, []byte(c.archive)); err != nil {
				t.Fatal(err)
			}
			p, err := Resolve(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := found(p); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if p.Manifest.Err == nil && p.Target.Name != "sample" {
				t.Errorf("M21: the name is %q, expected the manifest's, whatever the folder is called", p.Target.Name)
			}
		})
	}
}

// C10 C11: a text of any length is read as far as MaxText, and that is said.
func TestHugeComponent(t *testing.T) {
	dir := t.TempDir()
	body := strings.Repeat("A line of text with [a link](x.md) and `code`.\n", 2*MaxText/48)
	if err := tree.Write(dir, []byte(okManifest+"-- skills/a/SKILL.md --\n---\nname: a\ndescription: d\n---\n"+body)); err != nil {
		t.Fatal(err)
	}
	p, err := Resolve(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := found(p); got != "skill a skills/a/SKILL.md\nwarning text-too-long skills/a/SKILL.md\n" {
		t.Error(got)
	}
	if n := len(p.Components[0].Text); n != MaxText {
		t.Errorf("%d bytes, expected %d", n, MaxText)
	}
}
