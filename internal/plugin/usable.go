package plugin

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Usable is why nothing can be said about the plugin: its manifest cannot be read, or names
// no plugin. The error gives the file, the line and what was expected there. A plugin that
// only a marketplace entry describes has its name from there.
//
// An inventory is made all the same, since it says what is wrong with the manifest; whoever
// measures or judges asks here first.
func (p *Plugin) Usable() error {
	m := &p.Manifest
	if m.Path == "" {
		return nil
	}
	at := func(line int, says string) error {
		return fmt.Errorf("%s:%d: %s", filepath.Join(p.Target.Path, filepath.FromSlash(m.Path)), line, says)
	}
	if m.Err != nil {
		says := m.Err.Msg
		if !strings.HasPrefix(says, "expected ") {
			says += ", expected a JSON object"
		}
		return at(m.Err.Line, says)
	}
	switch name, ok := m.Root.Get("name"); {
	case !ok:
		return at(1, `has no name, expected a "name" in kebab-case`)
	case name.Type() != "string":
		return at(name.Line, "name must be a string, is a "+name.Type())
	case strings.TrimSpace(name.Str()) == "":
		return at(name.Line, `the name is empty, expected a "name" in kebab-case`)
	}
	return nil
}
