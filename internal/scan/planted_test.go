package scan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// planted scans a planted history as an audit of its plugin would.
func planted(t *testing.T, sc corpus.Scenario) (*Document, *corpus.Truth) {
	t.Helper()
	dir := t.TempDir()
	truth, err := corpus.Plant(dir, sc)
	if err != nil {
		t.Fatal(err)
	}
	d := scanned(t, dir, func(o *Options) {
		o.Target = &audit.Target{Path: "/p", Name: truth.Plugin, ResolvedBy: "path"}
		o.Own = signature.Own{Plugin: truth.Plugin, Root: "/p", Files: []string{"references/labels.md"}}
		for _, s := range truth.Skills {
			o.Components = append(o.Components, audit.ComponentRef{Kind: audit.KindSkill, Name: strings.TrimPrefix(s.Name, truth.Plugin+":")})
		}
	})
	return d, truth
}

// TestPlantedTruth: the densities, staples and sequences of a planted history are found exactly
// as they were planted, for a client that stamps and for one whose skills must be inferred.
func TestPlantedTruth(t *testing.T) {
	for _, client := range []string{"2.1.332", "2.1.173", "2.1.101", "2.1.70", "2.1.45", "2.1.14", "2.0.76", "2.0.60"} {
		for seed := range uint64(3) {
			sc := corpus.Triage(seed)
			sc.Client = client
			d, truth := planted(t, sc)
			for i := range truth.Skills {
				checkSkill(t, client, d, &truth.Skills[i])
			}
			checkNothingElse(t, client, d, truth)
			if hasWarning(d, "inference-differs") {
				t.Errorf("%s: windows and stamps differ: %v", client, d.Warnings)
			}
		}
	}
}

func checkSkill(t *testing.T, client string, d *Document, want *corpus.SkillTruth) {
	t.Helper()
	c := find(t, d, want.Name)
	if c.Invocations != want.Invocations || c.Usage.Turns != want.Total.Turns || c.Usage.WeightedMilli != want.Total.WeightedMilli {
		t.Errorf("%s %s: %d invocations, %d turns, weighted %d; want %d, %d, %d", client, want.Name, c.Invocations, c.Usage.Turns, c.Usage.WeightedMilli,
			want.Invocations, want.Total.Turns, want.Total.WeightedMilli)
	}
	if c.Signals.FanOutTurns != want.AgentTurns {
		t.Errorf("%s %s: %d turns of agents, want %d", client, want.Name, c.Signals.FanOutTurns, want.AgentTurns)
	}
	classes := map[string]int64{}
	for _, x := range c.Composition {
		classes[x.Class] = x.Turns
	}
	for class, n := range want.Classes {
		got := classes[class]
		switch {
		case want.AgentTurns > 0 && (class == "mechanical" || class == "talk"):
			if got <= n { // the truth leaves agents' turns out of the classes
				t.Errorf("%s %s: %d %s turns, want more than the main threads' %d", client, want.Name, got, class, n)
			}
		case got != n:
			t.Errorf("%s %s: %d %s turns, want %d", client, want.Name, got, class, n)
		}
	}
	if c.Signals.RetryDensityPPM != want.RetryDensityPPM || c.Signals.JudgmentDensityPPM != want.JudgmentDensityPPM {
		t.Errorf("%s %s: retries %d, judgment %d ppm; want %d, %d", client, want.Name, c.Signals.RetryDensityPPM, c.Signals.JudgmentDensityPPM,
			want.RetryDensityPPM, want.JudgmentDensityPPM)
	}
	if want.AgentTurns == 0 && c.Signals.MechanicalRatioPPM != want.MechanicalRatioPPM {
		t.Errorf("%s %s: mechanical %d ppm, want %d", client, want.Name, c.Signals.MechanicalRatioPPM, want.MechanicalRatioPPM)
	}
	for i := range want.Sequences {
		checkSequence(t, client, d, want, &want.Sequences[i])
	}
	for i := range want.Staples {
		checkStaple(t, client, d, want, &want.Staples[i])
	}
}

// signatures are the shape signatures of calls in plain words.
func signatures(calls []string) []string {
	m := signature.New(signature.Own{Plugin: "acme", Root: "/p", Files: []string{"references/labels.md"}})
	var out []string
	for _, c := range calls {
		tool, arg, _ := strings.Cut(c, ": ")
		key := map[string]string{"Bash": "command", "Read": "file_path"}[tool]
		out = append(out, m.Shape([]byte(tool), nil, []signature.Member{{Key: []byte(key), Value: []byte(`"` + arg + `"`)}}).Sig)
	}
	return out
}

