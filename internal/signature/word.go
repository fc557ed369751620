package signature

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a shell command, as far as it can be known without running it.
type word struct {
	// text is the word without its quotes; an expansion stands in it as ${NAME}.
	text string
	// literal: no expansion and no substitution stands in it.
	literal bool
	quoted  bool
}

func (w word) isFlag() bool {
	return len(w.text) > 1 && w.text[0] == '-' && !(w.quoted && strings.ContainsAny(w.text, " \t\n"))
}

func wordOf(w *syntax.Word) word {
	out := word{literal: true}
	var b strings.Builder
	var add func(parts []syntax.WordPart, quoted bool)
	add = func(parts []syntax.WordPart, quoted bool) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(unescape(p.Value, quoted))
			case *syntax.SglQuoted:
				out.quoted = true
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				out.quoted = true
				add(p.Parts, true)
			case *syntax.ParamExp:
				out.literal = false
				if p.Param != nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && !p.Length && !p.Excl {
					b.WriteString("${" + p.Param.Value + "}")
				} else {
					b.WriteByte(0)
				}
			default:
				out.literal = false
				b.WriteByte(0)
			}
		}
	}
	add(w.Parts, false)
	out.text = b.String()
	return out
}

func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if !quoted || strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// mask is what may be shown of a word beyond program and sub-command.
func (m *Masker) mask(w word) string {
	if !w.literal {
		if rel, ok := m.own.resolve(w.text); ok {
			return "<own:" + rel + ">"
		}
		return "<arg>"
	}
	if w.isFlag() {
		return m.flag(w)
	}
	switch {
	case isURL(w.text):
		return "<url>"
	case isUUID(w.text):
		return "<uuid>"
	case isHash(w.text):
		return "<hash>"
	case isPath(w.text):
		return m.path(w.text)
	case w.quoted:
		return "<str>"
	case isNumber(w.text):
		return "<n>"
	}
	return "<arg>"
}

// flag keeps a flag's name if it is listed, and masks its value.
func (m *Masker) flag(w word) string {
	t := w.text
	name, val, joined := strings.Cut(t, "=")
	switch {
	case t == "-" || t == "--":
		return t
	case listed().longFlags[name] || listed().shortFlags[name] || isLetter(name):
		if joined {
			return name + "=" + m.mask(word{text: val, literal: true})
		}
		return name
	case isNumber(t[1:]): // head -5
		return "-<n>"
	case len(t) > 2 && isLetter(t[:2]) && isNumber(t[2:]): // head -n5
		return t[:2] + "<n>"
	}
	return "<flag>"
}

func isLetter(f string) bool {
	return len(f) == 2 && f[0] == '-' && (f[1] >= 'a' && f[1] <= 'z' || f[1] >= 'A' && f[1] <= 'Z')
}

func isURL(s string) bool {
	if scheme, rest, ok := strings.Cut(s, "://"); ok && rest != "" && scheme != "" && !strings.ContainsAny(scheme, " /\\") {
		return true
	}
	return strings.HasPrefix(s, "git@") && strings.Contains(s, ":")
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// isHash: 7 to 64 hexadecimal digits that are not all decimal.
func isHash(s string) bool {
	if len(s) < 7 || len(s) > 64 {
		return false
	}
	digit, alpha := false, false
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
		if s[i] <= '9' {
			digit = true
		} else {
			alpha = true
		}
	}
	return digit && alpha
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func isNumber(s string) bool {
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case strings.IndexByte("+-.,:%kKmMgG", c) < 0:
			return false
		}
	}
	return digits > 0
}
