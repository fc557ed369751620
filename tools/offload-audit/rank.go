package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var rank = &cli.Verb{
	Name: "rank", Args: "PATH", MinArgs: 1, MaxArgs: 1,
	Purpose: "Say which components to look at first: of one plugin, or of every plugin of a marketplace folder.",
	Detail: "PATH is a plugin (a folder, a name, or name@marketplace) or a marketplace folder. Only the definition is read,\n" +
		"no history: the score says how much of a text is a procedure that a program could follow. In text, what is below\n" +
		"the cut is counted and not listed, unless --all is given; JSON has every component.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-audit rank PLUGIN", "offload-audit rank MARKETPLACE --format json"},
	Setup: func(f *cli.Flags) cli.Run {
		target, all := f.Target(), f.Bool("all", "list what is below the cut too")
		return func(c *cli.Call) error {
			invs, err := takeEach(c, c.Args[0], pluginOptions(c, target))
			if err != nil {
				return err
			}
			r := boundary.Rank(invs...)
			return c.Emit(r, func(w io.Writer) error { return rankText(w, r, *all) })
		}
	},
}

// takeEach takes the inventory of every plugin of a marketplace folder, or of the one
// plugin that target names. An entry whose source stands elsewhere is passed over, one
// whose manifest is no use is named; a plugin that two entries name is taken once.
func takeEach(c *cli.Call, target string, o plugin.Options) ([]*inventory.Document, error) {
	var out []*inventory.Document
	if plugins, err := plugin.ResolveAll(target, o); err == nil {
		seen, elsewhere := map[string]bool{}, 0
		for p, err := range plugins {
			if err != nil {
				elsewhere++
				continue
			}
			if err := p.Usable(); err != nil {
				c.Note("not ranked: %v", err)
				continue
			}
			if seen[p.Target.Path+"\x00"+p.Target.Name] {
				continue
			}
			seen[p.Target.Path+"\x00"+p.Target.Name] = true
			doc, err := inventory.Take(p)
			if err != nil {
				return nil, err
			}
			out = append(out, doc)
		}
		if elsewhere > 0 {
			c.Note("%d of the marketplace's plugins %s not stand in this folder or cannot be read, and %s not ranked", elsewhere, wording.Pick(elsewhere, "does", "do"), wording.Pick(elsewhere, "is", "are"))
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	p, err := plugin.Resolve(target, o)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	if err := p.Usable(); err != nil {
		return nil, cli.BadInput(err)
	}
	doc, err := inventory.Take(p)
	if err != nil {
		return nil, err
	}
	return append(out, doc), nil
}

// rankText prints the ranking as a table, each component with the three reasons that
// weigh most.
func rankText(w io.Writer, r *boundary.Ranking, all bool) error {
	above := 0
	for _, row := range r.Rows {
		if row.AboveCut {
			above++
		}
	}
	fmt.Fprintf(w, "%s above the cut of %s.\n", wording.Of(above, len(r.Rows), "component", "components", "is", "are"), points(r.Cut))
	if above == 0 && !all {
		fmt.Fprintln(w, "Nothing here reads like a procedure that a program could follow.")
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "score\tlabel\tcomponent\twhy")
	cut := false
	for _, row := range r.Rows {
		if !row.AboveCut {
			if !all {
				break
			}
			if !cut {
				fmt.Fprintln(t, "--- cut\t\t\t")
				cut = true
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s/%s (%s)\t%s\n", points(row.Score), row.Label, row.Plugin, row.Component, row.Kind, mainReasons(row.Why))
	}
	return t.Flush()
}

// mainReasons names the three reasons with the most points, in words.
func mainReasons(why []boundary.Reason) string {
	best := strongest(why, 3)
	parts := make([]string, 0, len(best))
	for _, r := range best {
		parts = append(parts, fmt.Sprintf("%s %d (%+d)", strings.ReplaceAll(r.Signal, "_", " "), r.Value, rounded(r.Points, 1000)))
	}
	return strings.Join(parts, ", ")
}

// strongest are the n reasons of the largest points, brakes included, in that order.
func strongest(why []boundary.Reason, n int) []boundary.Reason {
	out := slices.DeleteFunc(slices.Clone(why), func(r boundary.Reason) bool { return r.Points == 0 })
	slices.SortStableFunc(out, func(a, b boundary.Reason) int { return cmp.Compare(size(b), size(a)) })
	return out[:min(n, len(out))]
}

func size(r boundary.Reason) int64 { return max(r.Points, -r.Points) }
