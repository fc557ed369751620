package inventory

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// script is the shell text of one block or span, taken apart. Counts that a
// reader could dispute carry their lines, counted from 0 at the text's first.
type script struct {
	Commands []call
	// Pipes are the lines of "|" operators, in the shell and in jq filters; Control
	// those of if, case, for, while, until, function definitions and "||": places where
	// the text decides or repeats by itself ("&&" only puts one thing after another).
	// Captures are the lines of variables that take a command's output.
	Pipes, Control, Captures []int
	// Vars are the variables assigned in the text with the source of their value.
	Vars map[string]string
	// Program: the text is one program, not a list of examples: it has a "#!" line, a
	// compound command, or a variable that is set and then used.
	Program bool
	// Failed are the lines that no shell would parse.
	Failed []int
}

// call is one simple command as written.
type call struct {
	Line int
	// Words are the program and its arguments; quotes are removed, expansions stay as written.
	Words []string
	// Source is the command printed on one line.
	Source string
	// Filter: a later stage of a pipe, which works on what an earlier one emits.
	Filter bool
	// Writes: its output goes to a file.
	Writes bool
}

// placeholder is what an author writes where a reader must fill in: <name>, {name}.
var placeholder = pattern.New(`<[A-Za-z][A-Za-z0-9_ .,:/|#-]*[A-Za-z0-9_.#]>|\{[A-Za-z][A-Za-z0-9_ -]*[A-Za-z0-9_]\}|<[A-Za-z]>|\{[A-Za-z]\}`)

// maskPlaceholders puts letters where placeholders stand, byte for byte, so that
// the text parses as the command that it describes. What the shell itself reads
// so (here-documents, "${x}", "<(…)", brace lists) is left alone.
func maskPlaceholders(s string) string {
	b := []byte(s)
	for _, m := range placeholder().FindAllStringIndex(s, -1) {
		if m[0] > 0 && (b[m[0]-1] == '<' || b[m[0]-1] == '$') {
			continue
		}
		if b[m[0]] == '<' && strings.ContainsAny(s[m[0]:m[1]], "|") && strings.Contains(s[m[0]:m[1]], " | ") {
			continue // a redirection and a pipe, not a choice
		}
		for i := m[0]; i < m[1]; i++ {
			b[i] = 'X'
		}
	}
	return string(b)
}

