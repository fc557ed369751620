package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sums lists the SHA-256 of every file of the folder, in the form that sha256sum -c reads.
const sums = "SHA256SUMS"

// texts are what the plugin is beside its binaries; those that do not exist are left out,
// but the manifest, the licence and the README must.
var texts = []string{".claude-plugin/plugin.json", "LICENSE", "README.md", "CHANGELOG.md", "agents", "commands", "hooks", "skills", "docs", "internal/pricing/rates.json"}

var required = []string{".claude-plugin/plugin.json", "LICENSE", "README.md"}

// copyText copies the plugin's text into folder. A symbolic link is an error: it would be
// another file wherever the plugin is installed.
func copyText(root, folder string) error {
	for _, rel := range required {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(rel))); err != nil {
			return fmt.Errorf("%s: missing, the plugin needs it", rel)
		}
	}
	for _, rel := range texts {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(rel)), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			to, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			to = filepath.Join(folder, to)
			switch {
			case d.IsDir():
				return os.MkdirAll(to, 0o755)
			case !d.Type().IsRegular():
				return fmt.Errorf("%s: not an ordinary file", path)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, data, 0o644)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeMarketplace writes the marketplace that offers the folder: the repository's own, with
// the plugin's place changed.
func writeMarketplace(root, out string) error {
	const rel = ".claude-plugin/marketplace.json"
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil {
		return err
	}
	var market map[string]any
	if err := json.Unmarshal(data, &market); err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	plugins, _ := market["plugins"].([]any)
	if len(plugins) != 1 {
		return fmt.Errorf("%s: expected one plugin, found %d", rel, len(plugins))
	}
	entry, ok := plugins[0].(map[string]any)
	if !ok || entry["name"] != name {
		return fmt.Errorf("%s: expected the plugin %s", rel, name)
	}
	entry["source"] = "./" + name
	// A checkout that changes line ends would break the launchers.
	if err := os.WriteFile(filepath.Join(out, ".gitattributes"), []byte("* -text\n"), 0o644); err != nil {
		return err
	}
	return writeJSON(filepath.Join(out, filepath.FromSlash(rel)), market)
}

func writeJSON(path string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// writeSums writes the checksum of every file under out, by path.
func writeSums(out string) error {
	var b strings.Builder
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(out, path)
		if err != nil || rel == sums {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, sums), []byte(b.String()), 0o644)
}
