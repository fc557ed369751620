package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Git runs git in dir and returns its trimmed output, or the last line that it complained
// with. It never asks for a password. A file to keep is inherited by the process, so that a
// lock on it lasts as long as git works, even if this process dies meanwhile.
func Git(ctx context.Context, dir string, keep *os.File, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // git then frees its locks
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), redirectsGit), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	if keep != nil && runtime.GOOS != "windows" {
		cmd.ExtraFiles = []*os.File{keep}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if lines := strings.Split(strings.TrimSpace(stderr.String()), "\n"); lines[len(lines)-1] != "" {
			err = errors.New(lines[len(lines)-1])
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(stdout.String()), nil
}

// redirectsGit says whether an entry of the environment would point git at another repository, as inside a git hook.
func redirectsGit(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE":
		return true
	}
	return false
}
