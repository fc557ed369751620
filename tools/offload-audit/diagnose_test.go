package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
)

// sound is a machine on which nothing is wrong.
func sound() surroundings {
	day := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	return surroundings{
		now: day, client: "2.1.332", clientFrom: "claude --version",
		settings: &cli.Settings{From: map[string]string{}},
		dirs:     []historyDir{{"/home/dev/.claude", 12, day, day}}, keepDays: 365,
		versions:    []versionUse{{"2.1.332", 100, 40}},
		pluginsRoot: "/home/dev/.claude/plugins", shipped: "0.1.0",
		installs: []install{{"inference-arbitrage@m", "0.1.0", "/p", true}},
		store:    "/data/store", snapshots: 3, pluginData: "/home/dev/.claude/plugins/data/inference-arbitrage-m",
		programs: map[string]bool{"gh": true},
	}
}

func TestDiagnoseSound(t *testing.T) {
	for _, f := range diagnose(sound()) {
		if f.State != fine || f.Mend != "" || f.Says == "" {
			t.Errorf("%+v", f)
		}
	}
}

// Each thing that can be wrong changes its own finding and no other, and says how to mend it.
func TestDiagnose(t *testing.T) {
	for name, c := range map[string]struct {
		check, state, says, mend string
		change                   func(*surroundings)
	}{
		"old client": {"client", note, "2.1.100", "update", func(s *surroundings) { s.client = "2.1.100" }},
		"no client":  {"client", note, "no Claude Code", "--config-dir", func(s *surroundings) { s.client = "" }},
		"bad settings": {"settings", broken, "no setting", "correct", func(s *surroundings) {
			s.settings, s.settingsErr = nil, errors.New(`config.json: "x" is no setting`)
			s.historyErr, s.storeErr = s.settingsErr, s.settingsErr
		}},
		"named folder missing":  {"history", broken, "no such", "CLAUDE_CONFIG_DIR", func(s *surroundings) { s.historyErr = errors.New("x: no such folder") }},
		"no transcript":         {"history", note, "no transcript", "unmeasured", func(s *surroundings) { s.dirs[0].files = 0 }},
		"transcripts expire":    {"history", note, "after 30 days", "cleanupPeriodDays", func(s *surroundings) { s.keepDays = 0 }},
		"written by old client": {"attribution", note, "200 come from clients", "--since", func(s *surroundings) { s.versions = append(s.versions, versionUse{"2.1.90", 200, 0}) }},
		"not installed":         {"plugin", note, "not installed", "plugin install", func(s *surroundings) { s.installs = nil }},
		"disabled":              {"plugin", note, "disabled", "plugin enable inference-arbitrage@m", func(s *surroundings) { s.installs[0].enabled = false }},
		"other version":         {"plugin", note, "this program is 0.1.0", "plugin update", func(s *surroundings) { s.installs[0].version = "0.0.9" }},
		"store read-only":       {"store", broken, "denied", "--store", func(s *surroundings) { s.storeErr = errors.New("denied") }},
		"store damaged":         {"store", broken, "2 defects", "verify", func(s *surroundings) { s.defects = 2 }},
		"store goes with the plugin": {"store", note, "uninstalling", "move it", func(s *surroundings) {
			s.store = s.pluginData + "/store"
		}},
		"unknown channel":   {"tracker", broken, `channel "smoke"`, "tracker_channel", func(s *surroundings) { s.settings.Channel = "smoke" }},
		"channel's program": {"tracker", broken, "tea is not on PATH", "install tea", func(s *surroundings) { s.settings.Channel = "gitea" }},
		"nobody delegated":  {"tracker", broken, "delegate", "filing_delegate", func(s *surroundings) { s.settings.Channel = "delegate" }},
		"hooks disabled":    {"hooks", note, "disableAllHooks", "remove", func(s *surroundings) { s.hooksShipped, s.hooksDisabled = true, true }},
		"hooks unseen":      {"hooks", note, "no run", "/hooks", func(s *surroundings) { s.hooksShipped = true }},
	} {
		t.Run(name, func(t *testing.T) {
			s := sound()
			c.change(&s)
			seen := false
			for _, f := range diagnose(s) {
				switch {
				case f.Check == c.check:
					seen = true
					if f.State != c.state || !strings.Contains(f.Says, c.says) || !strings.Contains(f.Mend, c.mend) {
						t.Errorf("%+v", f)
					}
				case f.State != fine && !(c.check == "settings" && f.Says == unknownSettings && f.Mend == "") && !(c.check == "client" && f.Check == "attribution"):
					t.Errorf("changed another finding too: %+v", f)
				}
			}
			if !seen {
				t.Errorf("no finding %s", c.check)
			}
		})
	}
}

func TestNewerVersion(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"2.1.332", "2.1.197", true}, {"2.1.9", "2.1.10", false}, {"2.1", "2.1.0", false}, {"2.2.0", "2.1.999", true}, {"", "2.1.0", false}, {"x", "", false}} {
		if got := newerVersion(c.a, c.b); got != c.want {
			t.Errorf("newerVersion(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
