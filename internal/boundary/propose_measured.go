package boundary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// Measured evidence and its strength (rubric 3.5).
const (
	measuredInvocations = 3
	measuredTurns       = 30
)

// What a scan's sequence was found by.
const (
	sourceRetry = "retry-cluster"
	sourceRead  = "read-amplification"
)

// measured adds what the transcripts show: recurring sequences, staples in the opening
// of invocations, fiddly invocations, haystacks read whole.
func (p *proposer) measured() {
	if p.sc == nil {
		return
	}
	gone := map[audit.ComponentRef]bool{}
	opening := map[audit.ComponentRef][]*scan.Staple{}
	for i := range p.sc.Staples {
		s := &p.sc.Staples[i]
		if ref, ok := p.target(s.Component, s.Plugin, gone); ok && s.Opening && s.ConstantArguments && !p.inStep(ref, s) {
			opening[ref] = append(opening[ref], s)
		}
	}
	for _, ref := range sortedRefs(opening) {
		p.preload(ref, opening[ref])
	}
	for i := range p.sc.Sequences {
		s := &p.sc.Sequences[i]
		if ref, ok := p.target(s.Component, s.Plugin, gone); ok {
			if agent := (audit.ComponentRef{Kind: audit.KindAgent, Name: s.Agent}); s.Agent != "" && p.inv != nil && p.component(agent) != nil {
				ref = agent // under a skill that dispatched it; the step is told in the agent's own definition
			}
			p.sequence(s, ref)
		}
	}
	for _, c := range p.found {
		if c.Measured != nil {
			c.Measured.Strength = strengthOf(c.Measured.Invocations, p.attributedTurns(c))
			scoreMeasured(c)
		}
	}
	p.unseen()
	for _, ref := range sortedRefs(gone) {
		p.out.Warnings = append(p.out.Warnings, audit.Warning{Code: "component-gone",
			Message: fmt.Sprintf("%s %s was used in the window and is not in the plugin as it stands", ref.Kind, ref.Name)})
	}
}

// inStep: most of a staple's turns belong to a sequence that is the run of a step which the
// definition spells out: that step is the candidate, and counts them.
func (p *proposer) inStep(ref audit.ComponentRef, s *scan.Staple) bool {
	for i := range p.sc.Sequences {
		if q := &p.sc.Sequences[i]; s.Sequence != "" && q.ID == s.Sequence {
			return p.joins(ref, q.Signatures) != nil
		}
	}
	return false
}

