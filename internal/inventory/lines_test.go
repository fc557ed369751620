package inventory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// TestLines (§3.3): every file that evidence may cite says how many lines it has, as an
// editor numbers them; what is not known is 0.
func TestLines(t *testing.T) {
	d := take(t, "-- .claude-plugin/plugin.json --\n{\n \"name\": \"sample\"\n}\n"+
		"-- skills/s/SKILL.md --\n---\nname: s\ndescription: d\n---\nRun it.\n\nlast\n"+
		"-- skills/s/table.md --\none\ntwo\n-- skills/s/scripts/x.sh --\n#!/bin/sh\n# a comment\n\ntrue\n"+
		"-- tests/case.md --\none\n-- hooks/hooks.json --\n{\"hooks\":\n"+stopTrue+"}\n-- .mcp.json --\n{}\n"+
		"-- skills/s/long.md --\n"+strings.Repeat("a line\n", plugin.MaxText/7+1))
	got := map[string]int{}
	for _, c := range d.Components {
		got[c.Path] = c.Lines
	}
	for _, e := range d.Surface.Executables {
		got[e.Path] = e.Lines
	}
	for _, f := range append(d.Surface.References, d.Surface.Tests...) {
		got[f.Path] = f.Lines
	}
	for _, f := range d.Surface.Sources {
		got[f.Path] = f.Lines
	}
	want := map[string]int{
		".claude-plugin/plugin.json": 3, "skills/s/SKILL.md": 7, "skills/s/table.md": 2, "skills/s/scripts/x.sh": 4, "tests/case.md": 1,
		"hooks/hooks.json": 2, "skills/s/long.md": 0,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for text, n := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\n\n": 2, "a\nb": 2} {
		if linesOf(text) != n {
			t.Errorf("%q: %d lines, want %d", text, linesOf(text), n)
		}
	}
}
