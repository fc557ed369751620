package cli

import (
	"flag"
	"fmt"
	"strings"
)

// versionLine is what --version prints.
func versionLine(t *Tool) string { return t.Name + " " + Version + "\n" }

// toolHelp is the help of a tool that needs a verb.
func toolHelp(t *Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n", t.Purpose)
	for _, v := range t.Verbs {
		fmt.Fprintf(&b, "  %s\n", synopsis(t, v))
	}
	b.WriteString("\nVerbs:\n")
	listVerbs(&b, t)
	fmt.Fprintf(&b, "\nRun '%s VERB --help' for a verb's flags.\n", t.Name)
	listExamples(&b, t.Examples)
	return b.String()
}

// verbHelp is the help of one verb, or of a tool's root.
func verbHelp(t *Tool, v *Verb, f *Flags) string {
	var b strings.Builder
	purpose := v.Purpose
	if v == t.Root && purpose == "" {
		purpose = t.Purpose
	}
	fmt.Fprintf(&b, "%s\n", purpose)
	if v.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", v.Detail)
	}
	fmt.Fprintf(&b, "\nUsage:\n  %s\n", synopsis(t, v))
	if v == t.Root && len(t.Verbs) > 0 {
		for _, o := range t.Verbs {
			fmt.Fprintf(&b, "  %s\n", synopsis(t, o))
		}
		b.WriteString("\nVerbs:\n")
		listVerbs(&b, t)
	}
	b.WriteString("\nFlags:\n")
	f.set.VisitAll(func(fl *flag.Flag) {
		if fl.Name == "version" {
			return
		}
		value, usage := flag.UnquoteUsage(fl)
		head := "--" + fl.Name
		if value != "" {
			head += " " + value
		}
		if fl.DefValue != "" && fl.DefValue != "false" {
			usage += fmt.Sprintf(" (default %s)", fl.DefValue)
		}
		line(&b, head, usage)
	})
	line(&b, "--help", "print this and exit")
	line(&b, "--version", "print the version and exit")
	listExamples(&b, v.Examples)
	return b.String()
}

func synopsis(t *Tool, v *Verb) string {
	words := []string{t.Name}
	if v.Name != "" {
		words = append(words, v.Name)
	}
	words = append(words, "[flags]")
	if v.Args != "" {
		words = append(words, v.Args)
	}
	return strings.Join(words, " ")
}

func listVerbs(b *strings.Builder, t *Tool) {
	for _, v := range t.Verbs {
		line(b, v.Name, v.Purpose)
	}
}

func listExamples(b *strings.Builder, examples []string) {
	if len(examples) == 0 {
		return
	}
	b.WriteString("\nExamples:\n")
	for _, e := range examples {
		fmt.Fprintf(b, "  %s\n", e)
	}
}

// line writes one entry of a list; a long head gets a line of its own.
func line(b *strings.Builder, head, text string) {
	if len(head) > 20 {
		fmt.Fprintf(b, "  %s\n  %-20s  %s\n", head, "", text)
		return
	}
	fmt.Fprintf(b, "  %-20s  %s\n", head, text)
}
