// Package cli is the frame of every tool: the one driver that owns flags, verbs,
// formats, exit codes and what the user sees when something goes wrong, so that a
// main is a sentence (flags, read, one call, write) and seven tools feel like one.
//
// The rules it keeps:
//
//   - A tool writes its whole answer or nothing. What a verb writes to Call.Out is
//     held back until the verb has succeeded, so standard output never carries half
//     a document.
//   - Exit code 0 says done; 1 says it could not be done (or, for a verb that
//     judges, that it found something); 2 says the tool was called wrongly or was
//     given bad input.
//   - An error is one line on standard error: the tool, what is wrong, what was
//     expected. A panic is such a line too, never a trace.
//   - Flags may stand before or after the words. "-" as a file reads standard input.
//   - Progress is drawn on a terminal's standard error only.
//
// Together with tools/ this package is the only door to the operating system: the
// environment, the clock, standard streams. Rooms get values and folders.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Version of the whole plugin; the manifest carries the same.
const Version = "0.1.0"

// Formats that most verbs know.
const (
	JSON = "json"
	Text = "text"
)

// Tool is one executable.
type Tool struct {
	// Name of the executable, as the user types it.
	Name string
	// Purpose is one sentence: what the tool answers.
	Purpose string
	// Root runs when no verb is named; nil where a verb is required.
	Root *Verb
	// Verbs in the order in which help lists them.
	Verbs []*Verb
	// Examples stand in the tool's own help when it has verbs and no Root.
	Examples []string
}

// Verb is one thing that a tool can do.
type Verb struct {
	// Name the user types after the tool's; "" for a Root.
	Name string
	// Args shows the words it takes, as in help: "TARGET", "[TARGET]", "" for none.
	Args string
	// MinArgs and MaxArgs bound the number of words; MaxArgs < 0 means any number.
	MinArgs, MaxArgs int
	// Purpose is one sentence.
	Purpose string
	// Detail is further help text, one paragraph, "" for none.
	Detail string
	// Examples are whole command lines.
	Examples []string
	// Formats that --format takes, the default first; empty: the verb has no --format.
	Formats []string
	// Stdin offers --stdin: further words and flags are read from standard input, parted at
	// blanks and never expanded, so that a caller need not quote what a user typed.
	Stdin bool
	// Setup declares the verb's flags and returns what runs once they are parsed.
	Setup func(f *Flags) Run
}

// Run does a verb's work. Its answer goes to c.Out.
type Run func(c *Call) error

// Main runs the tool in this process's surroundings and exits.
func Main(t *Tool) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Do(ctx, t, os.Args[1:], System())
	stop()
	os.Exit(code)
}

