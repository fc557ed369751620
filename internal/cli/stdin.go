package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// offeredWithin is how long a pipe may stay silent before it counts as offering nothing. A
// here-document and a file are there at once; a pipe that somebody forgot to close never is.
const offeredWithin = 3 * time.Second

// OfferedInput reads standard input where something is offered there: nil when it is a
// terminal, empty or blank, or a pipe on which nothing comes. Use it where input is welcome
// but not needed; "-" as a file's name waits for as long as it takes.
func (c *Call) OfferedInput() ([]byte, error) {
	in := c.sys.Stdin
	if f, ok := in.(*os.File); ok {
		st, err := f.Stat()
		if err != nil || st.Mode()&fs.ModeCharDevice != 0 {
			return nil, nil
		}
	}
	r := bufio.NewReader(in)
	first := make(chan error, 1)
	go func() { _, err := r.Peek(1); first <- err }()
	select {
	case err := <-first:
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", PathError(err))
		}
	case <-c.Context.Done():
		return nil, c.Context.Err()
	case <-time.After(offeredWithin):
		c.Note("standard input is open but silent; going on without it")
		return nil, nil
	}
	data, err := c.readAll("standard input", r)
	if len(bytes.TrimSpace(data)) == 0 {
		data = nil
	}
	return data, err
}

// splitWords parts a line into words at blanks. Single and double quotes keep blanks in a word
// and are dropped; nothing is expanded, so no word can do anything.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			in, quote = true, r
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, Usage("a %c is not closed", quote)
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}
