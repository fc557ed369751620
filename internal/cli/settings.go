package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// PluginName is this plugin's name in its manifest.
const PluginName = "inference-arbitrage"

// Settings are what a user sets once; a verb's flag overrides its setting. None is a secret:
// trackers and memory servers are reached by programs that keep their own credentials.
type Settings struct {
	// Store is the folder in which audits are kept; Push sends each run's commit where it is a
	// git work tree with a remote.
	Store string
	Push  bool
	// Channel to file through: file, github, gitea, delegate. Repository is the default tracker
	// (owner/repo) of a target that names none; OwnRepository takes findings about the audit
	// itself; Delegate is the agent that files, for the channel delegate.
	Channel, Repository, OwnRepository, Delegate string
	// Labels of new issues in place of the default ones; nil keeps those.
	Labels []string
	// MemoryServer is the MCP server for memory queries and notes; "" keeps a local notes file.
	MemoryServer string
	// Timezone is an IANA name.
	Timezone string
	// From says where each setting that is set comes from, by its key.
	From map[string]string
}

// SettingKeys are the keys of the settings, in the configuration file and as options of the plugin.
var SettingKeys = []string{"store", "push", "tracker_channel", "tracker_repository", "own_repository", "filing_delegate", "filing_labels", "memory_server", "timezone"}

// SettingsFile is the user's configuration file: INFERENCE_ARBITRAGE_CONFIG, else config.json in
// inference-arbitrage under XDG_CONFIG_HOME or ~/.config; "" when there is no place.
func (c *Call) SettingsFile() string {
	if f := c.Getenv("INFERENCE_ARBITRAGE_CONFIG"); f != "" {
		return f
	}
	if dir := c.ownDir("XDG_CONFIG_HOME", ".config"); dir != "" {
		return filepath.Join(dir, "config.json")
	}
	return ""
}

// HostSettingsFile is Claude Code's own settings file for the user, which holds the options that
// were given to the plugin: the client hands them to hooks only, not to the tools that the model
// runs. "" when there is no place.
func (c *Call) HostSettingsFile() string {
	first, _, _ := strings.Cut(c.Getenv("CLAUDE_CONFIG_DIR"), ",")
	if first = strings.TrimSpace(first); first != "" {
		return filepath.Join(first, "settings.json")
	}
	if home := c.Home(); home != "" {
		return filepath.Join(home, ".claude", "settings.json")
	}
	return ""
}

// Settings reads the user's settings. Of several sources that set a key the first holds: the
// client's option variables (CLAUDE_PLUGIN_OPTION_STORE and so on), the options in the client's
// settings file, the configuration file. An empty value is no value.
func (c *Call) Settings() (*Settings, error) {
	if c.settings != nil {
		return c.settings, nil
	}
	s := &Settings{From: map[string]string{}}
	host, err := hostOptions(c.HostSettingsFile())
	if err != nil {
		return nil, err
	}
	own, err := ownSettings(c.SettingsFile())
	if err != nil {
		return nil, err
	}
	options := map[string]any{}
	for _, key := range SettingKeys {
		if v := c.Getenv("CLAUDE_PLUGIN_OPTION_" + strings.ToUpper(key)); v != "" {
			options[key] = v
		}
	}
	for _, source := range []struct {
		name   string
		values map[string]any
	}{{"option of the plugin", options}, {c.HostSettingsFile(), host}, {c.SettingsFile(), own}} {
		for _, key := range slices.Sorted(maps.Keys(source.values)) {
			if _, set := s.From[key]; set {
				continue
			}
			given, err := s.set(key, source.values[key])
			if err != nil {
				return nil, BadInput(fmt.Errorf("%s: %s: %w", source.name, key, err))
			}
			if given {
				s.From[key] = source.name
			}
		}
	}
	c.settings = s
	return s, nil
}

// set sets one key and says whether there was a value.
func (s *Settings) set(key string, v any) (bool, error) {
	if key == "push" {
		switch v {
		case true, "true":
			s.Push = true
		case false, "false":
		case "":
			return false, nil
		default:
			return false, errors.New("expected true or false")
		}
		return true, nil
	}
	text, ok := v.(string)
	if !ok {
		return false, errors.New("expected a string")
	}
	if text = strings.TrimSpace(text); text == "" {
		return false, nil
	}
	switch key {
	case "store":
		s.Store = text
		if !filepath.IsAbs(text) {
			return false, fmt.Errorf("expected an absolute path, found %q", text)
		}
	case "tracker_channel":
		s.Channel = text
	case "tracker_repository":
		s.Repository = text
	case "own_repository":
		s.OwnRepository = text
	case "filing_delegate":
		s.Delegate = text
	case "filing_labels":
		for label := range strings.SplitSeq(text, ",") {
			if label = strings.TrimSpace(label); label != "" {
				s.Labels = append(s.Labels, label)
			}
		}
	case "memory_server":
		s.MemoryServer = text
	case "timezone":
		s.Timezone = text
		if _, err := time.LoadLocation(text); err != nil || text == "Local" {
			return false, fmt.Errorf("expected an IANA name such as Europe/Berlin, found %q", text)
		}
	}
	return true, nil
}

// ownSettings reads the configuration file: one object whose members are settings. No file is
// no settings; an unknown member is an error, since it is a misspelt one.
func ownSettings(path string) (map[string]any, error) {
	data, err := readIfThere(path)
	if data == nil || err != nil {
		return nil, err
	}
	var values map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&values); err != nil {
		return nil, BadInput(fmt.Errorf("%s: expected one JSON object of settings: %w", path, err))
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(SettingKeys, key) {
			return nil, BadInput(fmt.Errorf("%s: %q is no setting: expected one of %s", path, key, strings.Join(SettingKeys, ", ")))
		}
	}
	return values, nil
}

// hostOptions reads the plugin's options out of the client's settings file, from whichever
// marketplace it was installed. The file is the client's: what is not understood is passed over.
func hostOptions(path string) (map[string]any, error) {
	data, err := readIfThere(path)
	if data == nil || err != nil {
		return nil, err
	}
	var file struct {
		Configs map[string]struct {
			Options map[string]any `json:"options"`
		} `json:"pluginConfigs"`
	}
	if json.Unmarshal(data, &file) != nil {
		return nil, nil
	}
	values := map[string]any{}
	for _, id := range slices.Sorted(maps.Keys(file.Configs)) {
		if name, _, _ := strings.Cut(id, "@"); name != PluginName {
			continue
		}
		for key, v := range file.Configs[id].Options {
			if _, set := values[key]; !set && slices.Contains(SettingKeys, key) {
				values[key] = v
			}
		}
	}
	return values, nil
}

// readIfThere is nil when there is no such file.
func readIfThere(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, BadInput(PathError(err))
	}
	return data, nil
}