// stripPrompts keeps the commands of a console transcript: where a line begins
// with "$ ", lines that do not (and continue none) are output, and are blanked.
func stripPrompts(s string) string {
	lines := strings.Split(s, "\n")
	prompted := false
	for _, l := range lines {
		if strings.HasPrefix(strings.TrimLeft(l, " \t"), "$ ") {
			prompted = true
			break
		}
	}
	if !prompted {
		return s
	}
	open := false
	for i, l := range lines {
		t := strings.TrimLeft(l, " \t")
		switch {
		case strings.HasPrefix(t, "$ "):
			t = t[2:]
		case open:
			t = strings.TrimPrefix(t, "> ")
		default:
			t = ""
		}
		open = strings.HasSuffix(t, `\`)
		lines[i] = t
	}
	return strings.Join(lines, "\n")
}

// parseShell takes shell text apart. Text that does not parse as a whole is read
// paragraph by paragraph and then line by line, so that one bad line (a prompt,
// an ellipsis, a cut example) does not hide the rest.
func parseShell(text string) *script {
	s := &script{Vars: map[string]string{}, Program: strings.HasPrefix(strings.TrimSpace(text), "#!")}
	s.add(maskPlaceholders(stripPrompts(text)), 0)
	return s
}

func (s *script) add(text string, at int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err == nil {
		s.walk(f, at)
		return
	}
	sep := "\n\n"
	if !strings.Contains(strings.Trim(text, "\n"), sep) {
		sep = "\n"
	}
	parts := strings.Split(text, sep)
	if len(parts) == 1 {
		s.Failed = append(s.Failed, at)
		return
	}
	for _, p := range parts {
		s.add(p, at)
		at += strings.Count(p, "\n") + len(sep)
	}
}

var oneLine = syntax.NewPrinter(syntax.SingleLine(true))

func (s *script) walk(f *syntax.File, at int) {
	line := func(p syntax.Pos) int { return at + int(p.Line()) - 1 }
	filters, writers := map[*syntax.CallExpr]bool{}, map[*syntax.CallExpr]bool{}
	for n := range syntax.Preorder(f) {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			switch n.Op {
			case syntax.Pipe, syntax.PipeAll:
				s.Pipes = append(s.Pipes, line(n.OpPos))
				if c, ok := n.Y.Cmd.(*syntax.CallExpr); ok {
					filters[c] = true
				}
			case syntax.OrStmt:
				s.Control = append(s.Control, line(n.OpPos))
			}
		case *syntax.Stmt:
			if c, ok := n.Cmd.(*syntax.CallExpr); ok && writes(n.Redirs) {
				writers[c] = true
			}
		case *syntax.ParamExp:
			if n.Param != nil {
				_, set := s.Vars[n.Param.Value]
				s.Program = s.Program || set
			}
		case *syntax.IfClause:
			s.Program = true
			if n.ThenPos.IsValid() { // an else branch is an IfClause of its own, without "then"
				s.Control = append(s.Control, line(n.Position))
			}
		case *syntax.CaseClause:
			s.Program = true
			s.Control = append(s.Control, line(n.Case))
		case *syntax.ForClause:
			s.Program = true
			s.Control = append(s.Control, line(n.ForPos))
		case *syntax.WhileClause:
			s.Program = true
			s.Control = append(s.Control, line(n.WhilePos))
		case *syntax.FuncDecl:
			s.Program = true
			s.Control = append(s.Control, line(n.Position))
		case *syntax.Assign:
			s.assign(n, line(n.Pos()))
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				c := newCall(n, line(n.Pos()))
				c.Filter, c.Writes = filters[n], writers[n]
				s.Commands = append(s.Commands, c)
				for range jqPipes(c.Words) {
					s.Pipes = append(s.Pipes, c.Line)
				}
			}
		}
	}
}

func (s *script) assign(n *syntax.Assign, line int) {
	if n.Name == nil || n.Value == nil {
		return
	}
	s.Vars[n.Name.Value] = printed(n.Value)
	for p := range syntax.Preorder(n.Value) {
		if _, ok := p.(*syntax.CmdSubst); ok {
			s.Captures = append(s.Captures, line)
			return
		}
	}
}

// writes: output is redirected to a file other than /dev/null.
func writes(rs []*syntax.Redirect) bool {
	for _, r := range rs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
			if w := plain(r.Word); w != "/dev/null" && w != "/dev/stderr" {
				return true
			}
		}
	}
	return false
}

// jqPipes counts the pipes of a jq filter: jq's own argument, or that of --jq and -q
// where another program embeds jq. A filter's stages work on a command's output by a
// fixed rule, as the shell's do.
func jqPipes(words []string) int {
	filter := ""
	for i, w := range words {
		switch {
		case (w == "--jq" || w == "-q") && i+1 < len(words):
			filter = words[i+1]
		case i > 0 && (words[0] == "jq" || words[0] == "gojq") && filter == "" && !strings.HasPrefix(w, "-"):
			filter = w
		}
	}
	n, quoted := 0, false
	for i := 0; i < len(filter); i++ {
		switch c := filter[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '|' && !quoted && (i+1 == len(filter) || filter[i+1] != '='):
			n++
		}
	}
	return n
}

func newCall(n *syntax.CallExpr, line int) call {
	c := call{Line: line}
	for _, w := range n.Args {
		c.Words = append(c.Words, plain(w))
	}
	c.Source = printed(&syntax.CallExpr{Args: n.Args})
	return c
}

// plain is a word without its quotes; expansions stand as written.
func plain(w *syntax.Word) string {
	var sb strings.Builder
	var parts func(ps []syntax.WordPart)
	parts = func(ps []syntax.WordPart) {
		for _, p := range ps {
			switch p := p.(type) {
			case *syntax.Lit:
				sb.WriteString(p.Value)
			case *syntax.SglQuoted:
				sb.WriteString(p.Value)
			case *syntax.DblQuoted:
				parts(p.Parts)
			default:
				sb.WriteString(printed(p))
			}
		}
	}
	parts(w.Parts)
	return sb.String()
}

func printed(n syntax.Node) string {
	var sb strings.Builder
	if err := oneLine.Print(&sb, n); err != nil {
		return ""
	}
	return strings.TrimSpace(sb.String())
}
