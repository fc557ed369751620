package inventory

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// files checks programs and symlinks.
func (c *checker) files() {
	if plugin.HasModes {
		c.modes()
	}
	for _, s := range c.p.Skipped {
		switch s.Reason {
		case "dangling":
			c.add("symlink-dangling", s.Path, 0, "points to nothing")
		case "escapes":
			c.add("symlink-escapes", s.Path, 0, "points out of the plugin")
		}
	}
	for _, folder := range []string{"skills", "commands", "agents"} {
		if n := c.p.Symlinks(folder); n > 0 {
			c.add("symlink-unread", folder, 0, "%s", wording.Amount(n, "entry is a symlink", "entries are symlinks"))
		}
	}
	if _, ok := c.p.File("CLAUDE.md"); ok {
		c.add("root-instructions", "CLAUDE.md", 0, "stands at the plugin's root, where the client does not read it")
	}
}

// modes checks who may run what.
func (c *checker) modes() {
	for _, e := range c.d.Surface.Executables {
		switch {
		case e.Folder == "bin" && strings.Count(e.Path, "/") == 1 && !e.Executable:
			c.add("bin-mode", e.Path, 0, "stands in bin/ and is not executable")
		case e.Folder == "bin" && e.Executable && e.Interpreter != "native" && !c.hasShebang(e.Path):
			c.add("bin-shebang", e.Path, 1, "does not say what runs it")
		case !e.Executable && !apart(e.Folder) && c.hasShebang(e.Path):
			c.add("script-mode", e.Path, 0, "has an interpreter line and is not executable")
		}
	}
	for _, f := range c.p.Under("bin") {
		if !f.Exec && strings.Count(f.Path, "/") == 1 && path.Ext(f.Path) == "" && !c.listed(f.Path) && path.Base(f.Path)[0] != '.' {
			c.add("bin-mode", f.Path, 0, "stands in bin/ and is not executable")
		}
	}
}

func (c *checker) listed(file string) bool {
	for _, e := range c.d.Surface.Executables {
		if e.Path == file {
			return true
		}
	}
	return false
}

func (c *checker) hasShebang(file string) bool {
	b, err := c.p.Read(file)
	return err == nil && shebang(b) != ""
}

var ownPath = pattern.New(`\$\{?CLAUDE_(PLUGIN_ROOT|SKILL_DIR)\}?/([A-Za-z0-9_./@+-]+)`)

// links checks what components point at: relative links, and paths of the plugin's own.
func (c *checker) links() {
	for i := range c.p.Components {
		src := &c.p.Components[i]
		for j := range src.Doc.Blocks {
			b := &src.Doc.Blocks[j]
			for _, l := range b.Links {
				if rel := relativeTarget(l.Target); rel != "" && !c.resolves(src, rel) {
					c.add("link-broken", src.Path, l.Line, "%s does not exist", clip(rel, 80))
				}
			}
		}
		first := src.Doc.FirstLine
		for n, line := range strings.Split(src.Body, "\n") {
			for _, m := range ownPath().FindAllStringSubmatch(line, -1) {
				rel := cleanOwn(strings.TrimRight(m[2], ".,:;"))
				if m[1] == "SKILL_DIR" {
					if src.Dir == "" {
						continue
					}
					rel = path.Join(src.Dir, rel)
				}
				if rel != "" && rel != "." && !c.p.Exists(rel) && !generic(rel) {
					c.add("own-path-missing", src.Path, first+n, "%s does not exist", clip(rel, 80))
				}
			}
		}
	}
}

// generic: a place-holder, not a path.
func generic(rel string) bool {
	return strings.Contains(rel, "...") || regexp.MustCompile(`(?i)(^|/)(path|to|your|my|example|foo|x+)([-_./]|$)`).MatchString(rel)
}

// resolves reports whether a relative link finds its file: from the component's folder,
// or from the plugin's root when written with a leading slash.
func (c *checker) resolves(src *plugin.Component, rel string) bool {
	at := path.Join(path.Dir(src.Path), rel)
	if strings.HasPrefix(rel, "/") {
		at = strings.TrimPrefix(path.Clean(rel), "/")
	}
	if strings.HasPrefix(at, "..") {
		return true // outside the plugin: not ours to look
	}
	return c.p.Exists(at)
}

// relativeTarget is a link's path when it is a relative one; "" for addresses, anchors,
// mail, place-holders and what only looks like a link in an example.
func relativeTarget(target string) string {
	if target == "" || strings.ContainsAny(target, "{}<>$*|\n ") || strings.HasPrefix(target, "#") || strings.Contains(target, "://") {
		return ""
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
		return ""
	}
	if !strings.ContainsAny(u.Path, "./") {
		return "" // [text](word): no path
	}
	return u.Path
}

// cleanOwn is a path behind a root variable, clean and inside the plugin, else "".
func cleanOwn(s string) string {
	s = path.Clean(strings.ReplaceAll(strings.Trim(s, `"'`), `\`, "/"))
	if s == "." || strings.HasPrefix(s, "..") || strings.HasPrefix(s, "/") {
		return ""
	}
	return s
}

// Budgets: the listing of all skills may take 1 % of the context window in characters
// of a quarter token; the bands of a component's text are the 99th percentiles of 2,318
// public skills.
const (
	listingBudget = 8_000 // characters, at a window of 200,000 tokens
	invokeLarge   = 7_400 // tokens
)

func (c *checker) budget() {
	chars, loaded := 0, 0
	for i := range c.p.Components {
		src := &c.p.Components[i]
		if !src.Loaded() {
			continue
		}
		loaded++
		if src.Kind != "agent" {
			chars += utf8.RuneCountInString(c.listing(src))
		}
		if n := tokens(int64(len(src.Body))); n > invokeLarge {
			c.add("invoke-large", src.Path, 0, "the text costs about %d tokens each time it is used", n)
		}
	}
	if chars > listingBudget {
		c.add("listing-budget", manifestFile, 0, "the entries of its skills and commands take %d characters of a session's list; the whole list may take %d at 200,000 tokens", chars, listingBudget)
	}
	if c.p.Refused == "" && loaded == 0 && len(c.s.hooks) == 0 && len(c.s.servers) == 0 && len(c.d.Surface.Other) == 0 {
		c.add("surface-empty", manifestFile, 0, "nothing in it loads")
	}
}
