package scan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// Place is a row of a transcript: an index into the history's files and a line.
type Place struct{ File, Line int32 }

// evidence is a turn behind something that was mined, and what of its cost that wastes.
type evidence struct {
	Place
	waste int64
}

func (t *strandTurn) evidence(waste int64) evidence { return evidence{Place{t.file, t.line}, waste} }

// result is a document with the places behind its mined evidence, by id.
type result struct {
	doc    *Document
	places map[string][]evidence
	rows   []turnRow // where they were asked for
}

// whole is what was measured of all sessions.
type whole struct {
	*measurement
	*part
}

// finish turns it into a document.
func (m *whole) finish() result {
	doc := &Document{
		Document: Kind, Target: m.o.Target, WeightsVersion: m.prices.WeightsVersion(), PricesAsOf: m.prices.AsOf(),
		Window: m.window(), Usage: m.total.usage(), Unattributed: Unattributed{m.rest.usage()}, HookRuns: m.hookRuns,
		Attribution: coverage(m.counts, m.total.turns, m.plausible),
		Components:  []Component{}, Sequences: []Sequence{}, Staples: []Staple{}, Warnings: []audit.Warning{},
	}
	if m.o.BySession {
		slices.SortStableFunc(m.sessions, func(a, b SessionUsage) int { return strings.Compare(a.SessionID, b.SessionID) })
		doc.Sessions = append([]SessionUsage{}, m.sessions...)
	}
	components := slices.DeleteFunc(m.resolve(m.installed), func(c *component) bool {
		return c.bill.turns == 0 && c.inSkills.Turns == 0 && c.invocations() == 0 ||
			m.o.Target != nil && c.plugin != m.o.Target.Name
	})
	doc.Audited = Spend{m.total.turns, m.total.weighted}
	classes := m.classes
	if m.o.Target != nil {
		doc.Audited, classes = Spend{}, [classCount]Spend{}
		for _, c := range components {
			doc.Audited.add(Spend{c.bill.turns, c.bill.weighted})
			for i := range classes {
				classes[i].add(c.classes[i])
			}
		}
	}
	doc.Composition = composition(&classes)
	kinds := map[string]string{}
	if m.o.Target != nil {
		for _, c := range m.o.Components {
			if c.Kind != audit.KindAgent {
				kinds[m.o.Target.Name+":"+c.Name] = c.Kind
			}
		}
	}
	r := result{doc: doc, places: map[string][]evidence{}, rows: m.part.rows}
	for i, found := range m.words.mine(components, m.o.workers()) {
		m.component(&r, components[i], components[i].kind(kinds), found)
	}
	m.sort(doc)
	m.warn(doc)
	return r
}

func (m *whole) window() audit.Window {
	loc := m.o.Location
	if loc == nil {
		loc = time.UTC
	}
	at := func(t time.Time) *string {
		if t.IsZero() {
			return nil
		}
		s := t.In(loc).Format(time.RFC3339)
		return &s
	}
	w := audit.Window{Timezone: loc.String(), Requested: audit.Span{Since: at(m.o.Since), Until: at(m.o.Until)}}
	if m.first > 0 {
		w.Observed = audit.Span{Since: at(time.UnixMilli(m.first)), Until: at(time.UnixMilli(m.last))}
	}
	return w
}

// invocations counts the uses.
func (c *component) invocations() int64 {
	if c.executable {
		return 0
	}
	return int64(len(c.uses))
}

// component renders one component and what was found in its calls.
func (m *whole) component(r *result, c *component, kind string, found mined) {
	doc := r.doc
	row := Component{Kind: kind, Name: c.name, Plugin: c.plugin, Invocations: c.invocations(), Usage: c.bill.usage(), InSkills: c.inSkills,
		SharePPM: ppm(c.bill.weighted, m.total.weighted), Sources: map[string]int64{}, Composition: composition(&c.classes),
		Signals: c.signals(doc.Audited.WeightedMilli), Over: OverAttribution{OwnWork: c.own, Tail: c.tail, InheritedByAgents: c.inherited}}
	for s, n := range c.sources {
		if n > 0 {
			row.Sources[sourceNames[s]] = n
		}
	}
	doc.Components = append(doc.Components, row)
	ref := audit.ComponentRef{Kind: kind, Name: strings.TrimPrefix(c.name, c.plugin+":")}
	base := Sequence{Component: ref, Plugin: c.plugin, ComponentInvocations: row.Invocations}
	m.staples(r, found.staples, Staple{Component: ref, Plugin: c.plugin, ComponentInvocations: row.Invocations})
	if found.support > minSupport {
		doc.Warnings = append(doc.Warnings, audit.Warning{Code: "sequence-support-raised",
			Message: fmt.Sprintf("%s: too many patterns; only sequences in at least %d invocations were kept", c.name, found.support)})
	}
	m.sequences(r, found.sequences, base)
	r.inSequences(ref, c.plugin)
	m.retries(r, found.retries, base)
	m.unread(r, found.unread, base)
}

