package inventory

import (
	"cmp"
	"path"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// hookEntry is one hook as written, with what only the checks ask for.
type hookEntry struct {
	Hook
	command string
	args    []string
	// keys of the entry, in order, with their values.
	entry plugin.JSON
	// loose: the entry stands without its group.
	loose bool
}

// hooks reads every hook: hooks/hooks.json, what the manifest names or holds, and the
// frontmatter of skills and agents.
func (l *layout) hooks(s *surface) {
	read := map[string]bool{}
	file := func(rel string) {
		if read[rel] {
			return
		}
		read[rel] = true
		j := l.config(s, "hooks", rel)
		if j == nil {
			return
		}
		inner, ok := j.Get("hooks")
		if _, modules := j.Get("modules"); !ok && modules {
			return // hooks written as modules need no events here
		}
		if !ok {
			s.broken = append(s.broken, brokenFile{"hooks", rel, `has no "hooks" member around its events`, 1})
			l.hookMap(s, rel, *j, notWrapped) // the host refuses it; its author meant these
			return
		}
		l.hookMap(s, rel, inner, "")
	}
	if _, ok := l.p.File("hooks/hooks.json"); ok {
		file("hooks/hooks.json")
	}
	for _, d := range l.p.Manifest.Hooks {
		switch {
		case d.Inline != nil:
			j := *d.Inline
			if inner, ok := j.Get("hooks"); ok && (inner.IsObj || inner.IsList) {
				j = inner
			}
			l.hookMap(s, d.Source, j, "")
		case d.Rel != "":
			if _, ok := l.p.File(d.Rel); ok {
				file(d.Rel)
			}
		}
	}
	l.frontmatterHooks(s)
	s.Hooks = []Hook{}
	for _, h := range s.hooks {
		s.Hooks = append(s.Hooks, h.Hook)
	}
	sort.SliceStable(s.Hooks, func(i, j int) bool {
		a, b := s.Hooks[i], s.Hooks[j]
		if a.Source != b.Source {
			return a.Source < b.Source
		}
		return a.Line < b.Line
	})
}

// hookMap reads {Event: [{matcher, hooks: [entry]}]}; and, because authors write it (H02),
// a list of {event, matcher, hooks} or of entries, which the host refuses.
func (l *layout) hookMap(s *surface, source string, j plugin.JSON, why string) {
	if j.IsList {
		why = notWrapped
		s.broken = append(s.broken, brokenFile{"hooks", source, "hooks must be an object keyed by event, is a list", j.Line})
		for _, group := range j.Items {
			event := group.Text("event")
			if event == "" {
				event = group.Text("type")
			}
			l.hookGroup(s, source, event, group, why)
		}
		return
	}
	for _, m := range j.Members {
		for _, group := range m.JSON.Items {
			l.hookGroup(s, source, m.Key, group, why)
		}
	}
}

func (l *layout) hookGroup(s *surface, source, event string, group plugin.JSON, why string) {
	entries, ok := group.Get("hooks")
	loose := !ok || !entries.IsList
	if loose {
		if group.Text("command") == "" {
			return
		}
		entries = plugin.JSON{IsList: true, Items: []plugin.JSON{group}} // an entry without its group
	}
	for _, e := range entries.Items {
		if !e.IsObj {
			continue
		}
		h := hookEntry{entry: e, loose: loose, command: e.Text("command")}
		h.Event, h.Matcher, h.Source, h.Line = event, group.Text("matcher"), source, e.Line
		if h.Type = e.Text("type"); h.Type == "" || h.Type == event {
			h.Type = "command"
		}
		if args, ok := e.Get("args"); ok {
			for _, a := range args.Items {
				h.args = append(h.args, a.Str())
			}
		}
		l.resolveHook(&h)
		h.NotLoaded = cmp.Or(prefixed(plugin.HostRefuses, l.p.Refused), why, h.ignored())
		s.hooks = append(s.hooks, h)
	}
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// Reasons for which the host does not run a hook.
const (
	notWrapped   = "the host reads hooks as an object of events inside \"hooks\" only"
	unknownEvent = "the host has no such event"
	badEntry     = "the host ignores an entry of an unknown type, without its command, or with a timeout that is no number"
)

// ignored is why the host skips this entry though it reads its file.
func (h *hookEntry) ignored() string {
	t, timed := h.entry.Get("timeout")
	switch {
	case !hookEvents[h.Event]:
		return unknownEvent
	case !hookTypes[h.Type], h.Type == "command" && strings.TrimSpace(h.command) == "", timed && t.Type() != "number":
		return badEntry
	}
	return ""
}

// frontmatterHooks reads hooks declared by a component: the host runs those of skills
// while the skill is in use, and ignores those of a plugin's agents.
func (l *layout) frontmatterHooks(s *surface) {
	for i := range l.p.Components {
		c := &l.p.Components[i]
		f, ok := c.Front.Best().Get("hooks")
		events, isMap := f.Value.(map[string]any)
		if !ok || !isMap {
			continue
		}
		names := make([]string, 0, len(events))
		for e := range events {
			names = append(names, e)
		}
		sort.Strings(names)
		for _, event := range names {
			groups, _ := events[event].([]any)
			for _, g := range groups {
				group, _ := g.(map[string]any)
				entries, _ := group["hooks"].([]any)
				if entries == nil && group["command"] != nil {
					entries = []any{group}
				}
				for _, e := range entries {
					entry, _ := e.(map[string]any)
					h := hookEntry{}
					h.command, _ = entry["command"].(string)
					h.Event, h.Source, h.Line = event, c.Path, f.Line
					h.Matcher, _ = group["matcher"].(string)
					if h.Type, _ = entry["type"].(string); h.Type == "" {
						h.Type = "command"
					}
					switch {
					case c.Kind == "agent":
						h.NotLoaded = "the host ignores hooks in the frontmatter of a plugin's agent"
					case !c.Loaded():
						h.NotLoaded = c.NotLoaded
					}
					l.resolveHook(&h)
					s.hooks = append(s.hooks, h)
				}
			}
		}
	}
}

var rootVar = pattern.New(`\$\{?CLAUDE_(PLUGIN_ROOT|SKILL_DIR)\}?[/\\]+`)

// resolveHook finds the plugin's own file that a command runs, or counts its inline logic.
func (l *layout) resolveHook(h *hookEntry) {
	if h.Type != "command" {
		return
	}
	for _, w := range commandWords(h.command, h.args) {
		loc := rootVar().FindStringSubmatchIndex(w)
		if loc == nil {
			continue
		}
		rel := path.Clean(strings.ReplaceAll(w[loc[1]:], `\`, "/"))
		if w[loc[2]:loc[3]] == "SKILL_DIR" {
			rel = path.Join(path.Dir(h.Source), rel)
		}
		if strings.ContainsAny(rel, "$`*") {
			continue // the name is computed
		}
		if l.p.HasDir(rel) && !l.isFile(rel) {
			continue // an argument that is a folder
		}
		h.Script = rel
		h.Missing = !l.isFile(rel)
		return
	}
	h.InlineLOC = inlineLOC(h.command)
}

func (l *layout) isFile(rel string) bool {
	_, ok := l.p.File(rel)
	return ok
}

// commandWords are the words of a hook's command with quotes removed and variables as
// written; where the shell's grammar refuses it, its blank-separated words.
func commandWords(command string, args []string) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return append(strings.Fields(strings.Map(func(r rune) rune {
			if r == '"' || r == '\'' {
				return -1
			}
			return r
		}, command)), args...)
	}
	var out []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			out = append(out, wordText(command, w))
		}
		return true
	})
	return append(out, args...)
}

// wordText is a word as written, without its quotes.
func wordText(src string, w *syntax.Word) string {
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	if from < 0 || to > len(src) || from > to {
		return ""
	}
	return strings.NewReplacer(`"`, "", `'`, "").Replace(src[from:to])
}

// inlineLOC counts the simple commands of a one-liner: logic that lives in JSON.
func inlineLOC(command string) int {
	if strings.TrimSpace(command) == "" {
		return 0
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return 1 + strings.Count(command, "\n")
	}
	n := 0
	syntax.Walk(file, func(node syntax.Node) bool {
		if c, ok := node.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			n++
		}
		return true
	})
	return max(n, 1)
}
