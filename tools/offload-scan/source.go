package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// source is which histories to measure, and for which plugin: flags of every verb here.
type source struct {
	history         *cli.HistoryFlags
	place           *cli.TargetFlags
	target, project *string
	by              *string
}

func newSource(f *cli.Flags) *source {
	return &source{
		history: f.History(), place: f.Target(),
		target:  f.String("target", "", "measure only this plugin: a `TARGET` is a path, a name, or name@marketplace; default all"),
		project: f.String("project", "", "count only work in `DIR` or below it"),
		by:      f.String("by", "", "add the usage by `WHAT`: session"),
	}
}

// options resolves the flags.
func (s *source) options(c *cli.Call) (o scan.Options, err error) {
	h, err := s.history.Read(c)
	if err != nil {
		return o, err
	}
	o = scan.Options{ConfigDirs: h.ConfigDirs, CacheDir: h.CacheDir, Since: h.Since, Until: h.Until, Location: h.Location, Project: *s.project}
	bar := c.Progress()
	o.Sized = c.Memory
	o.Progress = func(p transcript.Progress) {
		bar.Bytes(fmt.Sprintf("transcripts %d/%d", p.Files, p.FilesTotal), p.Bytes, p.BytesTotal)
	}
	if *s.by != "" && *s.by != "session" {
		return o, cli.Usage("--by %q: expected session", *s.by)
	}
	o.BySession = *s.by == "session"
	if o.Project != "" { // transcripts hold absolute directories
		if o.Project, err = filepath.Abs(o.Project); err != nil {
			return o, cli.BadInput(err)
		}
	}
	if h.Prices != nil {
		if o.Prices, err = pricing.Default().WithUser(bytes.NewReader(h.Prices)); err != nil {
			return o, cli.BadInput(fmt.Errorf("--prices %s: %w", h.PricesFile, err))
		}
	}
	root := *s.place.PluginsRoot
	if root == "" {
		root = plugin.DefaultRoot(c.Getenv)
	}
	o.Installed = plugin.Invocable(root)
	if *s.target == "" {
		if *s.place.Marketplace != "" || *s.place.Plugin != "" {
			return o, cli.Usage("--marketplace and --plugin say which plugin --target means: expected --target as well")
		}
		return o, nil
	}
	p, err := plugin.Resolve(*s.target, plugin.Options{PluginsRoot: root, MarketplaceFile: *s.place.Marketplace, EntryName: *s.place.Plugin})
	if err != nil {
		return o, cli.BadInput(err)
	}
	inv, err := inventory.Take(p)
	if err != nil {
		return o, err
	}
	o.Target, o.Own, o.Components, o.Vocabulary = &p.Target, inv.Own(p), inv.Refs(), inv.Vocabulary()
	return o, nil
}