func checkSequence(t *testing.T, client string, d *Document, skill *corpus.SkillTruth, want *corpus.OccurrencesTruth) {
	t.Helper()
	sigs := signatures(want.Calls)
	for _, s := range d.Sequences {
		if "acme:"+s.Component.Name != skill.Name || !slices.Equal(s.Signatures, sigs) {
			continue
		}
		turns := want.Turns + want.AgentOccurrences*int64(len(want.Calls))
		if s.Invocations != want.Support || s.Occurrences != want.Occurrences+want.AgentOccurrences || s.Turns != turns ||
			s.WasteMilli != want.WasteMilli+want.AgentWasteMilli || s.RecoverableMilli != want.RecoverableMilli+want.AgentRecoverableMilli {
			t.Errorf("%s %s: %+v\nwant %+v", client, want.Name, s, want)
		}
		if s.FanOut != (want.AgentOccurrences > 0) {
			t.Errorf("%s %s: fan-out %t", client, want.Name, s.FanOut)
		}
		for _, st := range d.Staples {
			if "acme:"+st.Component.Name == skill.Name && slices.Contains(sigs, st.Signature) && st.Sequence != s.ID {
				t.Errorf("%s %s: the staple %s is not said to stand in it", client, want.Name, st.Signature)
			}
		}
		starts := want.Starts + want.AgentOccurrences
		if s.SequenceAgreementPPM == nil || *s.SequenceAgreementPPM != ppm(s.Occurrences, starts) {
			t.Errorf("%s %s: sequence agreement %v, want %d of %d", client, want.Name, s.SequenceAgreementPPM, s.Occurrences, starts)
		}
		var modal int64
		for _, n := range want.Followers {
			modal = max(modal, n)
		}
		if want.AgentOccurrences == 0 && (s.NextStepAgreementPPM == nil || *s.NextStepAgreementPPM != ppm(modal, s.Occurrences)) {
			t.Errorf("%s %s: next step agreement %v, want %d of %d", client, want.Name, s.NextStepAgreementPPM, modal, s.Occurrences)
		}
		return
	}
	t.Errorf("%s %s: sequence %v of %s not found", client, want.Name, sigs, skill.Name)
}

func checkStaple(t *testing.T, client string, d *Document, skill *corpus.SkillTruth, want *corpus.OccurrencesTruth) {
	t.Helper()
	sig := signatures(want.Calls)[0]
	for _, s := range d.Staples {
		if "acme:"+s.Component.Name != skill.Name || s.Signature != sig {
			continue
		}
		if s.Invocations != want.Support || s.Occurrences != want.Occurrences || s.WasteMilli != want.WasteMilli || s.RecoverableMilli != want.RecoverableMilli ||
			!s.Opening || s.ConstantArguments != want.Constant || s.Sequence != "" && skill.Name == "acme:triage" {
			t.Errorf("%s staple %s: %+v\nwant %+v", client, want.Name, s, want)
		}
		return
	}
	t.Errorf("%s staple %s (%s) of %s not found", client, want.Name, sig, skill.Name)
}

// checkNothingElse: every sequence is a run of calls that were planted one after another, and
// the user's own skill with the same calls is no part of the audit.
func checkNothingElse(t *testing.T, client string, d *Document, truth *corpus.Truth) {
	t.Helper()
	for _, s := range d.Sequences {
		if s.Source != "ngram" {
			continue
		}
		ok := false
		for i := range truth.Skills {
			sk := &truth.Skills[i]
			if sk.Name != "acme:"+s.Component.Name {
				continue
			}
			var opening []string
			for _, st := range sk.Staples {
				opening = append(opening, signatures(st.Calls)...)
			}
			for _, q := range sk.Sequences {
				whole := append(slices.Clone(opening), signatures(q.Calls)...)
				ok = ok || inOrder(s.Signatures, whole)
			}
			ok = ok || inOrder(s.Signatures, opening)
		}
		if !ok {
			t.Errorf("%s: unplanted sequence in %s: %v (%d occurrences)", client, s.Component.Name, s.Signatures, s.Occurrences)
		}
	}
	for _, c := range d.Components {
		if c.Plugin != truth.Plugin {
			t.Errorf("%s: component %s of %q in the audit of %s", client, c.Name, c.Plugin, truth.Plugin)
		}
	}
}

// inOrder: part is a subsequence of whole with at most one element left out between neighbours.
func inOrder(part, whole []string) bool {
	at := -1
	for _, p := range part {
		i := slices.Index(whole[at+1:], p)
		if i < 0 || at >= 0 && i > maxGap {
			return false
		}
		at += 1 + i
	}
	return true
}

