package signature

import "strings"

// checks are the conditions that a list of flags cannot say. Each answers
// whether a command of the class read (or wrap) really only reads; it sees the
// words after the program and its sub-commands.
var checks = map[string]func(args []word) bool{
	"find": findReads, "sed": sedReads, "awk": awkReads, "uniq": uniqReads, "tar": tarReads, "gh-api": ghAPIReads,
	"command": always, "timeout": always, "env": always,
}

// always: the wrappers are told apart in wrapped, not by a condition.
func always([]word) bool { return true }

func findReads(args []word) bool {
	for _, a := range args {
		switch {
		case a.text == "-exec", a.text == "-execdir", a.text == "-ok", a.text == "-okdir", a.text == "-delete", a.text == "-fls",
			strings.HasPrefix(a.text, "-fprint"):
			return false
		}
	}
	return true
}

// uniqReads: a second operand is an output file.
func uniqReads(args []word) bool {
	return len(operands(args, set([]string{"-f", "-s", "-w"}))) <= 1
}

// tarReads: only listing reads.
func tarReads(args []word) bool {
	for i, a := range args {
		if a.text == "--list" {
			return true
		}
		if i == 0 || strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") {
			mode := strings.TrimPrefix(a.text, "-")
			if strings.ContainsAny(mode, "xcruA") && i == 0 {
				return false
			}
			if strings.Contains(mode, "t") {
				return true
			}
		}
	}
	return false
}

// ghAPIReads: GET is the default only as long as no field is given; GraphQL is a POST.
func ghAPIReads(args []word) bool {
	method, fields := "", false
	for i, a := range args {
		name, val, joined := strings.Cut(a.text, "=")
		switch {
		case name == "-X" || name == "--method":
			if !joined && i+1 < len(args) {
				val = args[i+1].text
			}
			method = strings.ToUpper(val)
		case strings.HasPrefix(a.text, "-X"):
			method = strings.ToUpper(a.text[2:])
		case name == "-f" || name == "-F" || name == "--field" || name == "--raw-field" || name == "--input":
			fields = true
		case a.text == "graphql":
			return false
		}
	}
	return method == "GET" || method == "" && !fields
}

// sedReads: no editing in place, and no command that writes a file or runs one.
func sedReads(args []word) bool {
	var scripts []word
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case strings.HasPrefix(t, "--in-place"), t == "-f", strings.HasPrefix(t, "--file"):
			return false
		case t == "-e" || t == "--expression":
			if i+1 < len(args) {
				i++
				scripts = append(scripts, args[i])
			}
		case strings.HasPrefix(t, "--"):
		case len(t) > 1 && t[0] == '-':
			if strings.ContainsAny(t, "if") {
				return false
			}
			if strings.HasSuffix(t, "e") && i+1 < len(args) { // -ne SCRIPT
				i++
				scripts = append(scripts, args[i])
			}
		case len(scripts) == 0:
			scripts = append(scripts, args[i])
		}
	}
	for _, s := range scripts {
		if !s.literal || !sedScriptReads(s.text) {
			return false
		}
	}
	return true
}

func sedScriptReads(s string) bool {
	i := 0
	skipTo := func(delim byte) { // past the next unescaped delim
		for i < len(s) {
			switch s[i] {
			case '\\':
				i++
			case delim:
				i++
				return
			}
			i++
		}
	}
	for i < len(s) {
		c := s[i]
		i++
		switch {
		case strings.IndexByte(" \t\n;{}0123456789$,!+~", c) >= 0:
		case c == '/':
			skipTo('/')
		case c == '\\':
			if i < len(s) {
				d := s[i]
				i++
				skipTo(d)
			}
		case c == 's' || c == 'y':
			if i >= len(s) {
				return false
			}
			d := s[i]
			i++
			skipTo(d)
			skipTo(d)
			for i < len(s) && strings.IndexByte(" \t\n;}", s[i]) < 0 {
				if s[i] == 'w' || s[i] == 'e' {
					return false
				}
				i++
			}
		case strings.IndexByte("pdnNgGhHxDPqQlFz=I", c) >= 0:
		case strings.IndexByte("btT:", c) >= 0:
			for i < len(s) && s[i] != ';' && s[i] != '\n' && s[i] != '}' {
				i++
			}
		case strings.IndexByte("aicrR", c) >= 0:
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		default: // w, W, e and whatever else
			return false
		}
	}
	return true
}

// awkReads: a literal program without system, pipes or output into files.
func awkReads(args []word) bool {
	for _, a := range args {
		if a.text == "-f" || strings.HasPrefix(a.text, "--file") || a.text == "-i" {
			return false
		}
	}
	ops := operands(args, set([]string{"-F", "-v"}))
	return len(ops) > 0 && ops[0].literal && awkProgramReads(ops[0].text)
}

func awkProgramReads(s string) bool {
	code := awkCode(s)
	if strings.Contains(code, "system") || strings.Contains(strings.ReplaceAll(code, "||", ""), "|") || strings.Contains(code, "getline") {
		return false
	}
	for _, stmt := range strings.FieldsFunc(code, func(r rune) bool { return r == ';' || r == '}' || r == '{' || r == '\n' }) {
		if _, after, ok := strings.Cut(stmt, "print"); ok {
			depth := 0
			for _, c := range after {
				switch c {
				case '(':
					depth++
				case ')':
					depth--
				case '>':
					if depth == 0 {
						return false
					}
				}
			}
		}
	}
	return true
}

// awkCode is the program with string literals emptied.
func awkCode(s string) string {
	var b strings.Builder
	in := false
	for i := 0; i < len(s); i++ {
		switch {
		case in && s[i] == '\\':
			i++
		case s[i] == '"':
			in = !in
		case !in:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// operands are the words that are neither flags nor values of flags.
func operands(args []word, values map[string]bool) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "--" && a.literal:
			return append(out, args[i+1:]...)
		case a.isFlag():
			if values[a.text] {
				i++
			}
		default:
			out = append(out, a)
		}
	}
	return out
}

// allowed says whether args satisfy the rule's conditions.
func (r *rule) allowed(args []word) bool {
	has := func(list []string) bool {
		for _, a := range args {
			if a.text == "--" {
				break
			}
			for _, f := range list {
				if a.matches(f) {
					return true
				}
			}
		}
		return false
	}
	if has(r.deny) || len(r.need) > 0 && !has(r.need) {
		return false
	}
	if r.bare && len(operands(args, r.values)) > 0 && !has(r.bareUnless) {
		return false
	}
	return r.check == "" || checks[r.check](args)
}

// matches says whether the word is the flag f: itself, --f=value, one letter of a
// cluster (-la has -l), or, for a name that ends in *, anything that begins so.
func (w word) matches(f string) bool {
	t := w.text
	if p, ok := strings.CutSuffix(f, "*"); ok {
		return strings.HasPrefix(t, p)
	}
	if t == f || strings.HasPrefix(t, f) && len(t) > len(f) && t[len(f)] == '=' {
		return true
	}
	return len(f) == 2 && f[0] == '-' && len(t) > 2 && t[0] == '-' && t[1] != '-' && strings.IndexByte(t[1:], f[1]) >= 0
}
