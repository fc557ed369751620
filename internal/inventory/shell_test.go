package inventory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMaskPlaceholders(t *testing.T) {
	for in, masked := range map[string]bool{
		"gh pr view <number>":             true,
		"oc get pod {pod-name}":           true,
		"git push <remote> <branch name>": true,
		"cat <<EOF > out.txt":             false,
		"diff <(sort a) <(sort b)":        false,
		"echo ${HOME}":                    false,
		"cp {a,b} dest":                   false,
		"sort < in.txt > out.txt":         false,
		"awk '{print $1}' file":           false,
		"cat <in.txt | sort >out.txt":     false,
	} {
		got := maskPlaceholders(in)
		if len(got) != len(in) {
			t.Errorf("%q: the length changed: %q", in, got)
		}
		if (got != in) != masked {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestStripPrompts(t *testing.T) {
	in := "$ git status \\\n  --short\n M file\n$ ls\na b"
	want := "git status \\\n--short\n\nls\n"
	if got := stripPrompts(in); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := stripPrompts("ls\nls -l"); got != "ls\nls -l" {
		t.Errorf("a text without prompts changed: %q", got)
	}
}

func TestParseShell(t *testing.T) {
	type want struct {
		commands                 []string // "line program"
		pipes, control, captures int
		program                  bool
		failed                   int
	}
	for name, c := range map[string]struct {
		text string
		want want
	}{
		"examples": {"# one\ngit log --oneline\n\n# two\ngit status && git diff", want{[]string{"1 git", "4 git", "4 git"}, 0, 0, 0, false, 0}},
		"a pipe":   {"git log | sort | uniq -c", want{[]string{"0 git", "0 sort", "0 uniq"}, 2, 0, 0, false, 0}},
		"a loop": {"for b in $(git branch); do\n  if [ -n \"$b\" ]; then git log $b; fi\ndone",
			want{[]string{"0 git", "1 [", "1 git"}, 0, 2, 0, true, 0}},
		"captured and used": {"N=$(git rev-list --count HEAD)\necho $N", want{[]string{"0 git", "1 echo"}, 0, 0, 1, true, 0}},
		"a shebang":         {"#!/bin/sh\nls", want{[]string{"1 ls"}, 0, 0, 0, true, 0}},
		"a fallback":        {"gh pr view || echo none", want{[]string{"0 gh", "0 echo"}, 0, 1, 0, false, 0}},
		"jq's own pipes":    {"gh api x --jq '.a | map(.b) | length'", want{[]string{"0 gh"}, 2, 0, 0, false, 0}},
		"one bad line":      {"git status\n\n(((\n\ngit log", want{[]string{"0 git", "4 git"}, 0, 0, 0, false, 1}},
		"placeholders":      {"gh pr view <n> --json {fields}", want{[]string{"0 gh"}, 0, 0, 0, false, 0}},
		"nothing":           {" \n", want{nil, 0, 0, 0, false, 0}},
	} {
		s := parseShell(c.text)
		got := want{nil, len(s.Pipes), len(s.Control), len(s.Captures), s.Program, len(s.Failed)}
		for _, k := range s.Commands {
			got.commands = append(got.commands, strings.Join([]string{string(rune('0' + k.Line)), k.Words[0]}, " "))
		}
		if d := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestWrites(t *testing.T) {
	for text, want := range map[string]bool{
		"cat a > b": true, "cat >> log": true, "cat a > /dev/null": false, "cat a 2>&1": false, "cat a 2>/dev/null": false,
	} {
		if got := parseShell(text).Commands[0].Writes; got != want {
			t.Errorf("%q: writes %v, want %v", text, got, want)
		}
	}
}

func TestJQPipes(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  int
	}{
		{[]string{"jq", "-r", ".a | .b"}, 1},
		{[]string{"jq", `.a | "x | y" | .c`}, 2},
		{[]string{"jq", ".a |= 1"}, 0},
		{[]string{"gh", "api", "x", "-q", ".[] | .id"}, 1},
		{[]string{"grep", "a|b"}, 0},
		{[]string{"jq"}, 0},
	} {
		if got := jqPipes(c.words); got != c.want {
			t.Errorf("%q: %d pipes, want %d", c.words, got, c.want)
		}
	}
}

func FuzzParseShell(f *testing.F) {
	for _, s := range []string{"git log | sort", "for x in a; do\n", "$ ls\nout", "a <b> {c} <<E\n$x\nE", "X=$(a)\n\n'\n\n$X"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := parseShell(text)
		last := strings.Count(text, "\n")
		for _, lines := range [][]int{s.Pipes, s.Control, s.Captures, s.Failed} {
			for _, n := range lines {
				if n < 0 || n > last {
					t.Fatalf("line %d of a text of %d lines", n, last+1)
				}
			}
		}
		for _, c := range s.Commands {
			if c.Line < 0 || c.Line > last || len(c.Words) == 0 {
				t.Fatalf("command %+v in a text of %d lines", c, last+1)
			}
			gathers(c.Words)
		}
	})
}
