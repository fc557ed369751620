package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// marketplace is a marketplace.json with its place.
type marketplace struct {
	file string // absolute
	root string // the folder that relative sources start from
	name string
	json JSON
	// pluginRoot is metadata.pluginRoot, before every relative source; "" without.
	pluginRoot string
	entries    []JSON
}

// entryRef is one entry with the name of the file that holds it.
type entryRef struct {
	json JSON
	file string // for people, relative to the marketplace
}

func readMarketplace(file string) (*marketplace, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file, expected a marketplace", file)
	}
	if err != nil {
		return nil, err
	}
	text, _ := DecodeText(b)
	j, jerr := ParseJSON(text)
	if jerr != nil {
		return nil, fmt.Errorf("%s: not JSON: %w", file, jerr)
	}
	plugins, ok := j.Get("plugins")
	if !j.IsObj || !ok || !plugins.IsList {
		return nil, fmt.Errorf("%s: expected a marketplace, an object with a list of plugins", file)
	}
	m := &marketplace{file: file, root: filepath.Dir(file), name: j.Text("name"), json: j, entries: plugins.Items}
	if filepath.Base(m.root) == ".claude-plugin" {
		m.root = filepath.Dir(m.root)
	}
	if meta, ok := j.Get("metadata"); ok {
		m.pluginRoot = meta.Text("pluginRoot")
	}
	return m, nil
}

func (m *marketplace) ref(e JSON) *entryRef {
	return &entryRef{json: e, file: filepath.Base(m.file)}
}

// localDir is the folder of an entry whose source is a path inside the marketplace; other
// sources (git, npm, an address) are elsewhere.
func (m *marketplace) localDir(e JSON) (string, bool) {
	src, ok := e.Get("source")
	if !ok {
		return "", false
	}
	s := src.Str()
	if s == "" && src.IsObj && (src.Text("source") == "directory" || src.Text("source") == "local") {
		s = src.Text("path")
	}
	if s == "" || strings.Contains(s, "://") {
		return "", false
	}
	rel := cleanRel(s)
	if rel == "" {
		return "", false
	}
	// metadata.pluginRoot serves sources that are bare names.
	if root := cleanRel(m.pluginRoot); root != "" && s != "." && !strings.HasPrefix(s, "./") {
		rel = path.Join(root, rel)
	}
	dir := filepath.Join(m.root, filepath.FromSlash(rel))
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, true
}

// resolveEntry reads the plugin that a marketplace entry describes. A manifest is not
// needed, nothing is guessed: what the entry does not say is not there.
func resolveEntry(o Options) (*Plugin, error) {
	if o.MarketplaceFile == "" || o.EntryName == "" {
		return nil, errors.New("--marketplace and --plugin go together: expected the marketplace file and the entry's name")
	}
	file, err := filepath.Abs(o.MarketplaceFile)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, filepath.FromSlash(marketplacePath))
	}
	m, err := readMarketplace(file)
	if err != nil {
		return nil, err
	}
	for _, e := range m.entries {
		if e.Text("name") == o.EntryName {
			return m.load(e)
		}
	}
	return nil, fmt.Errorf("%s: no entry named %q among %d", file, o.EntryName, len(m.entries))
}

// ElsewhereError is an entry whose plugin does not stand in the marketplace's folder.
type ElsewhereError struct{ says string }

func (e *ElsewhereError) Error() string { return e.says }

// load reads an entry's plugin where it stands.
func (m *marketplace) load(e JSON) (*Plugin, error) {
	name := e.Text("name")
	dir, ok := m.localDir(e)
	if !ok {
		return nil, &ElsewhereError{fmt.Sprintf("%s: the source of %q is not a folder of this marketplace; install it and give its name", m.file, name)}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, &ElsewhereError{fmt.Sprintf("%s: the source of %q, %s, is no folder", m.file, name, dir)}
	}
	return load(dir, m.root, audit.Target{ResolvedBy: ByEntry, Marketplace: m.name}, m.ref(e))
}

// ResolveAll reads the plugins of the marketplace folder dir one after another, in the
// order of its entries; an entry that cannot be read (its source is elsewhere, or
// missing) yields its error in its place. Only one plugin is held at a time.
func ResolveAll(dir string, _ Options) (iter.Seq2[*Plugin, error], error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if !isMarketplace(abs) {
		return nil, fmt.Errorf("%s: expected %s, found none", abs, marketplacePath)
	}
	m, err := readMarketplace(filepath.Join(abs, filepath.FromSlash(marketplacePath)))
	if err != nil {
		return nil, err
	}
	return func(yield func(*Plugin, error) bool) {
		for _, e := range m.entries {
			if p, err := m.load(e); !yield(p, err) {
				return
			}
		}
	}, nil
}
