package boundary

import (
	"fmt"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// outcomesRising are the four outcomes, the better the later. Unknown stands above
// fail: nothing was found against the script part.
var outcomesRising = []string{Fail, Unknown, Partial, Pass}

// residuesRising are the residues of rubric 3.4a, the better the later.
var residuesRising = []cut{
	{residue: ResidueAll}, {residue: ResiduePerRun, share: 81}, {residue: ResiduePerRun, share: 80},
	{residue: ResiduePerRun, share: 51}, {residue: ResiduePerRun, share: 50}, {residue: ResidueOnce}, {residue: ResidueNone},
}

// everyCut calls f with all 4⁵ outcomes at each residue, and with each cut that is
// better by one step of one answer.
func everyCut(f func(c cut, better []cut)) {
	for ri, r := range residuesRising {
		for code := range 4 * 4 * 4 * 4 * 4 {
			c := r
			var digits [5]int
			for i, n := 0, code; i < 5; i, n = i+1, n/4 {
				digits[i] = n % 4
				c.outcomes[i] = outcomesRising[n%4]
			}
			var better []cut
			for i, d := range digits {
				if d < 3 {
					b := c
					b.outcomes[i] = outcomesRising[d+1]
					better = append(better, b)
				}
			}
			if ri+1 < len(residuesRising) {
				b := residuesRising[ri+1]
				b.outcomes = c.outcomes
				better = append(better, b)
			}
			f(c, better)
		}
	}
}

var positionsRising = []audit.Position{audit.PureInference, audit.OverDigest, audit.Compiled, audit.PureScript}

func positionRank(t *testing.T, p audit.Position) int {
	for i, q := range positionsRising {
		if p == q {
			return i
		}
	}
	t.Fatalf("no position: %q", p)
	return 0
}

// TestTotalAndMonotone (FR-4.1, rubric 3.4a): every combination has one position and
// one confidence, and a better answer never moves a step towards inference, never
// lowers the confidence in a cut, and never makes it surer that the step must stay
// with the model; under every cap.
func TestTotalAndMonotone(t *testing.T) {
	capSets := [][]string{{}, {CapWrapper}, {CapJudgmentDensity, CapSequenceAgreement}, {CapAlreadyCut}}
	n, valid := 0, 0
	everyCut(func(c cut, better []cut) {
		for _, caps := range capSets {
			n++
			p := positionRank(t, c.position())
			raw, _ := c.confidence()
			conf := confidenceRank(capped(raw, caps))
			if capped(raw, caps) == "" {
				t.Fatalf("%v: no confidence", c)
			}
			if c.valid() {
				valid++
			}
			for _, b := range better {
				bp := positionRank(t, b.position())
				braw, _ := b.confidence()
				bconf := confidenceRank(capped(braw, caps))
				switch {
				case bp < p:
					t.Errorf("%v → %v moves towards inference", c, b)
				case c.valid() && bconf < conf:
					t.Errorf("%v → %v lowers the confidence of a cut", c, b)
				case !c.valid() && !b.valid() && bconf > conf:
					t.Errorf("%v → %v is surer of inference", c, b)
				}
			}
		}
	})
	if want := 1024 * len(residuesRising) * len(capSets); n != want || valid == 0 {
		t.Fatalf("looked at %d combinations of %d, %d valid", n, want, valid)
	}
}

// TestLadderTotalAndMonotone (rubric 3.6): every combination has one verdict with
// reasons, and a better answer never undoes a file verdict.
func TestLadderTotalAndMonotone(t *testing.T) {
	base := []standing{
		{kind: audit.Sequence, judged: true, strength: audit.Measured, sharePPM: ThresholdPPM},
		{kind: audit.Procedure, judged: true, strength: audit.Unmeasured},
	}
	files := 0
	for _, s := range base {
		everyCut(func(c cut, better []cut) {
			s.cut = c
			o := s.decide()
			if o.verdict == "" || len(o.reasons) == 0 {
				t.Fatalf("%v: verdict %q, reasons %v", c, o.verdict, o.reasons)
			}
			if o.verdict != audit.File {
				return
			}
			files++
			for _, b := range better {
				s.cut = b
				if got := s.decide(); got.verdict != audit.File {
					t.Errorf("%v files, the better %v is %s %v", c, b, got.verdict, got.reasons)
				}
			}
		})
	}
	if files == 0 {
		t.Fatal("no combination files")
	}
}

func outcomes(code string) (o [5]string) {
	names := map[byte]string{'p': Pass, 'a': Partial, 'f': Fail, 'u': Unknown}
	for i := range o {
		o[i] = names[code[i]]
	}
	return o
}

// TestPositionTable: the truth table of rubric 3.4a. Outcomes are written p(ass),
// pArtial a, f(ail), u(nknown), T1 to T5.
func TestPositionTable(t *testing.T) {
	for _, row := range []struct {
		tests, residue string
		share          int
		position       audit.Position
		confidence     audit.Confidence
	}{
		// The worked examples.
		{"ppaaa", ResiduePerRun, 25, audit.OverDigest, audit.Medium}, // triage while T4 is partial
		{"ppapa", ResiduePerRun, 25, audit.OverDigest, audit.High},   // triage by written rules
		{"ppapa", ResidueOnce, 0, audit.Compiled, audit.High},        // preflight, health summary, thresholds
		{"ppppp", ResidueNone, 0, audit.PureScript, audit.High},      // branches whose upstream is gone
		{"ppapp", ResidueOnce, 0, audit.Compiled, audit.High},        // worktrees by remote upstream (S3)
		{"ppapa", ResiduePerRun, 50, audit.OverDigest, audit.High},   // label taxonomy with "defer to a human"
		{"ppapa", ResiduePerRun, 65, audit.OverDigest, audit.Medium}, // resolving conflicts
		{"ppapa", ResiduePerRun, 90, audit.OverDigest, audit.Low},    // mining history for conventions
		{"uuuuu", ResidueAll, 0, audit.PureInference, audit.High},    // writing a commit message
		// Each way to be invalid.
		{"fpppp", ResidueNone, 0, audit.PureInference, audit.Medium},
		{"upppp", ResidueNone, 0, audit.PureInference, audit.Low},
		{"papp" + "p", ResidueNone, 0, audit.PureInference, audit.Low},
		{"pfppp", ResidueNone, 0, audit.PureInference, audit.Medium},
		{"ppfpp", ResidueNone, 0, audit.PureInference, audit.Medium},
		{"pppfp", ResidueNone, 0, audit.PureInference, audit.Medium},
		{"fppfp", ResidueNone, 0, audit.PureInference, audit.High},
		{"fpppf", ResidueNone, 0, audit.PureInference, audit.Medium}, // T5 does not count here
		{"ffffp", ResidueNone, 0, audit.PureInference, audit.High},
		{"uuuup", ResidueNone, 0, audit.PureInference, audit.Low},
		{"ppppp", ResidueAll, 0, audit.PureInference, audit.High},
		// Steps down.
		{"apppp", ResidueNone, 0, audit.PureScript, audit.Medium},
		{"pppap", ResidueNone, 0, audit.PureScript, audit.Medium},
		{"appap", ResidueNone, 0, audit.PureScript, audit.Low},
		{"ppppf", ResidueNone, 0, audit.OverDigest, audit.Low},
		{"ppppu", ResidueOnce, 0, audit.OverDigest, audit.Low},
		{"appaf", ResiduePerRun, 100, audit.OverDigest, audit.Low},
		// The exact bounds of the share.
		{"ppppp", ResiduePerRun, 50, audit.OverDigest, audit.High},
		{"ppppp", ResiduePerRun, 51, audit.OverDigest, audit.Medium},
		{"ppppp", ResiduePerRun, 80, audit.OverDigest, audit.Medium},
		{"ppppp", ResiduePerRun, 81, audit.OverDigest, audit.Low},
		// Once is never a pure script; none with a partial rule is not either.
		{"ppppp", ResidueOnce, 0, audit.Compiled, audit.High},
		{"ppapp", ResidueNone, 0, audit.Compiled, audit.High},
	} {
		c := cut{outcomes: outcomes(row.tests), residue: row.residue, share: row.share}
		conf, _ := c.confidence()
		if c.position() != row.position || conf != row.confidence {
			t.Errorf("%s %s %d: %s %s, want %s %s", row.tests, row.residue, row.share, c.position(), conf, row.position, row.confidence)
		}
	}
}

func ppm(n int64) *int64 { return &n }

func TestCaps(t *testing.T) {
	for _, row := range []struct {
		name string
		c    Candidate
		want string
		conf audit.Confidence
	}{
		{"none", Candidate{Kind: audit.Sequence}, "[]", audit.High},
		{"already cut", Candidate{AlreadyCut: true}, "[already-cut]", audit.Low},
		{"wrapper", Candidate{Kind: audit.Wrapper}, "[wrapper]", audit.Medium},
		{"density at one half", Candidate{Measured: &MeasuredCase{JudgmentDensityPPM: 500_000}}, "[judgment-density]", audit.Medium},
		{"density below", Candidate{Measured: &MeasuredCase{JudgmentDensityPPM: 499_999}}, "[]", audit.High},
		{"agreement at one half", Candidate{Measured: &MeasuredCase{SequenceAgreementPPM: ppm(500_000)}}, "[]", audit.High},
		{"agreement below", Candidate{Measured: &MeasuredCase{SequenceAgreementPPM: ppm(499_999)}}, "[sequence-agreement]", audit.Medium},
		{"agreement not computable", Candidate{Measured: &MeasuredCase{}}, "[]", audit.High},
		{"the lowest counts", Candidate{Kind: audit.Wrapper, AlreadyCut: true}, "[already-cut wrapper]", audit.Low},
	} {
		caps := capsOf(&row.c)
		if got := fmt.Sprint(caps); got != row.want || capped(audit.High, caps) != row.conf {
			t.Errorf("%s: %s %s, want %s %s", row.name, got, capped(audit.High, caps), row.want, row.conf)
		}
		if capped(audit.Low, caps) != audit.Low {
			t.Errorf("%s: a cap raised low", row.name)
		}
	}
}

// TestLadder: one row a rung of rubric 3.6, in order, and the bounds of the value.
func TestLadder(t *testing.T) {
	good := standing{
		kind: audit.Sequence, judged: true, cut: cut{outcomes: outcomes("ppppp"), residue: ResidueNone},
		strength: audit.Measured, sharePPM: 20_000,
	}
	for _, row := range []struct {
		name    string
		change  func(*standing)
		verdict audit.Verdict
		reasons string
		claim   string
	}{
		{"1 drift", func(s *standing) { s.kind = audit.Drift; s.alreadyCut = true }, audit.DriftNote, "[kind:drift]", ""},
		{"unjudged", func(s *standing) { s.judged = false; s.cut = cut{outcomes: outcomes("uuuuu")} }, audit.BoundaryQuestion, "[unjudged]", ""},
		{"unjudged and already cut", func(s *standing) { s.judged = false; s.alreadyCut = true; s.cut = cut{outcomes: outcomes("uuuuu")} }, audit.NoOffload, "[already-cut]", ""},
		{"2 pure inference", func(s *standing) { s.cut.outcomes = outcomes("fapup") }, audit.NoOffload, "[T1:fail T2:partial T4:unknown]", ""},
		{"2 residue all", func(s *standing) { s.cut.residue = ResidueAll }, audit.NoOffload, "[residue:all]", ""},
		{"2 before 3", func(s *standing) { s.cut.residue = ResidueAll; s.alreadyCut = true }, audit.NoOffload, "[residue:all]", ""},
		{"3 already cut", func(s *standing) { s.alreadyCut = true; s.caps = []string{CapAlreadyCut} }, audit.NoOffload, "[already-cut]", ""},
		{"4 not high", func(s *standing) { s.cut.outcomes = outcomes("pppap") }, audit.BoundaryQuestion, "[confidence:medium T4:partial]", ""},
		{"4 capped", func(s *standing) { s.caps = []string{CapWrapper}; s.tripleReason = NoEdge }, audit.BoundaryQuestion, "[confidence:medium cap:wrapper]", ""},
		{"5 triple", func(s *standing) { s.tripleReason = NoEdge; s.sharePPM = 0 }, audit.BoundaryQuestion, "[triple:no-edge]", ""},
		{"6 below value", func(s *standing) { s.sharePPM = 19_999 }, audit.BoundaryQuestion, "[below-value]", ""},
		{"7 proven at the threshold", func(*standing) {}, audit.File, "[every-gate-passed]", Proven},
		{"7 thin", func(s *standing) { s.strength = audit.Thin; s.sharePPM = 1 }, audit.File, "[every-gate-passed]", Unproven},
		{"7 unmeasured", func(s *standing) { s.strength = audit.Unmeasured; s.sharePPM = 0 }, audit.File, "[every-gate-passed]", Unproven},
	} {
		s := good
		row.change(&s)
		o := s.decide()
		if o.verdict != row.verdict || fmt.Sprint(o.reasons) != row.reasons || o.claim != row.claim {
			t.Errorf("%s: %s %v %q, want %s %s %q", row.name, o.verdict, o.reasons, o.claim, row.verdict, row.reasons, row.claim)
		}
	}
}
