package inventory

import "strings"

// Signal procedural_density_ppm: the share of a text's lines that instruct, of all its
// lines that are not blank: lines that number a step, hold a literal command, state a
// condition or a rule's row, or begin a clause with an imperative of either kind. It
// says how much of a text is procedure, whoever would carry it out; by itself it finds
// checklists as well as algorithms, so the ranking does not use it.
var instructs = wordSet(`step_headings ordered_items shell_commands inline_commands conditionals rule_rows outcomes script_verbs judgment_verbs`)

// density is in ppm; nil for a text without a line.
func (r *reading) density() *int64 {
	all, instructing := map[int]bool{}, map[int]bool{}
	for i := range r.doc.Blocks {
		for _, l := range r.textLines(&r.doc.Blocks[i]) {
			if strings.TrimSpace(l.Text) != "" {
				all[l.N] = true
			}
		}
	}
	for _, m := range r.marks {
		if instructs[m.signal] && all[m.line] {
			instructing[m.line] = true
		}
	}
	if len(all) == 0 {
		return nil
	}
	ppm := int64(len(instructing)) * 1_000_000 / int64(len(all))
	return &ppm
}
