package signature

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Member is one member of a call's arguments: its name and its value, raw JSON. (The
// alias lets other rooms pass theirs without an arrow between them.)
type Member = struct{ Key, Value []byte }

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

// Atom is the smallest mechanical step: its signature, its identity, and whether it reads a
// file that the target ships. (An alias, for the same reason.)
type Atom = struct {
	Sig      string
	Identity uint64
	Own      bool
}

// Masker reduces tool calls. It is safe for concurrent use.
type Masker struct {
	own   own
	key   []byte
	id    string
	cache *cache
	words *interner
}

// New returns a Masker that may name the files of own and of no other plugin.
func New(o Own) *Masker { return (&Masker{own: newOwn(o)}).WithKey(nil) }

// WithKey returns a Masker whose identities are made under key. Without a key
// (nil) identities are still never emitted, only guessable by whoever holds them.
func (m *Masker) WithKey(key []byte) *Masker {
	out := &Masker{own: m.own, key: append([]byte(nil), key...), cache: newCache(), words: newInterner()}
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

// Shape reduces one call. tool is the tool's name as the client wrote it, input the raw
// JSON object of its arguments, args its members; of a member that stands twice the first
// one counts. It is a pure function of them.
func (m *Masker) Shape(tool, input []byte, args []Member) Shape {
	name := m.toolName(tool)
	switch name {
	case bash:
		return m.cache.get(value(args, "command"), m.shell)
	case "PowerShell": // it is not parsed: fail closed
		return Shape{Sig: name, Full: name + " <arg>", Identity: m.identity([]byte(name), []byte(text(value(args, "command"))))}
	case "Read", "NotebookRead":
		return m.file(name, args, true)
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		return m.file(name, args, false)
	}
	s := Shape{Sig: name, Full: m.full(name, "", args), Identity: m.identity(tool, input)}
	if name != string(tool) {
		s.Identity = m.identity([]byte(name), input)
	}
	if ReadsOnly(name) {
		s.Atoms = []Atom{{Sig: s.Sig, Identity: s.Identity}}
	}
	return s
}

// toolName is ToolName, for names that recur.
func (m *Masker) toolName(tool []byte) string {
	if len(tool) > maxName {
		return ToolName(string(tool))
	}
	return ToolName(m.words.of(tool))
}

// shell reduces a Bash command.
func (m *Masker) shell(command string) Shape {
	p := m.Bash(command)
	s := Shape{Sig: p.Sig, Full: p.Full, ReadOnly: p.OK && p.ReadOnly && !p.Own, Own: p.Own,
		Identity: m.identity([]byte(bash), []byte(command))}
	for _, c := range p.Commands {
		if c.ReadOnly {
			s.Atoms = append(s.Atoms, Atom{Sig: c.Sig, Identity: c.Identity})
		}
	}
	return s
}

// file reduces a tool that works on one file. Its identity is the file's path alone.
func (m *Masker) file(tool string, args []Member, reads bool) Shape {
	p := text(value(args, "file_path"))
	if p == "" {
		p = text(value(args, "notebook_path"))
	}
	shown := m.path(p)
	s := Shape{Sig: m.full(tool, shown, nil), Full: m.full(tool, shown, args), Identity: m.identity([]byte(tool), []byte(p))}
	if reads {
		s.Atoms = []Atom{{Sig: s.Sig, Identity: s.Identity, Own: strings.HasPrefix(shown, "<own:")}}
	}
	return s
}

// value is a member's value as it stands, nil where there is none.
func value(args []Member, name string) []byte {
	for i := range args {
		if string(args[i].Key) == name {
			return args[i].Value
		}
	}
	return nil
}

// text is a raw value as text.
func text(raw []byte) string {
	if n := len(raw); n > 1 && raw[0] == '"' && slices.Index(raw, '\\') < 0 {
		return string(raw[1 : n-1])
	}
	return gjson.ParseBytes(raw).String()
}

// parameters of built-in tools that a full signature names, with how their value is masked.
var parameters = map[string]string{
	"offset": "<n>", "limit": "<n>", "pages": "<arg>", "pattern": "<str>", "path": "path", "glob": "<str>", "type": "<arg>",
	"output_mode": "<arg>", "-A": "<n>", "-B": "<n>", "-C": "<n>", "-n": "<arg>", "-i": "<arg>", "head_limit": "<n>", "multiline": "<arg>",
	"replace_all": "<arg>", "url": "<url>", "query": "<str>", "subagent_type": "<arg>", "run_in_background": "<arg>", "model": "<arg>",
}

// full is a tool, the file that it works on (if any), and the names of the listed
// parameters that are present, in their order.
func (m *Masker) full(tool, shown string, args []Member) string {
	var list [8]string
	parts := list[:0]
	for i := range args {
		key := args[i].Key
		if len(key) > len("run_in_background") || len(parts) == len(parameters) {
			continue
		}
		switch kind, ok := parameters[string(key)]; {
		case !ok:
		case kind == "path":
			parts = append(parts, "path="+m.path(text(args[i].Value)))
		default:
			parts = append(parts, parameterMasks[string(key)])
		}
	}
	slices.Sort(parts)
	var room [128]byte
	b := append(room[:0], tool...)
	if shown != "" {
		b = append(append(b, ' '), shown...)
	}
	for _, p := range parts {
		b = append(append(b, ' '), p...)
	}
	return m.words.of(b)
}

// parameterMasks are the parameters as they are shown.
var parameterMasks = func() map[string]string {
	out := map[string]string{}
	for name, mask := range parameters {
		out[name] = name + "=" + mask
	}
	return out
}()

// maxName bounds a name that is passed on.
const maxName = 128

// ToolName is the tool's name if it is one: a listed tool, a word of letters, or
// mcp__server__tool. Models have called tools by names that held their prompt, so
// anything else is "<tool>".
func ToolName(s string) string {
	switch {
	case listed().tools[s]:
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
