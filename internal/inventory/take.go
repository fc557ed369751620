package inventory

import (
	"fmt"
	"sort"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Take makes the inventory of a plugin: what the host loads from it and runs, what
// its text costs, what its prose looks like, and what is wrong with it. It only reads;
// nothing of the plugin is run. The error is of reading, never about the plugin.
func Take(p *plugin.Plugin) (*Document, error) {
	l := newLayout(p)
	s, err := l.surface()
	if err != nil {
		return nil, err
	}
	d := &Document{Document: Kind, Target: p.Target, Surface: s.Surface, Components: []Component{}, Warnings: []audit.Warning{}}
	m := newMeter(p, d.Surface.Executables)
	for i := range p.Components {
		src := &p.Components[i]
		c := l.describe(src)
		m.measure(&c, src.Doc)
		d.Components = append(d.Components, c)
	}
	d.Plugin = pluginSignals(d)
	m.whole(&d.Plugin, d.Surface.Hooks)
	d.Checks = runChecks(p, d, s)
	d.Warnings = append(d.Warnings, p.Warnings...)
	sort.SliceStable(d.Warnings, func(i, j int) bool {
		a, b := d.Warnings[i], d.Warnings[j]
		return fmt.Sprintf("%s\x00%06d\x00%s", a.Path, a.Line, a.Code) < fmt.Sprintf("%s\x00%06d\x00%s", b.Path, b.Line, b.Code)
	})
	return d, nil
}
