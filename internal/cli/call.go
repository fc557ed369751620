package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

// maxInput bounds a file that is read whole: 64 MiB.
const maxInput = 64 << 20

// Call is one run of one verb.
type Call struct {
	// Context ends when the user interrupts.
	Context context.Context
	// Args are the words that are no flags, already counted.
	Args []string
	// Format is the chosen one of Verb.Formats.
	Format string
	// Out collects the answer; it reaches standard output only if the verb succeeds.
	Out *bytes.Buffer

	sys   Sys
	tool  string
	given map[string]bool
	bar   *Bar
	// settings are the user's, once they were read.
	settings *Settings
}

// Given says whether the flag stood on the command line.
func (c *Call) Given(flag string) bool { return c.given[flag] }

// Emit writes doc as JSON, or what text writes, as --format says. A nil text means that the verb has only JSON.
func (c *Call) Emit(doc any, text func(io.Writer) error) error {
	if c.Format == Text && text != nil {
		return text(c.Out)
	}
	return jsondoc.Encode(c.Out, doc)
}

// Note tells people one line on standard error, beside the answer.
func (c *Call) Note(format string, args ...any) {
	c.endProgress()
	fmt.Fprintf(c.sys.Stderr, "%s: %s\n", c.tool, oneLine(fmt.Sprintf(format, args...)))
}

// ReadInput reads the file that flag named, "-" being standard input. What cannot be read is bad input.
func (c *Call) ReadInput(flag, path string) ([]byte, error) {
	if path == "" {
		return nil, Usage("--%s: missing, expected a file or -", flag)
	}
	if path == "-" {
		return c.readAll("standard input", c.sys.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, BadInput(fmt.Errorf("--%s: %w", flag, PathError(err)))
	}
	defer f.Close()
	return c.readAll(path, f)
}

func (c *Call) readAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, BadInput(fmt.Errorf("%s: %w", name, PathError(err)))
	}
	if len(data) > maxInput {
		return nil, BadInput(fmt.Errorf("%s: larger than %d MiB", name, maxInput>>20))
	}
	return data, nil
}

// ReadDocument reads one document of the kind from the file that flag named, strictly.
func (c *Call) ReadDocument(flag, path, kind string, dst any) error {
	data, err := c.ReadInput(flag, path)
	if err != nil {
		return err
	}
	if path == "-" {
		path = "standard input"
	}
	if err := jsondoc.Decode(data, kind, dst); err != nil {
		return BadInput(fmt.Errorf("%s: %w", path, err))
	}
	return nil
}

// WriteFile writes data to path whole or not at all: to a temporary file beside it, synced, then renamed.
func WriteFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return PathError(err)
	}
	defer os.Remove(tmp.Name()) // after the rename there is nothing left to remove
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return PathError(err)
}

// WriteDocument writes doc to path as WriteFile does.
func WriteDocument(path string, doc any) error {
	var b bytes.Buffer
	if err := jsondoc.Encode(&b, doc); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteFile(path, b.Bytes())
}

// PathError says in plain words what is wrong with a path: no system call's name.
func PathError(err error) error {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return err
	}
	return &pathError{pe.Path, pe.Err}
}

type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string {
	switch {
	case errors.Is(e.err, fs.ErrNotExist):
		return e.path + ": there is no such file or folder"
	case errors.Is(e.err, fs.ErrPermission):
		return e.path + ": may not be read or written (permission denied)"
	}
	return e.path + ": " + strings.TrimSpace(e.err.Error())
}

func (e *pathError) Unwrap() error { return e.err }
