package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// ExplanationKind of an explanation document.
const ExplanationKind = "scan-explanation/v1"

// Explanation lists the turns behind one number of a scan: where they stand, what they were
// taken for and what they cost; never what they say.
type Explanation struct {
	Document string `json:"document"`
	// ID is what was asked for, as it was understood.
	ID string `json:"id"`
	// Says is one sentence: what the number is.
	Says string `json:"says"`
	// Turns, WeightedMilli and the tokens are the sums of the rows.
	Turns int64 `json:"turns"`
	// WeightedMilli: sum over the rows.
	WeightedMilli int64 `json:"weighted_milli"`
	// WasteMilli: sum over the rows, of an id that was mined; null of others.
	WasteMilli *int64 `json:"waste_milli"`
	audit.Tokens
	// Rows in the order of files and lines.
	Rows []ExplainedTurn `json:"rows"`
}

// ExplainedTurn is one turn behind a number.
type ExplainedTurn struct {
	// Path of the transcript, relative to its configuration directory, and the turn's first line.
	Path string `json:"path"`
	// Line: 1-based.
	Line int `json:"line"`
	// Class is the turn's class (2-measure.md 2.3).
	Class string `json:"class"`
	// Source says how it came to its component; "" where it belongs to none.
	Source string `json:"source"`
	// Component: "" where it belongs to none.
	Component string `json:"component"`
	// Agent is the type of the agent in whose thread it stands, "" in a main thread.
	Agent string `json:"agent"`
	// Model: that answered.
	Model string `json:"model"`
	audit.Tokens
	// WeightedMilli: weighted tokens.
	WeightedMilli int64 `json:"weighted_milli"`
	// WasteMilli: what of them counts as the waste of an id that was mined: of a staple its part of
	// a turn that it shares with others, 0 where the turn is not mechanical. Null of other ids.
	WasteMilli *int64 `json:"waste_milli"`
	// Final is false where the output is a lower bound.
	Final bool `json:"final"`
}

// ErrNoSuchID says that an id names nothing in the scan.
type ErrNoSuchID struct{ ID string }

