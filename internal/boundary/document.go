package boundary

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// Document kinds of this room.
const (
	CandidatesKind = "candidates/v1"
	JudgmentsKind  = "judgments/v1"
	VerdictsKind   = "verdicts/v1"
	RankingKind    = "ranking/v1"
)

// RubricVersion stands in every verdict; a change of rule or weight changes it.
const RubricVersion = "1.0"

// Candidates is candidates/v1: what the two passes propose.
type Candidates struct {
	Document string       `json:"document"`
	Target   audit.Target `json:"target"`
	Window   audit.Window `json:"window"`
	Coverage *int64       `json:"coverage_ppm"`
	Reason   string       `json:"coverage_reason"`
	// Cut is the score from which a candidate is worth an analyst's reading, in thousandths.
	Cut int64 `json:"cut"`
	// Candidates are what the analyst is asked about, with what is already cut and the drift
	// notes (which need no judgment); highest score first.
	Candidates []Candidate `json:"candidates"`
	// Below lists what was seen and scored but is not asked about, highest score first.
	Below    []BelowCut      `json:"below"`
	Warnings []audit.Warning `json:"warnings"`
}

// BelowCut is a step that was scored and not proposed.
type BelowCut struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Path  string `json:"path"`
	Score int64  `json:"score"`
	// Label of its component (see RankingRow).
	Label string `json:"label"`
	// Reason: below-cut, or over-cap when it is above the cut but too many stand before it.
	Reason string `json:"reason"`
}

// Candidate is one step of a component that may be an algorithm (rubric 3.1).
type Candidate struct {
	// ID is plugin/component/slug. Where two components of different kinds share a name, component is kind:name.
	ID        string             `json:"id"`
	Component audit.ComponentRef `json:"component"`
	Slug      string             `json:"slug"`
	Kind      string             `json:"kind"`
	// SignatureHash of the dominant n-gram, else of the step's own command signatures; "" when it has neither.
	SignatureHash string   `json:"signature_hash"`
	Signatures    []string `json:"signatures"`
	// EvidenceHash changes when the evidence does: a judgment made on the same hash may be carried over.
	EvidenceHash string `json:"evidence_hash"`
	// Score ranks, in thousandths; Why says how it came about.
	Score int64    `json:"score"`
	Why   []Reason `json:"why"`
	// AboveCut: Score ≥ the document's cut. What is already cut and drift notes are below it.
	AboveCut bool          `json:"above_cut"`
	Static   *StaticCase   `json:"static"`
	Measured *MeasuredCase `json:"measured"`
	// AlreadyCut: at least two thirds of the literal commands resolve to shipped executables.
	AlreadyCut bool `json:"already_cut"`
}