// target is the inventory's component that a measurement belongs to. A scan of all
// plugins holds others' too, which are passed over; a skill may be recorded as the
// command that started it, so the name decides where the kind differs. Without an
// inventory every component of the scan's target is taken, and without a target all.
func (p *proposer) target(ref audit.ComponentRef, plugin string, gone map[audit.ComponentRef]bool) (audit.ComponentRef, bool) {
	switch {
	case p.out.Target.Name == "":
		if plugin != "" {
			ref.Name = plugin + ":" + ref.Name
		}
		return ref, true
	case plugin != p.out.Target.Name:
		return ref, false
	case p.inv == nil || p.component(ref) != nil:
		return ref, true
	}
	var found []audit.ComponentRef
	for i := range p.inv.Components {
		if c := &p.inv.Components[i]; c.Name == ref.Name {
			found = append(found, refOf(c))
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	gone[ref] = true
	return ref, false
}

// sequence adds one n-gram: to the static candidate whose step it runs, else as its own.
func (p *proposer) sequence(s *scan.Sequence, ref audit.ComponentRef) {
	kind, slug := audit.Sequence, slugOf(s.Signatures)
	switch s.Source {
	case sourceRetry:
		kind, slug = audit.Wrapper, "retry-"+slug
	case sourceRead:
		kind, slug = audit.DigestOf, "digest-"+slug
	default:
		if c := p.joins(ref, s.Signatures); c != nil {
			join(c, caseOf(s), s.SignatureHash)
			return
		}
		if c := p.preloaded(ref, s.Signatures); c != nil {
			c.Measured.Evidence = append(c.Measured.Evidence, s.ID)
			slices.Sort(c.Measured.Evidence)
			return
		}
	}
	p.add(&Candidate{Component: ref, Slug: p.free(ref, slug), Kind: kind, Signatures: s.Signatures, SignatureHash: s.SignatureHash, Measured: caseOf(s), Why: []Reason{}})
}

// free is slug, numbered when the component has such a candidate already.
func (p *proposer) free(ref audit.ComponentRef, slug string) string {
	taken := func(s string) bool {
		return slices.ContainsFunc(p.found, func(c *Candidate) bool { return c.Component == ref && c.Slug == s })
	}
	if !taken(slug) {
		return slug
	}
	for n := 2; ; n++ {
		if s := fmt.Sprintf("%s-%d", slug, n); !taken(s) {
			return s
		}
	}
}

// joins is the static candidate of ref that a sequence is a run of: its procedure first,
// then a run that it shares with other components. A sequence belongs to a step when at
// least half of its distinct commands are the step's, and one of them is more than a
// plain filter. Containment and not Jaccard: a step may hold many commands of which the
// model runs some, and that is still the step.
func (p *proposer) joins(ref audit.ComponentRef, sigs []string) *Candidate {
	for _, kind := range []string{audit.Procedure, audit.Sequence} {
		for _, c := range p.found {
			if c.Component == ref && c.Kind == kind && c.Static != nil && runs(sigs, c.Signatures) {
				return c
			}
		}
	}
	return nil
}

func runs(sequence, step []string) bool {
	of := map[string]bool{}
	for _, s := range atoms(step) {
		of[s] = true
	}
	seq := atoms(sequence)
	common, telling := 0, false
	for _, s := range seq {
		if of[s] {
			common++
			telling = telling || !plainTool[s]
		}
	}
	return telling && 2*common >= len(seq)
}

// atoms are the distinct commands of signatures: a Bash call counts by its commands.
func atoms(sigs []string) []string {
	var out []string
	for _, s := range sigs {
		parts := []string{s}
		if rest, ok := strings.CutPrefix(s, "Bash "); ok {
			parts = strings.Split(rest, "; ")
			for i := range parts {
				parts[i] = "Bash " + parts[i]
			}
		}
		out = append(out, parts...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// plainTool: commands and tools that every step uses; that two runs have them in common says nothing.
var plainTool = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields("cat ls head tail wc grep rg find sort uniq cut tr sed awk jq test [ pwd echo xargs tee mkdir read date") {
		m["Bash "+s] = true
	}
	for _, s := range []string{"Read", "Grep", "Glob", "LS"} {
		m[s] = true
	}
	return m
}()

// caseOf is a sequence as measured evidence.
func caseOf(s *scan.Sequence) *MeasuredCase {
	return &MeasuredCase{
		Evidence: []string{s.ID}, Invocations: s.Invocations, ComponentInvocations: s.ComponentInvocations,
		Occurrences: s.Occurrences, Turns: s.Turns, WasteMilli: s.WasteMilli, ValueMilli: s.ValueMilli, SharePPM: s.SharePPM,
		RecoverableMilli: s.RecoverableMilli, RecoverableUSD: s.RecoverableUSD, JudgmentDensityPPM: s.JudgmentDensityPPM,
		QuestionPPM: s.QuestionPPM, NextStepAgreementPPM: s.NextStepAgreementPPM, SequenceAgreementPPM: s.SequenceAgreementPPM, FanOut: s.FanOut,
	}
}

// join adds m to a candidate. The sequence worth most is the dominant one: it gives the
// agreements and the signature hash. Sums are exact because the scan's sequences do not
// overlap; the support is that of the best supported.
func join(c *Candidate, m *MeasuredCase, hash string) {
	d := c.Measured
	if d == nil {
		c.Measured, c.SignatureHash = m, hash
		return
	}
	dominant, other := d, m
	if m.ValueMilli > d.ValueMilli {
		dominant, other = m, d
		c.SignatureHash = hash
	}
	sum := *dominant
	sum.Evidence = append(slices.Clone(d.Evidence), m.Evidence...)
	slices.Sort(sum.Evidence)
	sum.Invocations = max(d.Invocations, m.Invocations)
	sum.ComponentInvocations = max(d.ComponentInvocations, m.ComponentInvocations)
	sum.Occurrences += other.Occurrences
	sum.JudgmentDensityPPM = weighted(d.JudgmentDensityPPM, d.Turns, m.JudgmentDensityPPM, m.Turns)
	sum.QuestionPPM = max(d.QuestionPPM, m.QuestionPPM)
	sum.Turns += other.Turns
	sum.WasteMilli += other.WasteMilli
	sum.ValueMilli += other.ValueMilli
	sum.SharePPM += other.SharePPM
	sum.RecoverableMilli += other.RecoverableMilli
	sum.RecoverableUSD = addUSD(d.RecoverableUSD, m.RecoverableUSD)
	sum.FanOut = d.FanOut || m.FanOut
	c.Measured = &sum
}

func weighted(a, wa, b, wb int64) int64 {
	if wa+wb == 0 {
		return max(a, b)
	}
	return (a*wa + b*wb) / (wa + wb)
}

// preloaded is the preload candidate of ref that a sequence is only a run of. Its turns are
// in the staples' sums already, so it adds itself as evidence and nothing else.
func (p *proposer) preloaded(ref audit.ComponentRef, sigs []string) *Candidate {
	for _, c := range p.found {
		if c.Component != ref || c.Kind != audit.Preload || c.Measured == nil {
			continue
		}
		if of := atoms(p.preloads[c]); !slices.ContainsFunc(atoms(sigs), func(a string) bool { return !slices.Contains(of, a) }) {
			return c
		}
	}
	return nil
}

// preload proposes the atoms with which a component's invocations open, always with the
// same arguments, as one candidate: one prepare call or a few "!`…`" lines serve them
// all. (What opens each use with other arguments cannot be loaded before the use is
// known.) Prose that orders such a read is the static side of the same step.
func (p *proposer) preload(ref audit.ComponentRef, staples []*scan.Staple) {
	slices.SortStableFunc(staples, func(a, b *scan.Staple) int {
		return cmp.Or(cmp.Compare(b.ValueMilli, a.ValueMilli), cmp.Compare(a.ID, b.ID))
	})
	m := &MeasuredCase{Evidence: []string{}, RecoverableUSD: staples[0].RecoverableUSD}
	sigs := []string{}
	for i, s := range staples {
		m.Evidence = append(m.Evidence, s.ID)
		sigs = append(sigs, s.Signature)
		m.Invocations = max(m.Invocations, s.Invocations)
		m.ComponentInvocations = max(m.ComponentInvocations, s.ComponentInvocations)
		m.Occurrences += s.Occurrences
		m.Turns += s.Turns
		m.WasteMilli += s.WasteMilli
		m.ValueMilli += s.ValueMilli
		m.SharePPM += s.SharePPM
		m.RecoverableMilli += s.RecoverableMilli
		if i > 0 {
			m.RecoverableUSD = addUSD(m.RecoverableUSD, s.RecoverableUSD)
		}
	}
	slices.Sort(m.Evidence)
	slices.Sort(sigs)
	for _, c := range p.found {
		if c.Component == ref && c.Kind == audit.Preload {
			c.Measured, p.preloads[c] = m, sigs
			return
		}
	}
	c := p.add(&Candidate{Component: ref, Slug: slugPreload, Kind: audit.Preload, Signatures: sigs, Measured: m, Why: []Reason{}})
	p.preloads[c] = sigs
}

// attributedTurns are all the turns that the scan attributes to the candidate's component:
// how long it was watched, not only how long it was in this step.
func (p *proposer) attributedTurns(c *Candidate) int64 {
	n := c.Measured.Turns
	for i := range p.sc.Components {
		if k := &p.sc.Components[i]; k.Plugin == p.out.Target.Name && bareName(k.Name) == c.Component.Name {
			n = max(n, k.Usage.Turns)
		}
	}
	return n
}

// bareName is a component's name without its plugin's prefix: "acme:deploy" → deploy.
func bareName(s string) string {
	if _, rest, ok := strings.Cut(s, ":"); ok {
		return rest
	}
	return s
}

// strengthOf is rubric 3.5.
func strengthOf(invocations, turns int64) audit.Strength {
	switch {
	case invocations >= measuredInvocations && turns >= measuredTurns:
		return audit.Measured
	case turns > 0 || invocations > 0:
		return audit.Thin
	}
	return audit.Unmeasured
}

// log2Ratio is log2(1 + a/t) in thousandths, for a ≥ 0 and t ≥ 1.
func log2Ratio(a, t int64) int64 { return log2Milli(t+a-1) - log2Milli(t-1) }

// addUSD adds two decimal dollar strings of six places; nil is an unknown amount, and
// a sum with one is unknown too.
func addUSD(a, b *string) *string {
	x, okA := micros(a)
	y, okB := micros(b)
	if !okA || !okB {
		return nil
	}
	s := fmt.Sprintf("%d.%06d", (x+y)/1_000_000, (x+y)%1_000_000)
	return &s
}

func micros(s *string) (int64, bool) {
	if s == nil {
		return 0, false
	}
	whole, frac, _ := strings.Cut(*s, ".")
	n, err := strconv.ParseInt(whole+(frac + "000000")[:6], 10, 64)
	return n, err == nil && n >= 0
}

// scoreMeasured adds what was measured to a score: Cut × log2(1 + share / threshold). So
// a step whose value is the rubric's threshold stands at the cut on that alone, and one
// of three times the threshold at twice the cut. Thin evidence counts half.
func scoreMeasured(c *Candidate) {
	m := c.Measured
	pts := Cut * log2Ratio(m.SharePPM, ThresholdPPM) / 1000
	note := "value as a share of the audited spend; the threshold alone is the cut"
	if m.Strength == audit.Thin {
		pts, note = pts/2, note+"; thin: half"
	}
	if m.FanOut {
		note += "; inside a fan-out, paid once for each agent: ranks first"
	}
	c.Score += pts
	c.Why = append(c.Why, Reason{Signal: "share_ppm", Value: m.SharePPM, Points: pts, Note: note, Evidence: m.Evidence[:min(len(m.Evidence), maxCited)]})
}

func sortedRefs[V any](m map[audit.ComponentRef]V) []audit.ComponentRef {
	out := make([]audit.ComponentRef, 0, len(m))
	for r := range m {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b audit.ComponentRef) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return out
}
