package finding

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// stateWords say in a few words why a finding does not fail.
var stateWords = map[string]string{
	New:        "new",
	Known:      "known from the baseline",
	Waived:     "waived",
	BelowCut:   "unjudged, below the cut",
	BelowLevel: "below the level",
}

// order of the states in a summary.
var states = []string{New, Known, Waived, BelowCut, BelowLevel}

// Report is a document and Prefix, the plugin's folder as seen from where the reader stands:
// of a check in CI, from the root of the repository, "" when the plugin is the root.
type Report struct {
	*Document
	Prefix string
}

// summary is the report in one line.
func (d *Document) summary() string {
	if len(d.Findings) == 0 {
		return d.Target.Name + ": nothing to report."
	}
	var parts []string
	for _, s := range states {
		if n := d.Counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, stateWords[s]))
		}
	}
	verdict := "passes"
	if d.Failed {
		verdict = "fails"
	}
	return fmt.Sprintf("%s: the check %s at --fail-on %s: %s.", d.Target.Name, verdict, d.FailOn, strings.Join(parts, "; "))
}

// Text writes the report for a terminal: the summary, then a finding a paragraph. prefix is
// the plugin's folder as seen from where the reader stands.
func (d *Document) Text(w io.Writer, prefix string) error {
	var b strings.Builder
	fmt.Fprintln(&b, d.summary())
	for i := range d.Findings {
		f := &d.Findings[i]
		fmt.Fprintf(&b, "\n%s  %s  [%s]\n  %s\n  %s\n", f.Verdict, f.ID, stateWords[f.State], place(f, prefix), f.Message)
		if f.Waiver != nil {
			fmt.Fprintf(&b, "  waived until %s: %s\n", f.Waiver.Expires, f.Waiver.Reason)
		}
	}
	for i, x := range d.Warnings {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "warning: %s (%s)\n", doubt(&x, prefix), x.Code)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// place is file:line, as editors open it.
func place(f *Finding, prefix string) string {
	if f.FirstLine == 0 {
		return location(f, prefix)
	}
	return fmt.Sprintf("%s:%d", location(f, prefix), f.FirstLine)
}

// doubt is a warning for people: where, as far as it is known, and what.
func doubt(x *audit.Warning, prefix string) string {
	switch {
	case x.Path == "":
		return x.Message
	case x.Line == 0:
		return path.Join(prefix, x.Path) + " " + x.Message
	}
	return fmt.Sprintf("%s:%d %s", path.Join(prefix, x.Path), x.Line, x.Message)
}

// GitHub writes the report as GitHub Actions workflow commands, one a finding that is
// new or waived (a notice) and one a warning, with paths from the root of the repository,
// and the summary.
func (d *Document) GitHub(w io.Writer, prefix string) error {
	var b strings.Builder
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.State != New && f.State != Waived {
			continue
		}
		command := level(f)
		if command == "note" || f.State == Waived {
			command = "notice"
		}
		fmt.Fprintf(&b, "::%s file=%s", command, property(location(f, prefix)))
		if f.FirstLine > 0 {
			fmt.Fprintf(&b, ",line=%d,endLine=%d", f.FirstLine, max(f.FirstLine, f.LastLine))
		}
		message := f.Message
		if f.Waiver != nil {
			message += " Waived until " + f.Waiver.Expires + ": " + f.Waiver.Reason
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property(string(f.Verdict)+" "+f.ID), data(message))
	}
	for _, x := range d.Warnings {
		b.WriteString("::warning ")
		if x.Path != "" {
			fmt.Fprintf(&b, "file=%s,", property(path.Join(prefix, x.Path)))
			if x.Line > 0 {
				fmt.Fprintf(&b, "line=%d,", x.Line)
			}
		}
		fmt.Fprintf(&b, "title=%s::%s\n", property(x.Code), data(x.Message))
	}
	fmt.Fprintln(&b, d.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// data escapes a workflow command's message, property one of its properties.
var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscaper.Replace(s) }
func property(s string) string { return propertyEscaper.Replace(s) }

// WriteMarkdown writes the reports under one title, for a comment or a job summary.
func WriteMarkdown(w io.Writer, reports ...Report) error {
	var b strings.Builder
	b.WriteString("### Inference that an algorithm could replace\n")
	for _, r := range reports {
		r.markdown(&b, r.Prefix)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *Document) markdown(b *strings.Builder, prefix string) {
	fmt.Fprintf(b, "\n%s\n", cell(d.summary()))
	if len(d.Findings) > 0 {
		b.WriteString("\n| | candidate | verdict | where | finding |\n|---|---|---|---|---|\n")
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		message := f.Message
		if f.Waiver != nil {
			message += " Until " + f.Waiver.Expires + ": " + f.Waiver.Reason
		}
		fmt.Fprintf(b, "| %s | `%s` | %s | `%s` | %s |\n", stateWords[f.State], cell(f.ID), f.Verdict, cell(place(f, prefix)), cell(message))
	}
	for i, x := range d.Warnings {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "- %s (%s)\n", cell(doubt(&x, prefix)), x.Code)
	}
}

// cellEscaper keeps foreign words from becoming markup or another cell.
var cellEscaper = strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "*", `\*`, "`", "'", "[", `\[`)

func cell(s string) string { return cellEscaper.Replace(s) }
