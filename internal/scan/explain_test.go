package scan

import (
	"errors"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// TestExplain: every id of a scan gives the rows that its number was counted from.
func TestExplain(t *testing.T) {
	dir := t.TempDir()
	sc := corpus.Triage(2)
	if _, err := corpus.Plant(dir, sc); err != nil {
		t.Fatal(err)
	}
	h, err := corpus.NewHome(dir, 99)
	if err != nil {
		t.Fatal(err)
	}
	s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
	s.Command("acme:advise", "", cache)
	s.Do(corpus.Agent(corpus.Dispatch{Type: "Explore", Prompt: "p", Background: true, Run: func(a *corpus.Thread) { a.Say("ok") }}))
	s.Do(corpus.Skill("acme:advise", "", cache)) // opens a window that no stamp follows
	s.Notify("x", "done")
	s.Say("ok")
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	o := Options{ConfigDirs: []string{dir}}
	d := scanned(t, dir)
	want := map[string]int64{"usage": d.Usage.Turns, "unattributed": d.Unattributed.Usage.Turns, "blind": d.Attribution.BlindTurns,
		"source:stamped": d.Attribution.StampedTurns, "source:agent": d.Attribution.AgentTurns}
	for _, c := range d.Composition {
		want["class:"+c.Class] = c.Turns
	}
	for _, m := range d.Usage.Models {
		want["model:"+m.Model] = m.Turns
	}
	for _, s := range d.Sessions {
		want["session:"+s.SessionID] = s.Usage.Turns
	}
	for _, c := range d.Components {
		want[c.Kind+":"+c.Name] = c.Usage.Turns
		want[c.Name+"/inherited"] = c.Over.InheritedByAgents.Turns
		for _, x := range c.Composition {
			want[c.Name+"/"+x.Class] = x.Turns
		}
		for source, n := range c.Sources {
			want[c.Name+"/"+source] = n
		}
	}
	waste := map[string]int64{}
	for _, s := range d.Sequences {
		want[s.ID], waste[s.ID] = s.Turns, s.WasteMilli
	}
	for _, s := range d.Staples {
		want[s.ID], waste[s.ID] = s.Turns, s.WasteMilli
	}
	for id, turns := range want {
		e, err := Explain(t.Context(), o, id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		} else if e.Turns != turns || int64(len(e.Rows)) != turns {
			t.Errorf("%s: %d turns, %d rows, want %d", id, e.Turns, len(e.Rows), turns)
		} else if n, mined := waste[id]; mined != (e.WasteMilli != nil) || mined && *e.WasteMilli != n {
			t.Errorf("%s: waste %v, want %d", id, e.WasteMilli, n)
		}
	}
	for _, id := range []string{"", "seq:0", "class:none", "source:", "acme:none", "acme:triage/none", "class"} {
		var none ErrNoSuchID
		if _, err := Explain(t.Context(), o, id); !errors.As(err, &none) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestPlausible: turns that are nobody's although they probably are somebody's are the fewer ones.
func TestPlausible(t *testing.T) {
	asked := newMeasurement(Options{})
	asked.wantRows = true
	m := asked.meter().session(&transcript.Session{ID: "s", Main: &transcript.Thread{
		Marks: []transcript.Mark{{Kind: transcript.MarkCommand, Name: "acme:deploy"}, {Kind: transcript.MarkBody, BaseDir: "none"}, {Kind: transcript.MarkPrompt, Before: 2}},
		Turns: []transcript.Turn{{Version: "2.1.332", StampSkill: "acme:deploy", StampPlugin: "acme"}, {Version: "2.1.332"}, {Version: "2.1.332"}},
	}})
	rows := map[bool]int{}
	for _, r := range m.rows {
		rows[r.use == nil && r.plausible]++
	}
	if rows[true] != 1 || m.plausible != 1 {
		t.Errorf("%v, %d plausible: want the one turn in the window that bears no stamp", rows, m.plausible)
	}
	if got := coverage(m.counts, 3, m.plausible); got.CoveragePPM == nil || *got.CoveragePPM != 500_000 {
		t.Errorf("%+v", got)
	}
}

// TestDispatchByCall: a thread is linked to the turn whose call dispatched it, and inherits its skill.
func TestDispatchByCall(t *testing.T) {
	m := newMeasurement(Options{})
	p := m.meter().session(&transcript.Session{ID: "s",
		Main: &transcript.Thread{Turns: []transcript.Turn{
			{Version: "2.0.60", Calls: []transcript.Call{{ID: 5, Tool: "Skill", Skill: "mine", Answered: true}}},
			{Version: "2.0.60", Calls: []transcript.Call{{ID: 6, Tool: "Read"}, {ID: 7, Tool: "Task"}}},
		}},
		Subs: []*transcript.Thread{
			{AgentID: "a", AgentType: "Explore", ParentCall: 7, Turns: []transcript.Turn{{Version: "2.0.60"}}},
			{AgentID: "b", AgentType: "Explore", ParentCall: 8, Turns: []transcript.Turn{{Version: "2.0.60"}}},
		},
	})
	if d := (&whole{m, p}).finish().doc; summary(d) != "agent Explore@ 2×1, skill mine@unknown 1×2" && summary(d) != "skill mine@unknown 1×2, agent Explore@ 2×1" {
		t.Errorf("%s", summary(d))
	}
}

// TestDispatchByAgentID: a thread is linked to the turn that dispatched it by its agent's id where
// the call's is not known.
func TestDispatchByAgentID(t *testing.T) {
	m := newMeasurement(Options{})
	p := m.meter().session(&transcript.Session{ID: "s",
		Main: &transcript.Thread{
			Marks: []transcript.Mark{{Kind: transcript.MarkCommand, Name: "mine"}, {Kind: transcript.MarkBody, BaseDir: "user", Dir: "mine"}},
			Turns: []transcript.Turn{{Version: "2.0.60", Calls: []transcript.Call{{ID: 1, Tool: "Task", AgentID: "a"}}}},
		},
		Subs: []*transcript.Thread{{AgentID: "a", AgentType: "Explore", Turns: []transcript.Turn{{Version: "2.0.60"}}}},
	})
	if d := (&whole{m, p}).finish().doc; summary(d) != "skill mine@ 1×2, agent Explore@ 1×0" && summary(d) != "agent Explore@ 1×0, skill mine@ 1×2" {
		t.Errorf("%s", summary(d))
	}
}

// TestInSequences: a staple is said to stand in a sequence where at least half of its turns do.
func TestInSequences(t *testing.T) {
	ref := audit.ComponentRef{Kind: "skill", Name: "x"}
	places := func(lines ...int32) (out []evidence) {
		for _, l := range lines {
			out = append(out, evidence{Place: Place{0, l}})
		}
		return out
	}
	for _, c := range []struct {
		staple string
		rows   []evidence
		want   string
	}{{"Bash jq", places(1, 2, 3, 4), "q"}, {"Bash jq", places(1, 7, 8), ""}, {"Bash jq", places(1, 7), "q"}, {"Bash sort", places(1, 2), ""}} {
		r := &result{doc: &Document{Staples: []Staple{{ID: "s", Signature: c.staple, Component: ref}},
			Sequences: []Sequence{{ID: "q", Signatures: []string{"Bash gh api; jq", "Read README.md"}, Component: ref}}},
			places: map[string][]evidence{"s": c.rows, "q": places(1, 2, 5, 6)}}
		r.inSequences(ref, "")
		if got := r.doc.Staples[0].Sequence; got != c.want {
			t.Errorf("%s at %v: %q, want %q", c.staple, c.rows, got, c.want)
		}
	}
}
