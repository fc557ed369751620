package boundary

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
)

// MaxProposed bounds the candidates that an analyst is asked about in one audit: each
// costs a reading of its component. What is above the cut beyond it is listed in Below
// with the reason over-cap, and comes up when something before it is settled.
const MaxProposed = 24

// maxDriftNotes bounds the drift notes, which ask nothing of anybody.
const maxDriftNotes = 12

// Propose puts together what the two passes suggest. inv says what is written, sc what
// was measured; either may be nil. One step is one candidate: what was measured of a
// step that the static pass names too stands in the same candidate (propose_join.go).
//
// A candidate's identity is plugin/component/slug and does not depend on the window:
// a step that both passes see keeps its static kind and slug, so that a window in which
// it was not measured is no other candidate.
func Propose(inv *inventory.Document, sc *scan.Document) *Candidates {
	out := &Candidates{Document: CandidatesKind, Cut: Cut, Candidates: []Candidate{}, Below: []BelowCut{}, Warnings: []audit.Warning{}}
	p := &proposer{inv: inv, sc: sc, out: out, labels: map[audit.ComponentRef]string{}, preloads: map[*Candidate][]string{}}
	if inv != nil {
		out.Target = inv.Target
	}
	if sc != nil {
		if inv == nil && sc.Target != nil {
			out.Target = *sc.Target
		}
		out.Window, out.Coverage, out.Reason = sc.Window, sc.Attribution.CoveragePPM, sc.Attribution.Reason
	} else {
		out.Reason = "no-usage-scan"
	}
	p.static()
	p.measured()
	p.settle()
	return out
}

// proposer collects candidates before they are ranked.
type proposer struct {
	inv    *inventory.Document
	sc     *scan.Document
	out    *Candidates
	found  []*Candidate
	labels map[audit.ComponentRef]string
	// preloads are the measured atoms of the preload candidates.
	preloads map[*Candidate][]string
}

// add completes a candidate and keeps it. text is the content that its judgment would
// rest on, besides its signatures.
func (p *proposer) add(c *Candidate, text ...string) *Candidate {
	c.ID = p.id(c.Component, c.Slug)
	if c.Signatures == nil {
		c.Signatures = []string{}
	}
	if c.SignatureHash == "" && len(c.Signatures) > 0 {
		c.SignatureHash = signature.Hash(c.Signatures)
	}
	c.EvidenceHash = evidenceHash(c, text)
	p.found = append(p.found, c)
	return c
}

// evidenceHash names what a judgment of c rests on: its kind, component, signatures, and
// the marked lines of its text. Measured amounts are not part of it, because the next
// window has others and the step is the same; nor are line numbers, nor prose in which
// no signal was seen.
func evidenceHash(c *Candidate, text []string) string {
	parts := append([]string{c.Kind, c.Component.Kind, c.Component.Name, c.Slug}, c.Signatures...)
	parts = append(append(parts, "\x1e"), text...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x1f")))
	return "ev1:" + hex.EncodeToString(sum[:8])
}

// id is plugin/component/slug; where components of two kinds share a name it is kind:name.
func (p *proposer) id(ref audit.ComponentRef, slug string) string {
	name := ref.Name
	if p.inv != nil {
		for i := range p.inv.Components {
			if c := &p.inv.Components[i]; c.Name == ref.Name && c.Kind != ref.Kind {
				name = ref.Kind + ":" + ref.Name
				break
			}
		}
	}
	if p.out.Target.Name == "" {
		return name + "/" + slug // a scan of all plugins
	}
	return p.out.Target.Name + "/" + name + "/" + slug
}

// settle ranks what was found, and parts what is asked from what is not.
func (p *proposer) settle() {
	for _, c := range p.found {
		c.AboveCut = c.Score >= Cut && !c.AlreadyCut && c.Kind != audit.Drift
	}
	slices.SortStableFunc(p.found, func(a, b *Candidate) int {
		return cmp.Or(b.fanOut()-a.fanOut(), cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	asked, notes := 0, 0
	for _, c := range p.found {
		reason := ""
		switch {
		case c.Kind == audit.Drift:
			if notes++; notes > maxDriftNotes {
				reason = "over-cap"
			}
		case c.AlreadyCut:
			if !wouldBeProposed(c) {
				reason = "below-cut"
			}
		case !c.AboveCut && !c.Measured.Seen():
			reason = "below-cut"
		default:
			if asked++; asked > MaxProposed {
				reason = "over-cap"
			}
		}
		if reason == "" {
			p.out.Candidates = append(p.out.Candidates, *c)
			continue
		}
		b := BelowCut{ID: c.ID, Kind: c.Kind, Score: c.Score, Label: p.labels[c.Component], Reason: reason}
		if c.Static != nil {
			b.Path = c.Static.Path
		}
		p.out.Below = append(p.out.Below, b)
	}
}

// fanOut is 1 for what was measured inside a fan-out. It stands before everything else,
// whatever its score: it is paid for once by each of the agents.
func (c *Candidate) fanOut() int {
	if c.Measured != nil && c.Measured.FanOut {
		return 1
	}
	return 0
}

// wouldBeProposed: an already cut step that only the brake for that took below the cut.
func wouldBeProposed(c *Candidate) bool {
	without := c.Score
	for _, r := range c.Why {
		if r.Signal == "own_commands" {
			without -= r.Points
		}
	}
	return without >= Cut
}
