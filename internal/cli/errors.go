package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ErrFindings is returned by a verb that judges: its answer is written and the exit code is 1.
var ErrFindings = errors.New("findings")

// usageError says that the tool was called wrongly: exit code 2 and a pointer to --help.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// Usage returns an error for a wrong call: exit code 2, with a pointer to --help.
func Usage(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// badInput marks an error as the input's fault: exit code 2.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

// BadInput says that err is the fault of what the tool was given: exit code 2. Nil stays nil.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return badInput{err}
}

// ExitCode is what a tool exits with after err: 0 for nil, 2 for a wrong call or bad input, else 1.
func ExitCode(err error) int {
	var u *usageError
	var b badInput
	switch {
	case err == nil:
		return 0
	case errors.As(err, &u), errors.As(err, &b):
		return 2
	}
	return 1
}

// oneLine makes s fit for one line of a terminal: no line breaks, no control characters, at most 600 bytes.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return '?'
		}
		return r
	}, strings.TrimSpace(s))
	if len(s) > 600 {
		s = strings.ToValidUTF8(s[:597], "") + "..."
	}
	return s
}
