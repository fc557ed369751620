package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// lineBytes is the longest that one cited line may be.
const lineBytes = 160

// What makes a line worth showing to somebody who has to find the rule of a step.
var (
	aFence   = pattern.New("^\\s*(?:```|~~~)")
	aHeading = pattern.New(`^#{1,6} `)
	aRow     = pattern.New(`^\s*\|.*\|`)
	aRuler   = pattern.New(`^\s*\|[\s:|-]+\|\s*$`)
	aBound   = pattern.New(`(?i)-(?:gt|lt|ge|le) |[<>]=?\s*[0-9]|\bthreshold\b|\b(?:at least|at most|more than|fewer than|older than)\s+[0-9]`)
	aTest    = pattern.New(`(?i)-(?:eq|ne) |==|\b(?:if|elif|unless|when|otherwise|else|at least|at most|more than|fewer|older|first|only|never|always|must)\b|select\(|[→├└]`)
	anItem   = pattern.New(`^\s*(?:[0-9]+[.)]|[-*]) |^\s*\*\*`)
	noise    = pattern.New(`^\s*(?:echo\b.*|else|fi|done|esac|;;|then|do|[{}()\[\]'",]*)\s*$`)
)

// The weights of a line: how much it says about what a step decides.
const (
	saysNothing = iota
	saysSomething
	isItem
	isTest
	isRule
	isHeading
)

// numbered is a line of a step with its number and weight.
type numbered struct {
	n, weight int
	text      string
}

func (l numbered) String() string { return fmt.Sprintf("    %d: %s\n", l.n, l.text) }

// excerpt shows lines first to last of a text, numbered, within a budget of bytes. A step
// that fits stands whole. Of a longer one the rules are shown before the rest, section by
// section in turn, so that one at the end is shown as well as one at the start. Without
// this whoever judges sees the prerequisites and not the thresholds.
func excerpt(text string, first, last, budget int) string {
	all := weigh(text, first, last)
	shown := all
	if bytesOf(all) > budget {
		shown = weightiest(all, budget)
	}
	var b strings.Builder
	for _, l := range shown {
		b.WriteString(l.String())
	}
	if len(shown) < len(all) {
		fmt.Fprintf(&b, "    (%d of %d lines; the rest stands in the file, to line %d)\n", len(shown), len(all), all[len(all)-1].n)
	}
	return b.String()
}

// weigh returns the lines that hold text, from first to last.
func weigh(text string, first, last int) []numbered {
	var out []numbered
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		n, line := i+1, strings.TrimRight(line, " \t\r")
		if aFence().MatchString(line) {
			fenced = !fenced
		}
		if n < first || n > last || line == "" {
			continue
		}
		out = append(out, numbered{n, weight(line, fenced), clipLine(line)})
	}
	return out
}

func weight(line string, fenced bool) int {
	switch {
	case aFence().MatchString(line), noise().MatchString(line), aRuler().MatchString(line):
		return saysNothing
	case !fenced && aHeading().MatchString(line):
		return isHeading
	case aRow().MatchString(line), aBound().MatchString(line):
		return isRule
	case aTest().MatchString(line):
		return isTest
	case anItem().MatchString(line):
		return isItem
	}
	return saysSomething
}

func bytesOf(lines []numbered) int {
	total := 0
	for _, l := range lines {
		total += len(l.String())
	}
	return total
}

// weightiest chooses lines by weight, and among equals from each section in turn; a
// section's heading comes with the first line chosen from it.
func weightiest(lines []numbered, budget int) []numbered {
	var sections [][]numbered
	for i, l := range lines {
		if i == 0 || l.weight == isHeading {
			sections = append(sections, nil)
		}
		sections[len(sections)-1] = append(sections[len(sections)-1], l)
	}
	var chosen []numbered
	headed := make([]bool, len(sections))
	for w := isRule; w > saysNothing; w-- {
		for round, left := 0, true; left; round++ {
			left = false
			for i, s := range sections {
				l, ok := nth(s, w, round)
				if !ok {
					continue
				}
				left = true
				take := []numbered{l}
				if s[0].weight == isHeading && !headed[i] {
					take = append(take, s[0])
				}
				if cost := bytesOf(take); cost <= budget {
					budget -= cost
					headed[i] = true
					chosen = append(chosen, take...)
				}
			}
		}
	}
	slices.SortFunc(chosen, func(a, b numbered) int { return a.n - b.n })
	return chosen
}

// nth is the nth line of a section that has the weight.
func nth(section []numbered, weight, n int) (numbered, bool) {
	for _, l := range section {
		if l.weight == weight {
			if n == 0 {
				return l, true
			}
			n--
		}
	}
	return numbered{}, false
}

// clipLine cuts a long line at a whole character.
func clipLine(s string) string {
	if len(s) <= lineBytes {
		return s
	}
	cut := lineBytes
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
