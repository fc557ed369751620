package transcript

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// folder is a directory as it was read, with all that stands below it. Links are not followed.
type folder struct {
	full     string
	children []child // in the order of their names
	err      error   // why it could not be read
}

// child is what stands in a folder.
type child struct {
	fs.DirEntry
	info  fs.FileInfo // of transcripts and what stands beside them; nil where it went away
	below *folder     // of a directory
}

// transcriptName: every *.jsonl but a workflow's journal.
func transcriptName(name string) bool {
	return strings.HasSuffix(name, ".jsonl") && name != "journal.jsonl"
}

// metaName: what the client writes beside a subagent's transcript.
func metaName(name string) bool {
	return strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".meta.json")
}

// readTree reads a directory and all below it; those that stand in it side by side, for a
// history has a folder for each session, and a run over an unchanged one does little else.
func readTree(full string) *folder {
	root := &folder{full: full}
	root.read()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(root.children)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(root.children)); i = next.Add(1) - 1 {
				root.children[i].readBelow()
			}
		})
	}
	workers.Wait()
	return root
}

func (c *child) readBelow() {
	if c.below == nil {
		return
	}
	c.below.read()
	for i := range c.below.children {
		c.below.children[i].readBelow()
	}
}

// read lists the folder itself.
func (f *folder) read() {
	var entries []fs.DirEntry
	entries, f.err = os.ReadDir(f.full)
	if f.err != nil {
		return
	}
	f.children = make([]child, len(entries))
	for i, e := range entries {
		c := &f.children[i]
		c.DirEntry = e
		if name := e.Name(); transcriptName(name) || metaName(name) {
			c.info, _ = e.Info()
		}
		if metaName(e.Name()) && e.Type()&fs.ModeSymlink != 0 { // it is read through the link
			c.info, _ = os.Stat(f.full + string(filepath.Separator) + e.Name())
		}
		if e.IsDir() {
			c.below = &folder{full: f.full + string(filepath.Separator) + e.Name()}
		}
	}
}

// info is what a name's file is, nil where there is none.
func (f *folder) info(name string) fs.FileInfo {
	i, ok := slices.BinarySearchFunc(f.children, name, func(c child, name string) int { return strings.Compare(c.Name(), name) })
	if !ok {
		return nil
	}
	return f.children[i].info
}
