package memory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Keep returns a local notes file (one note a line) with these notes added; those that stand
// in it already are not added again, so that a run told twice is remembered once.
func Keep(file []byte, notes []Note) ([]byte, error) {
	have := map[Note]bool{}
	for _, n := range read(file) {
		have[n] = true
	}
	out := bytes.Clone(file)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	for _, n := range notes {
		if have[n] {
			continue
		}
		have[n] = true
		line, err := json.Marshal(n)
		if err != nil {
			return nil, err
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

// Recall answers queries from a local notes file: of each query's place the notes that share
// a word of it, the most shared words first, then the latest. Notes that say nothing are passed
// over; so are the lessons of other plugins that are about none of these kinds of candidates,
// unless kinds is nil.
func Recall(file []byte, queries []Query, target string, kinds []string) []Note {
	notes := slices.DeleteFunc(read(file), func(n Note) bool { return !telling(n) || kinds != nil && !concerns(n, target, kinds) })
	slices.Reverse(notes)
	out, have := []Note{}, map[Note]bool{}
	for _, q := range queries {
		words := strings.Fields(strings.ToLower(q.Query))
		score := func(n Note) int {
			hits, text := 0, strings.ToLower(n.Content)
			for _, w := range words {
				if strings.Contains(text, w) {
					hits++
				}
			}
			return hits
		}
		found := slices.DeleteFunc(slices.Clone(notes), func(n Note) bool { return n.Wing != q.Wing || n.Room != q.Room || score(n) == 0 })
		slices.SortStableFunc(found, func(a, b Note) int { return score(b) - score(a) })
		for _, n := range found[:min(q.Limit, len(found))] {
			if !have[n] {
				have[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// telling says whether a note tells more than that an audit took place.
func telling(n Note) bool {
	return !slices.ContainsFunc([]string{"verdicts: none;", "by kind and verdict: none;", "because " + unjudged + "."},
		func(nothing string) bool { return strings.Contains(n.Content, nothing) })
}

// concerns says whether a note is about the target, or a lesson about candidates of one of these kinds.
func concerns(n Note, target string, kinds []string) bool {
	if n.Wing == target || strings.Contains(n.Content, " of "+target+": ") {
		return true
	}
	_, tally, _ := strings.Cut(n.Content, "by kind and verdict: ")
	tally, _, _ = strings.Cut(tally, ";")
	return slices.ContainsFunc(strings.FieldsFunc(tally, func(r rune) bool { return r == ' ' || r == ',' }),
		func(word string) bool { return slices.Contains(kinds, word) })
}

// read reads the notes of a file; a line that is none, such as one cut off, is passed over.
func read(file []byte) []Note {
	var notes []Note
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var n Note
		if json.Unmarshal(lines.Bytes(), &n) == nil && n.Wing != "" {
			notes = append(notes, n)
		}
	}
	return notes
}
