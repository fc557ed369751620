package memory

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// refused stands where a field did not pass.
const refused = "?"

var (
	// identifier is a plugin's, component's or candidate's name: no spaces, so no sentence.
	identifier = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,119}$`)
	snapshotID = pattern.New(`^snap1:[0-9a-f]{16}$`)
	issueRef   = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}/[A-Za-z0-9._-]{1,100}#[0-9]{1,10}$`)
	semver     = pattern.New(`^[0-9][0-9A-Za-z.+-]{0,39}$`)
	// reason is a code of the verdict ladder (rubric 3.6), all of them.
	reason = pattern.New(`^(?:kind:drift|unjudged|already-cut|below-value|every-gate-passed|residue:all|confidence:(?:low|medium|high)|` +
		`cap:(?:already-cut|wrapper|judgment-density|sequence-agreement)|triple:(?:no-signature|few-pairs|no-edge|pairs-inconsistent|no-overrule)|` +
		`T[1-5]:(?:pass|partial|fail|unknown)|undecided_share:[0-9]{1,3})$`)
)

func match(form func() *regexp.Regexp, s string) string {
	if form().MatchString(s) {
		return s
	}
	return refused
}

// oneOf passes a word of a fixed vocabulary.
func oneOf[T ~string](s T, words ...T) string {
	if slices.Contains(words, s) {
		return string(s)
	}
	return refused
}

func verdict(v audit.Verdict) string {
	return oneOf(v, audit.File, audit.BoundaryQuestion, audit.NoOffload, audit.DriftNote)
}

func position(p audit.Position) string {
	return oneOf(p, audit.PureScript, audit.Compiled, audit.OverDigest, audit.PureInference)
}

func confidence(c audit.Confidence) string { return oneOf(c, audit.High, audit.Medium, audit.Low) }

func stability(s audit.Stability) string {
	if s == "" {
		return "not-gated"
	}
	return oneOf(s, audit.Unchecked, audit.Stable, audit.Unstable, audit.InsufficientWindow)
}

func status(s string) string {
	return oneOf(s, snapshot.StatusStale, snapshot.StatusResolved, snapshot.StatusClaimed, snapshot.StatusDrifted, snapshot.StatusNew,
		snapshot.StatusGrown, snapshot.StatusShrunk, snapshot.StatusPersisting, snapshot.StatusNotSeen)
}

func strength(m audit.Strength) string { return oneOf(m, audit.Measured, audit.Thin, audit.Unmeasured) }

func kind(k string) string {
	return oneOf(k, audit.Sequence, audit.Preload, audit.Procedure, audit.Table, audit.Wrapper, audit.DigestOf, audit.Drift)
}

func moment(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return refused
	}
	return t.UTC().Format(time.RFC3339)
}

func day(at *string) string {
	if at == nil {
		return "none"
	}
	if m := moment(*at); m != refused {
		return m[:len(time.DateOnly)]
	}
	return refused
}

func percent(ppm int64) string {
	tenths := (ppm + 500) / 1000
	return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10)
}
