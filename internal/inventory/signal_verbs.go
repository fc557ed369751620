package inventory

import (
	"strings"
	"unicode"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// Signals script_verbs and judgment_verbs: what the prose tells the reader to do.
//
// A script verb names work whose result two careful programmers would agree on;
// a judgment verb names work that has to be weighed. Counted in prose only (no
// fence, no code span, no table cell) and in imperative position only: at the
// start of a clause, where an instruction has its verb. Verbs used as nouns or
// labels ("Name:", "file name", "output format", a list item that is one word)
// stand elsewhere and are not counted; in 2,318 real skills "name" alone was 57 %
// of a naive judgment count and hardly ever an instruction.
var (
	scriptVerbs = wordSet(`count sum rank sort diff parse validate enumerate dedupe deduplicate format compare check
		aggregate assign calculate categorize categorise classify collect compute correlate cross-reference detect extract fetch
		filter find flag gather get group identify inspect intersect iterate list locate look match measure normalize
		normalise partition poll query read record retrieve scan search split subtract tally total trim verify`)
	judgmentVerbs = wordSet(`decide judge explain prioritize prioritise name write weigh interpret
		advise argue assess brainstorm choose clarify compose consider craft critique debate design discuss draft elaborate
		evaluate imagine improve justify propose reason recommend reflect refine rephrase rewrite suggest summarize
		summarise tailor think understand`)
	// otherVerbs are imperatives of neither kind; they matter only for what is chained to them.
	otherVerbs = wordSet(`print report show display return output emit apply create run use update add remove delete send
		ask store save log note present post push open close set make start stop call do keep mark continue proceed`)
	// before an imperative: words that may stand between the start of a clause and its verb.
	leads = wordSet(`first second third next then now finally also always please just only carefully manually automatically
		optionally immediately must should to you we i'll let's and or but so either both if-needed`)
)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// verbs counts the script and judgment verbs in imperative position of one line of prose.
func verbs(line string) (script, judgment int) {
	for _, sentence := range splitClauses(line, ".!?;:—–()[]|") {
		var clauses []string
		for _, part := range splitClauses(sentence.text, ",") {
			clauses = append(clauses, splitWord(part.text, "and", "then")...)
		}
		// From the right: a verb alone ("parse, sort and print rows") counts only when the
		// clause after it is an instruction too; otherwise it is a label.
		chained := false
		for i := len(clauses) - 1; i >= 0; i-- {
			if strings.TrimSpace(clauses[i]) == "" {
				continue
			}
			w, rest := leadingVerb(clauses[i])
			if w == "" || rest == 0 && (!chained || sentence.colon) {
				chained = false
				continue
			}
			chained = true
			switch {
			case scriptVerbs[w]:
				script++
			case judgmentVerbs[w]:
				judgment++
			}
		}
	}
	return script, judgment
}

// verbRatio is the lower bound of the 95 % Wilson interval of script / (script +
// judgment), in ppm; nil below five verbs, where the ratio would say nothing.
func verbRatio(script, judgment int) *int64 {
	n := int64(script + judgment)
	if n < 5 {
		return nil
	}
	// With z² = 3.8416 the bound is (p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n);
	// all terms times n, in units of 1e-4, so that the square root is an integer's.
	const z2 = 38416 // 3.8416 e4
	s, f := int64(script), int64(judgment)
	centre := s*10000 + z2/2                      // e4
	radicand := z2 * (s*f*40000/n + z2) / 4       // z²·(s·f/n + z²/4), e8
	low := (centre - isqrt(radicand)) * 1_000_000 // e10
	r := max(low/(n*10000+z2), 0)
	return &r
}

func isqrt(x int64) int64 {
	if x < 2 {
		return x
	}
	r := x
	for y := (r + 1) / 2; y < r; y = (r + x/r) / 2 {
		r = y
	}
	return r
}

type clause struct {
	text  string
	colon bool // a colon follows
}

func splitClauses(s, at string) []clause {
	var out []clause
	from := 0
	for i, r := range s {
		if !strings.ContainsRune(at, r) {
			continue
		}
		// "e.g." and "v1.2": a point inside a word ends nothing.
		if r == '.' && i+1 < len(s) && s[i+1] != ' ' {
			continue
		}
		out = append(out, clause{s[from:i], r == ':'})
		from = i + len(string(r))
	}
	return append(out, clause{s[from:], false})
}

// splitWord splits s at the given whole words.
func splitWord(s string, at ...string) []string {
	var out []string
	var cur []string
	for _, f := range strings.Fields(s) {
		split := false
		for _, a := range at {
			split = split || strings.EqualFold(f, a)
		}
		if split {
			out = append(out, strings.Join(cur, " "))
			cur = cur[:0]
			continue
		}
		cur = append(cur, f)
	}
	return append(out, strings.Join(cur, " "))
}

// leadingVerb is the listed verb that a clause begins with, after words that may
// stand before an imperative, and the number of words that follow it.
func leadingVerb(s string) (verb string, rest int) {
	fs := forEach(strings.Fields(strings.ReplaceAll(s, plugin.Inline, " "+plugin.Inline+" ")))
	for len(fs) > 0 {
		w := strings.ToLower(strings.TrimFunc(fs[0], func(r rune) bool {
			return !unicode.IsLetter(r) && r != '\'' && r != '-' && string(r) != plugin.Inline
		}))
		w = strings.Trim(w, "-'")
		if w == "" || leads[w] || enumerator(fs[0]) {
			fs = fs[1:]
			continue
		}
		if scriptVerbs[w] || judgmentVerbs[w] || otherVerbs[w] {
			return w, len(fs) - 1
		}
		if b := gerund(w); b != "" && len(fs) > 1 {
			return b, len(fs) - 1
		}
		return "", 0
	}
	return "", 0
}

// forEach drops "for each worktree" and the like from the start of a clause whose
// instruction follows without a comma.
func forEach(fs []string) []string {
	if len(fs) < 4 || !strings.EqualFold(fs[0], "for") || !strings.EqualFold(fs[1], "each") && !strings.EqualFold(fs[1], "every") {
		return fs
	}
	for i := 3; i < min(len(fs), 6); i++ {
		if w := strings.ToLower(fs[i]); scriptVerbs[w] || judgmentVerbs[w] || otherVerbs[w] {
			return fs[i:]
		}
	}
	return fs
}

// enumerator: "1)", "a", "Step" and the like before a clause.
func enumerator(w string) bool {
	w = strings.ToLower(strings.Trim(w, "().:"))
	return w == "step" || w == "phase" || strings.Trim(w, "0123456789") == ""
}

// gerund gives the listed verb of a heading such as "Detecting divergence", "" otherwise.
func gerund(w string) string {
	stem, ok := strings.CutSuffix(w, "ing")
	if !ok || len(stem) < 3 {
		return ""
	}
	for _, v := range []string{stem, stem + "e", strings.TrimSuffix(stem, stem[len(stem)-1:])} {
		if scriptVerbs[v] || judgmentVerbs[v] {
			return v
		}
	}
	return ""
}