func (m *whole) sequences(r *result, found []sequenceData, base Sequence) {
	for _, d := range found {
		s := base
		s.Source = "ngram"
		for _, sig := range d.sigs {
			s.Signatures = append(s.Signatures, m.words.list[sig])
		}
		s.Invocations, s.Occurrences, s.Turns = d.support, d.occurrences, d.turns
		s.WasteMilli, s.RecoverableMilli, s.RecoverableUSD = d.waste, d.recoverable, d.amount.dollars()
		s.JudgmentDensityPPM, s.QuestionPPM, s.FanOut = d.judgmentPPM, d.questionPPM, d.fanOut
		s.NextStepAgreementPPM, s.SequenceAgreementPPM = d.nextStep, d.agreement
		if plugin, agent, ok := strings.Cut(d.agent, ":"); ok && plugin == s.Plugin {
			s.Agent = agent
		}
		m.addSequence(r, s, "seq:", d.rows)
	}
}

func (m *whole) retries(r *result, found []retryData, base Sequence) {
	for _, d := range found {
		s := base
		s.Source = "retry-cluster"
		s.Signatures = []string{m.words.list[d.sig]}
		s.Invocations, s.Occurrences, s.Turns = d.support, d.turns, d.turns
		s.WasteMilli, s.RecoverableMilli, s.RecoverableUSD = d.waste, d.waste, d.amount.dollars()
		m.addSequence(r, s, "retry:", d.rows)
	}
}

func (m *whole) unread(r *result, found []*bigReads, base Sequence) {
	for _, b := range found {
		s := base
		s.Source = "read-amplification"
		s.Signatures = []string{m.words.list[b.sig]}
		s.Invocations, s.Occurrences, s.Turns, s.WasteMilli = b.support, b.calls, b.turns, b.waste
		s.RecoverableMilli, s.RecoverableUSD = b.unread*1000, b.amount.dollars()
		m.addSequence(r, s, "read:", b.rows)
	}
}

// addSequence gives a sequence its hash, id and value.
func (m *whole) addSequence(r *result, s Sequence, prefix string, rows []evidence) {
	s.SignatureHash = signature.Hash(s.Signatures)
	s.ID = r.id(prefix, append([]string{s.Plugin, s.Component.Kind, s.Component.Name}, s.Signatures...))
	s.ValueMilli = value(s.WasteMilli, s.JudgmentDensityPPM, s.Occurrences)
	s.SharePPM = ppm(s.ValueMilli, r.doc.Audited.WeightedMilli)
	r.places[s.ID] = rows
	r.doc.Sequences = append(r.doc.Sequences, s)
}

func (m *whole) staples(r *result, found []stapleData, base Staple) {
	for _, d := range found {
		s := base
		s.Signature = m.words.list[d.sig]
		s.SignatureHash = signature.Hash([]string{s.Signature})
		s.Invocations, s.Occurrences, s.Turns, s.WasteMilli = d.support, d.occurrences, d.turns, d.waste
		s.ConstantArguments, s.Opening = d.constant, d.opening > 0
		save := d.script
		if s.Opening {
			save = d.preload
		}
		s.RecoverableMilli, s.RecoverableUSD = save.cost, save.amount.dollars()
		s.ValueMilli = value(s.WasteMilli, 0, s.Occurrences)
		s.SharePPM = ppm(s.ValueMilli, r.doc.Audited.WeightedMilli)
		s.ID = r.id("staple:", []string{s.Plugin, s.Component.Kind, s.Component.Name, s.Signature})
		r.places[s.ID] = d.rows
		r.doc.Staples = append(r.doc.Staples, s)
	}
}

