package transcript

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// source is one transcript file as it was found: what tells it from another file and
// from itself at another time.
type source struct {
	dir  int    // index into Options.ConfigDirs
	path string // relative to it, slashes forward: projects/…
	full string // where to open it
	state
	meta state // of agent-<id>.meta.json beside it, zero without
}

// state is what tells a file from itself at another time.
type state struct {
	size    int64
	mtime   int64  // Unix nanoseconds
	inode   uint64 // 0 where the system has none
	changed int64  // the inode's own time, Unix nanoseconds: nobody can set it back; 0 likewise
}

func stateOf(info fs.FileInfo) state {
	s := state{size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.inode, s.changed = inode(info)
	return s
}

// agent is the id in a subagent's file name, "" for a main file.
func (s *source) agent() string {
	base := path.Base(s.path)
	if id, ok := strings.CutPrefix(base, "agent-"); ok {
		return strings.TrimSuffix(id, ".jsonl")
	}
	return ""
}

// session is the session that the file's place names: rows that name none belong to it.
func (s *source) session() string {
	if before, _, ok := strings.Cut(s.path, "/subagents/"); ok {
		return path.Base(before)
	}
	return strings.TrimSuffix(path.Base(s.path), ".jsonl")
}

// find lists the transcript files of the configuration directories: projects/**/*.jsonl,
// links followed, each file once. The order is that of the paths, directory by directory.
// A dangling link is nothing; what cannot be read is a warning.
func find(dirs []string) (list []source, warnings []audit.Warning, err error) {
	f := finder{seen: map[string]bool{}}
	for i, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, nil, err
		}
		if !info.IsDir() {
			return nil, nil, &fs.PathError{Op: "read history", Path: dir, Err: errNoDirectory}
		}
		f.dir = i
		root := filepath.Join(dir, "projects")
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			if !os.IsNotExist(err) {
				f.warn("projects", err)
			}
			continue
		}
		if !f.seen[real] {
			f.seen[real] = true
			f.walk(readTree(real), "projects")
		}
	}
	f.follow()
	slices.SortFunc(f.list, compareSources)
	return f.list, f.warnings, nil
}

func compareSources(a, b source) int {
	if a.dir != b.dir {
		return a.dir - b.dir
	}
	return strings.Compare(a.path, b.path)
}

type finder struct {
	dir      int
	list     []source
	warnings []audit.Warning
	seen     map[string]bool // real paths of directories and of files behind links
	links    []link
}

type link struct {
	dir        int
	full, path string
}

func (f *finder) warn(p string, err error) {
	f.warnings = append(f.warnings, audit.Warning{Code: "unreadable", Path: shown(p), Message: "could not be read: " + reason(err)})
}

// shown is a path for people and documents, which hold valid UTF-8 only.
func shown(path string) string { return strings.ToValidUTF8(path, "\uFFFD") }

// reason is an error without the path that the warning already has.
func reason(err error) string {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// walk lists the transcripts of one real directory. Links wait until all real files are
// known, so that a file keeps its own path.
func (f *finder) walk(in *folder, rel string) {
	if in.err != nil {
		f.warn(rel, in.err)
		return
	}
	for i := range in.children {
		c := &in.children[i]
		name := c.Name()
		full, rel := in.full+string(filepath.Separator)+name, rel+"/"+name
		switch {
		case c.Type()&fs.ModeSymlink != 0:
			f.links = append(f.links, link{f.dir, full, rel})
		case c.below != nil:
			if !f.seen[full] {
				f.seen[full] = true
				f.walk(c.below, rel)
			}
		case transcriptName(name) && c.Type().IsRegular() && c.info != nil:
			f.add(full, rel, c.info, in.info(strings.TrimSuffix(name, ".jsonl")+".meta.json"))
		}
	}
}

func (f *finder) add(full, rel string, info, meta fs.FileInfo) {
	s := source{dir: f.dir, path: rel, full: full, state: stateOf(info)}
	if meta != nil {
		s.meta = stateOf(meta)
	}
	f.list = append(f.list, s)
}

// follow resolves the links that were met, in the order of their paths, and those that
// their directories hold.
func (f *finder) follow() {
	if len(f.links) == 0 {
		return
	}
	for _, s := range f.list {
		f.seen[s.full] = true
	}
	for len(f.links) > 0 {
		links := f.links
		f.links = nil
		for _, l := range links {
			real, err := filepath.EvalSymlinks(l.full)
			if err != nil || f.seen[real] {
				continue // dangling, a loop, or known
			}
			info, err := os.Stat(real)
			if err != nil {
				continue
			}
			f.dir = l.dir
			switch {
			case info.IsDir():
				f.seen[real] = true
				from := len(f.list)
				f.walk(readTree(real), l.path)
				f.dropKnown(from)
			case transcriptName(path.Base(l.path)) && info.Mode().IsRegular():
				f.seen[real] = true
				meta, _ := os.Stat(strings.TrimSuffix(real, ".jsonl") + ".meta.json")
				f.add(real, l.path, info, meta)
			}
		}
	}
}

// dropKnown keeps of the files listed from an index on those that were not known.
func (f *finder) dropKnown(from int) {
	kept := f.list[:from]
	for _, s := range f.list[from:] {
		if !f.seen[s.full] {
			f.seen[s.full] = true
			kept = append(kept, s)
		}
	}
	f.list = kept
}
