package transcript

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
)

// maxHead is how much of a user row's text is looked at to tell what it is.
const maxHead = 4 << 10

// userMark emits the mark that a user row without tool results is.
func (w *walker) userMark(r, around *row) {
	kind, head, ok := w.classifyRow(r)
	if !ok {
		return
	}
	mark := markRow{kind: kind}
	switch kind {
	case MarkCommand, MarkBuiltin:
		mark.class = w.markClass(commandName(head), bodyPlace{})
	case MarkBody:
		place := placeOf(head)
		mark.class = w.markClass(nil, place)
		if place.path != "" {
			mark.dirHash = w.identity(xxhash.Sum64String(place.path))
		}
		if len(r.sourceCall) > 0 {
			mark.call = xxhash.Sum64(r.sourceCall)
		}
	}
	if own := w.mark(r, around, mark); own && kind == MarkPrompt {
		w.reuse.settle(&w.pack)
		if len(w.fileAgent) > 0 && string(head) == "Warmup" {
			w.pack.warm(w.line)
		}
	}
}

// mark emits one mark and says what enter said.
func (w *walker) mark(r, around *row, m markRow) bool {
	own := w.enter(r, around)
	m.time = parseTime(r.stamp)
	if len(r.uuid) > 0 {
		m.row = xxhash.Sum64(r.uuid)
	}
	w.pack.mark(&m, w.line)
	return own
}

// classifyRow is classify of the first text of a row; false where nothing counts.
func (w *walker) classifyRow(r *row) (kind MarkKind, head []byte, ok bool) {
	m := &r.message
	text := m.text
	if !m.textual {
		if len(m.blocks) == 0 {
			return 0, nil, false // no content at all
		}
		for i := range m.blocks {
			if string(m.blocks[i].kind) == "text" {
				text = m.blocks[i].text
				break
			}
		}
	}
	head = text[:min(len(text), maxHead)]
	if bytes.IndexByte(head, '\\') >= 0 {
		w.scratch = unescape(w.scratch[:0], wholeEscapes(head))
		head = w.scratch
	}
	kind = classify(r, head)
	return kind, head, kind != 0
}

var (
	caveatTag       = []byte("<local-command-caveat>")
	notificationTag = []byte("<task-notification>")
	commandTag      = []byte("<command-message>")
	interruptText   = []byte("[Request interrupted by user")
	// builtinTags begin the rows of built-in commands, their outputs and the user's own shell.
	builtinTags = [][]byte{[]byte("<command-name>"), []byte("<local-command-stdout>"), []byte("<local-command-stderr>"),
		[]byte("<bash-input>"), []byte("<bash-stdout>"), []byte("<bash-stderr>")}
)

// classify says what a user row without results is, by its flags and the beginning of
// its text; 0 means nothing that counts.
func classify(r *row, head []byte) MarkKind {
	switch {
	case r.summary:
		return MarkSummary
	case r.meta:
		if bytes.HasPrefix(head, caveatTag) {
			return 0
		}
		return MarkBody
	case string(r.origin) == "task-notification" || bytes.HasPrefix(head, notificationTag):
		return MarkNotification
	case bytes.HasPrefix(head, commandTag):
		return MarkCommand
	case bytes.HasPrefix(head, interruptText):
		return MarkInterrupt
	}
	for _, tag := range builtinTags {
		if bytes.HasPrefix(head, tag) {
			return MarkBuiltin
		}
	}
	return MarkPrompt
}

// wholeEscapes cuts a raw prefix so that it does not end inside an escape.
func wholeEscapes(s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		n := 2
		if i+1 < len(s) && s[i+1] == 'u' {
			n = 6
		}
		if i+n > len(s) {
			return s[:i]
		}
		i += n - 1
	}
	return s
}

// commandName is the name between <command-name> and its end, without a slash.
func commandName(head []byte) []byte {
	_, rest, ok := bytes.Cut(head, []byte("<command-name>"))
	if !ok {
		return nil
	}
	name, _, ok := bytes.Cut(rest, []byte("</command-name>"))
	if !ok || len(name) > 200 {
		return nil
	}
	return bytes.TrimPrefix(bytes.TrimSpace(name), []byte("/"))
}

// bodyPlace is where the base directory of a skill's body stands.
type bodyPlace struct {
	path                         string // whole, slashes forward
	plugin, marketplace, version string
	base, dir                    string
}

var (
	pluginCache = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/plugins/cache/([^/]+)/([^/]+)/([^/]+)(?:/|$)`) })
	userSkills  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[A-Za-z]:)?/(?:(?:home|Users)/[^/]+|root)/\.claude/skills(?:/|$)`)
	})
)

// placeOf reads "Base directory for this skill: PATH" at the head of a body.
func placeOf(head []byte) bodyPlace {
	rest, ok := bytes.CutPrefix(head, []byte("Base directory for this skill:"))
	if !ok {
		return bodyPlace{base: "none"}
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	p := strings.TrimRight(strings.ReplaceAll(strings.TrimSpace(string(line)), `\`, "/"), "/")
	place := bodyPlace{path: p, base: "other", dir: p[strings.LastIndexByte(p, '/')+1:]}
	if m := pluginCache().FindStringSubmatch(p); m != nil {
		place.base, place.marketplace, place.plugin, place.version = "plugin-cache", m[1], m[2], m[3]
		return place
	}
	switch {
	case strings.Contains(p, "/bundled-skills/"):
		place.base = "bundled"
	case userSkills().MatchString(p):
		place.base = "user"
	case strings.Contains(p, "/.claude/skills/"):
		place.base = "project"
	}
	return place
}

// markClass is the record of what a mark says, 0 where it says nothing.
func (w *walker) markClass(name []byte, p bodyPlace) uint32 {
	if len(name) == 0 && p.base == "" {
		return 0
	}
	b := appendBytes(append(w.scope[:0], recordMark), name)
	b = appendStrings(b, p.plugin, p.marketplace, p.version, p.base, p.dir)
	w.scope = b
	return w.desk.number(b)
}

// parseTime reads RFC 3339 as Unix milliseconds; 0 where it is none.
func parseTime(s []byte) int64 {
	if len(s) < 20 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[len(s)-1] != 'Z' {
		return parseOddTime(s)
	}
	ok := true
	two := func(i int) int64 {
		a, b := s[i]-'0', s[i+1]-'0'
		ok = ok && a < 10 && b < 10
		return int64(a)*10 + int64(b)
	}
	year, month, day := two(0)*100+two(2), two(5), two(8)
	seconds := two(11)*3600 + two(14)*60 + two(17)
	milli := int64(0)
	switch len(s) {
	case 20:
	case 24:
		a := s[20] - '0'
		ok = ok && s[19] == '.' && a < 10
		milli = int64(a)*100 + two(21)
	default:
		return parseOddTime(s)
	}
	if !ok || month < 1 || month > 12 || day < 1 || day > 28 {
		return parseOddTime(s) // the odd days of a month are time's business
	}
	if two(11) > 23 || two(14) > 59 || two(17) > 59 {
		return parseOddTime(s)
	}
	return (daysSinceEpoch(year, month, day)*86400+seconds)*1000 + milli
}

func parseOddTime(s []byte) int64 {
	t, err := time.Parse(time.RFC3339, string(s))
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// daysSinceEpoch counts days of the proleptic Gregorian calendar from 1970-01-01.
func daysSinceEpoch(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 719469
}
