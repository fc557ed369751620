package inventory

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// ExplanationsKind of an inventory-explanation document.
const ExplanationsKind = "inventory-explanation/v1"

// Explanations is inventory-explanation/v1: what stands behind a number or a finding of
// an inventory, by file and line.
type Explanations struct {
	Document string `json:"document"`
	// Target is the inventory's.
	Target audit.Target `json:"target"`
	// ID is what was asked for.
	ID string `json:"id"`
	// Explanations: one for each thing that the id names, at least one.
	Explanations []Explanation `json:"explanations"`
}

// Explanation is one number or finding.
type Explanation struct {
	// ID names it in full.
	ID string `json:"id"`
	// Says is one line: the value and what it means.
	Says string `json:"says"`
	// Places are where it was counted or found, in order.
	Places []Evidence `json:"places"`
	// Remedy is what to do, "" when there is nothing to mend.
	Remedy string `json:"remedy,omitempty"`
}

// Explain finds what id means in d and shows the file and line behind it. An id is
//
//	check-id                       every finding of a rule, or that it found nothing
//	kind/name                      a component, with all its signals and costs
//	kind/name/signal               one signal of a component
//	kind/name/tokens               its cost
//	signal                         a signal over all components
//	tokens, script_coverage        the plugin's own figures
//
// A kind may be left out where the name is unique. An id that means nothing is an error
// that lists what does.
func Explain(d *Document, id string) (*Explanations, error) {
	for _, find := range []func(*Document, string) []Explanation{explainChecks, explainPlugin, explainComponent, explainSignal} {
		found := find(d, id)
		if len(found) == 0 {
			continue
		}
		for i := range found {
			if found[i].Places == nil {
				found[i].Places = []Evidence{}
			}
		}
		return &Explanations{Document: ExplanationsKind, Target: d.Target, ID: id, Explanations: found}, nil
	}
	return nil, fmt.Errorf("%q explains nothing here; known: %s", clip(id, 60), strings.Join(knownIDs(d), ", "))
}

func explainChecks(d *Document, id string) []Explanation {
	var out []Explanation
	for _, c := range d.Checks {
		if c.ID == id {
			out = append(out, Explanation{ID: c.ID, Says: fmt.Sprintf("%s (%s): %s", c.Severity, c.Source, c.Message), Remedy: c.Remediation,
				Places: []Evidence{{Signal: c.ID, Path: c.Path, Line: c.Line, Value: 1}}})
		}
	}
	if r, known := rules[id]; known && len(out) == 0 {
		out = append(out, Explanation{ID: id, Says: fmt.Sprintf("%s (%s): did not fire, nothing in the plugin is of this kind", r.severity, r.source)})
	}
	return out
}

func explainPlugin(d *Document, id string) []Explanation {
	switch id {
	case "tokens":
		e := Explanation{ID: id, Says: fmt.Sprintf("%s: %d for names and descriptions (%d as listed in every session), %d when every component is used once, %d in files read on demand; UTF-8 bytes / 4",
			d.Plugin.Tokens.Method, d.Plugin.Tokens.Trigger, d.Plugin.Tokens.Listed, d.Plugin.Tokens.Invoke, d.Plugin.Tokens.Deferred)}
		for i := range d.Components {
			if c := &d.Components[i]; c.Loaded {
				e.Places = append(e.Places, Evidence{Signal: "trigger", Path: c.Path, Line: 1, Value: c.Tokens.Trigger}, Evidence{Signal: "invoke", Path: c.Path, Line: 1, Value: c.Tokens.Invoke})
			}
		}
		for _, r := range d.Surface.References {
			e.Places = append(e.Places, Evidence{Signal: "deferred", Path: r.Path, Line: 1, Value: r.Tokens})
		}
		return []Explanation{e}
	case "script_coverage":
		says := "no literal command stands in any component: nothing to cover"
		if p := d.Plugin.ScriptCoveragePPM; p != nil {
			tenths := (*p + 500) / 1_000 // rounded half up
			says = fmt.Sprintf("%d.%d %% of the literal commands call what the plugin ships", tenths/10, tenths%10)
		}
		e := Explanation{ID: id, Says: says}
		for i := range d.Components {
			for _, ev := range d.Components[i].Signals.Evidence {
				if ev.Signal == "own_commands" {
					e.Places = append(e.Places, ev)
				}
			}
		}
		return []Explanation{e}
	}
	return nil
}

func explainComponent(d *Document, id string) []Explanation {
	for i := range d.Components {
		c := &d.Components[i]
		full := c.Kind + "/" + c.Name
		if id == full || id == c.Name || id == c.Path {
			out := []Explanation{costOf(c, full)}
			for _, s := range signalsOf(c) {
				out = append(out, signalOf(c, full, s))
			}
			return out
		}
		for _, head := range []string{full, c.Name} {
			s, ok := strings.CutPrefix(id, head+"/")
			if !ok {
				continue
			}
			if s == "tokens" {
				return []Explanation{costOf(c, full)}
			}
			if e := signalOf(c, full, s); len(e.Places) > 0 || signalNames[s] {
				return []Explanation{e}
			}
		}
	}
	return nil
}

func costOf(c *Component, full string) Explanation {
	says := fmt.Sprintf("%s: %d for name and description (%d as listed in every session), %d when used, %d in files read on demand; UTF-8 bytes / 4", c.Tokens.Method, c.Tokens.Trigger, c.Tokens.Listed, c.Tokens.Invoke, c.Tokens.Deferred)
	if !c.Loaded {
		says += "; not loaded: " + c.NotLoaded
	}
	return Explanation{ID: full + "/tokens", Says: says, Places: []Evidence{{Signal: "invoke", Path: c.Path, Line: 1, Value: c.Tokens.Invoke}}}
}

func signalOf(c *Component, full, signal string) Explanation {
	e := Explanation{ID: full + "/" + signal}
	var sum int64
	for _, ev := range c.Signals.Evidence {
		if ev.Signal == signal {
			e.Places = append(e.Places, ev)
			sum += ev.Value
		}
	}
	e.Says = fmt.Sprintf("%s = %d", signal, sum)
	return e
}

// signalNames are the counts that every component has, as the document spells them.
var signalNames = func() map[string]bool {
	names := map[string]bool{}
	t := reflect.TypeFor[Signals]()
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.Int {
			names[f.Tag.Get("json")] = true
		}
	}
	return names
}()

func signalsOf(c *Component) []string {
	seen := map[string]bool{}
	var out []string
	for _, ev := range c.Signals.Evidence {
		if !seen[ev.Signal] {
			seen[ev.Signal] = true
			out = append(out, ev.Signal)
		}
	}
	sort.Strings(out)
	return out
}

func explainSignal(d *Document, id string) []Explanation {
	var out []Explanation
	for i := range d.Components {
		c := &d.Components[i]
		if e := signalOf(c, c.Kind+"/"+c.Name, id); len(e.Places) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// knownIDs are the ids that this document can explain, the general ones first.
func knownIDs(d *Document) []string {
	set := map[string]bool{}
	for _, c := range d.Checks {
		set[c.ID] = true
	}
	for i := range d.Components {
		for _, s := range signalsOf(&d.Components[i]) {
			set[s] = true
		}
	}
	ids := make([]string, 0, len(set)+3)
	for s := range set {
		ids = append(ids, s)
	}
	sort.Strings(ids)
	return append([]string{"tokens", "script_coverage", "kind/name"}, ids...)
}
