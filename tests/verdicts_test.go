package tests

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// TestEveryCandidateGetsOneVerdict (FR-4.1, FR-4.4, S1): over every plugin at hand each
// candidate comes out exactly once, with one of four positions and a reason. Nobody
// judging, nothing is filed, and nothing that needs a judgment is said to be nothing. The
// best imaginable judgment files it, unless a cap or a cut that is drawn stands in the way.
func TestEveryCandidateGetsOneVerdict(t *testing.T) {
	positions := []audit.Position{audit.PureScript, audit.Compiled, audit.OverDigest, audit.PureInference}
	plugins, candidates := 0, 0
	kinds := map[string]int{}
	for p := range everyPlugin(t) {
		inv, err := inventory.Take(p)
		if err != nil {
			t.Errorf("%s: %v", p.Target.Name, err)
			continue
		}
		plugins++
		cands := boundary.Propose(inv, nil)
		for name, js := range map[string]*boundary.Judgments{"unjudged": nil, "flawless": flawless(cands)} {
			v, err := boundary.Classify(inv, nil, cands, js)
			if err != nil {
				t.Fatalf("%s, %s: %v", p.Target.Name, name, err)
			}
			if len(v.Verdicts) != len(cands.Candidates) {
				t.Errorf("%s, %s: %d verdicts of %d candidates", p.Target.Name, name, len(v.Verdicts), len(cands.Candidates))
			}
			gated := stability.Gate(v, func(string) *audit.Reading { return nil })
			for i := range v.Verdicts {
				got := &v.Verdicts[i]
				if got.Candidate.ID != cands.Candidates[i].ID || !slices.Contains(positions, got.Position) || len(got.Reasons) == 0 || len(got.Tests) != 5 {
					t.Errorf("%s: %s %q %v", name, got.Candidate.ID, got.Position, got.Reasons)
				}
				if want := expected(got, name == "flawless"); got.Verdict != want || gated.Verdicts[i].Files != (want == audit.File) {
					t.Errorf("%s: %s: %s %v, want %s", name, got.Candidate.ID, got.Verdict, got.Reasons, want)
				}
				kinds[name+" "+string(got.Verdict)]++
			}
		}
		candidates += len(cands.Candidates)
	}
	if plugins < 4 || candidates == 0 {
		t.Fatalf("%d plugins, %d candidates: nothing was tested", plugins, candidates)
	}
	t.Logf("%d plugins, %d candidates, %v", plugins, candidates, kinds)
}

// expected is the verdict of a candidate that nobody judged, or that was judged flawless.
func expected(v *boundary.Verdict, judged bool) audit.Verdict {
	switch {
	case v.Candidate.Kind == audit.Drift:
		return audit.DriftNote
	case v.Candidate.AlreadyCut:
		return audit.NoOffload
	case !judged || len(v.Caps) > 0:
		return audit.BoundaryQuestion
	}
	return audit.File
}

// flawless judges every candidate as well as can be, citing its own lines.
func flawless(cands *boundary.Candidates) *boundary.Judgments {
	js := boundary.Form(cands)
	for i := range js.Judgments {
		j := &js.Judgments[i]
		var evidence string
		for _, c := range cands.Candidates {
			if c.ID == j.ID && c.Static != nil {
				evidence = fmt.Sprintf("%s:%d", c.Static.Path, max(c.Static.FirstLine, 1))
			}
		}
		pass := boundary.Answer{Outcome: boundary.Pass, Why: "so", Evidence: []string{evidence}}
		j.Residue, j.T1, j.T2, j.T3, j.T4, j.T5 = boundary.ResidueNone, pass, pass, pass, pass, pass
		j.Row, j.ScriptPart = "a row", "reads rows, emits a class for each"
		j.Triple = &boundary.Triple{
			Signature: &boundary.Signature{Name: "classify", Params: []boundary.Param{{Name: "n", Type: "int"}}, Returns: "bool"},
			Pairs: []boundary.Pair{
				{In: map[string]any{"n": 0}, Out: false, Edge: true}, {In: map[string]any{"n": 1}, Out: true}, {In: map[string]any{"n": 2}, Out: true},
			},
			Overrules: []boundary.Overrule{
				{When: "the one", ScriptSays: "hold", HumanSays: "true", Why: "seen", Detectable: true},
				{When: "the other", ScriptSays: "hold", HumanSays: "false", Why: "seen", Detectable: true},
			},
		}
	}
	return js
}

// everyPlugin yields the fixtures, and the reference data's plugins where they are.
func everyPlugin(t *testing.T) func(func(*plugin.Plugin) bool) {
	dirs, err := filepath.Glob(filepath.Join("testdata", "plugins", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if s := shared(); s != "" {
		more, _ := filepath.Glob(filepath.Join(s, "plugins", "*"))
		dirs = append(dirs, more...)
	}
	return func(yield func(*plugin.Plugin) bool) {
		for _, dir := range dirs {
			if p, err := plugin.Resolve(dir, plugin.Options{}); err == nil {
				if !yield(p) {
					return
				}
				continue
			}
			all, err := plugin.ResolveAll(dir, plugin.Options{})
			if err != nil {
				continue // neither a plugin nor a marketplace: another test is about those
			}
			for p, err := range all {
				if err == nil && !yield(p) {
					return
				}
			}
		}
	}
}
