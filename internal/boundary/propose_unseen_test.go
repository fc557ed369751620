package boundary

import (
	"fmt"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// usedOnly is a window in which a component was used and nothing was mined.
func usedOnly(components ...scan.Component) *scan.Document {
	return &scan.Document{Target: &audit.Target{Name: "depot"}, Components: components}
}

func used(kind, name string, invocations, turns int64) scan.Component {
	return scan.Component{Kind: kind, Name: name, Plugin: "depot", Invocations: invocations, Usage: scan.Usage{Turns: turns}}
}

// TestUnseenStep (§3.5): unmeasured is only what has no attributed use. A step that was not
// found in a component that was used is measured, or thin, at nothing.
func TestUnseenStep(t *testing.T) {
	inAgent := used(audit.KindSkill, "depot:sweep", 3, 10)
	inAgent.InSkills = scan.Spend{Turns: 20}
	foreign := used(audit.KindSkill, "depot:sweep", 9, 90)
	foreign.Plugin = "other"
	for _, row := range []struct {
		name string
		use  []scan.Component
		want string
	}{
		{"not used", nil, "unmeasured 0"},
		{"another plugin's", []scan.Component{foreign}, "unmeasured 0"},
		{"another component's", []scan.Component{used(audit.KindSkill, "depot:ship", 9, 90)}, "unmeasured 0"},
		{"an executable of that name", []scan.Component{used("executable", "sweep", 9, 90)}, "unmeasured 0"},
		{"well measured", []scan.Component{used(audit.KindSkill, "depot:sweep", 14, 200)}, "measured 14"},
		{"exactly enough", []scan.Component{used(audit.KindSkill, "depot:sweep", 3, 30)}, "measured 3"},
		{"too few uses", []scan.Component{used(audit.KindSkill, "depot:sweep", 2, 300)}, "thin 2"},
		{"too few turns", []scan.Component{used(audit.KindSkill, "depot:sweep", 30, 29)}, "thin 30"},
		{"as a skill and as the command that starts it", []scan.Component{used(audit.KindSkill, "depot:sweep", 2, 20), used(audit.KindCommand, "depot:sweep", 1, 10)}, "measured 3"},
		{"under skills", []scan.Component{inAgent}, "measured 3"},
	} {
		c := byID(Propose(depot(t), usedOnly(row.use...)).Candidates, "depot/sweep/procedure")
		if c == nil {
			t.Fatalf("%s: sweep's procedure is not proposed", row.name)
		}
		uses := int64(0)
		if m := c.Measured; m != nil {
			uses = m.ComponentInvocations
			if m.Seen() || m.Invocations+m.Occurrences+m.Turns+m.WasteMilli+m.ValueMilli+m.SharePPM+m.RecoverableMilli != 0 || *m.RecoverableUSD != "0.000000" || len(m.Evidence) != 0 {
				t.Errorf("%s: a step that was not seen has %+v", row.name, *m)
			}
		}
		if got := fmt.Sprint(c.strength(), " ", uses); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

// TestUnseenChangesNoRank: use without the step asks about no other steps, and scores nothing.
func TestUnseenChangesNoRank(t *testing.T) {
	before := Propose(depot(t), nil)
	after := Propose(depot(t), usedOnly(used(audit.KindSkill, "depot:sweep", 14, 200), used(audit.KindSkill, "depot:ship", 14, 200)))
	rank := func(c *Candidates) string {
		s := ""
		for _, k := range c.Candidates {
			s += fmt.Sprintf("%s %d %s; ", k.ID, k.Score, k.EvidenceHash)
		}
		return s + fmt.Sprint(c.Below)
	}
	if rank(before) != rank(after) {
		t.Errorf("%s\nwithout use\n%s", rank(after), rank(before))
	}
}

// TestUnseenIsBelowValue (§3.6): measured at nothing is below value; thin is filed unproven.
func TestUnseenIsBelowValue(t *testing.T) {
	for _, row := range []struct {
		strength audit.Strength
		want     string
	}{
		{audit.Measured, "boundary-question [below-value] "}, {audit.Thin, "file [every-gate-passed] unproven"},
	} {
		v, _ := classifyFirst(t, nil, Candidate{ID: "acme/a/b", Kind: audit.Procedure, Measured: &MeasuredCase{Strength: row.strength, ComponentInvocations: 5}}, judged(goodJudgment("acme/a/b")))
		if got := fmt.Sprint(v.Verdict, " ", v.Reasons, " ", v.ValueClaim); got != row.want {
			t.Errorf("%s: %s, want %s", row.strength, got, row.want)
		}
	}
}

func TestUnseenInWords(t *testing.T) {
	for _, row := range []struct {
		m    *MeasuredCase
		want string
	}{
		{nil, ""}, {&MeasuredCase{Occurrences: 1, ComponentInvocations: 4}, ""},
		{&MeasuredCase{}, "used, the step was not seen to recur"},
		{&MeasuredCase{ComponentInvocations: 1}, "used once, the step was not seen to recur"},
		{&MeasuredCase{ComponentInvocations: 12}, "used 12 times, the step was not seen to recur"},
	} {
		if got := row.m.Unseen(); got != row.want {
			t.Errorf("%+v: %q, want %q", row.m, got, row.want)
		}
	}
}
