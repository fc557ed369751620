package inventory

import (
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signal step_headings: headings that number the parts of a procedure ("Step 2:
// Fetch", "Phase B", "3. Verify"). A text that numbers its parts prescribes an
// order, which a cheat-sheet does not. A bold paragraph that reads "Step 2: …"
// counts as a heading: authors use both.
var (
	stepWord = pattern.New(`(?i)^(?:step|phase|stage)[ -]+(?:[0-9]+(?:\.[0-9]+)*[a-z]?|[a-z]|one|two|three|four|five|six|seven|eight|nine|ten|[ivx]+)(?:$|[^\p{L}\p{N}])[ :.)–—-]*`)
	stepNum  = pattern.New(`^(?:[0-9]{1,2}(?:\.[0-9]{1,2}){0,2}[a-z]?[.):]|[0-9]{1,2}(?:\.[0-9]{1,2}){1,2}[a-z]?|[0-9]{1,2}[a-z]?[ ]*[–—-])[ ]+`)
)

// stepTitle returns a step heading's title without its number, and whether it is one.
func stepTitle(heading string) (title string, ok bool) {
	h := strings.TrimSpace(heading)
	if m := stepWord().FindString(h); m != "" {
		return strings.TrimSpace(h[len(m):]), true
	}
	if m := stepNum().FindString(h); m != "" {
		return strings.TrimSpace(h[len(m):]), true
	}
	return h, false
}

// stepHeadings marks the step headings of a text.
func (r *reading) stepHeadings() {
	for i := range r.doc.Blocks {
		if r.isStep(i) {
			r.mark("step_headings", r.doc.Blocks[i].Line, 1)
		}
	}
}

// isStep reports whether block i opens a numbered step.
func (r *reading) isStep(i int) bool {
	b := &r.doc.Blocks[i]
	if r.aside[i] || len(b.Lines) == 0 {
		return false
	}
	switch b.Kind {
	case plugin.Heading:
		_, ok := stepTitle(b.Lines[0].Text)
		return ok
	case plugin.Paragraph:
		return b.Item == nil && !b.Quoted && stepWord().MatchString(b.Lines[0].Text)
	}
	return false
}

// Signal ordered_items: items of numbered lists. Half of all texts have some, so
// they count towards a procedure only where they hold commands (commands_in_steps).
func (r *reading) orderedItems() {
	for _, it := range r.doc.Items {
		if it.Ordered {
			r.mark("ordered_items", it.Line, 1)
		}
	}
}
