package cli

import (
	"errors"
	"flag"
	"io"
	"regexp"
	"strings"
)

// Flags declares the flags of one verb.
type Flags struct {
	set     *flag.FlagSet
	version *bool
}

func newFlags(name string) *Flags {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return &Flags{set, set.Bool("version", false, "")}
}

// String declares a flag with one value. The word in backquotes in usage names the value in help.
func (f *Flags) String(name, value, usage string) *string { return f.set.String(name, value, usage) }

// Bool declares a switch.
func (f *Flags) Bool(name string, usage string) *bool { return f.set.Bool(name, false, usage) }

// Strings declares a flag that may be given several times.
func (f *Flags) Strings(name, usage string) *[]string {
	var list stringList
	f.set.Var(&list, name, usage+" (may be repeated)")
	return (*[]string)(&list)
}

type stringList []string

func (l *stringList) String() string     { return strings.Join(*l, ",") }
func (l *stringList) Set(s string) error { *l = append(*l, s); return nil }

// What the user asked for instead of a run.
const (
	askHelp    = "help"
	askVersion = "version"
)

// parse reads flags wherever they stand among the words; "--" ends the flags.
func (f *Flags) parse(args []string) (words []string, ask string, err error) {
	for {
		err := f.set.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, askHelp, nil
		}
		if err != nil {
			return nil, "", Usage("%s", flagError(err))
		}
		rest := f.set.Args()
		if used := len(args) - len(rest); used > 0 && args[used-1] == "--" && !f.isValue(args, used-1) {
			words = append(words, rest...)
			break
		}
		if len(rest) == 0 {
			break
		}
		words, args = append(words, rest[0]), rest[1:]
	}
	if *f.version {
		return nil, askVersion, nil
	}
	return words, "", nil
}

// parseFrom reads words and flags that a user typed somewhere else.
func (f *Flags) parseFrom(r io.Reader) (words []string, ask string, err error) {
	typed, err := io.ReadAll(io.LimitReader(r, maxTyped+1))
	if err != nil {
		return nil, "", BadInput(err)
	}
	if len(typed) > maxTyped {
		return nil, "", Usage("more than %d bytes on standard input: expected words and flags", maxTyped)
	}
	args, err := splitWords(string(typed))
	if err != nil {
		return nil, "", err
	}
	return f.parse(args)
}

// maxTyped bounds what --stdin reads: nobody types more.
const maxTyped = 8 << 10

// isValue says whether args[i] was consumed as the value of the flag before it.
func (f *Flags) isValue(args []string, i int) bool {
	if i == 0 || !strings.HasPrefix(args[i-1], "-") || strings.Contains(args[i-1], "=") {
		return false
	}
	def := f.set.Lookup(strings.TrimLeft(args[i-1], "-"))
	if def == nil {
		return false
	}
	b, ok := def.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

// given returns the names of the flags that stood on the command line.
func (f *Flags) given() map[string]bool {
	names := map[string]bool{}
	f.set.Visit(func(fl *flag.Flag) { names[fl.Name] = true })
	return names
}

// flagError puts the standard library's wording into ours.
func flagError(err error) string {
	undefined := regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	noValue := regexp.MustCompile(`^flag needs an argument: -+(.*)$`)
	badValue := regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-+([^:]*):?.*$`)
	msg := err.Error()
	if m := undefined.FindStringSubmatch(msg); m != nil {
		return "unknown flag --" + m[1]
	}
	if m := noValue.FindStringSubmatch(msg); m != nil {
		return "--" + m[1] + " needs a value"
	}
	if m := badValue.FindStringSubmatch(msg); m != nil {
		return "--" + m[2] + ": " + m[1] + " is no fitting value"
	}
	return msg
}
