package plugin

import (
	"fmt"
	"strings"
	"testing"
)

func TestFrontmatter(t *testing.T) {
	for _, c := range []struct {
		name, in string
		state    FrontState
		effDesc  string // description in Effective
		recDesc  string // description in Recovered; "-" when Recovered must be nil
		body     string
		bodyLine int
	}{
		{"F01 no block", "# Title\n", NoFront, "", "-", "# Title\n", 1},
		{"read", "---\nname: a\ndescription: b\n---\nbody\n", Read, "b", "-", "body\n", 5},
		{"empty block", "---\n---\nbody\n", Read, "", "-", "body\n", 3},
		{"F02 F03 two brackets", "---\ndescription: b\nargument-hint: [a] [b]\n---\n", Mended, "", "b", "", 5},
		{"F03 bracket and pipe", "---\nargument-hint: [x] | --y\ndescription: b\n---\n", Mended, "", "b", "", 5},
		{"F04 colon in description", "---\ndescription: Use when: asked\n---\nx", Mended, "", "Use when: asked", "x", 4},
		{"F05 star", "---\ntools: *\ndescription: b\n---\n", Mended, "", "b", "", 5},
		{"F05 at sign", "---\ndescription: @me first\n---\n", Mended, "", "@me first", "", 4},
		{"F05 bold line", "---\ndescription: b\n**bold** line\n---\n", Refused, "", "b **bold** line", "", 5},
		{"F05 example lines", "---\ndescription: Use: so\n<example>\nhi\n</example>\nmodel: opus\n---\n", Refused, "", "Use: so <example> hi </example>", "", 8},
		{"text after a quoted value", "---\nname: n\ndescription: \"abc\" def\n---\n", Refused, "", "abc\" def", "", 5},
		{"unclosed quote", "---\nname: n\ndescription: \"abc\n---\n", Refused, "", "abc", "", 5},
		{"F08 literal", "---\ndescription: |\n  one\n  two\n---\n", Read, "one\ntwo\n", "-", "", 6},
		{"F08 folded", "---\ndescription: >\n  one\n  two\n---\n", Read, "one two\n", "-", "", 6},
		{"F08 next line", "---\ndescription:\n  one\n---\n", Read, "one", "-", "", 5},
		{"F12 number is text", "---\ndescription: 1.0\n---\n", Read, "1.0", "-", "", 4},
		{"F12 date is text", "---\ndescription: 2024-01-02\n---\n", Read, "2024-01-02", "-", "", 4},
		{"F13 marker inside a line ends the block", "---\ndescription: a --- b\n---\nx\n", Read, "a ", "-", " b\n---\nx\n", 2},
		{"F13 second block is text", "---\nname: n\n---\n---\ndescription: b\n---\nx\n", Read, "", "-", "---\ndescription: b\n---\nx\n", 4},
		{"F14 unterminated", "---\ndescription: b\nbody\n", NoFront, "", "-", "---\ndescription: b\nbody\n", 1},
		{"F14 dots do not end it", "---\ndescription: b\n...\nbody\n", NoFront, "", "-", "---\ndescription: b\n...\nbody\n", 1},
		{"F14 tab", "---\nname: n\n\tdescription: b\n---\n", Refused, "", "", "", 5},
		{"F14 duplicate key, last counts", "---\ndescription: a\ndescription: b\n---\n", Read, "b", "-", "", 5},
		{"blank line first", "\n---\nname: a\n---\n", NoFront, "", "-", "\n---\nname: a\n---\n", 1},
		{"four dashes", "----\nname: a\n----\n", NoFront, "", "-", "----\nname: a\n----\n", 1},
		{"blanks after the marker", "--- \ndescription: b\n--- \nx", Read, "b", "-", "x", 4},
		{"a list", "---\n- a\n---\n", Refused, "", "", "", 4},
		{"a scalar", "---\njust text\n---\n", Refused, "", "", "", 4},
		{"alias bomb", "---\na: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\n---\n", Mended, "", "", "", 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, body, line := ParseFront(c.in)
			if f.State != c.state || body != c.body || line != c.bodyLine {
				t.Errorf("state %s (%s) body %q at %d, want %s %q at %d", f.State, f.Err, body, line, c.state, c.body, c.bodyLine)
			}
			if d := f.Effective.Text("description"); d != c.effDesc && strings.TrimSpace(d) != strings.TrimSpace(c.effDesc) {
				t.Errorf("effective description %q, want %q", d, c.effDesc)
			}
			if (f.Recovered == nil) != (c.recDesc == "-") {
				t.Fatalf("recovered = %v", f.Recovered)
			}
			if f.Recovered != nil && f.Recovered.Text("description") != c.recDesc {
				t.Errorf("recovered description %q, want %q", f.Recovered.Text("description"), c.recDesc)
			}
		})
	}
}

