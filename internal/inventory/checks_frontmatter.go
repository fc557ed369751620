package inventory

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Keys of frontmatter that the client reads, and those of the agent-skills standard.
var (
	skillKeys = wordSet(`name description model effort allowed-tools disallowed-tools argument-hint arguments disable-model-invocation
		user-invocable shell version when_to_use paths hooks context agent background metadata license compatibility
		hide-from-slash-command-tool mode`)
	agentKeys    = wordSet(`name description tools disallowedTools model effort maxTurns skills memory background isolation omitClaudeMd autoCompactWindow color`)
	agentIgnored = wordSet(`permissionMode hooks mcpServers initialPrompt`)
)

// Names that the client's tools have, built in ones of older versions among them.
var toolNames = wordSet(`Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList DeferredToolPlaceholder Edit EnterPlanMode EnterWorktree
	ExitPlanMode ExitWorktree Glob Grep KillBash KillShell LS LSP ListAgents ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead
	PowerShell PushNotification Read ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendMessage SendUserFile SendUserMessage
	Skill SlashCommand StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead
	TodoWrite ToolSearch WebFetch WebSearch Workflow Write *`)

var modelAliases = wordSet(`sonnet opus haiku fable inherit default best opusplan sonnet[1m] opus[1m]`)

// values of keys that have a fixed list.
var keyValues = map[string]map[string]bool{
	"context":   wordSet("fork inline"),
	"memory":    wordSet("user project local"),
	"isolation": wordSet("worktree remote"),
	"effort":    wordSet("low medium high xhigh max"),
	"shell":     wordSet("bash powershell"),
}

const (
	maxDescription = 1024 // the agent-skills standard's limit
	hostCut        = 1536 // where the client cuts a listing entry
)

// frontmatter checks every component's block and text.
func (c *checker) frontmatter() {
	for i := range c.p.Components {
		src := &c.p.Components[i]
		if !src.Loaded() && c.p.Refused == "" {
			c.add("component-not-loaded", src.Path, 0, "%s", src.NotLoaded)
		}
		if strings.TrimSpace(src.Text) == "" {
			c.add("component-empty", src.Path, 0, "has no text")
		}
		if !c.block(src) {
			continue
		}
		c.fields(src)
	}
	for _, w := range c.p.Warnings {
		if strings.HasPrefix(w.Code, "text-") && c.component[w.Path] {
			c.add("component-text", w.Path, 0, "%s", w.Message)
		}
	}
}

// block checks the block as a whole; false when there is nothing to read in it.
func (c *checker) block(src *plugin.Component) bool {
	f := &src.Front
	switch f.State {
	case plugin.NoFront:
		c.add("frontmatter-none", src.Path, 1, "has no frontmatter")
		return false
	case plugin.Refused:
		c.add("frontmatter-refused", src.Path, f.ErrLine, "the frontmatter is not readable: %s", clip(f.Err, 80))
	case plugin.Mended:
		c.add("frontmatter-yaml", src.Path, f.ErrLine, "YAML refuses the frontmatter (%s); the pinned client mends it, others load no metadata", clip(f.Err, 80))
	}
	if f.Mark > 0 {
		c.add("frontmatter-marker", src.Path, f.Mark, "the block ends at a \"---\" inside a line")
	}
	if f.Second > 0 {
		c.add("frontmatter-second", src.Path, f.Second, "a second frontmatter block follows")
	}
	return true
}

func (c *checker) fields(src *plugin.Component) {
	fields := src.Front.Best()
	agent := src.Kind == audit.KindAgent
	known := skillKeys
	if agent {
		known = agentKeys
	}
	seen := map[string]bool{}
	for _, f := range fields {
		switch {
		case seen[f.Key]:
			c.add("frontmatter-duplicate", src.Path, f.Line, "%q stands twice", clip(f.Key, 40))
		case agent && (agentIgnored[f.Key] || strings.HasPrefix(f.Key, "observer")):
			c.add("frontmatter-ignored", src.Path, f.Line, "%q has no effect here", f.Key)
		case misspelt(src.Kind, f.Key) != "":
			c.add("frontmatter-misspelt", src.Path, f.Line, "%q has no effect, meant is %q", f.Key, misspelt(src.Kind, f.Key))
		case !known[f.Key] && src.Front.State != plugin.Refused:
			c.add("frontmatter-unknown", src.Path, f.Line, "%q is no key of %s", clip(f.Key, 40), withArticle(src.Kind))
		}
		seen[f.Key] = true
		if allowed, ok := keyValues[f.Key]; ok && known[f.Key] && f.Raw != "" && !allowed[f.Raw] {
			c.add("value-unknown", src.Path, f.Line, "%s has an unknown value", f.Key)
		}
	}
	c.nameField(src, fields)
	c.descriptionField(src, fields)
	c.toolFields(src, fields)
	if m, ok := fields.Get("model"); ok && m.Raw != "" && !knownModel(m.Raw) {
		c.add("model-unknown", src.Path, m.Line, "the model is neither an alias nor a model id")
	}
}

