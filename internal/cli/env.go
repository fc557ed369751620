package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // zones on machines that have none

	"golang.org/x/term"
)

// System is the process's own surroundings.
func System() Sys {
	return Sys{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// Getenv reads the environment.
func (c *Call) Getenv(name string) string { return c.sys.Getenv(name) }

// Home is the user's home directory; "" when the environment names none.
func (c *Call) Home() string {
	if h := c.Getenv("HOME"); h != "" {
		return h
	}
	return c.Getenv("USERPROFILE")
}

// ConfigDirs are the directories that hold Claude Code's histories: flags first, else
// CLAUDE_CONFIG_DIR (several parted by commas), else ~/.claude and ~/.config/claude.
// A directory that was named must exist; of the defaults only those that exist are returned.
func (c *Call) ConfigDirs(flags []string) ([]string, error) {
	named, from := flags, "--config-dir"
	if len(named) == 0 {
		from = "CLAUDE_CONFIG_DIR"
		for d := range strings.SplitSeq(c.Getenv("CLAUDE_CONFIG_DIR"), ",") {
			if d = strings.TrimSpace(d); d != "" {
				named = append(named, d)
			}
		}
	}
	if len(named) > 0 {
		for _, d := range named {
			if err := isDir(d); err != nil {
				return nil, BadInput(fmt.Errorf("%s: %w", from, err))
			}
		}
		return named, nil
	}
	dirs := []string{}
	for _, d := range c.usualConfigDirs() {
		if isDir(d) == nil {
			dirs = append(dirs, d)
		}
	}
	return dirs, nil
}

// usualConfigDirs is where a history lies unless somebody says otherwise.
func (c *Call) usualConfigDirs() []string {
	home := c.Home()
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude")}
}

// NoHistory says in one sentence that these directories, as ConfigDirs returned them, hold no
// transcript, and how to name another.
func (c *Call) NoHistory(dirs []string) string {
	if len(dirs) == 0 {
		dirs = c.usualConfigDirs()
	}
	const mend = "name the folder that holds projects/ with --config-dir, or set CLAUDE_CONFIG_DIR"
	if len(dirs) == 0 {
		return "no transcript was found: neither HOME nor CLAUDE_CONFIG_DIR says where to look; " + mend
	}
	looked := make([]string, len(dirs))
	for i, d := range dirs {
		looked[i] = filepath.Join(d, "projects")
	}
	return "no transcript was found in " + strings.Join(looked, " or ") + "; " + mend
}

func isDir(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return PathError(err)
	}
	if !st.IsDir() {
		return fmt.Errorf("%s: expected a folder, found a file", path)
	}
	return nil
}

// CacheDir is this plugin's own folder for what can be computed again; "" when there is no place.
func (c *Call) CacheDir() string { return c.ownDir("XDG_CACHE_HOME", ".cache") }

// DataDir is this plugin's own folder for what must last; "" when there is no place. It is
// not under CLAUDE_PLUGIN_DATA, which Claude Code deletes when the plugin is uninstalled.
func (c *Call) DataDir() string { return c.ownDir("XDG_DATA_HOME", filepath.Join(".local", "share")) }

func (c *Call) ownDir(variable, underHome string) string {
	base := c.Getenv(variable)
	if !filepath.IsAbs(base) { // the XDG specification: a relative one is invalid
		home := c.Home()
		if home == "" {
			return ""
		}
		base = filepath.Join(home, underHome)
	}
	return filepath.Join(base, "inference-arbitrage")
}

// Now is the moment of this run: what --now says, else the clock. The flag takes RFC 3339 or a day.
func (c *Call) Now(flag string) (time.Time, error) {
	if flag == "" {
		return c.sys.Now().UTC().Truncate(time.Second), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, flag); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, Usage("--now %q: expected RFC 3339 such as 2026-11-30T12:00:00Z, or a day", flag)
}

// Zone is the time zone of this run: what --timezone says, else the user's setting, else TZ,
// else the machine's, else UTC.
// Its String is always an IANA name.
func (c *Call) Zone(flag string) (*time.Location, error) {
	if flag != "" {
		loc, err := time.LoadLocation(flag)
		if err != nil || flag == "Local" {
			return nil, Usage("--timezone %q: expected an IANA name such as Europe/Berlin", flag)
		}
		return loc, nil
	}
	settings, err := c.Settings()
	if err != nil {
		return nil, err
	}
	if settings.Timezone != "" {
		return time.LoadLocation(settings.Timezone)
	}
	name := strings.TrimPrefix(c.Getenv("TZ"), ":")
	if name == "" {
		if link, err := os.Readlink("/etc/localtime"); err == nil {
			_, name, _ = strings.Cut(link, "zoneinfo/")
		}
	}
	if loc, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return loc, nil
	}
	return time.UTC, nil
}

// StoreDir is where audits are kept: what --store says, else the user's setting, else the
// folder "store" of DataDir.
func (c *Call) StoreDir(flag string) (string, error) {
	settings, err := c.Settings()
	if err != nil {
		return "", err
	}
	if flag == "" {
		flag = settings.Store
	}
	return c.place("store", flag, "store")
}

// RunDir is a run's folder: what --run says, else one below "runs" in DataDir.
func (c *Call) RunDir(flag, name string) (string, error) {
	return c.place("run", flag, filepath.Join("runs", name))
}

func (c *Call) place(name, flag, below string) (string, error) {
	if flag != "" {
		return filepath.Abs(flag)
	}
	if d := c.DataDir(); d != "" {
		return filepath.Join(d, below), nil
	}
	return "", Usage("neither HOME nor XDG_DATA_HOME says where to keep it: expected --%s DIR", name)
}
