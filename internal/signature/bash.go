package signature

import (
	"path"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Parsed is a shell text, reduced to its simple commands in the order in which they stand.
type Parsed struct {
	// OK is false when the text is not Bash; Sig and Full then are "Bash <unparsed>".
	OK bool
	// Commands are the simple commands, neutral ones (cd, echo) included; never nil when OK.
	Commands []Command
	// Sig and Full are the whole text's signature at shape and at full grain.
	Sig, Full string
	// ReadOnly: nothing in it can change anything (2-measure.md 2.3).
	ReadOnly bool
	// Own: it runs an executable that the plugin ships, and beside that only reads.
	Own bool
	// Pipes counts the pipe operators.
	Pipes int
}

// Command is one simple command.
type Command struct {
	// Sig is "Bash PROGRAM [SUB]", Full the same with flags and masks.
	Sig, Full string
	// OwnFile is the shipped executable that it runs, "" when it runs none.
	OwnFile string
	// ReadOnly by the table; Neutral commands change only the shell itself.
	ReadOnly, Neutral bool
	// Line is its 1-based line in the text.
	Line int
	// Identity is a keyed hash of its literal words.
	Identity uint64
}

const (
	bash     = "Bash"
	unparsed = bash + " <unparsed>"
	// maxCommands bounds a signature; what comes after is summed up by "…".
	maxCommands = 16
)

var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Bash reads a shell text. It never fails: what does not parse is not read-only
// and shows nothing of itself.
func (m *Masker) Bash(text string) Parsed {
	p := Parsed{ReadOnly: true}
	if !m.bash(text, &p, 0) {
		return Parsed{Sig: unparsed, Full: unparsed}
	}
	p.OK = true
	m.summarise(&p)
	return p
}

// maxNesting bounds bash -c inside bash -c.
const maxNesting = 3

func (m *Masker) bash(text string, p *Parsed, depth int) bool {
	parser := parsers.Get().(*syntax.Parser)
	file, err := parser.Parse(strings.NewReader(text), "")
	parsers.Put(parser)
	if err != nil {
		return false
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if n.Background || n.Coprocess {
				p.ReadOnly = false
			}
		case *syntax.Redirect:
			if !harmless(n) {
				p.ReadOnly = false
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				p.Pipes++
			}
		case *syntax.FuncDecl, *syntax.CoprocClause:
			p.ReadOnly = false
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				words := make([]word, len(n.Args))
				for i, a := range n.Args {
					words[i] = wordOf(a)
				}
				m.call(words, int(n.Pos().Line()), p, depth)
			}
		}
		return true
	})
	return true
}

// harmless: into /dev/null, or between descriptors.
func harmless(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		return true
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrIn:
		return r.Word != nil && r.Word.Lit() == "/dev/null"
	}
	return false
}

// call adds the simple command words to p; a shell's -c text is read in its place.
func (m *Masker) call(words []word, line int, p *Parsed, depth int) {
	if text, ok := shellText(words); ok && depth < maxNesting {
		if m.bash(text, p, depth+1) {
			return
		}
		p.ReadOnly = false
	}
	c := m.command(words)
	c.Line = line
	if !c.ReadOnly && !c.Neutral {
		p.ReadOnly = false
	}
	p.Commands = append(p.Commands, c)
}

// shellText is the script of sh -c 'script'.
func shellText(words []word) (string, bool) {
	if len(words) < 3 || !words[0].literal {
		return "", false
	}
	switch path.Base(words[0].text) {
	case "bash", "sh", "zsh", "dash":
	default:
		return "", false
	}
	for i, w := range words[1 : len(words)-1] {
		if !w.isFlag() {
			return "", false
		}
		if !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "c") {
			s := words[i+2]
			return s.text, s.literal
		}
	}
	return "", false
}

// command reduces one simple command.
func (m *Masker) command(words []word) Command {
	c := m.reduce(words)
	parts := make([][]byte, len(words))
	for i, w := range words {
		parts[i] = []byte(w.text)
	}
	c.Identity = m.identity(parts...)
	c.Sig, c.Full = bash+" "+c.Sig, bash+" "+c.Full
	return c
}

// reduce does the work of command, its signatures without the tool's name.
func (m *Masker) reduce(words []word) Command {
	prog, args := words[0], words[1:]
	name, ownFile, r := m.program(prog)
	if ownFile != "" {
		return Command{Sig: name, Full: m.join(name, args), OwnFile: ownFile}
	}
	if r == nil {
		return Command{Sig: name, Full: m.join(name, args)}
	}
	r, head, rest := m.descend(r, args)
	switch r.class {
	case wrap:
		return m.wrapped(r, head, rest)
	case script:
		ops := operands(rest, r.values)
		c := Command{Sig: head, Full: m.join(head, rest)}
		if len(ops) > 0 {
			if rel, ok := m.own.resolve(ops[0].text); ok {
				c.Sig, c.OwnFile = head+" <own:"+rel+">", rel
			}
		}
		return c
	case neutral:
		return Command{Sig: head, Full: m.join(head, rest), Neutral: true}
	}
	return Command{Sig: head, Full: m.join(head, rest), ReadOnly: r.class == read && r.allowed(rest)}
}

