package inventory

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
)

// meter reads the static signals of one plugin's components. Take calls measure for
// each component in document order and then whole, which compares them.
type meter struct {
	p        *plugin.Plugin
	own      *own
	masker   *signature.Masker
	readings []*reading
	programs map[string]bool // words asked about by known
}

// newMeter prepares to read p. execs are its executables as the surface lists them.
func newMeter(p *plugin.Plugin, execs []Executable) *meter {
	o := signature.Own{Plugin: p.Target.Name, Root: p.Target.Path}
	for _, f := range p.Files {
		o.Files = append(o.Files, f.Path)
	}
	for _, e := range execs {
		o.Executables = append(o.Executables, e.Path)
	}
	return &meter{p: p, own: newOwn(execs), masker: signature.New(o), programs: map[string]bool{}}
}

// measure sets a component's signals and steps from its text.
func (m *meter) measure(c *Component, doc *plugin.Doc) {
	meta := &c.Effective
	if c.Recovered != nil {
		meta = c.Recovered // what its author wrote, for counting only
	}
	if doc == nil {
		doc = &plugin.Doc{} // the file could not be read
	}
	r := newReading(m, c, doc, meta.ArgumentHint)
	r.read()
	c.Signals, c.Steps, c.RuleTables = r.signals(meta), r.steps(), r.ruleTables()
	m.readings = append(m.readings, r)
}

// whole compares the components with each other and with the hooks' scripts.
func (m *meter) whole(s *PluginSignals, hooks []Hook) {
	s.Duplicates = m.duplicates()
	s.Drift = m.drift(hooks)
}

// known reports whether a word is a program that everybody may name.
func (m *meter) known(program string) bool {
	if readers[program] || callers[program] {
		return true
	}
	if strings.ContainsAny(program, " \t/$<>|&;()`\"'") {
		return false
	}
	is, ok := m.programs[program]
	if !ok {
		p := m.masker.Bash(program)
		is = p.OK && len(p.Commands) == 1 && !strings.Contains(p.Commands[0].Sig, "<")
		m.programs[program] = is
	}
	return is
}

// sign sets a command's masked signatures. They stay "" for what changes only the shell
// (cd, echo) and for a program that may not be named.
func (m *meter) sign(c *command) {
	if c.Own != "" {
		c.Sig = "Bash <own:" + c.Own + ">"
		c.Full = c.Sig
		return
	}
	p := m.masker.Bash(c.Source)
	if !p.OK || len(p.Commands) == 0 || p.Commands[0].Neutral {
		return
	}
	if s := p.Commands[0].Sig; s != "Bash <prog>" && !strings.HasPrefix(s, "Bash <path") {
		c.Sig, c.Full = s, p.Commands[0].Full
	}
}
