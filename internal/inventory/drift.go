package inventory

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// Drift: the same rule stands in a hook's script and in prose, and nothing keeps the
// two together. Told by literals that both hold: paths, patterns, thresholds; event
// and script names are reported beside them, but name the hook rather than its rule
// (31 of 315 real hook scripts are named in prose; hardly one of them restated).
//
// A pair needs two literals that carry a rule, or one pattern: a single path in common
// is a subject, not a rule.
var (
	pathLiteral      = pattern.New(`(?:[~.]?[A-Za-z0-9_.@-]*/)+[A-Za-z0-9_.@*-]*[A-Za-z0-9_*-]`)
	patternLiteral   = pattern.New(`'([^'\n]{6,160})'|"([^"\n]{6,160})"`)
	thresholdLiteral = pattern.New(`(?:-(?:gt|ge|lt|le)\s+|[<>]=?\s*)"?([0-9]{2,9})\b`)
	eventLiteral     = pattern.New(`\b(?:(?:Pre|Post)ToolUse(?:Failure)?|SessionStart|SessionEnd|UserPromptSubmit|SubagentSt(?:op|art)|PreCompact|PostCompact|PermissionRequest|TaskCompleted)\b`)
	metaCharacter    = pattern.New(`\\[bdswn.(\[]|\.\*|\[[^\]]+\]|\([^)]*\|[^)]*\)|[\^$|]`)
)

// literals of a text by class.
type literals map[string]map[string]bool

func (l literals) put(class, s string) {
	if l[class] == nil {
		l[class] = map[string]bool{}
	}
	l[class][s] = true
}

// scriptLiterals finds what a hook script states.
func scriptLiterals(text string) literals {
	l := literals{}
	for _, line := range strings.Split(text, "\n") {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") {
			continue
		}
		for _, m := range patternLiteral().FindAllStringSubmatch(t, -1) {
			if s := m[1] + m[2]; metaCharacter().MatchString(s) && !strings.Contains(s, "$") {
				l.put("pattern", s)
			}
		}
		for _, s := range pathLiteral().FindAllString(t, -1) {
			if ruleful(s) {
				l.put("path", s)
			}
		}
		for _, m := range thresholdLiteral().FindAllStringSubmatch(t, -1) {
			l.put("threshold", m[1])
		}
		for _, s := range eventLiteral().FindAllString(t, -1) {
			l.put("event", s)
		}
	}
	return l
}

// ruleful: a path that says something: two parts at least, six letters, and none that every script has.
func ruleful(s string) bool {
	if len(s) < 6 || strings.HasPrefix(s, "/dev/") || strings.HasPrefix(s, "/tmp") || strings.HasPrefix(s, "/usr/") || strings.HasPrefix(s, "/bin/") || strings.HasPrefix(s, "//") {
		return false
	}
	return strings.Trim(s, "/.0123456789") != "" && strings.Count(s, "/") >= 1
}

// shared finds the literals of a script that a component's text holds too, with their lines.
func (r *reading) shared(script string, l literals) (map[string]int, []Evidence) {
	counts, places := map[string]int{}, []Evidence{}
	seen := func(class, s string, match func(line string) bool) {
		for i := range r.doc.Blocks {
			b := &r.doc.Blocks[i]
			for _, line := range r.textLines(b) {
				if match(line.Text) {
					counts[class]++
					places = append(places, Evidence{Signal: "drift", Path: r.path, Line: line.N, Value: 1})
					return
				}
			}
		}
	}
	for _, class := range []string{"event", "path", "pattern", "threshold"} {
		for _, s := range sortedSet(l[class]) {
			match := func(line string) bool { return strings.Contains(line, s) }
			if class == "threshold" {
				// A number is the same threshold only where the prose compares too.
				word := regexp.MustCompile(`\b` + s + `\b`)
				match = func(line string) bool { return word.MatchString(line) && comparison().MatchString(line) }
			}
			seen(class, s, match)
		}
	}
	name := path.Base(script)
	seen("script-name", name, func(line string) bool { return strings.Contains(line, name) })
	return counts, places
}

// drift compares every hook script with every component's text.
func (m *meter) drift(hooks []Hook) []DriftPair {
	scripts := map[string]bool{}
	for _, h := range hooks {
		if h.Script != "" && !h.Missing {
			scripts[h.Script] = true
		}
	}
	out := []DriftPair{}
	for _, script := range sortedSet(scripts) {
		text, err := m.p.Text(script)
		if err != nil {
			continue // Take has warned of it
		}
		l := scriptLiterals(text)
		for _, r := range m.readings {
			counts, places := r.shared(script, l)
			if counts["path"]+counts["pattern"]+counts["threshold"] < 2 && counts["pattern"] == 0 {
				continue
			}
			slices.SortStableFunc(places, func(a, b Evidence) int { return a.Line - b.Line })
			out = append(out, DriftPair{Script: script, Component: audit.ComponentRef{Kind: r.ref.Kind, Name: r.ref.Name}, Literals: counts, Places: places})
		}
	}
	return out
}

func sortedSet(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
