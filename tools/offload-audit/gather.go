package main

import (
	"bytes"
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// facts are what the two passes say of one plugin, and what they propose.
type facts struct {
	plugin     *plugin.Plugin
	inventory  *inventory.Document
	scan       *scan.Document
	candidates *boundary.Candidates
}

// gather takes the inventory, scans the histories and proposes candidates. Candidates that
// an earlier audit in the store has seen keep the names that they had there; those audits
// are returned, oldest first.
func gather(c *cli.Call, target string, t *cli.TargetFlags, h *cli.History, store *snapshot.Store) (*facts, []snapshot.Document, error) {
	p, err := plugin.Resolve(target, pluginOptions(c, t))
	if err != nil {
		return nil, nil, cli.BadInput(err)
	}
	return gatherOf(c, p, t, h, store)
}

// gatherOf is gather for a plugin that was found already.
func gatherOf(c *cli.Call, p *plugin.Plugin, t *cli.TargetFlags, h *cli.History, store *snapshot.Store) (*facts, []snapshot.Document, error) {
	if err := p.Usable(); err != nil {
		return nil, nil, cli.BadInput(err)
	}
	inv, err := inventory.Take(p)
	if err != nil {
		return nil, nil, err
	}
	o, err := scanOptions(h)
	if err != nil {
		return nil, nil, err
	}
	o.Target, o.Own = &p.Target, inv.Own(p)
	o.Installed = plugin.Invocable(pluginOptions(c, t).PluginsRoot)
	o.Components, o.Vocabulary = inv.Refs(), inv.Vocabulary()
	o.Progress, o.Sized = progress(c), c.Memory
	sc, err := scan.Run(c.Context, o)
	if err != nil {
		return nil, nil, err
	}
	cands := boundary.Propose(inv, sc)
	past, err := pastOf(c, store, p.Target.Name)
	if err != nil {
		return nil, nil, err
	}
	snapshot.Freeze(cands.Candidates, past)
	return &facts{p, inv, sc, cands}, past, nil
}

// pluginOptions is where to look for plugins.
func pluginOptions(c *cli.Call, t *cli.TargetFlags) plugin.Options {
	o := plugin.Options{PluginsRoot: *t.PluginsRoot, MarketplaceFile: *t.Marketplace, EntryName: *t.Plugin}
	if o.PluginsRoot == "" {
		o.PluginsRoot = plugin.DefaultRoot(c.Getenv)
	}
	return o
}

// scanOptions is which histories to read, over which window, at which prices.
func scanOptions(h *cli.History) (scan.Options, error) {
	o := scan.Options{ConfigDirs: h.ConfigDirs, CacheDir: h.CacheDir, Since: h.Since, Until: h.Until, Location: h.Location}
	if h.Prices == nil {
		return o, nil
	}
	table, err := pricing.Default().WithUser(bytes.NewReader(h.Prices))
	if err != nil {
		return o, cli.BadInput(fmt.Errorf("--prices %s: %w", h.PricesFile, err))
	}
	o.Prices = table
	return o, nil
}

// progress draws how far the reading of the histories is.
func progress(c *cli.Call) func(transcript.Progress) {
	bar := c.Progress()
	return func(p transcript.Progress) {
		bar.Bytes(fmt.Sprintf("transcripts %d/%d", p.Files, p.FilesTotal), p.Bytes, p.BytesTotal)
	}
}
