package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

// Store is an append-only store in a folder; see the package comment for its layout.
type Store struct {
	dir  string
	git  *workTree // nil for a plain folder
	lock string
}

// Open opens the store in dir. The folder is made when the first run is recorded. A folder
// that is the top of a git work tree is a git store: every run is one commit, made by git.
func Open(dir string, git Git) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(abs); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("%s: expected a folder for the store, found a file", abs)
	}
	s := &Store{dir: abs, lock: filepath.Join(abs, ".lock")}
	if _, err := os.Lstat(filepath.Join(abs, ".git")); err == nil {
		if s.git, err = openWorkTree(abs, git); err != nil {
			return nil, err
		}
		s.lock = filepath.Join(s.git.gitDir, "inference-arbitrage.lock")
	}
	return s, nil
}

// Dir is the store's absolute folder.
func (s *Store) Dir() string { return s.dir }

// InGit says whether every run is a commit, which can be pushed.
func (s *Store) InGit() bool { return s.git != nil }

// Targets lists the names of the plugins that have a history, sorted.
func (s *Store) Targets() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, historyDir))
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil
	}
	names := []string{}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && !e.IsDir() {
			names = append(names, unescape(name))
		}
	}
	slices.Sort(names)
	return names, err
}

// History returns a target's snapshots in the order of their moments, without those that were
// corrected, and what is wrong with its file. It
// waits for a run that is being recorded, where the store can be locked.
func (s *Store) History(target string) ([]Document, []Problem, error) {
	defer s.settle()()
	return s.history(target)
}

func (s *Store) history(target string) ([]Document, []Problem, error) {
	docs, problems, err := s.lines(target, maxTold)
	return byMoment(uncorrected(docs)), problems, err
}

// settle waits for a run that is being recorded, where the store can be locked, and keeps the next one out until the end.
func (s *Store) settle() (end func()) {
	if _, err := os.Stat(s.lock); err == nil {
		if f, err := lockedfile.OpenFile(s.lock, os.O_RDONLY, 0); err == nil {
			return func() { _ = f.Close() }
		}
	}
	return func() {}
}

