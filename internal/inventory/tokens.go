package inventory

import (
	"cmp"
	"path"
	"strings"
	"unicode"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Method is how every Cost is estimated: UTF-8 bytes divided by four, rounded up. Against
// a real tokenizer 90 % of files lie within −8 % and +23 %. The client's own `plugin
// details` divides UTF-16 units by four: the same for ASCII, up to 15 % less for text
// with many arrows, boxes or emoji.
const Method = "estimated-static"

// tokens is the estimate for n bytes of text.
func tokens(n int64) int64 { return (n + 3) / 4 }

// cost is what a component's text costs.
//
//   - Trigger is its name and description: what the client's `plugin details` calls always-on.
//   - Listed is the line that a session's list really carries (observed on 2.1.332): nothing
//     for what the model may not invoke, and for an agent its tools too, which details omits.
//   - Invoke is its body, paid when it is used.
//   - Deferred is every text file in a skill's own folder, paid when one is read.
//
// What the host does not load triggers nothing and is not listed.
func (l *layout) cost(src *plugin.Component) Cost {
	c := Cost{Method: Method, Invoke: tokens(int64(len(strings.TrimSpace(src.Body))))}
	if src.Loaded() {
		c.Trigger = tokens(int64(len(l.trigger(src))))
		c.Listed = tokens(int64(len(l.listing(src))))
	}
	if src.Dir != "" {
		for _, f := range l.p.Under(src.Dir) {
			if l.isReference(f) && l.owner(f.Path) == src.Path {
				c.Deferred += tokens(f.Size)
			}
		}
	}
	return c
}

// listed makes a description what the client puts into its list (observed): runs of control
// and format characters become one blank, except a joiner inside an emoji; angle brackets
// are escaped.
func listed(desc string) string {
	var sb strings.Builder
	var last rune
	for _, r := range desc {
		joins := r == '\u200d' && unicode.Is(unicode.So, last)
		switch {
		case r == '<':
			sb.WriteString("&lt;")
		case r == '>':
			sb.WriteString("&gt;")
		case !joins && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)):
			if last != 0 {
				sb.WriteByte(' ')
			}
			last = 0
			continue
		default:
			sb.WriteRune(r)
		}
		last = r
	}
	return strings.TrimRight(sb.String(), " ")
}

// hostDescription is the text by which the model chooses, cut where the client cuts it.
func hostDescription(src *plugin.Component) string {
	f := src.Front.Host()
	desc := strings.TrimSpace(f.Text("description"))
	if when := strings.TrimSpace(f.Text("when_to_use")); when != "" {
		desc = strings.TrimSpace(desc + " - " + when)
	}
	if r := []rune(desc); len(r) > hostCut {
		desc = string(r[:hostCut])
	}
	return desc
}

// trigger is a component's name and description.
func (l *layout) trigger(src *plugin.Component) string {
	if src.Kind == audit.KindAgent {
		return src.Name + ": " + hostDescription(src)
	}
	return l.p.Target.Name + ":" + src.Name + ": " + hostDescription(src)
}

// listing is a component's line in the list of a session, "" when it has none.
func (l *layout) listing(src *plugin.Component) string {
	f, desc, prefix := src.Front.Host(), listed(hostDescription(src)), l.p.Target.Name+":"
	if src.Kind == audit.KindAgent {
		tools := "All tools"
		if list := f.List("tools"); len(list) > 0 {
			tools = strings.Join(list, ", ")
		}
		return "- " + prefix + src.Name + ": " + cmp.Or(desc, "Agent from "+l.p.Target.Name+" plugin") + " (Tools: " + tools + ")"
	}
	if off, _ := f.Bool("disable-model-invocation"); off || desc == "" {
		return ""
	}
	name := prefix + src.Name
	if own := plugin.HostName(strings.TrimSpace(f.Text("name"))); own != "" && own != lastPart(src.Name) {
		name += " (" + prefix + strings.TrimSuffix(src.Name, lastPart(src.Name)) + own + ")"
	}
	return "- " + name + ": " + desc
}

// lastPart is what stands behind the last colon of a name.
func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// isReference: a text file that is read later on demand: no component, no program, no
// configuration of the host, no page for people about the plugin.
func (l *layout) isReference(f plugin.File) bool {
	return isText(f.Path) && !l.component[f.Path] && !isConfig(f.Path) && !isForPeople(f.Path) && !apart(l.class(f.Path))
}

// isConfig: read by the host, not by the model.
func isConfig(file string) bool {
	switch file {
	case ".mcp.json", ".lsp.json", "settings.json", "hooks.json":
		return true
	}
	top, _, _ := strings.Cut(file, "/")
	return strings.HasPrefix(top, ".") || strings.HasPrefix(file, "hooks/") && path.Ext(file) == ".json"
}

// isForPeople: pages at the root that tell people about the plugin.
func isForPeople(file string) bool {
	if strings.Contains(file, "/") {
		return false
	}
	switch stem := strings.ToUpper(strings.TrimSuffix(file, path.Ext(file))); stem {
	case "README", "CHANGELOG", "LICENSE", "LICENCE", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "NOTICE", "AUTHORS", "CLAUDE", "AGENTS", "GEMINI",
		"PACKAGE", "PACKAGE-LOCK", "TSCONFIG", "PYPROJECT", "REQUIREMENTS":
		return true
	}
	return false
}

var textExts = wordSet(`.md .mdx .markdown .txt .rst .adoc .json .jsonl .yaml .yml .toml .csv .tsv .xml .html .htm .css .svg .tmpl .tpl .j2 .prompt .sql .ini .cfg .conf .env .proto .graphql .tex .bib .org`)

func isText(file string) bool { return textExts[strings.ToLower(path.Ext(file))] }
