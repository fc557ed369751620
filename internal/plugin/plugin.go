// Package plugin reads a Claude Code plugin as it lies on disk: where it is
// (Resolve), what its manifest says, which components the host would load from
// it, and each component's frontmatter and Markdown.
//
// It follows the host, not the folder. The host loads SKILL.md and no other
// spelling, adds the manifest's skills to the default folder but lets its
// commands and agents replace theirs, takes names from folders for skills, from
// paths for commands and from frontmatter for agents, and drops all metadata of
// a file whose YAML it cannot parse. What it would not load is kept and marked
// with the reason, because its author believes that it works.
//
// Reading is lenient: other people wrote these files, so a defect is noted as a
// Warning and reading goes on. Only a target that is no plugin is an error.
//
// Everything carries its place. A Doc is Markdown as a flat list of blocks with
// 1-based lines of the file (frontmatter included), so that whoever counts
// something can say where.
package plugin

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Plugin is one plugin on disk, read.
type Plugin struct {
	Target audit.Target
	// FS is rooted at the plugin. It follows symlinks; Files does not list what Skipped does.
	FS       fs.FS
	Manifest Manifest
	// Files are the regular files, sorted by path; Skipped what was not followed.
	Files   []File
	Skipped []Skipped
	// Components are all skills, agents and commands, sorted by kind, name and path,
	// those that the host ignores among them.
	Components []Component
	// Refused is why the host loads nothing of the plugin, "" when it loads it.
	Refused string
	// Warnings are what reading had to overlook, in the order of reading.
	Warnings []audit.Warning
}

// load reads the plugin at dir. bound is the folder that its symlinks may not leave.
func load(dir, bound string, target audit.Target, entry *entryRef) (*Plugin, error) {
	p := &Plugin{Target: target, FS: os.DirFS(dir)}
	p.Target.Path = dir
	if hasManifest(dir) {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(manifestPath)))
		if err != nil {
			return nil, err
		}
		text, issues := DecodeText(b)
		p.Manifest = readManifest(text, manifestPath)
		for _, i := range issues {
			p.warn("text-"+string(i), manifestPath, 0, textIssueSays[i])
		}
		if p.Manifest.Err != nil {
			p.warn("manifest-unreadable", manifestPath, p.Manifest.Err.Line, "is not a JSON object; the host refuses the plugin")
		}
	}
	if entry != nil {
		p.Manifest.merge(entry.json, entry.file)
	}
	p.Target.Name, p.Target.Version = p.Manifest.Name, p.Manifest.Version
	p.Target.Repository = p.Manifest.repository()
	t, err := walk(dir, bound, p.Manifest.declaredPaths())
	if err != nil {
		return nil, err
	}
	p.Files, p.Skipped = t.files, t.skipped
	if t.full {
		p.warn("too-many-files", "", 0, "has more files than are read; the rest is left out")
	}
	for _, s := range t.skipped {
		say, ok := skipSays[s.Reason]
		switch {
		case s.Reason == "unreadable" && p.mayHoldComponents(s.Path):
			p.warn(ComponentUnreadable, s.Path, 0, "cannot be read; which components stand in it is not known")
		case ok:
			p.warn("path-"+s.Reason, s.Path, 0, say)
		}
	}
	p.discover()
	return p, nil
}

var skipSays = map[string]string{
	"dangling":      "is a symlink to nothing",
	"escapes":       "is a symlink that leaves the plugin; it was not followed",
	"nested-plugin": "is a plugin of its own; it was not entered",
	"too-deep":      "is nested too deeply; it was not entered",
	"unreadable":    "cannot be listed",
}

// Exists reports whether a file or folder stands at the relative path, empty folders included.
func (p *Plugin) Exists(rel string) bool {
	_, err := os.Stat(filepath.Join(p.Target.Path, filepath.FromSlash(rel)))
	return err == nil
}

// linkedDir reports whether the relative path is itself a symlink.
func (p *Plugin) linkedDir(rel string) bool {
	info, err := os.Lstat(filepath.Join(p.Target.Path, filepath.FromSlash(rel)))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// leaves reports whether the relative path is a symlink to somewhere outside the plugin.
func (p *Plugin) leaves(rel string) bool {
	if !p.linkedDir(rel) {
		return false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(p.Target.Path, filepath.FromSlash(rel)))
	return err != nil || !within(p.Target.Path, real)
}

// Symlinks counts the entries of the relative folder that are symlinks, the folder itself
// when it is one.
func (p *Plugin) Symlinks(rel string) int {
	if p.linkedDir(rel) {
		return 1
	}
	entries, err := os.ReadDir(filepath.Join(p.Target.Path, filepath.FromSlash(rel)))
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			n++
		}
	}
	return n
}
