package plugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Options says where to look for a target that is no path.
type Options struct {
	// PluginsRoot is the host's plugins folder, see DefaultRoot; "" when there is none.
	PluginsRoot string
	// MarketplaceFile and EntryName name a marketplace entry that describes a plugin
	// without a manifest; both or neither. The target is then ignored.
	MarketplaceFile, EntryName string
}

// How a target was resolved, as it stands in audit.Target.ResolvedBy.
const (
	ByPath      = "path"
	ByInstalled = "installed"
	ByDirectory = "directory-marketplace"
	ByCache     = "cache"
	ByOrphan    = "orphan"
	ByEntry     = "marketplace-entry"
)

// DefaultRoot is the host's plugins folder: CLAUDE_CODE_PLUGIN_CACHE_DIR, else
// CLAUDE_CONFIG_DIR/plugins (the first of a list), else ~/.claude/plugins; "" without a home.
func DefaultRoot(env func(string) string) string {
	if d := env("CLAUDE_CODE_PLUGIN_CACHE_DIR"); d != "" {
		return d
	}
	if d, _, _ := strings.Cut(env("CLAUDE_CONFIG_DIR"), ","); strings.TrimSpace(d) != "" {
		return filepath.Join(strings.TrimSpace(d), "plugins")
	}
	for _, home := range []string{env("HOME"), env("USERPROFILE")} {
		if home != "" {
			return filepath.Join(home, ".claude", "plugins")
		}
	}
	return ""
}

// NotPluginError is a folder that is no plugin, with what was expected there (FR-1.3).
type NotPluginError struct {
	Dir         string
	Marketplace bool // it is a marketplace instead
	Missing     bool // it does not exist
	File        bool // it is no folder
}

func (e *NotPluginError) Error() string {
	switch {
	case e.Missing:
		return fmt.Sprintf("%s: no such folder, expected a plugin with %s", e.Dir, manifestPath)
	case e.File:
		return fmt.Sprintf("%s: not a folder, expected a plugin with %s", e.Dir, manifestPath)
	case e.Marketplace:
		return fmt.Sprintf("%s: no %s, but a marketplace (%s): use --all for all its plugins, or name one of them", e.Dir, manifestPath, marketplacePath)
	}
	return fmt.Sprintf("%s: expected %s, found none; a plugin described by a marketplace entry needs --marketplace FILE --plugin NAME", e.Dir, manifestPath)
}

// AmbiguousError is a name that several marketplaces have.
type AmbiguousError struct {
	Name         string
	Marketplaces []string // sorted
}

func (e *AmbiguousError) Error() string {
	var full []string
	for _, m := range e.Marketplaces {
		full = append(full, e.Name+"@"+m)
	}
	return fmt.Sprintf("plugin %q is in several marketplaces, name one: %s", e.Name, strings.Join(full, ", "))
}

// Resolve finds the plugin that target means and reads it (FR-1.1): a path; a name or
// name@marketplace that is installed (one of a local folder marketplace is read where it
// stands, as the host does); the same in the cache, the highest version; at last what
// the cache holds as orphaned, with a warning.
func Resolve(target string, o Options) (*Plugin, error) {
	if o.MarketplaceFile != "" || o.EntryName != "" {
		return resolveEntry(o)
	}
	if target == "" {
		return nil, errors.New("no target: expected a path, a plugin name or name@marketplace")
	}
	p, pathErr := resolvePath(target)
	if pathErr == nil {
		return p, nil
	}
	var not *NotPluginError
	if !errors.As(pathErr, &not) || looksLikePath(target) {
		return nil, pathErr
	}
	name, market, _ := strings.Cut(target, "@")
	if name != "" && o.PluginsRoot != "" {
		if p, err := resolveName(name, market, o.PluginsRoot); p != nil || err != nil {
			return p, err
		}
	}
	if !not.Missing {
		return nil, pathErr
	}
	return nil, fmt.Errorf("plugin %q: no folder of that name here, and not found among the installed plugins or the cache of %s",
		target, orNone(o.PluginsRoot))
}

func orNone(root string) string {
	if root == "" {
		return "a plugins folder (none is known)"
	}
	return root
}

func looksLikePath(s string) bool {
	return strings.ContainsAny(s, `/\`) || strings.HasPrefix(s, ".") || filepath.IsAbs(s)
}

func resolvePath(target string) (*Plugin, error) {
	dir, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	target0 := audit.Target{ResolvedBy: ByPath}
	bound := dir
	if m, ok := marketplaceAbove(dir); ok {
		bound = m
	}
	return load(dir, bound, target0, nil)
}

// checkDir refuses what holds no manifest.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return &NotPluginError{Dir: dir, Missing: true}
	case !info.IsDir():
		return &NotPluginError{Dir: dir, File: true}
	case !hasManifest(dir):
		return &NotPluginError{Dir: dir, Marketplace: isMarketplace(dir)}
	}
	return nil
}

func isMarketplace(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(marketplacePath)))
	return err == nil && info.Mode().IsRegular()
}

// marketplaceAbove is the nearest folder at or above dir that is a marketplace listing
// dir, at most four levels up: symlinks of its plugins may point inside it.
func marketplaceAbove(dir string) (string, bool) {
	at := dir
	for range 5 {
		if isMarketplace(at) {
			if m, err := readMarketplace(filepath.Join(at, filepath.FromSlash(marketplacePath))); err == nil {
				for _, e := range m.entries {
					if d, ok := m.localDir(e); ok && d == dir {
						return at, true
					}
				}
			}
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return "", false
}

// resolveName looks the plugin up in the host's records, then in its cache.
func resolveName(name, market, root string) (*Plugin, error) {
	found, err := installedPlugins(root, name, market)
	if err != nil {
		return nil, err
	}
	if p, err := oneMarket(name, found); p != nil || err != nil {
		return p, err
	}
	cached, err := cachedPlugins(root, name, market)
	if err != nil {
		return nil, err
	}
	return oneMarket(name, cached)
}

// place is one folder that a name may mean.
type place struct {
	dir, market, by, bound string
	entry                  *entryRef
	warning                string
}

// oneMarket loads the only place; several marketplaces are an error, none is no answer.
func oneMarket(name string, places map[string]place) (*Plugin, error) {
	if len(places) == 0 {
		return nil, nil
	}
	markets := make([]string, 0, len(places))
	for m := range places {
		markets = append(markets, m)
	}
	sort.Strings(markets)
	if len(markets) > 1 {
		return nil, &AmbiguousError{Name: name, Marketplaces: markets}
	}
	pl := places[markets[0]]
	if pl.entry == nil {
		if err := checkDir(pl.dir); err != nil {
			return nil, err
		}
	}
	bound := pl.bound
	if bound == "" {
		bound = pl.dir
	}
	p, err := load(pl.dir, bound, audit.Target{ResolvedBy: pl.by, Marketplace: pl.market}, pl.entry)
	if err == nil && pl.warning != "" {
		p.warn("target-orphaned", "", 0, pl.warning)
	}
	return p, err
}
