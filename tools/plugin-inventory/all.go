package main

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// targetName is the word that names the target; none is needed beside a marketplace entry.
func targetName(c *cli.Call, t *cli.TargetFlags) (string, error) {
	if len(c.Args) == 0 {
		if *t.Marketplace == "" {
			return "", cli.Usage("expected TARGET, or --marketplace FILE with --plugin NAME")
		}
		return "", nil
	}
	return c.Args[0], nil
}

// takeAll takes every plugin of a marketplace folder, in the order of its entries. Those
// that stand elsewhere are named on standard error; none at all is bad input.
func takeAll(c *cli.Call, dir string, o plugin.Options) error {
	plugins, err := plugin.ResolveAll(dir, o)
	if err != nil {
		return cli.BadInput(err)
	}
	taken, failed := 0, 0
	for p, err := range plugins {
		if err != nil {
			failed++
			c.Note("%v", err)
			continue
		}
		doc, err := inventory.Take(p)
		if err != nil {
			return err
		}
		if err := emitOne(c, doc, taken == 0); err != nil {
			return err
		}
		taken++
	}
	if taken == 0 {
		return cli.BadInput(fmt.Errorf("%s: none of its %s could be read", dir, wording.Amount(failed, "plugin", "plugins")))
	}
	return nil
}

// emitOne writes one inventory of several: a line of JSON, or text behind an empty line.
func emitOne(c *cli.Call, doc *inventory.Document, first bool) error {
	if c.Format == cli.Text {
		if !first {
			fmt.Fprintln(c.Out)
		}
		return text(doc)(c.Out)
	}
	line, err := jsondoc.Line(doc)
	if err != nil {
		return err
	}
	c.Out.Write(line)
	return nil
}