// misspelt is the key that was meant by one that the client ignores; "" for all others.
// The tool list of a skill and that of an agent are confused most often.
func misspelt(kind, key string) string {
	known, folded := skillKeys, foldedSkill
	if kind == audit.KindAgent {
		known, folded = agentKeys, foldedAgent
	}
	if known[key] {
		return ""
	}
	return folded[fold(key)]
}

var (
	foldedSkill = foldKeys(skillKeys, map[string]string{"tools": "allowed-tools"})
	foldedAgent = foldKeys(agentKeys, map[string]string{"allowedtools": "tools"})
	hyphens     = strings.NewReplacer("-", "", "_", "")
)

// fold is a key without what spellings differ in: case, hyphens, underscores.
func fold(key string) string { return strings.ToLower(hyphens.Replace(key)) }

func foldKeys(known map[string]bool, more map[string]string) map[string]string {
	for k := range known {
		more[fold(k)] = k
	}
	return more
}

func withArticle(kind string) string {
	if kind == audit.KindAgent {
		return "an agent"
	}
	return "a " + kind
}

func knownModel(m string) bool {
	return modelAliases[m] || strings.Contains(m, "claude-")
}

var skillName = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (c *checker) nameField(src *plugin.Component, fields plugin.Fields) {
	f, ok := fields.Get("name")
	name := strings.TrimSpace(f.Raw)
	switch {
	case !ok || name == "":
		if src.Kind == audit.KindAgent {
			c.add("name-missing", src.Path, src.Front.Line, "an agent without a name is called after its file")
		} else if src.Kind == audit.KindSkill && src.Dir == "" {
			c.add("name-missing", src.Path, src.Front.Line, "a root SKILL.md without a name is called after the folder in which it is installed")
		}
		return
	case src.Kind == audit.KindCommand:
		return // the client takes a command's name from its path
	case !skillName().MatchString(name) || len(name) > 64:
		c.add("name-form", src.Path, f.Line, "the name is not kebab-case of at most 64 characters")
	}
	if src.Kind == audit.KindSkill && src.Dir != "" && name != path.Base(src.Dir) {
		c.add("name-folder", src.Path, f.Line, "the name differs from the folder %q", clip(path.Base(src.Dir), 60))
	}
}

func (c *checker) descriptionField(src *plugin.Component, fields plugin.Fields) {
	f, ok := fields.Get("description")
	if _, isList := f.Value.([]any); ok && isList {
		c.add("frontmatter-type", src.Path, f.Line, "description must be a string, is a list")
		return
	}
	desc := strings.TrimSpace(f.Raw)
	if desc == "" {
		if src.Kind != audit.KindCommand {
			c.add("description-missing", src.Path, src.Front.Line, "has no description")
		}
		return
	}
	n := utf8.RuneCountInString(desc)
	switch {
	case n > hostCut:
		c.add("description-cut", src.Path, f.Line, "the description has %d characters", n)
	case n > maxDescription:
		c.add("description-long", src.Path, f.Line, "the description has %d characters", n)
	}
}

func (c *checker) toolFields(src *plugin.Component, fields plugin.Fields) {
	for _, key := range []string{"allowed-tools", "disallowed-tools", "tools", "disallowedTools"} {
		f, ok := fields.Get(key)
		if !ok {
			continue
		}
		for _, t := range fields.List(key) {
			name, pattern, has := strings.Cut(t, "(")
			if has && !strings.HasSuffix(pattern, ")") {
				c.add("tool-pattern", src.Path, f.Line, "a pattern of %s is not closed", key)
				continue
			}
			if !toolNames[name] && !strings.HasPrefix(name, "mcp__") && !strings.HasPrefix(name, "mcp_") {
				c.add("tool-unknown", src.Path, f.Line, "%s names %q, which is no tool of the client", key, clip(name, 40))
			}
		}
	}
}
