package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// surroundings are the facts that doctor judges; examine gathers them.
type surroundings struct {
	now time.Time
	// client is the version that `claude --version` prints, or the newest that wrote the
	// histories; clientFrom says which, "" when neither tells.
	client, clientFrom string

	settings    *cli.Settings // nil when settingsErr says why
	settingsErr error

	dirs       []historyDir
	historyErr error
	// versions are the clients that wrote the histories.
	versions []versionUse
	// keepDays is the client's cleanupPeriodDays, 0 when it is not set (then 30).
	keepDays int

	pluginsRoot string
	installs    []install
	shipped     string // version of this program

	store      string
	storeErr   error // why it cannot be written
	gitStore   bool
	snapshots  int
	defects    int
	pluginData string // the client's data folder for this plugin, which uninstalling deletes

	programs map[string]bool // which of gh and tea are on PATH

	hooksShipped  bool
	hooksDisabled bool // disableAllHooks
	hookRuns      int64
}

type historyDir struct {
	path           string
	files          int
	oldest, newest time.Time
}

type versionUse struct {
	version        string
	turns, stamped int64
}

type install struct {
	id, version, path string
	enabled           bool
}

// diagnose judges every fact; it has no eyes of its own.
func diagnose(s surroundings) []finding {
	return []finding{s.clientFinding(), s.settingsFinding(), s.historyFinding(), s.attributionFinding(), s.pluginFinding(),
		s.storeFinding(), s.trackerFinding(), s.memoryFinding(), s.hooksFinding()}
}

func (s surroundings) clientFinding() finding {
	switch {
	case s.client == "" && s.historyErr != nil:
		return finding{"client", note, "unknown: Claude Code is not on PATH, and the histories cannot be read", ""}
	case s.client == "":
		return finding{"client", note, "no Claude Code was found: it is not on PATH and wrote none of the histories", "audits work on any history: name it with --config-dir"}
	case scan.Stamping(s.client) != "all":
		return finding{"client", note, fmt.Sprintf("Claude Code %s (%s)", s.client, s.clientFrom), "update it to 2.1.173 or newer (claude update): then it records which skill each response worked for"}
	}
	return finding{"client", fine, fmt.Sprintf("Claude Code %s (%s)", s.client, s.clientFrom), ""}
}

// unknownSettings is said of what hangs on settings that cannot be read; their own finding says how to mend them.
const unknownSettings = "unknown: the settings cannot be read"

// forSettings says whether err is that of the settings, met once more.
func (s surroundings) forSettings(err error) bool {
	return err != nil && s.settingsErr != nil && err.Error() == s.settingsErr.Error()
}

func (s surroundings) settingsFinding() finding {
	if s.settingsErr != nil {
		return finding{"settings", broken, s.settingsErr.Error(), "correct that member, or remove it"}
	}
	var set []string
	for _, key := range cli.SettingKeys {
		if from := s.settings.From[key]; from != "" {
			set = append(set, key+" ("+from+")")
		}
	}
	if len(set) == 0 {
		return finding{"settings", fine, "none set: everything has its default", ""}
	}
	return finding{"settings", fine, strings.Join(set, ", "), ""}
}

func (s surroundings) historyFinding() finding {
	if s.forSettings(s.historyErr) {
		return finding{"history", note, unknownSettings, ""}
	}
	if s.historyErr != nil {
		return finding{"history", broken, s.historyErr.Error(), "name the folder that holds projects/ with --config-dir, or set CLAUDE_CONFIG_DIR"}
	}
	files := 0
	var oldest, newest time.Time
	var paths []string
	for _, d := range s.dirs {
		files += d.files
		paths = append(paths, d.path)
		if !d.oldest.IsZero() && (oldest.IsZero() || d.oldest.Before(oldest)) {
			oldest = d.oldest
		}
		if d.newest.After(newest) {
			newest = d.newest
		}
	}
	if files == 0 {
		where := "no history folder exists"
		if len(paths) > 0 {
			where = strings.Join(paths, ", ") + ": no transcript"
		}
		return finding{"history", note, where, "use Claude Code for a while: without transcripts every candidate is unmeasured"}
	}
	says := fmt.Sprintf("%s from %s to %s in %s", wording.Amount(files, "transcript", "transcripts"), oldest.Format(time.DateOnly), newest.Format(time.DateOnly), strings.Join(paths, ", "))
	if days := s.keep(); days <= 30 {
		return finding{"history", note, fmt.Sprintf("%s; the client deletes them after %s", says, wording.Amount(days, "day", "days")),
			`to measure over longer windows set "cleanupPeriodDays": 365 in settings.json of that folder`}
	}
	return finding{"history", fine, says, ""}
}

func (s surroundings) keep() int {
	if s.keepDays == 0 {
		return 30
	}
	return s.keepDays
}

