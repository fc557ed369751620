package inventory

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// Kind of an inventory document.
const Kind = "inventory/v1"

// Document is inventory/v1: what a plugin is, before it is used.
type Document struct {
	Document string `json:"document"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	// Surface: everything that a host could load or run.
	Surface Surface `json:"surface"`
	// Components are skills, agents and commands; every one once, sorted by kind then name.
	Components []Component `json:"components"`
	// Plugin: signals of the plugin as a whole.
	Plugin PluginSignals `json:"plugin"`
	// Checks: defects, sorted by path and line.
	Checks []Check `json:"checks"`
	// Warnings: what reading had to overlook.
	Warnings []audit.Warning `json:"warnings"`
}

// Surface is everything a host could load or run from the plugin.
type Surface struct {
	// Hooks: hook entries, wherever declared.
	Hooks []Hook `json:"hooks"`
	// Servers: MCP and LSP servers.
	Servers []Server `json:"servers"`
	// Executables: files that run, wherever they stand.
	Executables []Executable `json:"executables"`
	// Other lists further surfaces by kind (output-style, theme, monitor, workflow, settings,
	// user-config, channel, dependency, experimental) with their path or key.
	Other []Other `json:"other"`
	// References is every text file that is read later, on demand; Tests the text files and programs of tests.
	// Fixtures, examples, vendored and generated files are in neither.
	References []TextFile `json:"references"`
	// Tests: test files, apart.
	Tests []TextFile `json:"tests"`
	// Sources are the files of the plugin that declare what is in Hooks, Servers and Other, and the
	// manifest, sorted by path: evidence may cite them too. Components' own files are not among them.
	Sources []SourceFile `json:"sources"`
}

// SourceFile is a file that declares parts of the surface.
type SourceFile struct {
	// Path: relative to the plugin.
	Path string `json:"path"`
	// Lines: source lines of the file; 0 when not known.
	Lines int `json:"lines"`
}

// Hook is one hook entry.
type Hook struct {
	// Event: as written.
	Event string `json:"event"`
	// Matcher: as written; "" when it has none.
	Matcher string `json:"matcher,omitempty"`
	// Type: command, prompt, agent, http, mcp_tool.
	Type string `json:"type"`
	// Source is the file (relative) that declares it, Line its line.
	Source string `json:"source"`
	// Line: in the source; 0 when unknown.
	Line int `json:"line,omitempty"`
	// Script is the plugin file that it runs, relative; "" for inline or PATH commands.
	Script string `json:"script,omitempty"`
	// InlineLOC counts the commands of an inline one-liner: logic hidden in JSON.
	InlineLOC int `json:"inline_loc,omitempty"`
	// Missing: the script does not exist.
	Missing bool `json:"missing,omitempty"`
	// NotLoaded is why the host never runs it; "" when it does.
	NotLoaded string `json:"not_loaded,omitempty"`
}

// Server is one MCP or LSP server.
type Server struct {
	// Kind: mcp-server or lsp-server.
	Kind string `json:"kind"`
	// Name: as declared.
	Name string `json:"name"`
	// Source: the file that declares it.
	Source string `json:"source"`
}

// Executable is a file that runs: by extension, shebang or mode, wherever it stands.
type Executable struct {
	// Path: relative to the plugin.
	Path string `json:"path"`
	// Folder class: bin, hooks, scripts, skill-scripts, skill, src, root, other; and, apart: tests, fixtures,
	// examples, vendored, generated.
	Folder string `json:"folder"`
	// Interpreter: from the shebang or the extension; "" for a binary or when nothing tells.
	Interpreter string `json:"interpreter,omitempty"`
	// LOC: lines that are neither blank nor comment.
	LOC int `json:"loc"`
	// Lines: source lines of the file, blank ones and comments too; 0 when not known, as of a binary.
	Lines int `json:"lines"`
	// Executable: the mode's execute bit is set.
	Executable bool `json:"executable"`
}

// Other is a further surface.
type Other struct {
	// Kind: of the surface.
	Kind string `json:"kind"`
	// Name: as declared.
	Name string `json:"name"`
	// Path: relative to the plugin; "" when declared in place.
	Path string `json:"path,omitempty"`
}

// TextFile is a text file beside the components.
type TextFile struct {
	// Path: relative to the plugin.
	Path string `json:"path"`
	// Tokens: estimated, see Cost.
	Tokens int64 `json:"tokens"`
	// Lines: source lines of the file; 0 when not known.
	Lines int `json:"lines"`
}

// Component is one skill, agent or command with its static signals.
type Component struct {
	// Kind: skill, agent or command.
	Kind string `json:"kind"`
	// Name as the host knows it, without the plugin's prefix.
	Name string `json:"name"`
	// Path: of its file, relative to the plugin.
	Path string `json:"path"`
	// Lines: source lines of its file, frontmatter included; 0 when not known.
	Lines int `json:"lines"`
	// Loaded is false with a reason (lower-case skill.md, nested root, no root name …) when the host ignores it.
	Loaded bool `json:"loaded"`
	// NotLoaded: why the host ignores it; "" when it loads.
	NotLoaded string `json:"not_loaded,omitempty"`
	// Frontmatter says how its block reads: none, read (YAML accepts it), mended (YAML refuses it, but the
	// pinned client quotes its values and loads what stands in Recovered; older clients load nothing),
	// refused (loads with no metadata at all).
	Frontmatter string `json:"frontmatter"`
	// Effective is the metadata as YAML gives it: empty when YAML refuses the block. Recovered is what a
	// lenient reading gives; null when it equals Effective.
	Effective Metadata `json:"effective"`
	// Recovered: what a lenient reading of broken frontmatter gives; null when it equals effective.
	Recovered *Metadata `json:"recovered"`
	// Outline: its headings, in order.
	Outline []Heading `json:"outline"`
	// Tokens: what its text costs.
	Tokens Cost `json:"tokens"`
	// Signals: what its prose looks like.
	Signals Signals `json:"signals"`
	// Steps are the numbered or headed steps of a procedure, in order.
	Steps []Step `json:"steps"`
	// RuleTables are the tables that map a condition to a decision, each with its section.
	RuleTables []RuleTable `json:"rule_tables"`
}

// RuleTable is one rule table and what its section holds.
type RuleTable struct {
	// Slug is of the section's heading.
	Slug string `json:"slug"`
	// Line is the header row's; FirstLine and LastLine bound the section.
	Line int `json:"line"`
	// FirstLine: 1-based, of the header.
	FirstLine int `json:"first_line"`
	// LastLine: inclusive.
	LastLine int `json:"last_line"`
	// Rows: rows below the header.
	Rows int `json:"rows"`
	// Conditionals: conditions in its cells.
	Conditionals int `json:"conditionals"`
	// ScriptVerbs: script verbs in its cells.
	ScriptVerbs int `json:"script_verbs"`
	// JudgmentVerbs: judgment verbs in its cells.
	JudgmentVerbs int `json:"judgment_verbs"`
}

// Heading is one heading of a component's text.
type Heading struct {
	// Level: 1 to 6.
	Level int `json:"level"`
	// Line: 1-based, in the component's file.
	Line int `json:"line"`
	// Title: without markup, at most 80 bytes.
	Title string `json:"title"`
}

// Metadata is a component's frontmatter, typed.
type Metadata struct {
	// Name: as written; the host may use another.
	Name string `json:"name,omitempty"`
	// Description: as written.
	Description string `json:"description,omitempty"`
	// TriggerPhrases: quoted phrases in the description.
	TriggerPhrases []string `json:"trigger_phrases,omitempty"`
	// Tools: tools or allowed-tools, split.
	Tools []string `json:"tools,omitempty"`
	// Model: alias or id; "" inherits.
	Model string `json:"model,omitempty"`
	// ArgumentHint: as written.
	ArgumentHint string `json:"argument_hint,omitempty"`
	// DisableModelInvocation: only the user can start it.
	DisableModelInvocation bool `json:"disable_model_invocation,omitempty"`
	// UserInvocable: null when not said.
	UserInvocable *bool `json:"user_invocable,omitempty"`
	// Context: fork, or "".
	Context string `json:"context,omitempty"`
	// Version: as written.
	Version string `json:"version,omitempty"`
	// HookEvents are the events of hooks declared in the frontmatter.
	HookEvents []string `json:"hook_events,omitempty"`
}

// Cost is the estimated price of a component's text, in tokens of UTF-8 bytes / 4 ("estimated-static", −8 %/+23 %).
type Cost struct {
	// Method: estimated-static: UTF-8 bytes / 4, off by −8 to +23 %.
	Method string `json:"method"`
	// Trigger is the name and description, as the client's `plugin details` counts them (always-on).
	Trigger int64 `json:"trigger"`
	// Listed is the line that every session really carries: 0 when the model may not invoke it, with its tools for an agent.
	Listed int64 `json:"listed"`
	// Invoke is the body, paid at each use.
	Invoke int64 `json:"invoke"`
	// Deferred is the text in a skill's folder (for a plugin: in all of it), paid when read.
	Deferred int64 `json:"deferred"`
}

// Signals are a component's static signals (2-measure.md 2.5). Each is defined in its own file.
type Signals struct {
	// BodyWords: words of the body.
	BodyWords int `json:"body_words"`
	// ProseWords: words outside code.
	ProseWords int `json:"prose_words"`
	// ProceduralDensityPPM: lines that instruct, of all lines that are not blank; null for an empty text.
	ProceduralDensityPPM *int64 `json:"procedural_density_ppm"`
	// Headings: headings of any level.
	Headings int `json:"headings"`
	// StepHeadings: numbered or step headings.
	StepHeadings int `json:"step_headings"`
	// OrderedItems: items of numbered lists.
	OrderedItems int `json:"ordered_items"`
	// ShellBlocks: fenced blocks of shell.
	ShellBlocks int `json:"shell_blocks"`
	// ShellCommands: simple commands in them.
	ShellCommands int `json:"shell_commands"`
	// InlineCommands: commands in code spans.
	InlineCommands int `json:"inline_commands"`
	// CommandsInSteps counts literal commands inside ordered items or under step headings.
	CommandsInSteps int `json:"commands_in_steps"`
	// Gathers counts literal commands that only look at state (signal_gather.go).
	Gathers int `json:"gathers"`
	// Reads counts lines of prose that order a named file, folder or MCP tool to be read.
	Reads int `json:"reads"`
	// Pipes: pipes in shell text.
	Pipes int `json:"pipes"`
	// ControlFlow counts branches, loops, functions and captured output in shell text.
	ControlFlow int `json:"control_flow"`
	// Programs counts shell blocks that are a program, not a list of examples.
	Programs int `json:"programs"`
	// OrderedCommands counts literal commands in numbered steps or programs: what is not loose examples.
	OrderedCommands int `json:"ordered_commands"`
	// Conditionals counts conditional clauses of prose.
	Conditionals int `json:"conditionals"`
	// Tables: tables of any sort.
	Tables int `json:"tables"`
	// TableRows: rows of all tables.
	TableRows int `json:"table_rows"`
	// RuleTables are tables that map a condition to a decision, RuleRows their rows.
	RuleTables int `json:"rule_tables"`
	// RuleRows: rows of rule tables.
	RuleRows int `json:"rule_rows"`
	// Outcomes are values of closed sets that prose names literally.
	Outcomes int `json:"outcomes"`
	// CommandTables are tables that map a wish to a command: cheat-sheets.
	CommandTables int `json:"command_tables"`
	// CodeSamples are fences in other languages than the shell's.
	CodeSamples int `json:"code_samples"`
	// Arguments: uses of the arguments that a caller gives.
	Arguments int `json:"arguments"`
	// DynamicLines: lines that the host runs as the text loads.
	DynamicLines int `json:"dynamic_lines"`
	// ScriptVerbs: imperatives whose result two programmers would agree on.
	ScriptVerbs int `json:"script_verbs"`
	// JudgmentVerbs: imperatives that have to be weighed.
	JudgmentVerbs int `json:"judgment_verbs"`
	// VerbRatio: lower Wilson bound in ppm of script / (script + judgment); null below five verbs ("insufficient").
	VerbRatioPPM *int64 `json:"verb_ratio_ppm"`
	// OwnCommands run an executable that the plugin ships; CutCommands those of them whose executable is
	// the component's own or shared by the plugin, not another skill's.
	OwnCommands int `json:"own_commands"`
	// CutCommands: of these, the ones whose executable is the component's own or shared by the plugin.
	CutCommands int `json:"cut_commands"`
	// ReadOnlyTools: an agent whose tools only read: built to fetch.
	ReadOnlyTools bool `json:"read_only_tools"`
	// AsksUser: places that tell the model to ask the user.
	AsksUser int `json:"asks_user"`
	// ReadsFirst: places that tell the model to read or run something first, always.
	ReadsFirst int `json:"reads_first"`
	// TextHash is of the lines on which any signal was counted, blanks squeezed, in order: it
	// changes when one of them does, and not when other prose, or a line's number, does.
	TextHash string `json:"text_hash"`
	// Evidence lists where each signal was counted.
	Evidence []Evidence `json:"evidence"`
}

// Evidence is one place that a signal counted.
type Evidence struct {
	// Signal: the signal's name.
	Signal string `json:"signal"`
	// Path: relative to the plugin.
	Path string `json:"path"`
	// Line: 1-based.
	Line int `json:"line"`
	// Value: what this place adds.
	Value int64 `json:"value"`
}

// Step is one step of a procedure, as written.
type Step struct {
	// Slug is from its heading or first words, kebab-case, at most 40 bytes.
	Slug string `json:"slug"`
	// Title: its heading or first words.
	Title string `json:"title"`
	// Form says what makes it a step: heading (numbered), item (of a numbered list), section (unnumbered, with commands).
	Form string `json:"form"`
	// Group is the slug of the heading that it stands under, "" at the top: steps of one group are one procedure.
	Group string `json:"group"`
	// FirstLine: 1-based.
	FirstLine int `json:"first_line"`
	// LastLine: inclusive.
	LastLine int `json:"last_line"`
	// Commands counts its literal commands, Gathers those that only look at state.
	Commands int `json:"commands"`
	// Gathers: commands that only look, and named inputs read.
	Gathers int `json:"gathers"`
	// Signatures are the masked signatures of its literal commands, in order.
	Signatures []string `json:"signatures"`
	// OwnCommands: commands that run shipped executables.
	OwnCommands int `json:"own_commands"`
	// ScriptVerbs: imperatives whose result two programmers would agree on.
	ScriptVerbs int `json:"script_verbs"`
	// JudgmentVerbs: imperatives that have to be weighed.
	JudgmentVerbs int `json:"judgment_verbs"`
	// Pipes: pipes in its shell text.
	Pipes int `json:"pipes"`
	// ControlFlow: branches, loops and functions in its shell text.
	ControlFlow int `json:"control_flow"`
	// Conditionals: conditions written in prose.
	Conditionals int `json:"conditionals"`
	// TableRows: rows of its tables.
	TableRows int `json:"table_rows"`
	// RuleTable: it holds a table that maps a condition to a decision.
	RuleTable bool `json:"rule_table"`
	// AsksUser: it tells the model to ask the user.
	AsksUser bool `json:"asks_user"`
	// ReadsFirst: it tells the model to read or run something first, always.
	ReadsFirst bool `json:"reads_first"`
}

// PluginSignals are about the plugin as a whole.
type PluginSignals struct {
	// ScriptCoveragePPM: literal commands that resolve to shipped executables / all literal commands; null without any.
	ScriptCoveragePPM *int64 `json:"script_coverage_ppm"`
	// ScriptLOC: lines of code in shipped executables, tests and vendored ones apart.
	ScriptLOC int64 `json:"script_loc"`
	// BodyWords: words of all bodies.
	BodyWords int64 `json:"body_words"`
	// ByFolder: executables by folder class.
	ByFolder map[string]int `json:"by_folder"`
	// Duplicates at three levels: block, signature, ngram.
	Duplicates []Duplicate `json:"duplicates"`
	// Drift: logic that stands both in a hook script and in prose.
	Drift []DriftPair `json:"drift"`
	// Tokens: the sum over the components that load.
	Tokens Cost `json:"tokens"`
}

// Duplicate is something that stands in more than one component.
type Duplicate struct {
	// Level: block, signature or ngram.
	Level string `json:"level"`
	// Signatures: the masked commands that recur.
	Signatures []string `json:"signatures"`
	// Components: that hold it, two or more.
	Components []audit.ComponentRef `json:"components"`
	// Places: where it stands.
	Places []Evidence `json:"places"`
}

// DriftPair is logic that stands both in a hook script and in prose.
type DriftPair struct {
	// Script: the hook script, relative to the plugin.
	Script string `json:"script"`
	// Component: whose prose repeats it.
	Component audit.ComponentRef `json:"component"`
	// Literals counts the shared literals by class: path, event, pattern, threshold, script-name.
	Literals map[string]int `json:"literals"`
	// Places: where the shared literals stand.
	Places []Evidence `json:"places"`
}

// Check is one defect found, with what to do.
type Check struct {
	// ID: of the rule.
	ID       string `json:"id"`
	Severity string `json:"severity"` // error, warning, info
	// Source: host (the client's own rule), spec, ours.
	Source string `json:"source"`
	// Path: relative to the plugin.
	Path string `json:"path"`
	// Line: 1-based; 0 when the whole file is meant.
	Line int `json:"line,omitempty"`
	// Message: what is wrong.
	Message string `json:"message"`
	// Remediation: what to do; "" when that is plain.
	Remediation string `json:"remediation,omitempty"`
}