// Do runs the tool with args in sys and returns its exit code. It never panics.
func Do(ctx context.Context, t *Tool, args []string, sys Sys) (code int) {
	name := t.Name
	defer func() {
		if r := recover(); r != nil {
			code = fail(sys.Stderr, name, fmt.Errorf("internal error: %v; nothing was written to standard output", r))
		}
	}()
	verb, rest, err := t.pick(args)
	if err != nil {
		return fail(sys.Stderr, name, err)
	}
	if verb == nil { // help or version of the whole tool
		if slices.Contains(args, "--version") || slices.Contains(args, "-version") {
			return write(sys, name, []byte(versionLine(t)))
		}
		return write(sys, name, []byte(toolHelp(t)))
	}
	if verb.Name != "" {
		name += " " + verb.Name
	}
	flags := newFlags(name)
	var format string
	if len(verb.Formats) > 0 {
		flags.set.StringVar(&format, "format", verb.Formats[0], "write `FORMAT`: "+strings.Join(verb.Formats, ", "))
	}
	var stdin *bool
	if verb.Stdin {
		stdin = flags.Bool("stdin", "read further words and flags from standard input, as they were typed")
	}
	run := verb.Setup(flags)
	words, ask, err := flags.parse(rest)
	if err == nil && ask == "" && stdin != nil && *stdin {
		var more []string
		more, ask, err = flags.parseFrom(sys.Stdin)
		words = append(words, more...)
	}
	switch {
	case ask == askHelp:
		return write(sys, name, []byte(verbHelp(t, verb, flags)))
	case ask == askVersion:
		return write(sys, name, []byte(versionLine(t)))
	case err != nil:
		return fail(sys.Stderr, name, err)
	}
	if len(verb.Formats) > 0 && !slices.Contains(verb.Formats, format) {
		return fail(sys.Stderr, name, Usage("--format %q: expected one of %s", format, strings.Join(verb.Formats, ", ")))
	}
	if err := verb.countWords(words, t.verbNames(verb)); err != nil {
		return fail(sys.Stderr, name, err)
	}
	var out bytes.Buffer
	c := &Call{Context: ctx, Args: words, Format: format, Out: &out, sys: sys, tool: name, given: flags.given()}
	err = run(c)
	c.endProgress()
	switch {
	case err == nil:
		return write(sys, name, out.Bytes())
	case errors.Is(err, ErrFindings):
		if code := write(sys, name, out.Bytes()); code != 0 {
			return code
		}
		return 1
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return fail(sys.Stderr, name, errors.New("interrupted; nothing was written to standard output"))
	}
	return fail(sys.Stderr, name, err)
}

// pick finds the verb that args name. A nil verb without an error asks for the tool's own help or version.
func (t *Tool) pick(args []string) (*Verb, []string, error) {
	for i, a := range args {
		if strings.HasPrefix(a, "-") && a != "-" {
			continue
		}
		for _, v := range t.Verbs {
			if v.Name == a {
				return v, slices.Concat(args[:i], args[i+1:]), nil
			}
		}
		break
	}
	if t.Root != nil {
		return t.Root, args, nil
	}
	for _, a := range args {
		switch a {
		case "-h", "-help", "--help", "-version", "--version", "help":
			return nil, nil, nil
		}
	}
	want := t.verbNames(nil)
	if len(args) == 0 {
		return nil, nil, Usage("no verb: expected one of %s", want)
	}
	return nil, nil, Usage("%q is no verb: expected one of %s", args[0], want)
}

// verbNames lists the verbs that may stand in the place of a Root (nil for none), "" behind a verb.
func (t *Tool) verbNames(root *Verb) string {
	if root != t.Root {
		return ""
	}
	names := make([]string, 0, len(t.Verbs))
	for _, v := range t.Verbs {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

func (v *Verb) countWords(words []string, verbs string) error {
	switch {
	case len(words) < v.MinArgs:
		return Usage("too few words: expected %s", v.Args)
	case v.MaxArgs >= 0 && len(words) > v.MaxArgs:
		if v.Args == "" && verbs != "" {
			return Usage("unexpected word %q: expected none, or first of all a verb: %s", words[0], verbs)
		}
		if v.Args == "" {
			return Usage("unexpected word %q: expected none", words[0])
		}
		return Usage("unexpected word %q: expected only %s", words[v.MaxArgs], v.Args)
	}
	return nil
}

// Sys is the surroundings that a tool runs in; System gives the real ones, a test its own.
type Sys struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time
	// Terminal says whether Stderr is one, so that progress may be drawn.
	Terminal bool
}

// write puts a finished answer on standard output.
func write(sys Sys, name string, data []byte) int {
	if _, err := sys.Stdout.Write(data); err != nil {
		return fail(sys.Stderr, name, fmt.Errorf("standard output: %w", err))
	}
	return 0
}

// fail prints err as one line and returns its exit code.
func fail(w io.Writer, name string, err error) int {
	line := oneLine(err.Error())
	var u *usageError
	if errors.As(err, &u) {
		line += " (see " + name + " --help)"
	}
	fmt.Fprintf(w, "%s: %s\n", name, line)
	return ExitCode(err)
}