// inSequences notes on each staple of a component the sequence that holds most of its turns.
func (r *result) inSequences(ref audit.ComponentRef, plugin string) {
	for i := range r.doc.Staples {
		s := &r.doc.Staples[i]
		if s.Component != ref || s.Plugin != plugin {
			continue
		}
		rows := r.places[s.ID]
		for j := range r.doc.Sequences {
			q := &r.doc.Sequences[j]
			if q.Component != ref || q.Plugin != plugin || !holds(q.Signatures, s.Signature) {
				continue
			}
			in := map[Place]bool{}
			for _, p := range r.places[q.ID] {
				in[p.Place] = true
			}
			shared := 0
			for _, p := range rows {
				if in[p.Place] {
					shared++
				}
			}
			if 2*shared >= len(rows) {
				s.Sequence = q.ID
			}
		}
	}
}

// holds: one of the calls is the atom, or is a Bash call of which it is a command.
func holds(calls []string, atom string) bool {
	bare := strings.TrimPrefix(atom, "Bash ")
	return slices.ContainsFunc(calls, func(c string) bool {
		return c == atom || strings.HasPrefix(c, "Bash ") && slices.Contains(strings.Split(strings.TrimPrefix(c, "Bash "), "; "), bare)
	})
}

// id is prefix and a hash of parts, made unique by a counter: two files that nobody may name
// have the same signature.
func (r *result) id(prefix string, parts []string) string {
	for n := 1; ; n++ {
		p := parts
		if n > 1 {
			p = append(slices.Clone(parts), fmt.Sprint(n))
		}
		id := prefix + strings.TrimPrefix(signature.Hash(p), "sig1:")
		if _, taken := r.places[id]; !taken {
			return id
		}
	}
}

// sort puts the dearest first; mechanical sequences inside a fan-out before all others, staples
// of the opening before the rest.
func (m *whole) sort(doc *Document) {
	slices.SortStableFunc(doc.Components, func(a, b Component) int {
		return cmp.Or(cmp.Compare(b.Usage.WeightedMilli, a.Usage.WeightedMilli), strings.Compare(a.Name, b.Name),
			strings.Compare(a.Kind, b.Kind), strings.Compare(a.Plugin, b.Plugin))
	})
	slices.SortStableFunc(doc.Sequences, func(a, b Sequence) int {
		return cmp.Or(before(a.FanOut, b.FanOut), cmp.Compare(b.ValueMilli, a.ValueMilli), strings.Compare(a.ID, b.ID))
	})
	slices.SortStableFunc(doc.Staples, func(a, b Staple) int {
		return cmp.Or(before(a.Opening, b.Opening), cmp.Compare(b.ValueMilli, a.ValueMilli), strings.Compare(a.ID, b.ID))
	})
}

// before orders true before false.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// warn states the doubts about the whole.
func (m *whole) warn(doc *Document) {
	w := func(code, format string, args ...any) {
		doc.Warnings = append(doc.Warnings, audit.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if n := doc.Usage.TurnsWithoutFinalUsage; n > 0 {
		w("usage-not-final", "%s without final usage: %s output is a lower bound", wording.Of(n, doc.Usage.Turns, "turn", "turns", "is", "are"), wording.Pick(n, "its", "their"))
	}
	if n := m.counts.BlindTurns; n > 0 {
		w("attribution-not-recorded", "%s by clients that record no attribution; %s are inferred", wording.Of(n, doc.Usage.Turns, "turn", "turns", "is", "are"), wording.Pick(n, "its skills", "their skills"))
	}
	if m.differing > 0 {
		w("inference-differs", "for %d of %s that the client stamped, inference would have named another skill or none", m.differing, wording.Amount(m.checked, "turn", "turns"))
	}
	for _, u := range doc.Usage.Unpriced {
		w("model-unpriced", "no price is known for %s: %s, %s are not in the cost", u.Model, wording.Amount(u.Turns, "turn", "turns"), wording.Amount(u.Output, "output token", "output tokens"))
	}
	if m.prices.WeightsVersion() != pricing.WeightsVersion {
		w("user-prices", "prices given by the user change the weights: compare only with scans of the same weights")
	}
}
