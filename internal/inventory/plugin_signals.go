package inventory

// pluginSignals sums up the whole plugin.
//
// Script coverage is the share of the literal commands, of all that the prose tells the
// model to run, that call an executable which the plugin ships. Lines of script count
// where programs stand for use: tests, fixtures, examples, vendored and generated files
// are reported by folder and not counted; an inline hook counts its commands.
func pluginSignals(d *Document) PluginSignals {
	s := PluginSignals{ByFolder: map[string]int{}, Duplicates: []Duplicate{}, Drift: []DriftPair{}, Tokens: Cost{Method: Method}}
	for _, e := range d.Surface.Executables {
		s.ByFolder[e.Folder]++
		if !apart(e.Folder) {
			s.ScriptLOC += int64(e.LOC)
		}
	}
	for _, h := range d.Surface.Hooks {
		s.ScriptLOC += int64(h.InlineLOC)
	}
	var own, literal int64
	for i := range d.Components {
		c := &d.Components[i]
		s.BodyWords += int64(c.Signals.BodyWords)
		own += int64(c.Signals.OwnCommands)
		literal += int64(c.Signals.ShellCommands + c.Signals.InlineCommands)
		if c.Loaded {
			s.Tokens.Trigger += c.Tokens.Trigger
			s.Tokens.Listed += c.Tokens.Listed
			s.Tokens.Invoke += c.Tokens.Invoke
		}
	}
	for _, r := range d.Surface.References {
		s.Tokens.Deferred += r.Tokens
	}
	if literal > 0 {
		ppm := own * 1_000_000 / literal
		s.ScriptCoveragePPM = &ppm
	}
	return s
}
