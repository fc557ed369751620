package snapshot

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
)

// identity is what a candidate can be recognised by.
type identity struct {
	id         string
	component  audit.ComponentRef
	slug       string
	hash       string // "" never matches
	signatures []string
	issue      string // "" never matches
}

// pairing says which earlier candidate a current one is, and by what that was seen.
type pairing struct {
	known int
	by    string
}

// pair recognises current candidates among known ones, one to one, in the order of
// rubric 3.8: issue reference, signature hash, (component, slug), similar signatures in
// the same component. Within one of these, candidates with the same id go first, then
// those of the same component, then by id. The result has one entry a recognised
// current index.
func pair(current, known []identity) map[int]pairing {
	p := pairer{current: current, known: known, found: map[int]pairing{}, taken: make([]bool, len(known))}
	p.cur, p.old = order(current), order(known)
	same := func(c, k *identity) bool { return c.component == k.component && c.slug == k.slug }
	p.level(ByIssue, func(c, k *identity) bool { return c.issue != "" && c.issue == k.issue })
	p.level(BySignature, func(c, k *identity) bool { return c.hash != "" && c.hash == k.hash })
	p.level(BySlug, same)
	p.similar()
	return p.found
}

type pairer struct {
	current, known []identity
	cur, old       []int // indices sorted by id
	found          map[int]pairing
	taken          []bool
}

// level pairs what match accepts, the closest first.
func (p *pairer) level(by string, match func(c, k *identity) bool) {
	for _, closer := range []func(c, k *identity) bool{
		func(c, k *identity) bool { return c.id == k.id },
		func(c, k *identity) bool { return c.component == k.component },
		func(_, _ *identity) bool { return true },
	} {
		for _, c := range p.cur {
			if _, done := p.found[c]; done {
				continue
			}
			for _, k := range p.old {
				if !p.taken[k] && closer(&p.current[c], &p.known[k]) && match(&p.current[c], &p.known[k]) {
					p.found[c], p.taken[k] = pairing{k, by}, true
					break
				}
			}
		}
	}
}

// similar pairs what is left by token similarity, the most similar first, ties by id.
func (p *pairer) similar() {
	type edge struct{ c, k, shared, all int }
	var edges []edge
	for _, c := range p.cur {
		if _, done := p.found[c]; done {
			continue
		}
		for _, k := range p.old {
			if p.taken[k] || p.current[c].component != p.known[k].component {
				continue
			}
			shared, all := overlap(p.current[c].signatures, p.known[k].signatures)
			if all > 0 && 5*shared >= 4*all {
				edges = append(edges, edge{c, k, shared, all})
			}
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(b.shared*a.all, a.shared*b.all) })
	for _, e := range edges {
		if _, done := p.found[e.c]; !done && !p.taken[e.k] {
			p.found[e.c], p.taken[e.k] = pairing{e.k, ByTokens}, true
		}
	}
}

// overlap counts the distinct tokens that two candidates' signatures share, and have in all.
func overlap(a, b []string) (shared, all int) {
	left, right := tokens(a), tokens(b)
	for t := range left {
		if right[t] {
			shared++
		}
	}
	return shared, len(left) + len(right) - shared
}

func tokens(signatures []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range signatures {
		for _, t := range strings.Fields(s) {
			set[t] = true
		}
	}
	return set
}

func order(list []identity) []int {
	idx := make([]int, len(list))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int { return cmp.Compare(list[a].id, list[b].id) })
	return idx
}

func identityOf(c *boundary.Candidate, issue string) identity {
	return identity{c.ID, c.Component, c.Slug, c.SignatureHash, c.Signatures, issue}
}

// sighting is a candidate's latest record and where it stands.
type sighting struct {
	doc       *Document
	candidate *Candidate
	first     string // the snapshot that froze the id
}

// sightings returns every candidate that the history has, each as it was seen last, sorted by id.
// An id is frozen at its first sighting, so it joins the records of one candidate.
func sightings(history []Document) []sighting {
	latest := map[string]sighting{}
	for i := range history {
		doc := &history[i]
		for j := range doc.Candidates {
			c := &doc.Candidates[j]
			first := doc.SnapshotID
			if s, ok := latest[c.Candidate.ID]; ok {
				first = s.first
			}
			latest[c.Candidate.ID] = sighting{doc, c, first}
		}
	}
	list := make([]sighting, 0, len(latest))
	for _, s := range latest {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b sighting) int { return cmp.Compare(a.candidate.Candidate.ID, b.candidate.Candidate.ID) })
	return list
}

// recognise pairs candidates with the sightings of a history.
func recognise(current []boundary.Candidate, seen []sighting, issues map[string]audit.Issue) map[int]pairing {
	cur := make([]identity, len(current))
	for i := range current {
		cur[i] = identityOf(&current[i], issues[current[i].ID].Ref)
	}
	old := make([]identity, len(seen))
	for i, s := range seen {
		old[i] = identityOf(&s.candidate.Candidate, s.candidate.Issue)
	}
	return pair(cur, old)
}

// Freeze gives every candidate that the history knows the id and slug of its first
// sighting, so that judgments, markers and trends keep one name for it. A candidate that
// is new but would take a frozen id of another one gets the first free "-2", "-3", …
// The component stays as it is today.
func Freeze(candidates []boundary.Candidate, history []Document) {
	seen := sightings(history)
	name(candidates, recognise(candidates, seen, nil), seen)
}

// FreezeVerdicts is Freeze for verdicts; their judgments follow the names.
func FreezeVerdicts(v *boundary.Verdicts, history []Document) {
	candidates := make([]boundary.Candidate, len(v.Verdicts))
	for i := range v.Verdicts {
		candidates[i] = v.Verdicts[i].Candidate
	}
	Freeze(candidates, history)
	for i := range v.Verdicts {
		rename(&v.Verdicts[i], candidates[i])
	}
}

// rename gives a verdict its candidate under the frozen name.
func rename(v *boundary.Verdict, c boundary.Candidate) {
	if v.Judgment != nil && v.Judgment.ID != c.ID {
		j := *v.Judgment
		j.ID = c.ID
		v.Judgment = &j
	}
	v.Candidate = c
}

func name(candidates []boundary.Candidate, pairs map[int]pairing, seen []sighting) {
	used := map[string]bool{}
	for _, s := range seen {
		used[s.candidate.Candidate.ID] = true
	}
	for i := range candidates {
		c := &candidates[i]
		if p, ok := pairs[i]; ok {
			first := &seen[p.known].candidate.Candidate
			c.ID, c.Slug = first.ID, first.Slug
			continue
		}
		c.ID, c.Slug = free(c.ID, c.Slug, used)
		used[c.ID] = true
	}
}

// free returns the first of id, id-2, id-3 … that is not used.
func free(id, slug string, used map[string]bool) (freeID, freeSlug string) {
	freeID, freeSlug = id, slug
	for n := 2; used[freeID]; n++ {
		suffix := "-" + strconv.Itoa(n)
		freeID, freeSlug = id+suffix, slug+suffix
	}
	return freeID, freeSlug
}
