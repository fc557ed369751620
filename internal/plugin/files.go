package plugin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Limits of one plugin tree. Real ones reach 2,815 files; these only stop a runaway.
const (
	maxFiles = 50_000
	maxDepth = 40
	// MaxText is how much of a file Read returns: 1 MiB. The longest component among
	// 12,214 public ones has 82 kB.
	MaxText = 1 << 20
)

// File is one regular file of the plugin.
type File struct {
	// Path is relative to the plugin, with slashes.
	Path string
	Size int64
	// Exec: some execute bit is set. Never where HasModes is false.
	Exec bool
	// Linked: reached through a symlink inside the plugin or its marketplace. Again: the
	// same file stands under another path too, which counts instead.
	Linked, Again bool
	// Real is the resolved absolute path, to tell one file reached by two ways.
	Real string
}

// HasModes: the system keeps execute bits, so that a missing one means something.
const HasModes = runtime.GOOS != "windows"

// Skipped is a path that was not followed, with the reason.
type Skipped struct {
	Path   string
	Reason string // dangling, escapes, again, nested-plugin, too-deep
}

// listing is the result of a walk.
type listing struct {
	files   []File
	skipped []Skipped
	full    bool // the limit was reached
}

// walk lists the files under root, sorted by path. A symlink is followed when it stays
// inside bound, the plugin or the local marketplace that it is read from; a directory that
// a link leads to is entered again, links inside it only to what is new. A folder that is
// a plugin of its own is not entered, unless the manifest declares a path inside it; nor
// is .git.
func walk(root, bound string, declared []string) (*listing, error) {
	t := &listing{}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	if b, err := filepath.EvalSymlinks(bound); err == nil {
		bound = b
	}
	w := &walker{listing: t, bound: bound, declared: declared, entered: map[string]bool{}, open: map[string]bool{real: true}}
	if err := w.dir(root, real, "", 0, false); err != nil {
		return nil, err
	}
	sort.Slice(t.files, func(i, j int) bool { return t.files[i].Path < t.files[j].Path })
	t.markAgain()
	sort.Slice(t.skipped, func(i, j int) bool { return t.skipped[i].Path < t.skipped[j].Path })
	return t, nil
}

type walker struct {
	*listing
	bound    string
	declared []string
	entered  map[string]bool // directories, by their real paths
	open     map[string]bool // those that are being walked
	inLink   int             // how many linked directories are open
}

// markAgain marks the linked files that repeat another one.
func (l *listing) markAgain() {
	first := map[string]bool{}
	for _, f := range l.files {
		if !f.Linked {
			first[f.Real] = true
		}
	}
	for i := range l.files {
		f := &l.files[i]
		if f.Linked {
			f.Again = first[f.Real]
			first[f.Real] = true
		}
	}
}

func (w *walker) skip(rel, why string) { w.skipped = append(w.skipped, Skipped{rel, why}) }

func (w *walker) dir(abs, real, rel string, depth int, linked bool) error {
	if depth > maxDepth {
		w.skip(rel, "too-deep")
		return nil
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		if rel == "" {
			return err
		}
		w.skip(rel, "unreadable")
		return nil
	}
	if rel != "" && !linked && hasManifest(abs) && !w.declares(rel) {
		w.skip(rel, "nested-plugin")
		return nil
	}
	for _, e := range entries {
		if len(w.files) >= maxFiles {
			w.full = true
			return nil
		}
		if err := w.entry(e, abs, real, rel, depth, linked); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(e fs.DirEntry, dir, realDir, relDir string, depth int, linked bool) error {
	abs, rel := filepath.Join(dir, e.Name()), path.Join(relDir, e.Name())
	real := filepath.Join(realDir, e.Name())
	info, err := e.Info()
	if errors.Is(err, fs.ErrPermission) {
		w.skip(rel, "unreadable")
		return nil
	}
	if err != nil {
		return nil // gone between listing and looking
	}
	isLink := info.Mode()&fs.ModeSymlink != 0
	if isLink {
		linked = true
		if real, err = filepath.EvalSymlinks(abs); err != nil {
			w.skip(rel, "dangling")
			return nil
		}
		if !within(w.bound, real) {
			w.skip(rel, "escapes")
			return nil
		}
		if info, err = os.Stat(real); err != nil {
			w.skip(rel, "dangling")
			return nil
		}
	}
	switch {
	case info.IsDir():
		if e.Name() == ".git" {
			return nil
		}
		return w.enter(abs, real, rel, depth, linked, isLink)
	case info.Mode().IsRegular():
		w.files = append(w.files, File{Path: rel, Size: info.Size(), Exec: info.Mode()&0o111 != 0, Linked: linked, Real: real})
	}
	return nil
}

// enter walks a directory. What a link leads to is entered once on each way there: never
// while it is open (a cycle), and by a link inside a linked directory only if it is new.
func (w *walker) enter(abs, real, rel string, depth int, linked, isLink bool) error {
	if w.open[real] || isLink && w.inLink > 0 && w.entered[real] {
		w.skip(rel, "again")
		return nil
	}
	w.entered[real] = true
	w.open[real] = true
	if isLink {
		w.inLink++
	}
	err := w.dir(abs, real, rel, depth+1, linked)
	if isLink {
		w.inLink--
	}
	delete(w.open, real)
	return err
}

// declares reports whether a manifest path stands at or below rel.
func (w *walker) declares(rel string) bool {
	for _, d := range w.declared {
		if d == rel || strings.HasPrefix(d, rel+"/") {
			return true
		}
	}
	return false
}

func hasManifest(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(manifestPath)))
	return err == nil && info.Mode().IsRegular()
}