func TestFrontmatterPlaces(t *testing.T) {
	f, _, _ := ParseFront("---\nname: a\ndescription: >\n  x\n  y\ntools: Read\n---\n---\nname: b\n---\n")
	var got []string
	for _, x := range f.Effective {
		got = append(got, fmt.Sprintf("%s@%d", x.Key, x.Line))
	}
	if s := strings.Join(got, " "); s != "name@2 description@3 tools@6" || f.End != 7 || f.Second != 8 {
		t.Errorf("%s, end %d, second %d", s, f.End, f.Second)
	}
	f, _, _ = ParseFront("---\nname: a\nx: [b\n---\n")
	if f.State != Mended || f.ErrLine == 0 || f.Err == "" {
		t.Errorf("%+v", f)
	}
	if f, _, _ = ParseFront("---\na: x --- y\nb: 2\n---\n"); f.Mark != 2 {
		t.Errorf("mark %d, want 2", f.Mark)
	}
}

func TestToolLists(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"F10 comma string", "Read, Grep,Glob", "[Read Grep Glob]"},
		{"F10 space string", "Read Grep Glob", "[Read Grep Glob]"},
		{"F10 block list", "\n  - Read\n  - Bash(git log:*)", "[Read Bash(git log:*)]"},
		{"F10 flow list", "[Read, \"Bash(a, b)\"]", "[Read Bash(a, b)]"},
		{"F10 single", "Read", "[Read]"},
		{"F10 comma inside parens", "Bash(git add:*, git log:*), Read", "[Bash(git add:*, git log:*) Read]"},
		{"F11 agent list", "Agent(a, b, c), Read", "[Agent(a, b, c) Read]"},
		{"list holding a comma string", "[\"Read, Grep\"]", "[Read Grep]"},
		{"unclosed paren", "Bash(git add, Read", "[Bash(git add, Read]"},
		{"empty", "", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, _, _ := ParseFront("---\ntools: " + c.yaml + "\n---\n")
			if got := fmt.Sprint(f.Best().List("allowed-tools", "tools")); got != c.want {
				t.Errorf("%s, want %s (%s)", got, c.want, f.Err)
			}
		})
	}
}

func TestFieldBool(t *testing.T) {
	f, _, _ := ParseFront("---\na: true\nb: \"true\"\nc: no\nd: maybe\n---\n")
	for k, want := range map[string][2]bool{"a": {true, true}, "b": {true, true}, "c": {false, true}, "d": {false, false}, "e": {false, false}} {
		if v, set := f.Effective.Bool(k); v != want[0] || set != want[1] {
			t.Errorf("%s = %v %v, want %v", k, v, set, want)
		}
	}
}

func TestDecodeText(t *testing.T) {
	for _, c := range []struct{ name, in, want, issues string }{
		{"F14 BOM", "\xef\xbb\xbf---\n", "---\n", "[bom]"},
		{"F14 not UTF-8", "a\xe9b", "a\uFFFDb", "[not-utf8]"},
		{"F13 CRLF", "a\r\nb\r\n", "a\nb\n", "[]"},
		{"F13 mixed", "a\r\nb\nc", "a\nb\nc", "[mixed-line-ends]"},
		{"UTF-16", "\xff\xfea\x00", "\uFFFDa\uFFFD", "[utf-16 not-utf8 nul-bytes]"},
		{"NUL", "a\x00", "a\uFFFD", "[nul-bytes]"},
	} {
		got, issues := DecodeText([]byte(c.in))
		if got != c.want || fmt.Sprint(issues) != c.issues {
			t.Errorf("%s: %q %v, want %q %s", c.name, got, issues, c.want, c.issues)
		}
	}
}

// A block made to hang its reader is refused in time, and its small fields are recovered.
func TestFrontmatterGuard(t *testing.T) {
	for _, p := range []string{"a: b\n", "- ", "a:\n ", "- - ", "{", "["} {
		f, _, _ := ParseFront("---\nname: n\nx: " + strings.Repeat(p, 200_000/len(p)) + "\n---\n")
		if f.State != Refused || f.Recovered.Text("name") != "n" {
			t.Errorf("%q: %s %s", p, f.State, f.Err)
		}
	}
}
