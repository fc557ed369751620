package filing

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The channel "file": a finding is a Markdown file that begins with these lines. Whoever
// works on it edits them: state: closed, resolution: completed, not_planned or reverted.
const (
	stateLine      = "state: "
	resolutionLine = "resolution: "
	labelsLine     = "labels: "
	createdLine    = "created: "
	fileHead       = "---"
)

// LookIn answers searches from a folder of findings: the searches of the channel "file" need
// no other program. Paths in the answer are relative to dir. A folder that is not there has none.
func LookIn(dir fs.FS, s *Searches) (*Existing, error) {
	e := &Existing{Document: ExistingKind, Channel: s.Channel, Found: []Found{}, Searched: []string{}}
	for _, search := range s.Searches {
		e.Searched = append(e.Searched, search.Marker)
	}
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if name == "." && errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), "\r\n", "\n")
		for _, marker := range e.Searched {
			if strings.Contains(text, marker) {
				state, resolution := head(text)
				e.Found = append(e.Found, Found{Marker: marker, Issue: name, State: state, Resolution: resolution})
			}
		}
		return nil
	})
	slices.SortFunc(e.Found, func(a, b Found) int { return strings.Compare(a.Marker+"\x00"+a.Issue, b.Marker+"\x00"+b.Issue) })
	return e, err
}

// head reads the state of a finding; one without a head is open.
func head(text string) (state, resolution string) {
	state = "open"
	lines := strings.Split(text, "\n")
	if lines[0] != fileHead {
		return state, ""
	}
	for _, line := range lines[1:] {
		if line == fileHead {
			break
		}
		if v, ok := strings.CutPrefix(line, stateLine); ok && strings.EqualFold(strings.TrimSpace(v), "closed") {
			state = "closed"
		}
		if v, ok := strings.CutPrefix(line, resolutionLine); ok {
			switch r := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(v)), " ", "_"); r {
			case "completed", "not_planned", "reverted":
				resolution = r
			}
		}
	}
	if state == "open" {
		resolution = ""
	}
	return state, resolution
}

// Write returns the files that a plan of the channel "file" makes or changes, by their path
// relative to the folder. now heads each file and each comment; a run that is repeated adds nothing.
func Write(dir fs.FS, p *Plan, now string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, a := range p.Actions {
		if a.Path == "" {
			continue
		}
		if !fs.ValidPath(a.Path) {
			return nil, fmt.Errorf("%s: expected a path inside the folder of findings", a.Path)
		}
		old, err := fs.ReadFile(dir, a.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		switch {
		case a.Action == Create && err == nil:
			return nil, fmt.Errorf("%s: is there already without its marker %s; move it aside", a.Path, a.Marker)
		case a.Action == Create:
			files[a.Path] = fmt.Appendf(nil, "%s\n%sopen\n%s\n%s%s\n%s%s\n%s\n\n# %s\n\n%s",
				fileHead, stateLine, strings.TrimSpace(resolutionLine), labelsLine, strings.Join(a.Labels, ", "), createdLine, now, fileHead, a.Title, a.Body)
		case strings.Contains(string(old), "\n## "+now+"\n"), strings.Contains(string(old), "\n"+createdLine+now+"\n"):
			// This very run wrote it, and is repeated.
		default:
			files[a.Path] = fmt.Appendf(old, "\n## %s\n\n%s", now, a.Body)
		}
	}
	return files, nil
}
