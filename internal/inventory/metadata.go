package inventory

import (
	"reflect"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// describe is what a component is and costs; its signals are measured elsewhere.
func (l *layout) describe(src *plugin.Component) Component {
	c := Component{
		Kind: src.Kind, Name: src.Name, Path: src.Path, Lines: l.lines(src.Path), Loaded: src.Loaded(), NotLoaded: src.NotLoaded,
		Frontmatter: string(src.Front.State),
		Effective:   metadata(src.Kind, src.Front.Effective),
		Outline:     outline(src.Doc),
		Steps:       []Step{},
	}
	if src.Front.Recovered != nil {
		if m := metadata(src.Kind, src.Front.Recovered); !reflect.DeepEqual(m, c.Effective) {
			c.Recovered = &m
		}
	}
	c.Tokens = l.cost(src)
	return c
}

// outline lists a text's headings.
func outline(d *plugin.Doc) []Heading {
	out := []Heading{}
	for i := range d.Blocks {
		if b := &d.Blocks[i]; b.Kind == plugin.Heading {
			out = append(out, Heading{Level: b.Level, Line: b.Line, Title: clip(strings.Join(strings.Fields(b.Text()), " "), 80)})
		}
	}
	return out
}

// metadata types the fields of a frontmatter block.
func metadata(kind string, f plugin.Fields) Metadata {
	m := Metadata{
		Name:         strings.TrimSpace(f.Text("name")),
		Description:  strings.TrimSpace(f.Text("description")),
		Model:        f.Text("model"),
		ArgumentHint: argumentHint(f),
		Context:      f.Text("context"),
		Version:      f.Text("version"),
	}
	m.Tools = f.List(toolKey(kind))
	m.TriggerPhrases = triggerPhrases(m.Description, f.Text("when_to_use"))
	m.DisableModelInvocation, _ = f.Bool("disable-model-invocation")
	if v, set := f.Bool("user-invocable"); set {
		m.UserInvocable = &v
	}
	if hooks, ok := f.Get("hooks"); ok {
		if byEvent, ok := hooks.Value.(map[string]any); ok {
			for event := range byEvent {
				m.HookEvents = append(m.HookEvents, event)
			}
			slices.Sort(m.HookEvents)
		}
	}
	return m
}

// toolKey is the key of the tool list that the host reads for a kind.
func toolKey(kind string) string {
	if kind == audit.KindAgent {
		return "tools"
	}
	return "allowed-tools"
}

// argumentHint is the hint as a person would see it: "[a]" unquoted is a list to YAML,
// but was written as a hint.
func argumentHint(f plugin.Fields) string {
	h, ok := f.Get("argument-hint")
	if !ok {
		return ""
	}
	list, isList := h.Value.([]any)
	if !isList {
		return h.Raw
	}
	var words []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			words = append(words, s)
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

var (
	quotedPhrase = pattern.New(`"([^"\n]{2,80})"|“([^”\n]{2,80})”|(?:^|[\s(,:])'([^'\n]{2,80})'(?:$|[\s),.;:])`)
	maxPhrase    = 10 // words; longer quotations are sentences
)

// triggerPhrases are the words that a description quotes as what a user would say.
func triggerPhrases(texts ...string) []string {
	var out []string
	for _, t := range texts {
		for _, m := range quotedPhrase().FindAllStringSubmatch(t, -1) {
			s := strings.TrimSpace(m[1] + m[2] + m[3])
			if n := plugin.Words(s); n > 0 && n <= maxPhrase && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}
