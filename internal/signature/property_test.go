package signature

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// closed says which word of a signature is outside the vocabulary, "" when none is.
// It knows the lists and the masks, and nothing of the input.
func closed(o Own, sig string) string {
	files := newOwn(o).files
	var subs func(map[string]*rule) bool
	for _, tok := range strings.FieldsFunc(sig, func(r rune) bool { return r == ' ' }) {
		tok = strings.TrimSuffix(tok, ";")
		subs = func(rs map[string]*rule) bool {
			if rs[tok] != nil {
				return true
			}
			for _, r := range rs {
				if subs(r.subs) {
					return true
				}
			}
			return false
		}
		if inner, ok := strings.CutPrefix(tok, "<own:"); ok && files[strings.TrimSuffix(inner, ">")] {
			continue
		}
		name, val, joined := strings.Cut(tok, "=")
		switch {
		case tok == "" || tok == "…" || tok == "-" || tok == "--":
		case maskWords.MatchString(tok), ToolName(tok) == tok && tok != "<tool>" && listed().tools[tok], subs(listed().programs), listed().basenames[tok]:
		case listed().longFlags[name] || listed().shortFlags[name] || isLetter(name) || parameters[name] != "":
			if joined && closed(o, val) != "" {
				return tok
			}
		case strings.HasPrefix(tok, "-<n>"), len(tok) == 5 && isLetter(tok[:2]) && tok[2:] == "<n>":
		default:
			return tok
		}
	}
	return ""
}

var maskWords = regexp.MustCompile(`^<(url|hash|uuid|path|str|n|arg|prog|flag|tool|unparsed)>$|^<path\.[a-z0-9]+>$`)

// leaks runs one shaper over many made-up calls and returns the first word that
// is outside the vocabulary, or the canary that stands in an output.
func leaks(shape func(tool, input []byte) Shape) error {
	rng := rand.New(rand.NewPCG(4, 2))
	for n := range 4000 {
		canary := fmt.Sprintf("%s%d", []string{"zqx", "Zebra", "k9", "hunter"}[rng.IntN(4)], rng.IntN(1e6))
		tool, input := madeUp(rng, canary)
		s := shape([]byte(tool), input)
		outs := []string{s.Sig, s.Full}
		for _, a := range s.Atoms {
			outs = append(outs, a.Sig)
		}
		for _, out := range outs {
			if strings.Contains(strings.ToLower(out), strings.ToLower(canary)) {
				return fmt.Errorf("call %d: %s %s: canary in %q", n, tool, input, out)
			}
			if bad := closed(testOwn, out); bad != "" {
				return fmt.Errorf("call %d: %s %s: %q in %q", n, tool, input, bad, out)
			}
		}
	}
	return nil
}

// madeUp builds a call with the canary at a random place where content can stand.
func madeUp(rng *rand.Rand, canary string) (string, []byte) {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	place := pick("%s", "/home/%s/x.go", "%s.md", "--%s", "--%s=1", "--json=%s", "-%s", "-p%s", "'%s y'", `"%s"`, "https://%s.example/%[1]s?t=%[1]s",
		"%s=1", "$%s", "${%s}", "$(%s)", "`%s`", "<(%s)", "2>%s", "> %s", "<<< %s", "<<%s\n%[1]s text\n%[1]s", "~/%s", `C:\%s\y`, "git@%s:o/r", "# %s", "{%s,b}",
		"${CLAUDE_PLUGIN_ROOT}/%s", "/home/u/acme/%s", "plugins/cache/m/acme/1/%s", "$'%s'", "%s() { ls; }", "[[ %s ]]", "((%s))", "--grep=%s", "README.%s", "/x/%s/README.md")
	place = fmt.Sprintf(place, canary)
	place, _, _ = strings.Cut(place, "%!(EXTRA")
	prog := pick("git", "git log", "gh api", "gh pr view", "sed -n", "awk", "find . -name", "xargs", "env", "timeout", "bash -c", "sudo", "jq", "npm run",
		"python3", "cd", "echo", "kubectl get", "for i in", "acme-plan", "/usr/bin/git", "./run", "time", "ssh", "curl -H", place)
	command := strings.Join([]string{prog, place, pick("", "| head -3", "&& ls", "; "+place, "2>/dev/null", "done", "'")}, " ")
	value := map[string]any{"command": command, "description": canary, "file_path": pick("/a/"+canary, canary+".go", canary+"/package.json", place),
		"pattern": canary, "path": place, "glob": canary, "content": canary, "prompt": canary, "skill": canary, canary: canary, "subagent_type": canary,
		"url": "https://" + canary, "query": canary, "-A": canary, "output_mode": canary}
	input, _ := json.Marshal(value)
	tool := pick("Bash", "Bash", "Bash", "Bash", "Read", "Edit", "Grep", "Glob", "Agent", "Skill", "WebFetch", "PowerShell", "NotebookEdit", canary+" x", "a\n"+canary, "mcp__"+canary)
	return tool, input
}