// within reports whether p is root or stands below it; both are clean and absolute.
func within(root, p string) bool {
	return p == root || strings.HasPrefix(p, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// Read returns a file of the plugin, at most MaxText bytes of it.
func (p *Plugin) Read(rel string) ([]byte, error) {
	f, ok := p.File(rel)
	if !ok {
		return nil, fmt.Errorf("%s: no such file in the plugin", rel)
	}
	r, err := os.Open(f.Real)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, MaxText))
}

// Text is Read through DecodeText; what had to be mended is noted once in Warnings.
func (p *Plugin) Text(rel string) (string, error) {
	b, err := p.Read(rel)
	if err != nil {
		return "", err
	}
	s, issues := DecodeText(b)
	for _, i := range issues {
		p.warn("text-"+string(i), rel, 0, textIssueSays[i])
	}
	if f, _ := p.File(rel); f.Size > MaxText {
		p.warn("text-too-long", rel, 0, fmt.Sprintf("only the first %d MiB were read", MaxText>>20))
	}
	return s, nil
}

var textIssueSays = map[TextIssue]string{
	HasBOM:      "begins with a byte order mark",
	UTF16:       "is UTF-16; the client and this tool read UTF-8",
	NotUTF8:     "is not UTF-8; the bad bytes were replaced",
	MixedEOL:    "mixes kinds of line ends",
	BinaryBytes: "holds NUL bytes",
}

// File finds a file by its relative path.
func (p *Plugin) File(rel string) (File, bool) {
	i := sort.Search(len(p.Files), func(i int) bool { return p.Files[i].Path >= rel })
	if i < len(p.Files) && p.Files[i].Path == rel {
		return p.Files[i], true
	}
	return File{}, false
}

// HasDir reports whether some file stands below the relative folder rel.
func (p *Plugin) HasDir(rel string) bool {
	if rel = strings.Trim(path.Clean(rel), "/"); rel == "." || rel == "" {
		return true
	}
	i := sort.Search(len(p.Files), func(i int) bool { return p.Files[i].Path >= rel+"/" })
	return i < len(p.Files) && strings.HasPrefix(p.Files[i].Path, rel+"/")
}

// Under returns the files below the relative folder rel, in order.
func (p *Plugin) Under(rel string) []File {
	rel = strings.Trim(path.Clean(rel), "/")
	if rel == "." || rel == "" {
		return p.Files
	}
	i := sort.Search(len(p.Files), func(i int) bool { return p.Files[i].Path >= rel+"/" })
	j := i
	for j < len(p.Files) && strings.HasPrefix(p.Files[j].Path, rel+"/") {
		j++
	}
	return p.Files[i:j]
}

// OwnFiles are the relative paths of all files of the plugin: what may be named when a
// tool call touches them.
func (p *Plugin) OwnFiles() []string {
	out := make([]string, len(p.Files))
	for i, f := range p.Files {
		out[i] = f.Path
	}
	return out
}

// warned says whether reading the file at rel gave one of the warnings.
func (p *Plugin) warned(rel string, codes ...string) bool {
	return slices.ContainsFunc(p.Warnings, func(w audit.Warning) bool { return w.Path == rel && slices.Contains(codes, w.Code) })
}

func (p *Plugin) warn(code, rel string, line int, msg string) {
	w := audit.Warning{Code: code, Path: rel, Line: line, Message: msg}
	for _, old := range p.Warnings {
		if old == w {
			return
		}
	}
	p.Warnings = append(p.Warnings, w)
}
