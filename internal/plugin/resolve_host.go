package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/Masterminds/semver/v3"
)

// installedPlugins reads installed_plugins.json, the host's record of truth, for a name
// in one marketplace or in any ("").
func installedPlugins(root, name, market string) (map[string]place, error) {
	file := filepath.Join(root, "installed_plugins.json")
	doc, err := readHostJSON(file)
	if err != nil || doc == nil {
		return nil, err
	}
	plugins, _ := doc.Get("plugins")
	known, err := readHostJSON(filepath.Join(root, "known_marketplaces.json"))
	if err != nil {
		return nil, err
	}
	out := map[string]place{}
	for _, m := range plugins.Members {
		n, mk := cutLast(m.Key)
		if n != name || market != "" && mk != market {
			continue
		}
		if pl, ok := livePlace(known, n, mk); ok {
			out[mk] = pl
			continue
		}
		installs := m.JSON.Items
		if m.JSON.IsObj { // version 1 of the file held one object, not a list
			installs = []JSON{m.JSON}
		}
		if dir := newestInstall(installs); dir != "" {
			out[mk] = place{dir: dir, market: mk, by: ByInstalled, entry: knownEntry(known, n, mk)}
		}
	}
	return out, nil
}

// newestInstall is the installPath with the highest version among those that exist: one
// plugin can be installed for the user and, in another version, for a project.
func newestInstall(installs []JSON) string {
	var best, bestVersion string
	for _, in := range installs {
		dir := in.Text("installPath")
		if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
			continue
		}
		if v := in.Text("version"); best == "" || newer(v, bestVersion) {
			best, bestVersion = filepath.Clean(dir), v
		}
	}
	return best
}

func newer(a, b string) bool {
	va, ea := semver.NewVersion(a)
	vb, eb := semver.NewVersion(b)
	return ea == nil && (eb != nil || va.GreaterThan(vb))
}

// livePlace is the source folder of a plugin whose marketplace is a local folder.
func livePlace(known *JSON, name, market string) (place, bool) {
	if known == nil {
		return place{}, false
	}
	rec, ok := known.Get(market)
	if !ok {
		return place{}, false
	}
	src, _ := rec.Get("source")
	if k := src.Text("source"); k != "directory" && k != "file" {
		return place{}, false
	}
	at := src.Text("path")
	if at == "" {
		at = rec.Text("installLocation")
	}
	if info, err := os.Stat(at); err != nil {
		return place{}, false
	} else if info.IsDir() {
		at = filepath.Join(at, filepath.FromSlash(marketplacePath))
	}
	m, err := readMarketplace(at)
	if err != nil {
		return place{}, false
	}
	for _, e := range m.entries {
		if e.Text("name") != name {
			continue
		}
		if dir, ok := m.localDir(e); ok {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				return place{dir: dir, market: market, by: ByDirectory, bound: m.root, entry: m.ref(e)}, true
			}
		}
	}
	return place{}, false
}

// knownEntry is the plugin's entry in the host's copy of its marketplace; nil when there
// is no such copy. It describes plugins that bring no manifest.
func knownEntry(known *JSON, name, market string) *entryRef {
	if known == nil {
		return nil
	}
	rec, _ := known.Get(market)
	m, err := readMarketplace(filepath.Join(rec.Text("installLocation"), filepath.FromSlash(marketplacePath)))
	if err != nil {
		return nil
	}
	for _, e := range m.entries {
		if e.Text("name") == name {
			return m.ref(e)
		}
	}
	return nil
}

// readHostJSON reads one of the host's own files; nil when there is none.
func readHostJSON(file string) (*JSON, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, _ := DecodeText(b)
	j, jerr := ParseJSON(text)
	if jerr != nil {
		return nil, fmt.Errorf("%s: %w", file, jerr)
	}
	return &j, nil
}

// cutLast splits "name@marketplace" at the last "@".
func cutLast(key string) (name, market string) {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '@' {
			return key[:i], key[i+1:]
		}
	}
	return key, ""
}

// cachedPlugins looks through cache/<marketplace>/<name>/<version>. Orphans count only
// where a marketplace holds nothing else, and marketplaces that hold only orphans only
// where no other holds the plugin.
func cachedPlugins(root, name, market string) (map[string]place, error) {
	cache := filepath.Join(root, "cache")
	markets, err := os.ReadDir(cache)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	live, orphans := map[string]place{}, map[string]place{}
	for _, m := range markets {
		if market != "" && m.Name() != market {
			continue
		}
		versions := versionsIn(filepath.Join(cache, m.Name(), name))
		if v, ok := pick(versions, false); ok {
			live[m.Name()] = place{dir: v.dir, market: m.Name(), by: ByCache}
		} else if v, ok := pick(versions, true); ok {
			orphans[m.Name()] = place{dir: v.dir, market: m.Name(), by: ByOrphan,
				warning: fmt.Sprintf("only orphaned versions are left in the cache; the newest, %s, was taken", filepath.Base(v.dir))}
		}
	}
	if len(live) > 0 {
		return live, nil
	}
	return orphans, nil
}

// version is one folder of a cached plugin.
type version struct {
	dir      string
	semver   *semver.Version // nil when the folder's name is none
	modified time.Time
	orphan   bool
}

func versionsIn(dir string) []version {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []version
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		info, err := os.Stat(at)
		if err != nil || !info.IsDir() || !hasManifest(at) {
			continue
		}
		v := version{dir: at, modified: info.ModTime()}
		v.semver, _ = semver.NewVersion(e.Name())
		if _, err := os.Stat(filepath.Join(at, ".orphaned_at")); err == nil {
			v.orphan = true
		}
		out = append(out, v)
	}
	return out
}

// pick chooses the highest semantic version; names that are none (commit hashes) come
// after all of those, the latest modified first.
func pick(vs []version, orphans bool) (version, bool) {
	var list []version
	for _, v := range vs {
		if v.orphan == orphans {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return version{}, false
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case orphans && !a.modified.Equal(b.modified):
			return a.modified.After(b.modified)
		case (a.semver != nil) != (b.semver != nil):
			return a.semver != nil
		case a.semver != nil && !a.semver.Equal(b.semver):
			return a.semver.GreaterThan(b.semver)
		case a.semver == nil && !a.modified.Equal(b.modified):
			return a.modified.After(b.modified)
		}
		return a.dir < b.dir
	})
	return list[0], true
}
