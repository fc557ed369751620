package inventory

import (
	"fmt"
	"sort"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Severities: an error does not work, or the client refuses it; a warning works less
// well than meant, or the client warns of it under --strict; info is a habit.
const (
	sevError   = "error"
	sevWarning = "warning"
	sevInfo    = "info"
)

// Sources: the client's own rule (claude plugin validate says it too), a published
// specification, or ours, which the client does not look at.
const (
	fromHost = "host"
	fromSpec = "spec"
	fromOurs = "ours"
)

// rule is one kind of defect.
type rule struct {
	severity, source, remedy string
}

// checker collects what the rules find.
type checker struct {
	*layout
	s     *surface
	d     *Document
	found []Check
}

// add notes one finding of the rule id.
func (c *checker) add(id, path string, line int, format string, args ...any) {
	r := rules[id] // that every id has its rule is held by a test over these sources
	c.found = append(c.found, Check{ID: id, Severity: r.severity, Source: r.source, Path: path, Line: line,
		Message: fmt.Sprintf(format, args...), Remediation: r.remedy})
}

// runChecks applies every rule, and sorts what they find by file, line and id.
func runChecks(p *plugin.Plugin, d *Document, s *surface) []Check {
	c := &checker{layout: newLayout(p), s: s, d: d, found: []Check{}}
	c.manifest()
	c.componentPaths()
	c.frontmatter()
	c.checkHooks()
	c.checkServers()
	c.files()
	c.links()
	c.budget()
	sort.SliceStable(c.found, func(i, j int) bool {
		a, b := c.found[i], c.found[j]
		if a.Path != b.Path {
			return a.Path < b.Path
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.ID != b.ID {
			return a.ID < b.ID
		}
		return a.Message < b.Message
	})
	return c.found
}