// TestNothingElseSurvives: no token of the input reaches a signature unless it is
// in the fixed vocabulary (FR-3.5). Two deliberately leaky maskers fail the same
// property, so it can fail.
func TestNothingElseSurvives(t *testing.T) {
	m := New(testOwn).WithKey([]byte("k"))
	if err := leaks(shape(m)); err != nil {
		t.Error(err)
	}
	for name, leaky := range map[string]func(tool, input []byte) Shape{
		"passes unknown sub-commands": func(tool, input []byte) Shape {
			s := shape(m)(tool, input)
			if s.Sig == "Bash git <arg>" {
				var v struct{ Command string }
				_ = json.Unmarshal(input, &v)
				s.Sig = "Bash " + strings.Join(strings.Fields(v.Command)[:2], " ")
			}
			return s
		},
		"keeps base names": func(tool, input []byte) Shape {
			s := shape(m)(tool, input)
			if string(tool) == "Read" {
				var v struct {
					File string `json:"file_path"`
				}
				_ = json.Unmarshal(input, &v)
				s.Full = "Read " + v.File[strings.LastIndexByte(v.File, '/')+1:]
			}
			return s
		},
	} {
		if leaks(leaky) == nil {
			t.Errorf("the masker that %s passes the property", name)
		}
	}
}

func FuzzShape(f *testing.F) {
	for _, s := range []string{"git log --oneline", "cat <<X\na\nX", "a=$(b) c", "find . -exec rm {} \\;", "awk '{print > f}'", "for x in *; do y; done", "\x00", "${x//a/b}"} {
		f.Add("Bash", s)
	}
	f.Add("Read", "/a/b.go")
	f.Add("Task\" >\n<x", "y")
	m := New(testOwn).WithKey([]byte("k"))
	f.Fuzz(func(t *testing.T, tool, text string) {
		input, err := json.Marshal(map[string]string{"command": text, "file_path": text, "path": text})
		if err != nil {
			t.Skip()
		}
		s := shape(m)([]byte(tool), input)
		outs := []string{s.Sig, s.Full}
		for _, a := range s.Atoms {
			outs = append(outs, a.Sig)
		}
		for _, out := range outs {
			if out == ToolName(tool) {
				continue
			}
			if head, rest, _ := strings.Cut(out, " "); head == ToolName(tool) {
				out = rest
			}
			if bad := closed(testOwn, out); bad != "" {
				t.Errorf("%q %q: %q in %q", tool, text, bad, out)
			}
		}
		if again := shape(m)([]byte(tool), input); again.Full != s.Full || again.Identity != s.Identity {
			t.Errorf("not pure: %+v, %+v", s, again)
		}
	})
}

func BenchmarkShape(b *testing.B) {
	m := New(testOwn).WithKey([]byte("k"))
	inputs := make([][]byte, 5000)
	for i := range inputs {
		inputs[i], _ = json.Marshal(map[string]string{"command": fmt.Sprintf("cd /srv/p%d && git log --oneline -%d main..HEAD 2>/dev/null | head -20 && gh pr view %d --json title", i, i, i)})
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		shape(m)([]byte("Bash"), inputs[i%len(inputs)])
	}
}
