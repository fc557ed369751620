package inventory

import (
	"path"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// layout is a plugin's files with what each of them is for.
type layout struct {
	p *plugin.Plugin
	// component: the files that are components.
	component map[string]bool
	// skillDir: the folder of each skill → the skill's file.
	skillDir map[string]string
}

func newLayout(p *plugin.Plugin) *layout {
	l := &layout{p: p, component: map[string]bool{}, skillDir: map[string]string{}}
	for i := range p.Components {
		c := &p.Components[i]
		l.component[c.Path] = true
		if c.Dir != "" {
			l.skillDir[c.Dir] = c.Path
		}
	}
	return l
}

// owner is the file of the skill in whose folder a file stands, the innermost; "" for none.
func (l *layout) owner(file string) string {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if skill, ok := l.skillDir[dir]; ok {
			return skill
		}
	}
	return ""
}
