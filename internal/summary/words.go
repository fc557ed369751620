package summary

import "strings"

// text is free text on one line of Markdown, without HTML.
func text(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "<", "&lt;")
}

// code quotes an identifier.
func code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }

// name is a plugin's name as a heading may hold it.
func name(s string) string { return text(s) }

func version(v string) string {
	if v == "" {
		return ""
	}
	return " " + text(v)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + text(reason) + ")"
}

func issue(ref, state string) string {
	if ref == "" {
		return "none yet"
	}
	return ref + " " + state
}
