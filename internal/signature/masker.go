package signature

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"

	"github.com/tidwall/gjson"
)

// Shape is all that may be kept of one tool call's arguments.
type Shape struct {
	// Sig is the signature at shape grain, Full at full grain.
	Sig, Full string
	// Identity is a keyed hash of the literal arguments; it must not be emitted.
	Identity uint64
	// Atoms are the mechanical atoms: a read, or each reading simple command of a Bash call.
	Atoms []Atom
	// ReadOnly: a Bash call that only reads. False for other tools.
	ReadOnly bool
	// Own: a Bash call that runs an executable of the target and beside it only reads.
	Own bool
}

// Atom is the smallest mechanical step.
type Atom struct {
	Sig      string
	Identity uint64
	// Own: it reads a file that the target ships.
	Own bool
}

// Masker reduces tool calls. It is safe for concurrent use.
type Masker struct {
	own   own
	key   []byte
	id    string
	cache *cache
}

// New returns a Masker that may name the files of own and of no other plugin.
func New(o Own) *Masker { return (&Masker{own: newOwn(o)}).WithKey(nil) }

// WithKey returns a Masker whose identities are made under key. Without a key
// (nil) identities are still never emitted, only guessable by whoever holds them.
func (m *Masker) WithKey(key []byte) *Masker {
	out := &Masker{own: m.own, key: append([]byte(nil), key...), cache: newCache()}
	h := sha256.New()
	fmt.Fprintf(h, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%x\x1f", version, commandsText, namesText, m.own.plugin, m.own.root, key)
	for _, f := range m.own.sorted {
		fmt.Fprintf(h, "%s\x1f%t\x1f", f, m.own.executables[f])
	}
	out.id = version + "-" + hex.EncodeToString(h.Sum(nil)[:8])
	return out
}

// ID changes whenever an answer of Shape could: with the tables, the key and the own files.
func (m *Masker) ID() string { return m.id }

// Shape reduces one call. tool is the tool's name as the client wrote it, input
// the raw JSON object of its arguments. It is a pure function of both.
func (m *Masker) Shape(tool, input []byte) Shape {
	name := ToolName(string(tool))
	switch name {
	case "Bash", "PowerShell":
		return m.shell(name, text(input, "command"))
	case "Read", "NotebookRead":
		return m.file(name, input, true)
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		return m.file(name, input, false)
	}
	s := Shape{Sig: name, Full: m.full(name, input), Identity: m.identity([]byte(name), input)}
	if ReadsOnly(name) {
		s.Atoms = []Atom{{Sig: s.Sig, Identity: s.Identity}}
	}
	return s
}

// shell reduces a Bash call. PowerShell is not parsed: fail closed.
func (m *Masker) shell(tool, command string) Shape {
	if tool != bash {
		return Shape{Sig: tool, Full: tool + " <arg>", Identity: m.identity([]byte(tool), []byte(command))}
	}
	return m.cache.get(command, func() Shape {
		p := m.Bash(command)
		s := Shape{Sig: p.Sig, Full: p.Full, ReadOnly: p.OK && p.ReadOnly && !p.Own, Own: p.Own,
			Identity: m.identity([]byte(bash), []byte(command))}
		for _, c := range p.Commands {
			if c.ReadOnly {
				s.Atoms = append(s.Atoms, Atom{Sig: c.Sig, Identity: c.Identity})
			}
		}
		return s
	})
}

// file reduces a tool that works on one file. Its identity is the file's path alone.
func (m *Masker) file(tool string, input []byte, reads bool) Shape {
	p := text(input, "file_path")
	if p == "" {
		p = text(input, "notebook_path")
	}
	shown := m.path(p)
	s := Shape{Sig: tool + " " + shown, Full: m.full(tool+" "+shown, input), Identity: m.identity([]byte(tool), []byte(p))}
	if reads {
		s.Atoms = []Atom{{Sig: s.Sig, Identity: s.Identity, Own: strings.HasPrefix(shown, "<own:")}}
	}
	return s
}

// parameters of built-in tools that a full signature names, with how their value is masked.
var parameters = map[string]string{
	"offset": "<n>", "limit": "<n>", "pages": "<arg>", "pattern": "<str>", "path": "path", "glob": "<str>", "type": "<arg>",
	"output_mode": "<arg>", "-A": "<n>", "-B": "<n>", "-C": "<n>", "-n": "<arg>", "-i": "<arg>", "head_limit": "<n>", "multiline": "<arg>",
	"replace_all": "<arg>", "url": "<url>", "query": "<str>", "subagent_type": "<arg>", "run_in_background": "<arg>", "model": "<arg>",
}

// full adds the names of the listed parameters that are present, in the order of their names.
func (m *Masker) full(head string, input []byte) string {
	var parts []string
	members(input, func(k, v []byte) {
		if kind, ok := parameters[string(k)]; ok && len(parts) < len(parameters) {
			if kind == "path" {
				kind = m.path(gjson.ParseBytes(v).String())
			}
			parts = append(parts, " "+string(k)+"="+kind)
		}
	})
	sort.Strings(parts)
	return head + strings.Join(parts, "")
}

// maxName bounds a name that is passed on.
const maxName = 128

// ToolName is the tool's name if it is one: a listed tool, a word of letters, or
// mcp__server__tool. Models have called tools by names that held their prompt, so
// anything else is "<tool>".
func ToolName(s string) string {
	switch {
	case knownTools[s]:
		return s
	case len(s) < 2 || len(s) > maxName:
		return "<tool>"
	case s[0] >= 'A' && s[0] <= 'Z' && wellFormed(s, ""):
		return s
	case strings.HasPrefix(s, "mcp__"):
		if wellFormed(s, "_-") && strings.Contains(s[5:], "__") {
			return s
		}
	}
	return "<tool>"
}

// Name is a skill's, agent's or plugin's name if it is well formed, else "<name>":
// letters, digits and ._-: with at most maxName bytes.
func Name(s string) string {
	if s == "" || len(s) <= maxName && wellFormed(s, "._-:") {
		return s
	}
	return "<name>"
}

func wellFormed(s, also string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(also, c) >= 0) {
			return false
		}
	}
	return s != ""
}

// ReadsOnly says whether a tool other than Bash only reads, by its name
// (2-measure.md 2.3): Read, Grep, Glob, LS, ToolSearch, and MCP tools whose name
// part begins with list_, get_, read_, search_, find_, show_, describe_ or ends in
// _read, _list, _get.
func ReadsOnly(tool string) bool {
	switch tool {
	case "Read", "NotebookRead", "Grep", "Glob", "LS", "ToolSearch":
		return true
	}
	if !strings.HasPrefix(tool, "mcp__") {
		return false
	}
	part := tool[strings.LastIndex(tool, "__")+2:]
	for _, p := range []string{"list_", "get_", "read_", "search_", "find_", "show_", "describe_"} {
		if strings.HasPrefix(part, p) {
			return true
		}
	}
	for _, p := range []string{"_read", "_list", "_get"} {
		if strings.HasSuffix(part, p) {
			return true
		}
	}
	return false
}