func (s surroundings) attributionFinding() finding {
	var turns, dark, stamped int64
	for _, v := range s.versions {
		turns += v.turns
		stamped += v.stamped
		if scan.Stamping(v.version) != "all" {
			dark += v.turns
		}
	}
	writes := map[string]string{
		"all":     "writes attributionSkill, attributionPlugin and attributionAgent",
		"none":    "writes no attribution; skills are inferred from the calls that start them",
		"unknown": "may write attribution or not; skills are inferred where it did not",
	}[scan.Stamping(s.client)]
	if s.client == "" {
		return finding{"attribution", note, "unknown: no client was found", ""}
	}
	says := "this client " + writes
	if turns > 0 {
		says += fmt.Sprintf("; of %s in the histories %s it and %s from clients that write none or may not",
			wording.Amount(turns, "response", "responses"), wording.Amount(stamped, "carries", "carry"), wording.Amount(dark, "comes", "come"))
	}
	if 2*dark > turns && turns > 0 {
		return finding{"attribution", note, says, "an audit with --since a day after the update measures more surely"}
	}
	return finding{"attribution", fine, says, ""}
}

func (s surroundings) pluginFinding() finding {
	if len(s.installs) == 0 {
		return finding{"plugin", note, fmt.Sprintf("this plugin is not installed under %s; the tools work without, /offload-audit does not", orNowhere(s.pluginsRoot)),
			"claude plugin marketplace add MARKETPLACE, then claude plugin install " + cli.PluginName}
	}
	var says []string
	for _, i := range s.installs {
		says = append(says, fmt.Sprintf("%s %s at %s", i.id, i.version, i.path))
	}
	text := strings.Join(says, "; ")
	for _, i := range s.installs {
		switch {
		case !i.enabled:
			return finding{"plugin", note, text + "; it is disabled", "claude plugin enable " + i.id}
		case i.version != s.shipped:
			return finding{"plugin", note, fmt.Sprintf("%s; this program is %s", text, s.shipped), "claude plugin update " + i.id}
		}
	}
	return finding{"plugin", fine, text, ""}
}

func orNowhere(dir string) string {
	if dir == "" {
		return "any plugins folder"
	}
	return dir
}

func (s surroundings) storeFinding() finding {
	kind := "a folder"
	if s.gitStore {
		kind = "a git work tree"
	}
	says := fmt.Sprintf("%s (%s, %s)", s.store, kind, wording.Amount(s.snapshots, "audit", "audits"))
	switch {
	case s.forSettings(s.storeErr):
		return finding{"store", note, unknownSettings, ""}
	case s.storeErr != nil:
		return finding{"store", broken, s.storeErr.Error(), "set another place with the option store or --store DIR"}
	case s.defects > 0:
		return finding{"store", broken, says + "; " + wording.Amount(s.defects, "defect", "defects"), "audit-snapshot verify names each of them"}
	case s.pluginData != "" && (s.store == s.pluginData || strings.HasPrefix(s.store, s.pluginData)):
		return finding{"store", note, says + "; uninstalling the plugin deletes that folder", "move it elsewhere and set the option store"}
	}
	return finding{"store", fine, says, ""}
}

func (s surroundings) trackerFinding() finding {
	if s.settings == nil {
		return finding{"tracker", note, unknownSettings, ""}
	}
	channel := s.settings.Channel
	config := filing.Config{Channel: channel, Repository: s.settings.Repository, OwnRepository: s.settings.OwnRepository, Delegate: s.settings.Delegate, Labels: s.settings.Labels}
	if err := config.Check(); err != nil {
		return finding{"tracker", broken, err.Error(), "correct the options tracker_channel, tracker_repository, own_repository, filing_delegate or filing_labels"}
	}
	program := map[string]string{filing.GitHub: "gh", filing.Gitea: "tea"}[channel]
	switch {
	case channel == "" || channel == filing.Files:
		return finding{"tracker", fine, "channel file: finish writes each finding as a Markdown file into the store, below Issues; no tracker is written to", ""}
	case program != "" && !s.programs[program]:
		return finding{"tracker", broken, fmt.Sprintf("channel %s, but %s is not on PATH", channel, program), "install " + program + " and log in with it, or choose another tracker_channel"}
	case program != "":
		return finding{"tracker", fine, fmt.Sprintf("channel %s through %s; nothing is filed without you", channel, program), ""}
	}
	return finding{"tracker", fine, fmt.Sprintf("channel %s: the agent %s files", channel, s.settings.Delegate), ""}
}

func (s surroundings) memoryFinding() finding {
	if s.settings == nil {
		return finding{"memory", note, unknownSettings, ""}
	}
	if s.settings.MemoryServer == "" {
		return finding{"memory", fine, "no memory server: what was learned stays in the store's notes file", ""}
	}
	return finding{"memory", fine, "queries and notes are meant for the server " + s.settings.MemoryServer, ""}
}

func (s surroundings) hooksFinding() finding {
	switch {
	case !s.hooksShipped:
		return finding{"hooks", fine, "this plugin runs none", ""}
	case s.hooksDisabled:
		return finding{"hooks", note, `the client's settings disable all hooks ("disableAllHooks": true)`, "remove that member to let them run"}
	case s.hookRuns == 0:
		return finding{"hooks", note, "on, but no run of any hook stands in the histories", "start a new session; /hooks shows what the client accepted"}
	}
	return finding{"hooks", fine, "on; " + wording.Amount(s.hookRuns, "run of a hook stands", "runs of hooks stand") + " in the histories", ""}
}
