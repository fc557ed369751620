package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// print writes the report for people.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "Static ranking of %d script-less skills (of %d) of the labelled marketplace; %d confirmed, the rest unlabelled\n\n",
		r.scriptless, r.skills, len(r.places))
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "rank\tin its plugin\tscore\tcut\tconfirmed skill")
	for _, p := range r.places {
		fmt.Fprintf(t, "%d\t%d of %d\t%s\t%s\t%s\n", p.rank, p.inPlugin, p.of, milli(p.score), aboveWord(p.above), p.name)
	}
	t.Flush()
	fmt.Fprintf(w, "\narea under the curve  %s\n", ppm(r.aucPPM))
	for _, n := range []int{10, 25, 50, 100} {
		fmt.Fprintf(w, "recall at %-3d         %d of %d\n", n, r.recall[n], len(r.places))
	}
	above, hit := r.confusion()
	fmt.Fprintf(w, "\nat the cut of %s        above  below\n", milli(boundary.Cut))
	fmt.Fprintf(w, "  confirmed            %5d  %5d\n", hit, len(r.places)-hit)
	fmt.Fprintf(w, "  unlabelled           %5d  %5d\n", above-hit, r.scriptless-above-(len(r.places)-hit))
	fmt.Fprintln(w, "\narea under the curve without one label")
	for _, l := range r.leftOut {
		fmt.Fprintf(w, "  %s  without %s\n", ppm(l.aucPPM), l.name)
	}
	fmt.Fprintln(w, "\narea under the curve of a signal's count alone, and of the score without it")
	t = tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, s := range r.signals {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", s.name, ppm(s.alonePPM), ppm(s.aucWithoutIt))
	}
	t.Flush()
	fmt.Fprintln(w, "\nother plugins")
	t = tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "met\tfolder\texpected\tabove the cut\tlowest above\thighest below")
	for _, f := range r.folders {
		met := "yes"
		if !f.met {
			met = "NO"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d of %d: %s\t%s\t%s\n", met, f.folder, f.why, len(f.above), f.components, few(f.above), milli(f.lowest), milli(f.highest))
	}
	t.Flush()
}

// confusion counts the rows above the cut, and the confirmed among them.
func (r *report) confusion() (above, hit int) {
	for _, row := range r.rows {
		if row.AboveCut {
			above++
		}
	}
	for _, p := range r.places {
		if p.above {
			hit++
		}
	}
	return above, hit
}

func few(names []string) string {
	if len(names) > 4 {
		return strings.Join(names[:4], ", ") + " …"
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func aboveWord(b bool) string {
	if b {
		return "above"
	}
	return "below"
}

func milli(n int64) string { return fmt.Sprintf("%d.%01d", n/1000, n%1000/100) }

func ppm(n int64) string { return fmt.Sprintf("%d.%03d", n/1_000_000, n%1_000_000/1000) }
