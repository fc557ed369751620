package inventory

import (
	"path"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Method is how every Cost is estimated: UTF-8 bytes divided by four, rounded up. The
// client's own `plugin details` does the same. Against a real tokenizer 90 % of files
// lie within −8 % and +23 %.
const Method = "estimated-static"

// tokens is the estimate for n bytes of text.
func tokens(n int64) int64 { return (n + 3) / 4 }

// componentCost is what a component's text costs.
//
//   - Trigger is its line in the list that every session carries: the qualified name and
//     the description. Nothing when the model may not invoke it, for then it is not listed;
//     nothing when the host does not load it.
//   - Invoke is its body, paid when it is used.
//   - Deferred is every text file in a skill's own folder, paid when one is read.
func (l *layout) cost(src *plugin.Component) Cost {
	c := Cost{Method: Method, Invoke: tokens(int64(len(strings.TrimSpace(src.Body))))}
	if src.Loaded() {
		c.Trigger = tokens(int64(len(listing(l.p, src))))
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

// listing is the component's entry in the session's list, as the host words it.
func listing(p *plugin.Plugin, src *plugin.Component) string {
	f := src.Front.Host()
	if off, _ := f.Bool("disable-model-invocation"); off {
		return ""
	}
	desc := strings.TrimSpace(f.Text("description"))
	if when := strings.TrimSpace(f.Text("when_to_use")); when != "" {
		desc = strings.TrimSpace(desc + " - " + when)
	}
	if src.Kind == audit.KindAgent {
		return src.Name + ": " + desc
	}
	return p.Target.Name + ":" + src.Name + ": " + desc
}

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
