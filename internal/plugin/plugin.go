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
