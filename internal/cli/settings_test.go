package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settingsIn reads the settings of a home that holds files, in an environment.
func settingsIn(t *testing.T, files, env map[string]string) (*Settings, error) {
	t.Helper()
	home := t.TempDir()
	for rel, text := range files {
		path := filepath.Join(home, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &Call{sys: Sys{Getenv: func(name string) string {
		if name == "HOME" {
			return home
		}
		return env[name]
	}}}
	return c.Settings()
}

const ownFile, hostFile = ".config/inference-arbitrage/config.json", ".claude/settings.json"

func TestSettingsSources(t *testing.T) {
	files := map[string]string{
		ownFile:  `{"store": "/own", "tracker_channel": "gitea", "timezone": "Europe/Berlin", "push": true}`,
		hostFile: `{"model": "x", "pluginConfigs": {"other@m": {"options": {"store": "/other"}}, "inference-arbitrage@m": {"options": {"store": "/host", "tracker_channel": "github", "push": false, "gone": 1}}}}`,
	}
	s, err := settingsIn(t, files, map[string]string{"CLAUDE_PLUGIN_OPTION_STORE": "/option"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Store != "/option" || s.Channel != "github" || s.Timezone != "Europe/Berlin" || s.Push {
		t.Errorf("settings %+v", s)
	}
	if s.From["store"] != "option of the plugin" || !strings.HasSuffix(s.From["tracker_channel"], "settings.json") ||
		!strings.HasSuffix(s.From["timezone"], "config.json") || s.From["memory_server"] != "" {
		t.Errorf("from %v", s.From)
	}
}

func TestSettingsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		files, env map[string]string
		want       string
	}{
		"unknown member":  {map[string]string{ownFile: `{"stroe": "/x"}`}, nil, `"stroe" is no setting`},
		"not an object":   {map[string]string{ownFile: `["x"]`}, nil, "expected one JSON object"},
		"relative store":  {map[string]string{ownFile: `{"store": "x"}`}, nil, "store: expected an absolute path"},
		"wrong type":      {map[string]string{ownFile: `{"tracker_channel": 7}`}, nil, "tracker_channel: expected a string"},
		"push":            {nil, map[string]string{"CLAUDE_PLUGIN_OPTION_PUSH": "yes"}, "push: expected true or false"},
		"unknown zone":    {nil, map[string]string{"CLAUDE_PLUGIN_OPTION_TIMEZONE": "Mars/North"}, "timezone: expected an IANA name"},
		"options of host": {map[string]string{hostFile: `{"pluginConfigs": {"inference-arbitrage@m": {"options": {"store": 1}}}}`}, nil, "store: expected a string"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := settingsIn(t, c.files, c.env)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, expected it to hold %q", err, c.want)
			}
		})
	}
}

func TestSettingsOfNobody(t *testing.T) {
	s, err := settingsIn(t, map[string]string{hostFile: "not JSON"}, nil)
	if err != nil || s.Store != "" || len(s.From) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
