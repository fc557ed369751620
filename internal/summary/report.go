package summary

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// maxRows bounds each list of the report; the page has all.
const maxRows = 8

// Report writes what a person at a terminal wants to know of one run.
func Report(w io.Writer, history []snapshot.Document, d *snapshot.Document) error {
	v := sections(d)
	r := &report{w: tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)}
	r.line("%s%s: %s", d.Target.Name, version(d.Target.Version), strings.NewReplacer("**", "").Replace(verdictLine(d, v)))
	if d.Window.Observed.Since == nil {
		r.line("no use observed; attribution coverage unknown%s", inBrackets(d.Attribution.Reason))
	} else {
		r.line("observed %s, %s of the plugin, %s weighted tokens; attribution coverage %s%s",
			span(d.Window.Observed), turns(d.Audited.Turns), tokens(d.Audited.WeightedMilli), percentOr(d.Attribution.CoveragePPM, "unknown"), inBrackets(d.Attribution.Reason))
	}
	r.list("to offload", v.ranked, func(c *snapshot.Candidate) string {
		saved := "unmeasured"
		if m := c.Candidate.Measured; m != nil && !m.Seen() {
			saved = "not seen"
		} else if m != nil {
			saved = strings.TrimSpace(tokens(m.RecoverableMilli) + " tokens recoverable " + priced(m))
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s", c.Position, saved, evidence(c), c.Status)
	})
	r.list("boundary questions", v.questions, func(c *snapshot.Candidate) string {
		return fmt.Sprintf("%s\t%s\t%s", positionOf(c), question(c), c.Status)
	})
	r.list("not judged yet", v.open, func(c *snapshot.Candidate) string { return fmt.Sprintf("%s\t%s", evidence(c), c.Status) })
	r.list("held back: two windows contradict each other (a defect of the audit)", v.unstable, func(c *snapshot.Candidate) string {
		if c.Gate == nil {
			return "" // not by this tool
		}
		return strings.Join(c.Gate.Flips, ", ")
	})
	r.list("not judged: insufficient window", v.insufficient, func(c *snapshot.Candidate) string { return "as in " + c.CarriedFrom })
	if n := len(v.declined) + len(v.drift); n > 0 {
		r.line("\nnot for offloading: %d", n)
	}
	for i, a := range d.Absent {
		if i == 0 {
			r.line("\nof earlier runs, not shown by this window")
		}
		if i == maxRows {
			r.line("  … and %d more on the page", len(d.Absent)-maxRows)
			break
		}
		r.line("  %s\t%s\t%s", a.ID, a.Status, a.StatusWhy)
	}
	if err := r.w.Flush(); r.err == nil {
		r.err = err
	}
	return r.err
}

type report struct {
	w   *tabwriter.Writer
	err error
}

func (r *report) line(format string, args ...any) {
	if _, err := fmt.Fprintf(r.w, format+"\n", args...); r.err == nil {
		r.err = err
	}
}

func (r *report) list(title string, list []*snapshot.Candidate, row func(*snapshot.Candidate) string) {
	if len(list) == 0 {
		return
	}
	r.line("\n%s", title)
	for i, c := range list {
		if i == maxRows {
			r.line("  … and %d more on the page", len(list)-maxRows)
			break
		}
		r.line("  %s\t%s", c.Candidate.ID, row(c))
	}
}
