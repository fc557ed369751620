package inventory

import (
	"regexp"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Events that the pinned client knows. Events are an open list over versions, so an
// unknown one is a warning.
var hookEvents = wordSet(`PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart SessionEnd
	Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup
	TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged
	FileChanged DirectoryAdded MessageDisplay PreSkillShellCommand`)

var (
	hookTypes = wordSet("command prompt agent http mcp_tool")
	hookKeys  = wordSet(`type command args if shell timeout onFailure once async asyncRewake statusMessage prompt model url headers allowedEnvVars server tool
		input rewakeMessage rewakeSummary continueOnBlock`)
	toolEvents = wordSet("PreToolUse PostToolUse PostToolUseFailure PermissionRequest PermissionDenied")
	plainWords = pattern.New(`^[A-Za-z0-9_|, -]+$`)
	unquoted   = pattern.New(`(^|[\s=;&|(])\$\{?CLAUDE_PLUGIN_ROOT\}?`)
	relCommand = pattern.New(`^(?:(?:bash|sh|zsh|python3?|node|bun|deno|ruby|perl)\s+)?\.{1,2}/`)
)

const longInline = 300 // characters of an inline command

func (c *checker) checkHooks() {
	for _, b := range c.s.broken {
		switch {
		case b.kind == "hooks" && strings.HasPrefix(b.why, "is not JSON"):
			c.add("hooks-json", b.path, b.line, "%s", b.why)
		case b.kind == "hooks":
			c.add("hooks-shape", b.path, b.line, "%s", b.why)
		}
	}
	for i := range c.s.hooks {
		c.hook(&c.s.hooks[i])
	}
}

func (c *checker) hook(h *hookEntry) {
	if !h.entry.IsObj && h.NotLoaded != "" { // of a component's frontmatter
		c.add("hook-ignored", h.Source, h.Line, "%s", h.NotLoaded)
		return
	}
	if !hookEvents[h.Event] {
		c.add("hook-event", h.Source, h.Line, "%q is no event of the client", clip(h.Event, 40))
	}
	if !hookTypes[h.Type] {
		c.add("hook-type", h.Source, h.Line, "%q is no type of a hook", clip(h.Type, 40))
		return
	}
	for _, m := range h.entry.Members {
		if !hookKeys[m.Key] && !h.loose {
			c.add("hook-key", h.Source, m.Line, "%q is no key of a hook", clip(m.Key, 40))
		}
	}
	if t, ok := h.entry.Get("timeout"); ok && t.Type() != "number" {
		c.add("hook-timeout", h.Source, t.Line, "the timeout is a %s", t.Type())
	}
	c.matcher(h)
	if h.Type == "command" {
		c.hookCommand(h)
	}
}

func (c *checker) matcher(h *hookEntry) {
	if h.Matcher == "" || h.Matcher == "*" {
		return
	}
	// The client compiles matchers as JavaScript does; lookarounds are legal there and not
	// in RE2, so they are left out before trying.
	tried := regexp.MustCompile(`\(\?<?[=!]`).ReplaceAllString(h.Matcher, "(?:")
	if _, err := regexp.Compile(tried); err != nil {
		c.add("hook-matcher", h.Source, h.Line, "the matcher is no regular expression")
		return
	}
	if !toolEvents[h.Event] || !plainWords().MatchString(h.Matcher) {
		return
	}
	for _, name := range strings.FieldsFunc(h.Matcher, func(r rune) bool { return strings.ContainsRune("|, ", r) }) {
		if !toolNames[name] && !strings.HasPrefix(name, "mcp__") {
			c.add("hook-matcher-unknown", h.Source, h.Line, "the matcher names %q, which is no tool of the client", clip(name, 40))
		}
	}
}

func (c *checker) hookCommand(h *hookEntry) {
	if strings.TrimSpace(h.command) == "" {
		c.add("hook-command", h.Source, h.Line, "has no command")
		return
	}
	if len(h.args) == 0 && unquoted().MatchString(h.command) {
		c.add("hook-unquoted-root", h.Source, h.Line, "${CLAUDE_PLUGIN_ROOT} is not quoted")
	}
	switch {
	case h.Script == "" && relCommand().MatchString(h.command):
		c.add("hook-relative", h.Source, h.Line, "the command starts from the working directory")
	case h.Script == "":
		if len(h.command) > longInline {
			c.add("hook-long-inline", h.Source, h.Line, "the command has %d characters and %s", len(h.command), wording.Amount(h.InlineLOC, "command", "commands"))
		}
	case h.Missing:
		c.add("hook-script-missing", h.Source, h.Line, "%s does not exist", clip(h.Script, 80))
	default:
		if f, _ := c.p.File(h.Script); plugin.HasModes && !f.Exec && runsDirectly(h.command) {
			c.add("hook-script-mode", h.Source, h.Line, "%s is not executable", clip(h.Script, 80))
		}
	}
}

// runsDirectly: the command's first word is the plugin's own file, without an interpreter.
func runsDirectly(command string) bool {
	return rootVar().MatchString(leadWord(command)) && rootVar().FindStringIndex(leadWord(command))[0] == 0
}

func leadWord(command string) string {
	ws := commandWords(command, nil)
	if len(ws) == 0 {
		return ""
	}
	return ws[0]
}

// checkServers checks MCP and LSP servers.
func (c *checker) checkServers() {
	for _, b := range c.s.broken {
		if b.kind != "hooks" {
			c.add("server-json", b.path, b.line, "%s", b.why)
		}
	}
	for _, s := range c.s.servers {
		if !s.config.IsObj {
			continue
		}
		command, url := s.config.Text("command"), s.config.Text("url")
		if command == "" && (url == "" || s.Kind == audit.KindLSP) {
			c.add("server-command", s.Source, s.line, "server %q has neither a command nor a url", clip(s.Name, 40))
			continue
		}
		words := []string{command}
		if args, ok := s.config.Get("args"); ok {
			for _, a := range args.Items {
				words = append(words, a.Str())
			}
		}
		for i, w := range words {
			m := rootVar().FindStringIndex(w)
			if m == nil {
				continue
			}
			rel := cleanOwn(w[m[1]:])
			switch {
			case rel == "" || strings.ContainsAny(rel, "$*"):
			case c.p.HasDir(rel) && !c.isFile(rel):
			case !c.isFile(rel):
				c.add("server-script-missing", s.Source, s.line, "server %q: %s does not exist", clip(s.Name, 40), clip(rel, 80))
			case i == 0:
				if f, _ := c.p.File(rel); plugin.HasModes && !f.Exec {
					c.add("server-script-mode", s.Source, s.line, "server %q: %s is not executable", clip(s.Name, 40), clip(rel, 80))
				}
			}
		}
	}
}