// program names what is run: a listed program, an own executable, or a mask.
func (m *Masker) program(w word) (name, ownFile string, r *rule) {
	if rel, ok := m.own.resolve(w.text); ok {
		return "<own:" + rel + ">", rel, nil
	}
	if !w.literal {
		return "<prog>", "", nil
	}
	if !strings.ContainsAny(w.text, `/\`) {
		if rel, ok := m.own.bins[w.text]; ok {
			return "<own:" + rel + ">", rel, nil
		}
		if r := listed().programs[w.text]; r != nil {
			return w.text, "", r
		}
		return "<prog>", "", nil
	}
	switch dir, base := path.Split(w.text); dir {
	case "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/":
		if r := listed().programs[base]; r != nil {
			return base, "", r
		}
	}
	return m.path(w.text), "", nil
}

// descend follows the sub-commands as far as they are listed. head is the program
// with them, rest what follows; an unlisted sub-command is masked into head.
func (m *Masker) descend(r *rule, args []word) (last *rule, head string, rest []word) {
	head = r.name
	before := []word(nil) // flags that stand before the sub-command
	for len(r.subs) > 0 {
		i := 0
		for i < len(args) && args[i].isFlag() && args[i].text != "--" {
			n := 1
			if r.values[args[i].text] {
				n = 2
			}
			before = append(before, args[i:min(i+n, len(args))]...)
			i += n
		}
		if i >= len(args) {
			return r, head, before
		}
		args = args[i:]
		sub := r.subs[args[0].text]
		if sub == nil || !args[0].literal || args[0].quoted {
			if r.class == write || r.class == wrap {
				return &rule{name: r.name, class: write}, head + " <arg>", append(before, args[1:]...)
			}
			return r, head, append(before, args...)
		}
		r, head, args = sub, head+" "+sub.name, args[1:]
	}
	return r, head, append(before, args...)
}

// wrapped reduces the command that a wrapper runs. xargs stays in the signature,
// the others (time, timeout, env …) are transparent.
func (m *Masker) wrapped(r *rule, head string, args []word) Command {
	i := 0
	for i < len(args) && args[i].isFlag() {
		if r.check == "command" && (args[i].text == "-v" || args[i].text == "-V") {
			return Command{Sig: head, Full: m.join(head, args), ReadOnly: true}
		}
		if r.values[args[i].text] {
			i++
		}
		i++
	}
	if r.check == "env" {
		for i < len(args) && strings.Contains(args[i].text, "=") {
			i++
		}
	}
	if r.check == "timeout" {
		i++
	}
	if i >= len(args) {
		return Command{Sig: head, Full: m.join(head, args), ReadOnly: r.name == "env" || r.name == "xargs"}
	}
	c := m.reduce(args[i:])
	if r.name == "xargs" {
		c.Sig, c.Full = head+" "+c.Sig, m.join(head, args[:i])+" "+c.Full
		c.ReadOnly, c.Neutral = c.ReadOnly || c.Neutral, false
	}
	return c
}

// join renders the masked words; a run of equal masks stands once.
func (m *Masker) join(head string, args []word) string {
	var b strings.Builder
	b.WriteString(head)
	last := ""
	for _, a := range args {
		s := m.mask(a)
		if s == last && s[0] == '<' {
			continue
		}
		b.WriteByte(' ')
		b.WriteString(s)
		last = s
	}
	return b.String()
}

// summarise sets the signatures of the whole text: its commands without the
// neutral ones, equal neighbours once.
func (m *Masker) summarise(p *Parsed) {
	var sig, full []string
	reads, owns, others := 0, 0, 0
	for _, c := range p.Commands {
		switch {
		case c.Neutral:
			continue
		case c.OwnFile != "":
			owns++
		case c.ReadOnly:
			reads++
		default:
			others++
		}
		sig, full = addPart(sig, c.Sig), addPart(full, c.Full)
	}
	if len(sig) == 0 {
		for _, c := range p.Commands {
			sig, full = addPart(sig, c.Sig), addPart(full, c.Full)
		}
	}
	p.Sig, p.Full = joinParts(sig), joinParts(full)
	p.Own = owns > 0 && others == 0
}

func addPart(parts []string, s string) []string {
	s = strings.TrimPrefix(s, bash+" ")
	if n := len(parts); n > 0 && parts[n-1] == s {
		return parts
	}
	return append(parts, s)
}

func joinParts(parts []string) string {
	if len(parts) == 0 {
		return bash
	}
	if len(parts) > maxCommands {
		parts = append(parts[:maxCommands:maxCommands], "…")
	}
	return bash + " " + strings.Join(parts, "; ")
}
