package plugin

import (
	"errors"
	"io/fs"
	"path"
)

// ComponentUnreadable is the warning of a component whose text could not be read, or of a
// folder in which components may stand: what is said of the plugin leaves them out.
const ComponentUnreadable = "component-unreadable"

// because is the reason of a failed read, without the path; "" when the system gave none.
func because(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return ": " + pe.Err.Error()
	}
	return ""
}

// mayHoldComponents reports whether the host would look for components at rel, below it, or
// in the folder that rel is in: commands and agents at any depth, skills one folder down.
func (p *Plugin) mayHoldComponents(rel string) bool {
	m := &p.Manifest
	for _, root := range roots("skills", m.Skills) {
		if holds(rel, root) || root == "." && path.Dir(rel) == "." || path.Dir(rel) == root {
			return true
		}
	}
	for _, root := range append(roots("commands", m.Commands), roots("agents", m.Agents)...) {
		if holds(rel, root) || holds(root, rel) {
			return true
		}
	}
	return false
}

// roots are a default folder and what the manifest declares beside it or in its place.
func roots(folder string, declared []PathRef) []string {
	out := []string{folder}
	for _, r := range declared {
		if r.Rel != "" {
			out = append(out, r.Rel)
		}
	}
	return out
}

// holds reports whether the relative folder is rel or above it.
func holds(folder, rel string) bool {
	return folder == "." || rel == folder || len(rel) > len(folder) && rel[:len(folder)] == folder && rel[len(folder)] == '/'
}
