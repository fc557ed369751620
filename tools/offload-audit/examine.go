package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// examine gathers what diagnose judges. What cannot be had is a fact too, never an error.
func examine(c *cli.Call, flags *cli.HistoryFlags, store string) surroundings {
	s := surroundings{shipped: cli.Version, pluginsRoot: plugin.DefaultRoot(c.Getenv), programs: map[string]bool{}}
	s.settings, s.settingsErr = c.Settings()
	h, err := flags.Read(c)
	if err != nil {
		s.historyErr = err
	} else {
		s.now = h.Now
		s.readHistory(c, h)
	}
	if v := clientVersion(c); v != "" {
		s.client, s.clientFrom = v, "claude --version"
	}
	s.readHost(c.HostSettingsFile())
	s.readStore(c, store)
	for _, program := range []string{"gh", "tea"} {
		_, err := exec.LookPath(program)
		s.programs[program] = err == nil
	}
	if root := ownRoot(); root != "" {
		_, err := os.Stat(filepath.Join(root, "hooks", "hooks.json"))
		s.hooksShipped = err == nil
	}
	return s
}

// clientVersion asks the client that runs us, else the one on PATH; "" when there is none.
func clientVersion(c *cli.Call) string {
	program := c.Getenv("CLAUDE_CODE_EXECPATH")
	if program == "" {
		program = "claude"
	}
	ctx, cancel := context.WithTimeout(c.Context, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version
}

func (s *surroundings) readHistory(c *cli.Call, h *cli.History) {
	for _, dir := range h.ConfigDirs {
		s.dirs = append(s.dirs, lookInto(dir))
	}
	if len(h.ConfigDirs) == 0 {
		return
	}
	o, err := scanOptions(h)
	if err != nil {
		s.historyErr = err
		return
	}
	hist, err := transcript.Open(c.Context, transcript.Options{ConfigDirs: o.ConfigDirs})
	if err != nil {
		s.historyErr = err
		return
	}
	uses := map[string]*versionUse{}
	for session := range hist.Sessions() {
		threads := session.Subs
		if session.Main != nil {
			threads = append([]*transcript.Thread{session.Main}, threads...)
		}
		for _, t := range threads {
			for i := range t.Turns {
				turn := &t.Turns[i]
				u := uses[turn.Version]
				if u == nil {
					u = &versionUse{version: turn.Version}
					uses[turn.Version] = u
				}
				u.turns++
				if turn.StampSkill != "" || turn.StampAgent != "" {
					u.stamped++
				}
				if newerVersion(turn.Version, s.client) {
					s.client, s.clientFrom = turn.Version, "the newest in the histories"
				}
			}
			for _, m := range t.Marks {
				if m.Kind == transcript.MarkHook {
					s.hookRuns++
				}
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(uses)) {
		s.versions = append(s.versions, *uses[v])
	}
}

// newerVersion compares dotted numbers; what is none is oldest.
func newerVersion(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		x, y := part(as, i), part(bs, i)
		if x != y {
			return x > y
		}
	}
	return false
}

func part(parts []string, i int) int {
	n := 0
	if i < len(parts) {
		for _, r := range parts[i] {
			if r < '0' || r > '9' {
				return n
			}
			n = n*10 + int(r-'0')
		}
	}
	return n
}

func lookInto(dir string) historyDir {
	d := historyDir{path: dir}
	filepath.WalkDir(filepath.Join(dir, "projects"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		d.files++
		if t := info.ModTime(); d.oldest.IsZero() || t.Before(d.oldest) {
			d.oldest = t
		}
		if t := info.ModTime(); t.After(d.newest) {
			d.newest = t
		}
		return nil
	})
	return d
}

// readHost reads the client's own settings file and its list of installed plugins.
func (s *surroundings) readHost(settings string) {
	var host struct {
		Cleanup int             `json:"cleanupPeriodDays"`
		NoHooks bool            `json:"disableAllHooks"`
		Enabled map[string]bool `json:"enabledPlugins"`
	}
	readJSON(settings, &host)
	s.keepDays, s.hooksDisabled = host.Cleanup, host.NoHooks
	var list struct {
		Plugins map[string][]struct {
			Path    string `json:"installPath"`
			Version string `json:"version"`
		} `json:"plugins"`
	}
	if s.pluginsRoot == "" {
		return
	}
	readJSON(filepath.Join(s.pluginsRoot, "installed_plugins.json"), &list)
	for _, id := range slices.Sorted(maps.Keys(list.Plugins)) {
		name, market, _ := strings.Cut(id, "@")
		if name != cli.PluginName {
			continue
		}
		s.pluginData = filepath.Join(s.pluginsRoot, "data", name+"-"+market)
		for _, i := range list.Plugins[id] {
			s.installs = append(s.installs, install{id: id, version: i.Version, path: i.Path, enabled: host.Enabled[id]})
		}
	}
}

// readJSON leaves dst as it is when there is nothing that can be read.
func readJSON(path string, dst any) {
	if data, err := os.ReadFile(path); err == nil {
		json.Unmarshal(data, dst) // foreign files: what does not fit is passed over
	}
}

func (s *surroundings) readStore(c *cli.Call, flag string) {
	var err error
	if s.store, err = c.StoreDir(flag); err != nil {
		s.storeErr = err
		return
	}
	if s.storeErr = writable(s.store); s.storeErr != nil {
		return
	}
	if _, err := os.Stat(s.store); errors.Is(err, fs.ErrNotExist) {
		return
	}
	store, err := snapshot.Open(s.store, cli.Git)
	if err != nil {
		s.storeErr = err
		return
	}
	s.gitStore = store.InGit()
	if check, err := store.Verify(); err == nil {
		s.snapshots, s.defects = check.Snapshots, len(check.Findings)
	}
}

// writable says why nothing could be written in dir, or in the nearest folder above that exists.
func writable(dir string) error {
	for {
		st, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
			dir = filepath.Dir(dir)
			continue
		}
		if err != nil {
			return cli.PathError(err)
		}
		if !st.IsDir() {
			return &fs.PathError{Op: "store", Path: dir, Err: errors.New("expected a folder, found a file")}
		}
		probe, err := os.CreateTemp(dir, ".doctor-*")
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
			pe.Path = dir // no one has heard of the probe
		}
		if err != nil {
			return cli.PathError(err)
		}
		probe.Close()
		return os.Remove(probe.Name())
	}
}

// ownRoot is the plugin's folder that this program stands in: one above bin/, two above
// libexec/platform/; "" when it stands elsewhere.
func ownRoot() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	dir := filepath.Dir(self)
	for range 2 {
		dir = filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, ".claude-plugin", "plugin.json")); err == nil {
			return dir
		}
	}
	return ""
}
