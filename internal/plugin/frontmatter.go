package plugin

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// FrontState says how a component's frontmatter reads.
type FrontState string

// The states of frontmatter. The pinned client (2.1.332, observed) loads Read and
// Mended, and loads Refused and NoFront with no metadata at all.
const (
	// NoFront: there is no block.
	NoFront FrontState = "none"
	// Read: the block is a YAML mapping.
	Read FrontState = "read"
	// Mended: YAML refuses the block as written, and accepts it once the values with
	// special characters are quoted, which the pinned client does by itself.
	Mended FrontState = "mended"
	// Refused: neither; the client drops all fields.
	Refused FrontState = "refused"
)

// Front is the frontmatter block at the top of a component's file.
type Front struct {
	State FrontState
	// Line and End are the file lines of the opening and closing markers, 0 without a block.
	Line, End int
	// Err says why YAML refused the block, in one line; ErrLine where, 0 when unknown.
	Err     string
	ErrLine int
	// Effective holds the fields as YAML gives them: none when it refuses the block.
	Effective Fields
	// Recovered is a lenient reading of a refused or mended block; nil when YAML read it.
	Recovered Fields
	// Mark is set when the block was closed by "---" that does not stand on a line of its
	// own: the host ends the block at the first "---" before a line end.
	Mark int
	// Second is the line of a second block right below the first, 0 without; the host
	// treats it as text.
	Second int
}

// Host returns the fields that the pinned client loads.
func (f *Front) Host() Fields {
	if f.State == Mended {
		return f.Recovered
	}
	return f.Effective
}

// Best returns the fullest reading, loaded by the host or not.
func (f *Front) Best() Fields {
	if f.Recovered != nil {
		return f.Recovered
	}
	return f.Effective
}

// The host's own rule: "---" and blanks on the first line, then everything up to the
// next "---" that is followed by blanks and a line end, wherever it stands.
var (
	frontOpen  = pattern.New(`\A---[^\S\n]*\n`)
	frontClose = pattern.New(`---[^\S\n]*(?:\n|\z)`)
	closeAny   = pattern.New(`---\s*\n?`)
)

// splitFront cuts text into its frontmatter block and its body, as the host does.
// bodyLine is the 1-based line on which body starts; ok is false without a block.
func splitFront(text string) (block, body string, blockLine, bodyLine int, ok bool) {
	open := frontOpen().FindStringIndex(text)
	if open == nil {
		return "", text, 0, 1, false
	}
	rest := text[open[1]:]
	// `---\s*\n?` in the host matches the first "---" at all, at a line end or not.
	m := closeAny().FindStringIndex(rest)
	if m == nil {
		return "", text, 0, 1, false
	}
	if exact := frontClose().FindStringIndex(rest[m[0]:]); exact != nil && exact[0] == 0 {
		m[1] = m[0] + exact[1] // blank lines below the marker belong to the body
	} else {
		m[1] = m[0] + len("---")
	}
	block, body = rest[:m[0]], rest[m[1]:]
	bodyLine = 1 + strings.Count(text[:open[1]+m[1]], "\n")
	return block, body, 2, bodyLine, true
}

// ParseFront reads the frontmatter of text, a whole file with "\n" line ends, and
// returns its body with the body's first line.
func ParseFront(text string) (f Front, body string, bodyLine int) {
	block, body, at, bodyLine, ok := splitFront(text)
	if !ok {
		f.State = NoFront
		return f, body, bodyLine
	}
	f.Line = 1
	f.End = at + strings.Count(block, "\n")
	if last := block[strings.LastIndexByte(block, '\n')+1:]; strings.TrimSpace(last) != "" {
		f.Mark = f.End
	}
	if second := strings.TrimLeft(body, "\n"); frontOpen().MatchString(second) {
		if b, _, _, _, ok := splitFront(second); ok && topKey().MatchString(b) {
			f.Second = bodyLine + strings.Count(body[:len(body)-len(second)], "\n")
		}
	}
	fields, err := parseYAML(block, at)
	if err == nil {
		f.State, f.Effective = Read, fields
		return f, body, bodyLine
	}
	f.Err, f.ErrLine = err.msg, err.line
	if fields, err := parseYAML(quoteSpecial(block), at); err == nil {
		f.State, f.Recovered = Mended, fields
		return f, body, bodyLine
	}
	f.State, f.Recovered = Refused, recoverFields(block, at)
	return f, body, bodyLine
}

var (
	topKey      = pattern.New(`(?m)^([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(.*))?$`)
	hostKey     = pattern.New(`^([a-zA-Z_-]+):\s+(.+)$`)
	specialChar = pattern.New("[{}\\[\\]*&#!|>%@`]|: ")
)

// quoteSpecial does what the host does with a block that YAML refuses: every value
// of a top-level `key: value` line that holds a character special to YAML is quoted.
func quoteSpecial(block string) string {
	lines := strings.Split(block, "\n")
	for i, l := range lines {
		m := hostKey().FindStringSubmatch(l)
		if m == nil || isQuoted(m[2]) || !specialChar().MatchString(m[2]) {
			continue
		}
		lines[i] = m[1] + ": " + quote(m[2])
	}
	return strings.Join(lines, "\n")
}

func isQuoted(v string) bool {
	return len(v) >= 2 && (v[0] == '"' && v[len(v)-1] == '"' || v[0] == '\'' && v[len(v)-1] == '\'')
}

func quote(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(v) + `"`
}

// recoverFields reads each top-level key of a refused block alone; the values that fail
// alone are quoted whole, continuation lines included.
func recoverFields(block string, at int) Fields {
	out := Fields{}
	lines := strings.Split(block, "\n")
	for i := 0; i < len(lines); {
		j := i + 1
		for j < len(lines) && !topKey().MatchString(lines[j]) {
			j++
		}
		if m := topKey().FindStringSubmatch(lines[i]); m != nil {
			chunk := strings.Join(lines[i:j], "\n")
			fields, err := parseYAML(chunk, at+i)
			if err != nil {
				value := strings.TrimSpace(strings.TrimPrefix(chunk, m[1]+":"))
				if value[:min(1, len(value))] == `"` {
					value = strings.Trim(value, `"`)
				}
				fields, err = parseYAML(m[1]+": "+quote(value), at+i)
			}
			if err == nil {
				out = append(out, fields...)
			}
		}
		i = j
	}
	return out
}