// TestPlantedAtRandom: whatever two sequences a skill runs, however often, with foreign calls and
// broken starts in between, both are found exactly, or not at all below the support.
func TestPlantedAtRandom(t *testing.T) {
	pool := []string{"gh issue list", "git log --oneline", "docker ps", "kubectl get pods", "stat build/app", "du -s build", "jq . a.json", "date -u", "id -u",
		"ps aux", "git status --short", "git diff --stat", "gh pr list", "helm list", "df -h", "uname -a"}
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 5))
		order := rng.Perm(len(pool))
		sk := corpus.PlantedSkill{Name: "work", Uses: 3 + rng.IntN(8), Slash: rng.IntN(2) == 0, Talk: 1, Judgments: rng.IntN(2)}
		for n := range 2 {
			q := corpus.PlantedSequence{Name: fmt.Sprint("q", n), Every: 1 + rng.IntN(2), PerUse: 1 + rng.IntN(3), ForeignEvery: []int{0, 3, 5}[rng.IntN(3)], BreakEvery: []int{0, 4}[rng.IntN(2)]}
			for range 2 + rng.IntN(4) {
				q.Calls = append(q.Calls, corpus.Bash(pool[order[0]], "out"))
				order = order[1:]
			}
			sk.Sequences = append(sk.Sequences, q)
		}
		d, truth := planted(t, corpus.Scenario{Seed: seed, Client: []string{"2.1.332", "2.1.101"}[seed%2], Skills: []corpus.PlantedSkill{sk}})
		for i := range truth.Skills[0].Sequences {
			want := &truth.Skills[0].Sequences[i]
			sigs := signatures(want.Calls)
			var got *Sequence
			for j := range d.Sequences {
				if slices.Equal(d.Sequences[j].Signatures, sigs) {
					got = &d.Sequences[j]
				}
			}
			switch {
			case want.Support < minSupport:
				if got != nil {
					t.Errorf("seed %d: %v in %d uses only", seed, sigs, want.Support)
				}
			case got == nil:
				t.Errorf("seed %d: %v of support %d not found", seed, sigs, want.Support)
			case got.Invocations != want.Support || got.Occurrences != want.Occurrences || got.WasteMilli != want.WasteMilli || got.RecoverableMilli != want.RecoverableMilli:
				t.Errorf("seed %d: %+v\nwant %+v", seed, *got, *want)
			}
		}
		for _, s := range d.Sequences {
			if n := len(d.Sequences); n > 2 {
				t.Errorf("seed %d: %d sequences, planted two: %v", seed, n, s.Signatures)
			}
		}
	}
}

// TestDensitiesAtRandom: classes, densities, invocations and staples of skills that do all sorts
// of things are the planter's, to the turn.
func TestDensitiesAtRandom(t *testing.T) {
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 6))
		sc := corpus.Scenario{Seed: seed, Client: []string{"2.1.332", "2.1.197", "2.1.101", "2.1.45"}[rng.IntN(4)], Idle: rng.IntN(3), Foreign: rng.IntN(3)}
		for n := range 1 + rng.IntN(3) {
			sk := corpus.PlantedSkill{Name: fmt.Sprint("skill-", n), Uses: 3 + rng.IntN(6), Slash: rng.IntN(2) == 0, Acting: rng.IntN(3), Retries: rng.IntN(3),
				Questions: rng.IntN(3), Judgments: rng.IntN(3), Talk: 1, Agents: rng.IntN(2),
				Sequences: []corpus.PlantedSequence{{Name: "q", PerUse: 1 + rng.IntN(2), Calls: []corpus.Call{corpus.Bash("docker ps", "a"), corpus.Bash("helm list", "b"), corpus.Bash("df -h", "c")}}}}
			for i := range rng.IntN(4) {
				st := corpus.Staple{Name: fmt.Sprint("staple-", i), Call: corpus.Read(fmt.Sprintf("/home/dev/app/conf/%d-%d.toml", n, i), "x")}
				if i == 1 {
					st.Call = corpus.Bash("git status --short", "")
				}
				if i == 2 {
					st.Vary = func(use int) corpus.Call { return corpus.Bash(fmt.Sprintf("gh pr view %d", use), "x") }
				}
				sk.Opening = append(sk.Opening, st)
			}
			sc.Skills = append(sc.Skills, sk)
		}
		d, truth := planted(t, sc)
		for i := range truth.Skills {
			truth.Skills[i].Sequences = nil // adjoining openings make longer ones of them
			if len(sc.Skills[i].Opening) > 0 {
				truth.Skills[i].Staples = unnamed(truth.Skills[i].Staples)
			}
			checkSkill(t, fmt.Sprint("seed ", seed), d, &truth.Skills[i])
		}
	}
}

// unnamed leaves out the staples that only their identity tells from each other: which of them is
// which cannot be asked by signature.
func unnamed(list []corpus.OccurrencesTruth) (out []corpus.OccurrencesTruth) {
	for _, o := range list {
		if !strings.HasPrefix(o.Calls[0], "Read: ") {
			out = append(out, o)
		}
	}
	return out
}
