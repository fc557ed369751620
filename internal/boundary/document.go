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
	Document string `json:"document"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	// Window: the scan's window; empty without a scan.
	Window audit.Window `json:"window"`
	// Coverage: the scan's attribution coverage; null when it is not known.
	Coverage *int64 `json:"coverage_ppm"`
	// Reason: why coverage is what it is.
	Reason string `json:"coverage_reason"`
	// Cut is the score from which a candidate is worth an analyst's reading, in thousandths.
	Cut int64 `json:"cut"`
	// Candidates are what the analyst is asked about, with what is already cut and the drift
	// notes (which need no judgment): what was measured inside a fan-out first, then by score.
	Candidates []Candidate `json:"candidates"`
	// Below lists what was seen and scored but is not asked about, highest score first.
	Below []BelowCut `json:"below"`
	// Warnings: doubts of both passes that bear on the candidates.
	Warnings []audit.Warning `json:"warnings"`
}

// BelowCut is a step that was scored and not proposed.
type BelowCut struct {
	// ID: as a candidate's id.
	ID string `json:"id"`
	// Kind: skill, agent or command.
	Kind string `json:"kind"`
	// Path: relative to the plugin.
	Path string `json:"path"`
	// Score: in thousandths.
	Score int64 `json:"score"`
	// Label of its component (see RankingRow).
	Label string `json:"label"`
	// Reason: below-cut, or over-cap when it is above the cut but too many stand before it.
	Reason string `json:"reason"`
}

// Candidate is one step of a component that may be an algorithm (rubric 3.1).
type Candidate struct {
	// ID is plugin/component/slug. Where two components of different kinds share a name, component is kind:name.
	ID string `json:"id"`
	// Component: the component that the step belongs to.
	Component audit.ComponentRef `json:"component"`
	// Slug: the last part of the id, frozen when first seen.
	Slug string `json:"slug"`
	// Kind: one of the candidate kinds (rubric 3.1).
	Kind string `json:"kind"`
	// SignatureHash of the dominant n-gram, else of the step's own command signatures; "" when it has neither.
	SignatureHash string `json:"signature_hash"`
	// Signatures: the masked calls of the step, in order.
	Signatures []string `json:"signatures"`
	// EvidenceHash changes when the evidence does: a judgment made on the same hash may be carried over.
	EvidenceHash string `json:"evidence_hash"`
	// Score ranks, in thousandths; Why says how it came about.
	Score int64 `json:"score"`
	// Why: the summands of the score, largest first.
	Why []Reason `json:"why"`
	// AboveCut: Score ≥ the document's cut. What is already cut and drift notes are below it.
	AboveCut bool `json:"above_cut"`
	// Static: what the definition says; null when only measured.
	Static *StaticCase `json:"static"`
	// Measured: what the transcripts say; null when its component was not used in the window. Without
	// occurrences: it was used, and the step was not seen to recur.
	Measured *MeasuredCase `json:"measured"`
	// AlreadyCut: at least two thirds of the literal commands resolve to shipped executables.
	AlreadyCut bool `json:"already_cut"`
}

// Reason is one summand of a score.
type Reason struct {
	// Signal: the signal's name.
	Signal string `json:"signal"`
	// Value: as counted.
	Value int64 `json:"value"`
	// Points: what it adds to the score, in thousandths.
	Points int64 `json:"points"`
	// Note: the signal in words.
	Note string `json:"note,omitempty"`
	// Evidence: file:line places.
	Evidence []string `json:"evidence,omitempty"`
}

// StaticCase is what the definition says.
type StaticCase struct {
	// Path: relative to the plugin.
	Path string `json:"path"`
	// FirstLine: 1-based.
	FirstLine int `json:"first_line"`
	// LastLine: inclusive.
	LastLine int      `json:"last_line"`
	Lines    []string `json:"lines"` // file:line of the commands and rules cited
	// ScriptVerbs: imperatives whose result two programmers would agree on.
	ScriptVerbs int `json:"script_verbs"`
	// JudgmentVerbs: imperatives that have to be weighed.
	JudgmentVerbs int `json:"judgment_verbs"`
	// Commands: literal commands in the step.
	Commands int `json:"commands"`
	// OwnCommands: of these, the ones that run executables that the plugin ships.
	OwnCommands int `json:"own_commands"`
}

// MeasuredCase is what the transcripts say.
type MeasuredCase struct {
	// Evidence: the scan's sequence or staple ids.
	Evidence []string `json:"evidence"`
	// Strength: measured, thin or unmeasured; of a step that was not seen, that of its component's use.
	Strength audit.Strength `json:"strength"`
	// Invocations: invocations of the component in which the step was seen.
	Invocations int64 `json:"invocations"`
	// ComponentInvocations: all invocations of the component.
	ComponentInvocations int64 `json:"component_invocations"`
	// Occurrences: how often the step was run.
	Occurrences int64 `json:"occurrences"`
	// Turns: turns spent on it.
	Turns int64 `json:"turns"`
	// WasteMilli: weighted tokens of its mechanical turns.
	WasteMilli int64 `json:"waste_milli"`
	// ValueMilli: offload_value, weighted tokens: ranks, and can exceed the spend.
	ValueMilli int64 `json:"value_milli"`
	// SharePPM: value as a share of the audited weighted spend.
	SharePPM int64 `json:"share_ppm"`
	// RecoverableMilli: weighted tokens that one call instead would have saved.
	RecoverableMilli int64 `json:"recoverable_milli"`
	// RecoverableUSD: the same in dollars; null when a model is unpriced.
	RecoverableUSD *string `json:"recoverable_usd"`
	// JudgmentDensityPPM: judgment turns among the turns of its occurrences.
	JudgmentDensityPPM int64 `json:"judgment_density_ppm"`
	// QuestionPPM: occurrences into which a question to the user falls.
	QuestionPPM int64 `json:"question_ppm"`
	// NextStepAgreementPPM: occurrences followed by the most frequent next signature; null below five.
	NextStepAgreementPPM *int64 `json:"next_step_agreement_ppm"`
	// SequenceAgreementPPM: starts of the sequence that run to its end; null below five.
	SequenceAgreementPPM *int64 `json:"sequence_agreement_ppm"`
	// FanOut: it was seen inside subagents.
	FanOut bool `json:"fan_out"`
}

// Judgments is judgments/v1: the analyst's answers, the only document a model writes.
type Judgments struct {
	Document string `json:"document"`
	// Target: the plugin's name.
	Target string `json:"target"`
	// RecallUsed: a remembered conclusion moved the reader.
	RecallUsed bool `json:"recall_used,omitempty"`
	// Judgments: one row a candidate; a row left open is not judged.
	Judgments []Judgment `json:"judgments"`
}

// Judgment answers one candidate (rubric 3.2 to 3.4).
type Judgment struct {
	// ID: the candidate's.
	ID string `json:"id"`
	// EvidenceHash is the candidate's, as it was when judged; "" in an answer means: as it is now.
	EvidenceHash string `json:"evidence_hash,omitempty"`
	// CarriedFrom names the snapshot whose judgment this is, "" when judged now.
	CarriedFrom string `json:"carried_from,omitempty"`
	// Row: the smallest unit that the step decides.
	Row string `json:"row"`
	// ScriptPart: the best script that could be written: what it reads, what it emits.
	ScriptPart     string `json:"script_part"`
	Residue        string `json:"residue"`         // none, once, per_run, all
	UndecidedShare int    `json:"undecided_share"` // percent, 0 to 100
	// T1: closed inputs.
	T1 Answer `json:"T1"`
	// T2: one answer.
	T2 Answer `json:"T2"`
	// T3: stated rule.
	T3 Answer `json:"T3"`
	// T4: checkable.
	T4 Answer `json:"T4"`
	// T5: known edge; counted from the overrule cases, whatever is answered here.
	T5 Answer `json:"T5"`
	// Triple: null when the residue is all.
	Triple *Triple `json:"triple"`
}

// Answer to one determinism test.
type Answer struct {
	Outcome string `json:"outcome"` // pass, partial, fail, unknown
	// Why: one sentence of the reader's own.
	Why string `json:"why"`
	// Evidence: references: file:line, a signal's id, a signature hash.
	Evidence []string `json:"evidence"`
}

// Triple is the falsifiability triple (rubric 3.4).
type Triple struct {
	// Signature: null when it was not given.
	Signature *Signature `json:"signature"`
	// Pairs: three or more, at least one an edge case.
	Pairs []Pair `json:"pairs"`
	// Overrules: the two likeliest cases.
	Overrules []Overrule `json:"overrules"`
}

// Signature of the proposed function.
type Signature struct {
	// Name: an identifier.
	Name string `json:"name"`
	// Params: at least one.
	Params []Param `json:"params"`
	// Returns: a type.
	Returns string `json:"returns"`
}

// Param of a signature; Type over string, int, bool, path, enum(a|b), list<T>, record{k:T}.
type Param struct {
	// Name: an identifier.
	Name string `json:"name"`
	// Type: string, int, bool, path, enum(a|b), list<T>, record{k:T}.
	Type string `json:"type"`
}

// Pair is one input and its output; In has one member a parameter.
type Pair struct {
	// In: one member a parameter.
	In map[string]any `json:"in"`
	// Out: what the function returns.
	Out any `json:"out"`
	// Edge: an edge case.
	Edge bool `json:"edge"`
}

// Overrule is a case in which a human would overrule the script.
type Overrule struct {
	// When: the case.
	When string `json:"when"`
	// ScriptSays: what the script emits then, a hold included.
	ScriptSays string `json:"script_says"`
	// HumanSays: what a human would say.
	HumanSays string `json:"human_says"`
	// Why: the reason for the difference.
	Why string `json:"why"`
	// Detectable: the script recognises the case from its inputs and holds, or marks it undecided.
	Detectable bool `json:"detectable"`
}

// Verdicts is verdicts/v1.
type Verdicts struct {
	Document string `json:"document"`
	// RubricVersion: the rules that were applied.
	RubricVersion string `json:"rubric_version"`
	// WeightsVersion: the token weights of the scan; "" without one.
	WeightsVersion string `json:"weights_version"`
	// Target: the plugin.
	Target audit.Target `json:"target"`
	// Window: the scan's window.
	Window audit.Window `json:"window"`
	// RecallUsed: the judgments leaned on a remembered conclusion.
	RecallUsed bool `json:"recall_used"`
	// Verdicts: one a candidate, in their order.
	Verdicts []Verdict `json:"verdicts"`
	// Warnings: judgments that did not count, and why.
	Warnings []audit.Warning `json:"warnings"`
}

// Verdict is one candidate's, with everything that led to it.
type Verdict struct {
	// Candidate: the candidate, whole.
	Candidate Candidate `json:"candidate"`
	// Judgment is null when nobody judged (every test then is unknown), else as judged, with the paths, URLs and hashes of its free text masked.
	Judgment *Judgment `json:"judgment"`
	Tests    []Test    `json:"tests"` // T1..T5 after the ceilings
	// Residue and UndecidedShare as they stand after the ceilings; "" and 0 when nobody judged.
	Residue string `json:"residue"`
	// UndecidedShare: rows left to judge, in percent; 0 when nobody judged.
	UndecidedShare int `json:"undecided_share"`
	// Valid: the script part passes T1 to T4 as far as rubric 3.4a asks.
	Valid bool `json:"valid"`
	// Position: where the cut lies (FR-4.1).
	Position audit.Position `json:"position"`
	// Confidence: high, medium or low, after the caps.
	Confidence audit.Confidence `json:"boundary_confidence"`
	// Caps: what bounded the confidence: already-cut, kind-wrapper and so on.
	Caps []string `json:"caps"`
	// Contradictions: the measured ceilings that were hit.
	Contradictions []Contradiction `json:"contradictions"`
	// TripleComplete: the triple fits its types and has what 3.4 asks for.
	TripleComplete bool `json:"triple_complete"`
	// TripleReason is one of the reasons of rubric 3.4, "" when complete or not asked for; TripleDetail names the place.
	TripleReason string `json:"triple_reason"`
	// TripleDetail: the place of what is missing; "" when nothing is.
	TripleDetail string `json:"triple_detail"`
	// Verdict: file, boundary-question, no-offload or drift-note.
	Verdict audit.Verdict `json:"verdict"`
	// Reasons says which rule of 3.6 matched and why: "confidence:medium", "triple:no-edge", "below-value" …
	Reasons    []string `json:"reasons"`
	ValueClaim string   `json:"value_claim"` // proven, unproven, "" when not filed
}

// Test is one test's outcome as judged and as it stands after the ceilings.
type Test struct {
	// ID: T1 to T5.
	ID string `json:"id"`
	// Judged: the outcome as answered; unknown when nobody judged.
	Judged string `json:"judged"`
	// Outcome: the outcome after the ceilings.
	Outcome string `json:"outcome"`
	// Why: the reader's reason.
	Why string `json:"why"`
	// Evidence: references that were found to exist.
	Evidence []string `json:"evidence"`
}

// Contradiction is a measured ceiling that lowered an answer.
type Contradiction struct {
	// Test: the test or the residue that was lowered.
	Test string `json:"test"`
	// From: the outcome as judged.
	From string `json:"from"`
	// To: the outcome that stands.
	To string `json:"to"`
	// Rule: the measured ceiling that was hit.
	Rule string `json:"rule"`
}

// Ranking is ranking/v1: which components to look at first.
type Ranking struct {
	Document string `json:"document"`
	// Cut is the score from which a component is worth an audit, in thousandths.
	Cut int64 `json:"cut"`
	// Rows: every component once, highest score first.
	Rows []RankingRow `json:"rows"`
}

// RankingRow is one component of one plugin.
type RankingRow struct {
	// Plugin: the plugin's name.
	Plugin string `json:"plugin"`
	// Component: the component's name without prefix.
	Component string `json:"component"`
	// Kind: skill, agent or command.
	Kind string `json:"kind"`
	// Path: relative to the plugin.
	Path string `json:"path"`
	// Score: in thousandths.
	Score int64 `json:"score"`
	// AboveCut: the score reaches the cut.
	AboveCut bool `json:"above_cut"`
	// Label: procedure, reference, already-cut, judgment.
	Label string `json:"label"`
	// Why: the summands of the score, largest first.
	Why []Reason `json:"why"`
}
