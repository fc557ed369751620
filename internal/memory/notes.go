package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Leave returns what to remember of a run: the run itself and every candidate that was
// declined or held back, in the target's wing; and its lesson among those of all audits. page
// is the run's page in the store.
func Leave(d *snapshot.Document, page, server string) *Notes {
	n := &Notes{Document: NotesKind, Server: serverName(server), Notes: []Note{}, Triples: []Triple{}}
	wing := match(identifier, d.Target.Name)
	source := match(identifier, page)
	id, at := match(snapshotID, d.SnapshotID), moment(d.CreatedAt)
	if wing != refused {
		n.Notes = append(n.Notes, Note{wing, TargetRoom, run(d, id, at), source, addedBy})
	}
	for i := range d.Candidates {
		c := &d.Candidates[i]
		name := match(identifier, c.Candidate.ID)
		if name == refused || wing == refused {
			continue
		}
		if held(c) {
			n.Notes = append(n.Notes, Note{wing, TargetRoom, declined(c, name, id), source, addedBy})
		}
		n.Triples = append(n.Triples, Triple{name, "has_verdict", verdict(c.Final), at}, Triple{name, "has_status", status(c.Status), at})
		if ref := match(issueRef, c.Issue); ref != refused {
			n.Triples = append(n.Triples, Triple{name, "tracked_by", ref, at})
		}
	}
	if wing != refused {
		n.Triples = append(n.Triples, Triple{wing, "audited_in", id, at})
	}
	n.Notes = append(n.Notes, Note{LessonsWing, LessonsRoom, lesson(d, wing, id), source, addedBy})
	return n
}

// unjudged is the reason of a verdict that waits for a judgment: nothing to remember.
const unjudged = "unjudged"

func judged(c *snapshot.Candidate) bool { return !slices.Contains(c.Reasons, unjudged) }

// held says whether a candidate was declined, or kept from being filed.
func held(c *snapshot.Candidate) bool {
	return judged(c) && (c.Final != audit.File || c.Stability == audit.InsufficientWindow)
}

func run(d *snapshot.Document, id, at string) string {
	version := "none"
	if d.Target.Version != "" {
		version = match(semver, d.Target.Version)
	}
	coverage := "unknown"
	if d.Attribution.CoveragePPM != nil {
		coverage = percent(*d.Attribution.CoveragePPM)
	}
	return fmt.Sprintf("Offload audit %s of %s (version %s) at %s; observed %s to %s; attribution coverage %s; %s; verdicts: %s; statuses: %s; ever filed %d, won't-fix %d, reverted %d.",
		id, match(identifier, d.Target.Name), version, at, day(d.Window.Observed.Since), day(d.Window.Observed.Until), coverage, wording.Amount(d.Audited.Turns, "turn", "turns"),
		tally(d, func(c *snapshot.Candidate) string { return verdict(c.Final) }),
		tally(d, func(c *snapshot.Candidate) string { return status(c.Status) }),
		d.Counters.Filed, d.Counters.Wontfix, d.Counters.Reverted)
}

func declined(c *snapshot.Candidate, name, id string) string {
	codes := make([]string, 0, len(c.Reasons))
	for _, r := range c.Reasons {
		codes = append(codes, match(reason, r))
	}
	if len(codes) == 0 {
		codes = append(codes, "none")
	}
	var share int64
	m := audit.Unmeasured
	if c.Candidate.Measured != nil {
		m, share = c.Candidate.Measured.Strength, c.Candidate.Measured.SharePPM
	}
	return fmt.Sprintf("Offload candidate %s in %s: %s at position %s, confidence %s, stability %s, evidence %s, value %s of spend; because %s.",
		name, id, verdict(c.Final), position(c.Position), confidence(c.Confidence), stability(c.Stability), strength(m), percent(share), strings.Join(codes, ", "))
}

func lesson(d *snapshot.Document, wing, id string) string {
	return fmt.Sprintf("Offload audit lessons, %s of %s: by kind and verdict: %s; stability: %s; won't-fix %d, reverted %d of %d ever filed.",
		id, wing,
		tally(d, func(c *snapshot.Candidate) string { return kind(c.Candidate.Kind) + " " + verdict(c.Final) }),
		tally(d, func(c *snapshot.Candidate) string { return stability(c.Stability) }),
		d.Counters.Wontfix, d.Counters.Reverted, d.Counters.Filed)
}

// tally counts the judged candidates by a word, the most frequent first.
func tally(d *snapshot.Document, word func(*snapshot.Candidate) string) string {
	counts := map[string]int{}
	for i := range d.Candidates {
		if c := &d.Candidates[i]; judged(c) {
			counts[word(c)]++
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, w := range words {
		words[i] = fmt.Sprintf("%d %s", counts[w], w)
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