func (e ErrNoSuchID) Error() string {
	return fmt.Sprintf("%q: expected an id of the scan: seq:…, staple:…, retry:…, read:…, a component (acme:deploy, agent:Explore), "+
		"its class (acme:deploy/retry), usage, unattributed, plausible, blind, class:NAME, source:NAME, model:NAME or session:ID", clip(e.ID))
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// Explain measures again and lists the turns behind id.
func Explain(ctx context.Context, o Options, id string) (*Explanation, error) {
	return withHistory(ctx, o, "", func(h *transcript.History) (*Explanation, error) {
		r, err := measureRows(ctx, o, h)
		if err != nil {
			return nil, err
		}
		says, keep, ok := r.selector(id)
		waste := wasteOf(r.places[id])
		if !ok {
			return nil, ErrNoSuchID{id}
		}
		rows := slices.DeleteFunc(r.rows, func(t turnRow) bool { return !keep(&t) })
		slices.SortStableFunc(rows, func(a, b turnRow) int { return comparePlaces(a.Place, b.Place) })
		e := &Explanation{Document: ExplanationKind, ID: id, Says: says, Rows: make([]ExplainedTurn, 0, len(rows))}
		if waste != nil {
			e.WasteMilli = new(int64)
		}
		for i := range rows {
			t := &rows[i]
			e.Turns++
			e.WeightedMilli += t.weighted
			addTokens(&e.Tokens, t.tokens)
			row := t.explained(h)
			if waste != nil {
				n := waste[t.Place]
				row.WasteMilli = &n
				*e.WasteMilli += n
			}
			e.Rows = append(e.Rows, row)
		}
		return e, nil
	})
}

// measureRows measures with every turn that counts.
func measureRows(ctx context.Context, o Options, h *transcript.History) (result, error) {
	m := newMeasurement(o)
	m.wantRows = true
	return m.measure(ctx, h)
}

func (t *turnRow) explained(h *transcript.History) ExplainedTurn {
	row := ExplainedTurn{Line: int(t.Line), Class: t.class.String(), Source: sourceNames[t.source], Agent: t.agent, Model: t.model,
		Tokens: t.tokens, WeightedMilli: t.weighted, Final: t.final}
	if int(t.File) < len(h.Files) {
		row.Path = h.Files[t.File].Path
	}
	if t.use != nil {
		row.Component = t.use.of.name
	}
	return row
}

// wasteOf adds up the waste of evidence by its places; nil of none.
func wasteOf(list []evidence) map[Place]int64 {
	if list == nil {
		return nil
	}
	out := map[Place]int64{}
	for _, e := range list {
		out[e.Place] += e.waste
	}
	return out
}

// selector understands an id: a sentence, and which turns it means.
func (r *result) selector(id string) (says string, keep func(*turnRow) bool, ok bool) {
	switch id {
	case "usage":
		return "every turn of the window", func(*turnRow) bool { return true }, true
	case "unattributed":
		return "turns that belong to no component", func(t *turnRow) bool { return t.use == nil }, true
	case "plausible":
		return "turns that belong to no component although they probably should",
			func(t *turnRow) bool { return t.use == nil && t.plausible }, true
	case "blind":
		return "turns by clients that record no attribution", func(t *turnRow) bool { return t.blind }, true
	}
	if places, found := r.places[id]; found {
		at := wasteOf(places)
		return r.sentence(id), func(t *turnRow) bool { _, in := at[t.Place]; return in }, true
	}
	if kind, name, cut := strings.Cut(id, ":"); cut {
		switch kind {
		case "class":
			if slices.Contains(classNames[:], name) {
				return "turns of the class " + name, func(t *turnRow) bool { return t.class.String() == name }, true
			}
		case "source":
			if name != "" && slices.Contains(sourceNames[:], name) {
				return "turns attributed by " + name, func(t *turnRow) bool { return sourceNames[t.source] == name }, true
			}
		case "model":
			return "turns that " + modelName(name) + " answered", func(t *turnRow) bool { return t.model == name }, true
		case "session":
			return "turns of the session", func(t *turnRow) bool { return t.session == name }, true
		}
	}
	return r.componentSelector(id)
}

// sentence says what a mined id is.
func (r *result) sentence(id string) string {
	for _, s := range r.doc.Sequences {
		if s.ID == id {
			return fmt.Sprintf("%s in %s: %s (%d times in %d invocations)", s.Source, s.Component.Name, strings.Join(s.Signatures, " → "), s.Occurrences, s.Invocations)
		}
	}
	for _, s := range r.doc.Staples {
		if s.ID == id {
			return fmt.Sprintf("staple of %s: %s (%d times in %d of %d invocations)", s.Component.Name, s.Signature, s.Occurrences, s.Invocations, s.ComponentInvocations)
		}
	}
	return id
}

// componentSelector understands NAME and KIND:NAME, either with /CLASS, /SOURCE, /inherited.
func (r *result) componentSelector(id string) (string, func(*turnRow) bool, bool) {
	name, part, _ := strings.Cut(id, "/")
	for i := range r.doc.Components {
		c := &r.doc.Components[i]
		if c.Name != name && c.Kind+":"+c.Name != name {
			continue
		}
		mine := func(t *turnRow) bool {
			return t.use != nil && t.use.of.name == c.Name && t.use.of.plugin == c.Plugin && t.use.of.agent == (c.Kind == audit.KindAgent) &&
				t.use.of.executable == (c.Kind == kindExecutable)
		}
		says := fmt.Sprintf("turns of the %s %s", c.Kind, c.Name)
		switch {
		case part == "":
			return says, mine, true
		case part == "inherited":
			return says + " in subagents", func(t *turnRow) bool { return mine(t) && t.inherited }, true
		case slices.Contains(classNames[:], part):
			return says + " of the class " + part, func(t *turnRow) bool { return mine(t) && t.class.String() == part }, true
		case slices.Contains(sourceNames[1:], part):
			return says + " attributed by " + part, func(t *turnRow) bool { return mine(t) && sourceNames[t.source] == part }, true
		}
	}
	return "", nil, false
}
