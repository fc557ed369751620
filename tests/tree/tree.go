// Package tree writes the folders that tests need from one txtar text, so that a
// case is read in one place: the files, and, as lines of the comment, what a text
// archive cannot hold.
//
//	symlink PATH -> TARGET
//	chmod MODE PATH        (octal)
//	mkdir PATH
//	bytes PATH QUOTED      (a Go string literal: bytes that are no UTF-8, CRLF, BOM)
//	touch PATH SECONDS     (modification time, Unix)
package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// Write makes the archive's files below dir and then does what its comment says. Lines
// of the comment that begin with no known word are left to the reader.
func Write(dir string, archive []byte) error {
	ar := txtar.Parse(archive)
	for _, f := range ar.Files {
		if err := file(filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data); err != nil {
			return err
		}
	}
	for _, line := range strings.Split(string(ar.Comment), "\n") {
		if err := directive(dir, strings.TrimSpace(line)); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

func file(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func directive(dir, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	switch word {
	case "symlink":
		from, to, ok := strings.Cut(rest, " -> ")
		if !ok {
			return fmt.Errorf("expected PATH -> TARGET")
		}
		if err := os.MkdirAll(filepath.Dir(at(from)), 0o755); err != nil {
			return err
		}
		return os.Symlink(filepath.FromSlash(to), at(from))
	case "chmod":
		mode, p, _ := strings.Cut(rest, " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if err != nil {
			return err
		}
		return os.Chmod(at(p), os.FileMode(m))
	case "mkdir":
		return os.MkdirAll(at(rest), 0o755)
	case "bytes":
		p, quoted, _ := strings.Cut(rest, " ")
		s, err := strconv.Unquote(quoted)
		if err != nil {
			return err
		}
		return file(at(p), []byte(s))
	case "touch":
		p, secs, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(secs, 10, 64)
		if err != nil {
			return err
		}
		return os.Chtimes(at(p), time.Unix(n, 0), time.Unix(n, 0))
	}
	return nil
}
