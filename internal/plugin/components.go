package plugin

import (
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// Component is one skill, agent or command with its text.
type Component struct {
	// Kind is audit.KindSkill, KindAgent or KindCommand.
	Kind string
	// Name as the host knows it, without the plugin's prefix: a skill's folder, a
	// command's path ("sub:deploy"), an agent's frontmatter name.
	Name string
	// Path is the file, Dir the skill's own folder ("" for agents, commands and a root
	// skill): what stands in Dir is read later, on demand.
	Path, Dir string
	// NotLoaded is why the host ignores it; "" when it loads.
	NotLoaded string
	// Text is the whole file with "\n" line ends; Body what the host gives to the model.
	Text, Body string
	Front      Front
	// Doc is Body as Markdown, with lines of the file.
	Doc *Doc
}

// Loaded reports whether the host loads it.
func (c *Component) Loaded() bool { return c.NotLoaded == "" }

// Reasons for which the host ignores a component.
const (
	WrongCase    = "the host reads SKILL.md only, in this spelling"
	NestedSkill  = "the host reads skills/<folder>/SKILL.md only, not deeper"
	RootIgnored  = "a root SKILL.md counts only without a skills folder and without a skills key"
	RootNameless = "a root SKILL.md needs a name in its frontmatter"
	Replaced     = "the manifest's key replaces the default folder"
	SameFile     = "the host loads the same file under another name already"
	LinkedFolder = "the host does not follow a component folder that is a symlink out of the plugin"
	LinkedFile   = "the host follows no symlinks among commands and agents"
	NameTaken    = "another component of this kind has the name already"
	// HostRefuses comes before the reason for which it refuses the whole plugin.
	HostRefuses = "the host refuses the plugin: "
)

// discover fills p.Components, sorted by kind then name then path.
func (p *Plugin) discover() {
	d := &discovery{p: p, at: map[string]int{}, real: map[string]bool{}}
	d.skills()
	d.commands()
	d.agents()
	if p.Refused = p.Manifest.refusal(); p.Refused == "" {
		p.Refused = p.hooksRefusal()
	}
	if p.Refused != "" {
		for i := range p.Components {
			p.Components[i].NotLoaded = HostRefuses + p.Refused
		}
	}
	sort.SliceStable(p.Components, func(i, j int) bool {
		a, b := &p.Components[i], &p.Components[j]
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		if a.Name != b.Name {
			return a.Name < b.Name
		}
		return a.Path < b.Path
	})
	taken := map[audit.ComponentRef]bool{}
	for i := range p.Components {
		c := &p.Components[i]
		ref := audit.ComponentRef{Kind: c.Kind, Name: c.Name}
		if c.Loaded() && taken[ref] {
			c.NotLoaded = NameTaken
		}
		taken[ref] = taken[ref] || c.Loaded()
	}
}

type discovery struct {
	p *Plugin
	// at finds the component of a file by kind and path, real the first one that loads
	// a file by whichever way.
	at   map[string]int
	real map[string]bool
}

// add reads a component's file once. A second way to the same file only makes it loaded.
func (d *discovery) add(kind, name, file, dir, notLoaded string) {
	key := kind + "\x00" + file
	if i, ok := d.at[key]; ok {
		if c := &d.p.Components[i]; !c.Loaded() && notLoaded == "" {
			c.NotLoaded, c.Name = "", name
		}
		return
	}
	if f, ok := d.p.File(file); ok && notLoaded == "" {
		switch way := kind + "\x00" + f.Real; {
		case f.Linked && kind != audit.KindSkill:
			notLoaded = LinkedFile
		case d.real[way]:
			notLoaded = SameFile
		default:
			d.real[way] = true
		}
	}
	text, err := d.p.Text(file)
	if err != nil {
		d.p.warn(ComponentUnreadable, file, 0, "cannot be read"+because(err))
		return
	}
	if d.p.warned(file, "text-"+string(UTF16), "text-"+string(BinaryBytes)) {
		d.p.warn(ComponentUnreadable, file, 0, "cannot be read: expected UTF-8 text, found UTF-16 or NUL bytes")
	}
	c := Component{Kind: kind, Name: name, Path: file, Dir: dir, NotLoaded: notLoaded, Text: text}
	c.read()
	if kind == audit.KindAgent {
		if n := strings.TrimSpace(c.Front.Host().Text("name")); n != "" {
			c.Name = prefixOf(name) + n
		}
	}
	d.at[key] = len(d.p.Components)
	d.p.Components = append(d.p.Components, c)
}

func (c *Component) read() {
	var line int
	c.Front, c.Body, line = ParseFront(c.Text)
	c.Doc = ParseMarkdown(c.Body, line)
}

// prefixOf keeps the sub-folders of "a:b:x": "a:b:".
func prefixOf(name string) string { return name[:strings.LastIndexByte(name, ':')+1] }

// skills: the default folder, what the manifest adds, and the root SKILL.md.
func (d *discovery) skills() {
	p := d.p
	why := ""
	if p.leaves("skills") {
		why = LinkedFolder
	}
	d.skillFolder("skills", why)
	for _, r := range p.Manifest.Skills {
		if r.Rel == "" {
			continue
		}
		file := path.Join(r.Rel, "SKILL.md")
		if f, ok := p.File(r.Rel); ok && path.Base(f.Path) == "SKILL.md" {
			file = f.Path
		}
		if _, ok := p.File(file); ok {
			// A path that is one skill takes its frontmatter name, the folder's without.
			name := HostName(path.Base(path.Dir(file)))
			if n := d.frontName(file); n != "" {
				name = n
			} else if name == "." {
				name = p.Manifest.Name
			}
			d.add(audit.KindSkill, name, file, dirOf(file), "")
			continue
		}
		d.skillFolder(r.Rel, "")
	}
	if _, ok := p.File("SKILL.md"); ok {
		name := d.frontName("SKILL.md")
		switch {
		case p.Exists("skills") || p.Manifest.Skills != nil:
			if name == "" {
				name = p.Manifest.Name
			}
			d.add(audit.KindSkill, name, "SKILL.md", "", RootIgnored)
		default:
			if name == "" { // observed; for an installed plugin that is its version's folder
				name = HostName(filepath.Base(p.Target.Path))
			}
			d.add(audit.KindSkill, name, "SKILL.md", "", "")
		}
	}
}

func dirOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// skillFolder finds folder/*/SKILL.md, and what looks like a skill but is none.
func (d *discovery) skillFolder(folder, why string) {
	for _, f := range d.p.Under(folder) {
		base := path.Base(f.Path)
		if !strings.EqualFold(base, "SKILL.md") {
			continue
		}
		rel := strings.TrimPrefix(f.Path, folder+"/")
		if folder == "." {
			rel = f.Path
		}
		depth := strings.Count(rel, "/")
		dir := path.Dir(f.Path)
		reason := why
		switch {
		case depth == 0 && folder != ".":
			continue // the folder itself is one skill: seen by the caller
		case depth == 0:
			continue
		case depth > 1 && isSample(rel):
			continue // a skill's own sample or template, C01
		case reason != "":
		case base != "SKILL.md":
			reason = WrongCase
		case depth > 1:
			reason = NestedSkill
		}
		name := HostName(path.Base(dir))
		if reason == NestedSkill { // not its base alone, which others have too
			name = path.Dir(rel)
		}
		d.add(audit.KindSkill, name, f.Path, dir, reason)
	}
}

var notInName = pattern.New(`[^A-Za-z0-9_-]`)

// HostName is a skill's name from its folder: what the host cannot have in a name
// becomes a hyphen (observed).
func HostName(folder string) string { return notInName().ReplaceAllString(folder, "-") }

// isSample: below a folder in which skills keep examples, not skills of the plugin.
func isSample(rel string) bool {
	for _, part := range strings.Split(path.Dir(rel), "/") {
		switch part {
		case "assets", "templates", "template", "examples", "fixtures", "testdata", "tests", "node_modules":
			return true
		}
	}
	return false
}

func (d *discovery) frontName(file string) string {
	text, err := d.p.Text(file)
	if err != nil {
		return ""
	}
	f, _, _ := ParseFront(text)
	return strings.TrimSpace(f.Host().Text("name"))
}

// commands: the manifest's paths, else the default folder.
func (d *discovery) commands() {
	p := d.p
	refs := p.Manifest.Commands
	for _, r := range refs {
		switch {
		case r.Content != "":
			c := Component{Kind: audit.KindCommand, Name: r.Name, Path: p.Manifest.describe(), Text: r.Content}
			c.read()
			p.Components = append(p.Components, c)
		case r.Rel == "":
		case d.isFile(r.Rel):
			name := r.Name
			if name == "" {
				name = commandName(path.Base(r.Rel))
			}
			d.add(audit.KindCommand, name, r.Rel, "", "")
		default:
			d.commandFolder(r.Rel, "")
		}
	}
	why := ""
	if refs != nil {
		why = Replaced
	} else if p.leaves("commands") {
		why = LinkedFolder
	}
	d.commandFolder("commands", why)
}

// commandFolder finds *.md at any depth. A SKILL.md (here in any case) makes its folder a
// skill, and then nothing else in or below that folder is a command.
func (d *discovery) commandFolder(folder, why string) {
	files := d.p.Under(folder)
	skillDirs := map[string]bool{}
	for _, f := range files {
		if strings.EqualFold(path.Base(f.Path), "SKILL.md") {
			skillDirs[path.Dir(f.Path)] = true
		}
	}
	for _, f := range files {
		if !strings.EqualFold(path.Ext(f.Path), ".md") {
			continue
		}
		rel := strings.TrimPrefix(f.Path, folder+"/")
		dir := outermost(path.Dir(f.Path), folder, skillDirs)
		switch {
		case dir == "":
			d.add(audit.KindCommand, commandName(rel), f.Path, "", why)
		case dir == path.Dir(f.Path) && strings.EqualFold(path.Base(f.Path), "SKILL.md"):
			name := commandName(strings.TrimPrefix(dir, folder+"/"))
			if dir == folder {
				name = path.Base(folder)
			}
			d.add(audit.KindSkill, name, f.Path, dir, why)
		}
	}
}

// outermost is the first of the folders on the way from folder down to dir that is in set,
// "" when none is.
func outermost(dir, folder string, set map[string]bool) string {
	found := ""
	for {
		if set[dir] {
			found = dir
		}
		if dir == folder || dir == "." || dir == "/" {
			return found
		}
		dir = path.Dir(dir)
	}
}

// commandName: "sub/deploy.md" is "sub:deploy"; only the lower-case extension goes.
func commandName(rel string) string {
	return strings.ReplaceAll(strings.TrimSuffix(rel, ".md"), "/", ":")
}

// agents: the manifest's files, else the default folder.
func (d *discovery) agents() {
	p := d.p
	refs := p.Manifest.Agents
	for _, r := range refs {
		switch {
		case r.Rel == "":
		case d.isFile(r.Rel):
			d.add(audit.KindAgent, commandName(path.Base(r.Rel)), r.Rel, "", "")
		default:
			d.agentFolder(r.Rel, "")
		}
	}
	why := ""
	if refs != nil {
		why = Replaced
	} else if p.leaves("agents") {
		why = LinkedFolder
	}
	d.agentFolder("agents", why)
}

func (d *discovery) agentFolder(folder, why string) {
	for _, f := range d.p.Under(folder) {
		if strings.EqualFold(path.Ext(f.Path), ".md") {
			rel := strings.TrimPrefix(f.Path, folder+"/")
			d.add(audit.KindAgent, commandName(rel), f.Path, "", why)
		}
	}
}

func (d *discovery) isFile(rel string) bool {
	_, ok := d.p.File(rel)
	return ok
}