// lines returns a target's snapshots as they stand in its file, in the order of recording, and at most room problems one by one.
func (s *Store) lines(target string, room int) ([]Document, []Problem, error) {
	name := s.path(HistoryPath(target))
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return []Document{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := readAll(f)
	if err != nil {
		return nil, nil, err
	}
	docs, problems, err := parse(data, lifts, room) // a file whose every line is lost is told, and goes on
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return docs, problems, nil
}

func (s *Store) path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

// ReadFile reads a file of the store by its path in it; nil when there is none.
func (s *Store) ReadFile(name string) ([]byte, error) {
	data, err := os.ReadFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Update replaces a file of the store by what change makes of it, while the store is locked.
// In a git store the next run's commit takes it along.
func (s *Store) Update(name string, change func(old []byte) ([]byte, error)) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	lock, err := lockedfile.OpenFile(s.lock, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("%s: cannot be locked: %w", s.dir, err)
	}
	defer lock.Close()
	old, err := s.ReadFile(name)
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	return replace(s.path(name), data)
}

// Run is what is appended: a snapshot, and files beside its page (findings) by their path in the store.
type Run struct {
	Snapshot *Document
	Files    map[string][]byte
}

// Outcome says what an append did.
type Outcome struct {
	// Snapshot as it stands in the store.
	Snapshot *Document
	// Recorded is false when the very same run stood there already.
	Recorded bool
	// Commit is the commit's id in a git store; Pushed says that it reached the remote.
	Commit string
	Pushed bool
	// Problems that the history had before, and what was done about them.
	Problems []Problem
	// NotPushed says why a push that was asked for failed. The run itself is recorded.
	NotPushed error
}

// Options of an append.
type Options struct {
	// Page renders a snapshot's page, given the snapshots before it; the page names the
	// snapshot's id and that of the one right before it. Without it no pages are written.
	Page func(history []Document, doc *Document) []byte
	// Push sends the commit to the remote that the branch follows; only in a git store.
	Push bool
}

// Append records one run of a target. build gets the target's history and returns what to
// record; the store is locked meanwhile, so that two runs at once are recorded one after the
// other and the later sees the earlier. The run's own files are written first, each whole or
// not at all; then the snapshot's line, the point of no return. Pages and the commit follow,
// and are made up for by the next append if this one dies in between.
func (s *Store) Append(ctx context.Context, target string, o Options, build func(history []Document) (*Run, error)) (*Outcome, error) {
	if target == "" {
		return nil, errors.New("expected the name of the plugin that was audited, found none")
	}
	if o.Push && s.git == nil {
		return nil, fmt.Errorf("%s: expected a git work tree to push from, found a plain folder", s.dir)
	}
	if err := os.MkdirAll(s.path(historyDir), 0o755); err != nil {
		return nil, err
	}
	lock, err := lockedfile.OpenFile(s.lock, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be locked: %w", s.dir, err)
	}
	defer lock.Close()
	if err := s.sweep(); err != nil {
		return nil, err
	}
	if s.git != nil {
		s.git.hold = lock.File
		if err := s.git.recover(ctx); err != nil {
			return nil, err
		}
		if err := s.git.begin(); err != nil {
			return nil, err
		}
	}
	out := &Outcome{}
	if o.Push {
		out.NotPushed = s.git.pull(ctx)
	}
	if err := s.mend(target, out); err != nil {
		return nil, err
	}
	history, problems, err := s.history(target)
	if err != nil {
		return nil, err
	}
	out.Problems = append(out.Problems, problems...)
	run, err := build(history)
	if err != nil {
		return nil, err
	}
	out.Snapshot = run.Snapshot
	if s.git != nil {
		for _, dir := range linewise {
			if err := replace(s.path(dir+"/.gitattributes"), []byte(attributes)); err != nil {
				return nil, err
			}
		}
	}
	if err := s.write(target, history, run, o, out); err != nil {
		return nil, err
	}
	if s.git == nil {
		return out, nil
	}
	if out.Commit, err = s.git.commit(ctx, fmt.Sprintf("Audit of %s: %s", target, run.Snapshot.SnapshotID)); err != nil {
		return nil, fmt.Errorf("%s: the snapshot is recorded but not committed: %w", s.dir, err)
	}
	if o.Push {
		out.NotPushed = s.push(ctx, o)
		out.Pushed = out.NotPushed == nil
	}
	return out, s.git.done()
}

// push sends the store to its remote. Where another clone was faster, its runs are taken in
// first, and the pages that both wrote are rendered anew.
func (s *Store) push(ctx context.Context, o Options) error {
	var err error
	for range 5 {
		if err = s.git.push(ctx); err == nil {
			return nil
		}
		if perr := s.git.pull(ctx); perr != nil {
			return errors.Join(err, perr)
		}
		if perr := s.repage(ctx, o); perr != nil {
			return errors.Join(err, perr)
		}
	}
	return err
}

// repage renders the pages that are missing or are another run's.
func (s *Store) repage(ctx context.Context, o Options) error {
	targets, err := s.Targets()
	if err != nil || o.Page == nil {
		return err
	}
	for _, target := range targets {
		docs, _, err := s.history(target)
		if err != nil {
			return err
		}
		if err := s.pages(target, docs, o); err != nil {
			return err
		}
	}
	_, err = s.git.commit(ctx, "Audits: pages of runs that met")
	return err
}

// shows says whether a page is there and names the snapshots.
func (s *Store) shows(rel string, ids ...string) bool {
	page, err := os.ReadFile(s.path(rel))
	return err == nil && !slices.ContainsFunc(ids, func(id string) bool { return !bytes.Contains(page, []byte(id)) })
}

// write writes the run's files and then its line, unless the same run stands there already.
func (s *Store) write(target string, history []Document, run *Run, o Options, out *Outcome) error {
	for i := range history {
		if history[i].SnapshotID == run.Snapshot.SnapshotID {
			out.Snapshot = &history[i]
		}
	}
	out.Recorded = out.Snapshot == run.Snapshot
	files := run.Files
	for name := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s: expected a path inside the store", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := replace(s.path(name), files[name]); err != nil {
			return err
		}
	}
	if out.Recorded {
		line, err := jsondoc.Line(run.Snapshot)
		if err != nil {
			return err
		}
		if err := appendLine(s.path(HistoryPath(target)), line); err != nil {
			return err
		}
		history = byMoment(uncorrected(append(history, *run.Snapshot)))
	}
	return s.pages(target, history, o)
}

// pages renders the pages of a target that are missing, are another run's, or compare with
// another run than the one that stands before theirs since a run was recorded late.
func (s *Store) pages(target string, history []Document, o Options) error {
	if o.Page == nil {
		return nil
	}
	for i := range history {
		names := []string{PagePath(history[:i], &history[i])}
		if i == len(history)-1 {
			names = append(names, LatestPath(target))
		}
		ids := []string{history[i].SnapshotID}
		if i > 0 {
			ids = append(ids, history[i-1].SnapshotID)
		}
		for _, name := range names {
			if s.shows(name, ids...) {
				continue
			}
			if err := replace(s.path(name), o.Page(history[:i], &history[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep removes the unfinished files of appends that died. The caller holds the lock, so none is in use.
func (s *Store) sweep() error {
	for _, pattern := range []string{historyDir + "/", memoryDir + "/", pageDir + "/*/", issueDir + "/*/", issueDir + "/*/*/"} {
		names, err := filepath.Glob(filepath.Join(globEscape(s.dir), pattern+unfinished))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// mend moves a torn last line aside, so that the next line begins on its own.
func (s *Store) mend(target string, out *Outcome) error {
	name := s.path(HistoryPath(target))
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(data) == 0 || data[len(data)-1] == '\n' {
		return err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	torn := data[whole:]
	p := Problem{Code: "torn-line", Line: bytes.Count(data[:whole], []byte("\n")) + 1}
	if _, err := decode(torn, lifts); err == nil {
		p.Why = "the last line was whole but had no end; it was ended"
		out.Problems = append(out.Problems, p)
		return appendLine(name, []byte("\n"))
	}
	aside := fmt.Sprintf("%s.torn-%d", name, whole)
	if err := replace(aside, torn); err != nil {
		return err
	}
	p.Why = "a write was cut off; the torn line was moved to " + path.Join(historyDir, filepath.Base(aside))
	out.Problems = append(out.Problems, p)
	return truncate(name, int64(whole))
}
