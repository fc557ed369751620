package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Git runs git in a folder and returns its trimmed output; a file to keep open is inherited
// by the process. Package cli has one: a room starts no program itself.
type Git func(ctx context.Context, dir string, keep *os.File, args ...string) (string, error)

// workTree is a git work tree whose top is the store.
type workTree struct {
	git         Git
	dir, gitDir string
	// hold is the locked file. Every git process inherits it, so that the lock outlives this
	// process while a git of its own still works.
	hold *os.File
}

// paths are what a git store commits, and nothing else of the work tree.
var paths = []string{historyDir, pageDir, issueDir, memoryDir}

// attributes let two clones that both appended be merged line by line.
const attributes = "*.jsonl merge=union -text\n"

// linewise are the folders whose files are merged so.
var linewise = []string{historyDir, memoryDir}

func openWorkTree(dir string, git Git) (*workTree, error) {
	w := &workTree{dir: dir, git: git}
	out, err := w.run(context.Background(), "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, fmt.Errorf("%s: expected a git work tree: %w", dir, err)
	}
	w.gitDir = out
	return w, nil
}

// run runs git in the work tree and returns its trimmed output.
func (w *workTree) run(ctx context.Context, args ...string) (string, error) {
	return w.git(ctx, w.dir, w.hold, args...)
}

// patience bounds a talk with a remote: the store is locked meanwhile.
const patience = 2 * time.Minute

// busy marks that a git of ours may be writing.
func (w *workTree) busy() string { return filepath.Join(w.gitDir, "inference-arbitrage.busy") }

// recover makes up for an append that died: it frees git's own locks if that append left any,
// ends a rebase that it had begun, and commits what it had written. The caller holds the store's lock, so no git of ours is alive.
func (w *workTree) recover(ctx context.Context) error {
	if _, err := os.Stat(w.busy()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	locks, err := w.locks(ctx)
	if err != nil {
		return err
	}
	for range 20 { // another program's git may hold one for a moment
		if !slices.ContainsFunc(locks, exists) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, lock := range locks {
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, state := range []string{"rebase-merge", "rebase-apply"} { // a pull that died
		if !exists(filepath.Join(w.gitDir, state)) {
			continue
		}
		if _, err := w.run(ctx, "rebase", "--abort"); err != nil {
			return err
		}
	}
	_, _ = w.commit(ctx, "Audits: a run that was interrupted") // where that fails the next commit takes it along, or tells
	return nil
}

// locks are the files by which a commit locks the index and the branch; git that is killed leaves them.
func (w *workTree) locks(ctx context.Context) ([]string, error) {
	names := []string{"index.lock", "HEAD.lock", "packed-refs.lock"}
	if branch, err := w.run(ctx, "symbolic-ref", "--quiet", "HEAD"); err == nil { // else HEAD is detached
		names = append(names, branch+".lock")
	}
	for i, name := range names {
		p, err := w.run(ctx, "rev-parse", "--git-path", name)
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(p) {
			p = filepath.Join(w.dir, p)
		}
		names[i] = p
	}
	return names, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// begin marks the work tree before anything in it is changed, done takes the mark away.
func (w *workTree) begin() error { return os.WriteFile(w.busy(), nil, 0o644) }

func (w *workTree) done() error { return os.Remove(w.busy()) }

// commit commits the store's own paths, if anything in them changed, and returns the head.
// They are added by force: a store that ignores its own snapshots would lose them silently.
func (w *workTree) commit(ctx context.Context, message string) (string, error) {
	if _, err := w.run(ctx, append([]string{"add", "--force", "--"}, w.existing()...)...); err != nil {
		return "", err
	}
	changed, err := w.run(ctx, append([]string{"diff", "--cached", "--name-only", "-z", "--"}, paths...)...)
	if err != nil {
		return "", err
	}
	if files := strings.FieldsFunc(changed, func(r rune) bool { return r == 0 }); len(files) > 0 {
		args := append(w.identity(ctx), "--literal-pathspecs", "commit", "--quiet", "--message", message, "--only", "--")
		if _, err := w.run(ctx, append(args, files...)...); err != nil {
			return "", err
		}
	}
	return w.run(ctx, "rev-parse", "HEAD")
}

// existing are those of the store's paths that are there.
func (w *workTree) existing() []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		_, err := os.Stat(filepath.Join(w.dir, p))
		return err != nil
	})
}

// identity names an author where the user has configured none.
func (w *workTree) identity(ctx context.Context) []string {
	if _, err := w.run(ctx, "config", "user.email"); err == nil {
		return nil
	}
	return []string{"-c", "user.name=inference-arbitrage", "-c", "user.email=inference-arbitrage@localhost"}
}

// pull brings in what other clones have recorded. Histories are merged line by line
// (attributes); of a page that both wrote, ours stays and is rendered anew later.
func (w *workTree) pull(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if _, err := w.run(ctx, "rev-parse", "--verify", "--quiet", "@{upstream}"); err != nil {
		return nil // nothing was pushed yet
	}
	if _, err := w.run(ctx, append(w.identity(ctx), "pull", "--quiet", "--rebase", "--autostash", "--strategy-option=theirs")...); err != nil {
		_, _ = w.run(ctx, "rebase", "--abort") // fails when no rebase was begun
		return err
	}
	return nil
}

// push sends the branch to its remote.
func (w *workTree) push(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	args := []string{"push", "--quiet"}
	if _, err := w.run(ctx, "rev-parse", "--verify", "--quiet", "@{upstream}"); err != nil {
		args = append(args, "--set-upstream", "origin", "HEAD")
	}
	_, err := w.run(ctx, args...)
	return err
}