// Reason is one summand of a score.
type Reason struct {
	Signal   string   `json:"signal"`
	Value    int64    `json:"value"`
	Points   int64    `json:"points"`
	Note     string   `json:"note,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
}

// StaticCase is what the definition says.
type StaticCase struct {
	Path          string   `json:"path"`
	FirstLine     int      `json:"first_line"`
	LastLine      int      `json:"last_line"`
	Lines         []string `json:"lines"` // file:line of the commands and rules cited
	ScriptVerbs   int      `json:"script_verbs"`
	JudgmentVerbs int      `json:"judgment_verbs"`
	Commands      int      `json:"commands"`
	OwnCommands   int      `json:"own_commands"`
}

// MeasuredCase is what the transcripts say.
type MeasuredCase struct {
	// Evidence: the scan's sequence or staple ids.
	Evidence             []string       `json:"evidence"`
	Strength             audit.Strength `json:"strength"`
	Invocations          int64          `json:"invocations"`
	ComponentInvocations int64          `json:"component_invocations"`
	Occurrences          int64          `json:"occurrences"`
	Turns                int64          `json:"turns"`
	WasteMilli           int64          `json:"waste_milli"`
	ValueMilli           int64          `json:"value_milli"`
	SharePPM             int64          `json:"share_ppm"`
	RecoverableMilli     int64          `json:"recoverable_milli"`
	RecoverableUSD       *string        `json:"recoverable_usd"`
	JudgmentDensityPPM   int64          `json:"judgment_density_ppm"`
	QuestionPPM          int64          `json:"question_ppm"`
	NextStepAgreementPPM *int64         `json:"next_step_agreement_ppm"`
	SequenceAgreementPPM *int64         `json:"sequence_agreement_ppm"`
	FanOut               bool           `json:"fan_out"`
}

// Judgments is judgments/v1: the analyst's answers, the only document a model writes.
type Judgments struct {
	Document   string     `json:"document"`
	Target     string     `json:"target"`
	RecallUsed bool       `json:"recall_used,omitempty"`
	Judgments  []Judgment `json:"judgments"`
}

// Judgment answers one candidate (rubric 3.2 to 3.4).
type Judgment struct {
	ID string `json:"id"`
	// EvidenceHash is the candidate's, as it was when judged; "" in an answer means: as it is now.
	EvidenceHash string `json:"evidence_hash,omitempty"`
	// CarriedFrom names the snapshot whose judgment this is, "" when judged now.
	CarriedFrom    string  `json:"carried_from,omitempty"`
	Row            string  `json:"row"`
	ScriptPart     string  `json:"script_part"`
	Residue        string  `json:"residue"`         // none, once, per_run, all
	UndecidedShare int     `json:"undecided_share"` // percent, 0 to 100
	T1             Answer  `json:"T1"`
	T2             Answer  `json:"T2"`
	T3             Answer  `json:"T3"`
	T4             Answer  `json:"T4"`
	T5             Answer  `json:"T5"`
	Triple         *Triple `json:"triple"`
}

// Answer to one determinism test.
type Answer struct {
	Outcome  string   `json:"outcome"` // pass, partial, fail, unknown
	Why      string   `json:"why"`
	Evidence []string `json:"evidence"`
}

// Triple is the falsifiability triple (rubric 3.4).
type Triple struct {
	Signature *Signature `json:"signature"`
	Pairs     []Pair     `json:"pairs"`
	Overrules []Overrule `json:"overrules"`
}

// Signature of the proposed function.
type Signature struct {
	Name    string  `json:"name"`
	Params  []Param `json:"params"`
	Returns string  `json:"returns"`
}

// Param of a signature; Type over string, int, bool, path, enum(a|b), list<T>, record{k:T}.
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Pair is one input and its output; In has one member a parameter.
type Pair struct {
	In   map[string]any `json:"in"`
	Out  any            `json:"out"`
	Edge bool           `json:"edge"`
}

// Overrule is a case in which a human would overrule the script.
type Overrule struct {
	When       string `json:"when"`
	ScriptSays string `json:"script_says"`
	HumanSays  string `json:"human_says"`
	Why        string `json:"why"`
	Detectable bool   `json:"detectable"`
}

// Verdicts is verdicts/v1.
type Verdicts struct {
	Document       string          `json:"document"`
	RubricVersion  string          `json:"rubric_version"`
	WeightsVersion string          `json:"weights_version"`
	Target         audit.Target    `json:"target"`
	Window         audit.Window    `json:"window"`
	RecallUsed     bool            `json:"recall_used"`
	Verdicts       []Verdict       `json:"verdicts"`
	Warnings       []audit.Warning `json:"warnings"`
}

// Verdict is one candidate's, with everything that led to it.
type Verdict struct {
	Candidate Candidate `json:"candidate"`
	// Judgment is null when nobody judged (every test then is unknown), else as judged, its triple masked.
	Judgment *Judgment `json:"judgment"`
	Tests    []Test    `json:"tests"` // T1..T5 after the ceilings
	// Residue and UndecidedShare as they stand after the ceilings; "" and 0 when nobody judged.
	Residue        string `json:"residue"`
	UndecidedShare int    `json:"undecided_share"`
	// Valid: the script part passes T1 to T4 as far as rubric 3.4a asks.
	Valid          bool             `json:"valid"`
	Position       audit.Position   `json:"position"`
	Confidence     audit.Confidence `json:"boundary_confidence"`
	Caps           []string         `json:"caps"`
	Contradictions []Contradiction  `json:"contradictions"`
	TripleComplete bool             `json:"triple_complete"`
	// TripleReason is one of the reasons of rubric 3.4, "" when complete or not asked for; TripleDetail names the place.
	TripleReason string        `json:"triple_reason"`
	TripleDetail string        `json:"triple_detail"`
	Verdict      audit.Verdict `json:"verdict"`
	// Reasons says which rule of 3.6 matched and why: "confidence:medium", "triple:no-edge", "below-value" …
	Reasons    []string `json:"reasons"`
	ValueClaim string   `json:"value_claim"` // proven, unproven, "" when not filed
}

// Test is one test's outcome as judged and as it stands after the ceilings.
type Test struct {
	ID       string   `json:"id"`
	Judged   string   `json:"judged"`
	Outcome  string   `json:"outcome"`
	Why      string   `json:"why"`
	Evidence []string `json:"evidence"`
}

// Contradiction is a measured ceiling that lowered an answer.
type Contradiction struct {
	Test string `json:"test"`
	From string `json:"from"`
	To   string `json:"to"`
	Rule string `json:"rule"`
}

// Ranking is ranking/v1: which components to look at first.
type Ranking struct {
	Document string `json:"document"`
	// Cut is the score from which a component is worth an audit, in thousandths.
	Cut  int64        `json:"cut"`
	Rows []RankingRow `json:"rows"`
}

// RankingRow is one component of one plugin.
type RankingRow struct {
	Plugin    string `json:"plugin"`
	Component string `json:"component"`
	Kind      string `json:"kind"`
	Path      string `json:"path"`
	Score     int64  `json:"score"`
	AboveCut  bool   `json:"above_cut"`
	// Label: procedure, reference, already-cut, judgment.
	Label string   `json:"label"`
	Why   []Reason `json:"why"`
}
