package scan

import (
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// Kind of a scan document.
const Kind = "scan/v1"

// Document is scan/v1: the measured use of one plugin, or of all.
type Document struct {
	Document string `json:"document"`
	// Target is null when every plugin was scanned.
	Target *audit.Target `json:"target"`
	// WeightsVersion: of the token weights.
	WeightsVersion string `json:"weights_version"`
	// PricesAsOf: the newest day on which a price of the table was verified.
	PricesAsOf string `json:"prices_as_of"`
	// Window: asked for and observed.
	Window audit.Window `json:"window"`
	// Input: what was read.
	Input transcript.Input `json:"input"`
	// Audited is what shares are of: the target's spend, or the whole window's without a target.
	Audited Spend `json:"audited"`
	// HookRuns counts the hook runs of the whole window.
	HookRuns int64 `json:"hook_runs"`
	// Usage is the whole window's, all plugins and none.
	Usage Usage `json:"usage"`
	// Attribution: how much could be attributed.
	Attribution Attribution `json:"attribution"`
	// Composition splits the audited spend by turn class; the whole window's without a target.
	Composition []ClassUsage `json:"composition"`
	// Components: skills, commands and agents that were used, costliest first.
	Components []Component `json:"components"`
	// Unattributed is what belongs to no skill, command or agent.
	Unattributed Unattributed `json:"unattributed"`
	// Sessions: by id; only with --by session.
	Sessions []SessionUsage `json:"sessions,omitzero"`
	// Sequences: recurring n-grams, most wasteful first.
	Sequences []Sequence `json:"sequences"`
	// Staples: mechanical atoms of most invocations, most wasteful first.
	Staples []Staple `json:"staples"`
	// Warnings: doubts about the input and the numbers.
	Warnings []audit.Warning `json:"warnings"`
}

// Usage is a sum of turns.
type Usage struct {
	// Turns: API responses, each once.
	Turns int64 `json:"turns"`
	// ToolCalls: tool calls in them.
	ToolCalls int64 `json:"tool_calls"`
	audit.Tokens
	// WeightedMilli is in thousandths of a base-input token of the answering model.
	WeightedMilli int64 `json:"weighted_milli"`
	// CostUSD is a decimal string with six places; null when nothing could be priced.
	CostUSD *string `json:"cost_usd"`
	// TurnsWithoutFinalUsage makes the output a lower bound.
	TurnsWithoutFinalUsage int64 `json:"turns_without_final_usage"`
	// Models: one a model.
	Models []ModelUsage `json:"models"`
	// Unpriced lists the models that no price is known for; their tokens are in the sums above, their cost is not.
	Unpriced []ModelUsage `json:"unpriced"`
}

// ModelUsage is one model's part of a Usage.
type ModelUsage struct {
	// Model: normalised id.
	Model string `json:"model"`
	// Turns: API responses.
	Turns int64 `json:"turns"`
	// ToolCalls: tool calls in them.
	ToolCalls int64 `json:"tool_calls"`
	audit.Tokens
	// WeightedMilli: in thousandths of a base-input token.
	WeightedMilli int64 `json:"weighted_milli"`
	// CostUSD: decimal string; null when not priced.
	CostUSD *string `json:"cost_usd"`
	// TurnsWithoutFinalUsage: make the output a lower bound.
	TurnsWithoutFinalUsage int64 `json:"turns_without_final_usage"`
}

// Attribution says how much of the window could be attributed, and by what.
type Attribution struct {
	// CoveragePPM is attributed / (attributed + plausible but unattributed); null with the reason.
	CoveragePPM *int64 `json:"coverage_ppm"`
	// Reason: how coverage came about, or why it is null.
	Reason string `json:"reason"`
	// StampedTurns: turns that the client attributed.
	StampedTurns int64 `json:"stamped_turns"`
	// InferredTurns: turns in a window between a skill's start and the next human prompt.
	InferredTurns int64 `json:"inferred_turns"`
	// AgentTurns: turns of an agent's own thread.
	AgentTurns int64 `json:"agent_turns"`
	// OwnExecutableTurns: turns recognised by an executable that the target ships.
	OwnExecutableTurns int64 `json:"own_executable_turns"`
	// BlindTurns: turns by clients that write no attribution.
	BlindTurns int64 `json:"blind_turns"`
}

// ClassUsage is the spend of one turn class (2-measure.md 2.3).
type ClassUsage struct {
	// Class: retry, judgment, own-script, mechanical, mixed, acting, talk, compaction or warmup.
	Class string `json:"class"`
	// Turns: of this class.
	Turns int64 `json:"turns"`
	// WeightedMilli: their weighted tokens.
	WeightedMilli int64 `json:"weighted_milli"`
}

// Component is one skill, command or agent as it was used.
type Component struct {
	// Kind is skill, command or agent; executable stands for the target's executables run
	// outside any of its components.
	Kind string `json:"kind"`
	// Name as invoked: "acme:deploy", "dataviz", "general-purpose".
	Name string `json:"name"`
	// Plugin is "" for user, project, bundled and built-in ones, "unknown" where nothing tells.
	Plugin string `json:"plugin"`
	// Invocations: uses, however started, each once.
	Invocations int64 `json:"invocations"`
	// Usage: of its attributed turns.
	Usage Usage `json:"usage"`
	// InSkills is what an agent's threads cost under a skill or command: it stands in that
	// one's Usage and not in this. Zero for everything but agents.
	InSkills Spend `json:"in_skills"`
	// SharePPM of the window's weighted spend.
	SharePPM int64 `json:"share_ppm"`
	// Sources counts the attributed turns by source: stamped, inferred, agent, own-executable.
	Sources map[string]int64 `json:"sources"`
	// Composition: its turns by class.
	Composition []ClassUsage `json:"composition"`
	// Signals: ratios of its turns.
	Signals Signals `json:"signals"`
	// Over: what the stamp may claim too much.
	Over OverAttribution `json:"over_attribution"`
}

// Signals are a component's dynamic signals (2-measure.md 2.4). Ratios are in ppm of turns.
type Signals struct {
	// MechanicalRatioPPM: mechanical among attributed turns.
	MechanicalRatioPPM int64 `json:"mechanical_ratio_ppm"`
	// MechanicalFlagged: ratio above one half and spend at least 2 % of the audited spend.
	MechanicalFlagged bool `json:"mechanical_flagged"`
	// RetryDensityPPM: retries among attributed turns.
	RetryDensityPPM int64 `json:"retry_density_ppm"`
	// JudgmentDensityPPM: judgment among attributed turns: the brake.
	JudgmentDensityPPM int64 `json:"judgment_density_ppm"`
	// ReadAmplificationMilli is result bytes / reused bytes × 1000, capped at 1,000,000; null below 2 KB of results.
	ReadAmplificationMilli *int64 `json:"read_amplification_milli"`
	// FanOutTurns are turns of subagents that the component dispatched.
	FanOutTurns int64 `json:"fan_out_turns"`
	// HookRuns: hook runs between its turns.
	HookRuns int64 `json:"hook_runs"`
}

// OverAttribution stands beside what a stamp claims: the three add up to the component's usage.
// A tail is a trailing run of at least eight turns without the component's own vocabulary; it
// is zero where the vocabulary is not known.
type OverAttribution struct {
	// OwnWork: turns with calls in the component's own vocabulary.
	OwnWork Spend `json:"own_work"`
	// Tail: a trailing run of eight turns or more without any.
	Tail Spend `json:"tail"`
	// InheritedByAgents: turns of subagents that inherited the stamp.
	InheritedByAgents Spend `json:"inherited_by_agents"`
}

// Spend is turns and their weighted tokens.
type Spend struct {
	// Turns: API responses.
	Turns int64 `json:"turns"`
	// WeightedMilli: their weighted tokens.
	WeightedMilli int64 `json:"weighted_milli"`
}

// Unattributed is the rest of the window.
type Unattributed struct {
	// Usage: of these turns.
	Usage Usage `json:"usage"`
}

// SessionUsage is one session's part (--by session).
type SessionUsage struct {
	// SessionID: as the rows name it.
	SessionID string `json:"session_id"`
	// Usage: of its turns.
	Usage Usage `json:"usage"`
}

// Sequence is a recurring n-gram of signatures (2-measure.md 2.4).
type Sequence struct {
	// ID is "seq:", "retry:" or "read:" (by Source) and 16 hexadecimal digits, unique in the
	// document; `offload-scan explain` takes it.
	ID string `json:"id"`
	// SignatureHash: of the signatures (rubric 3.8).
	SignatureHash string `json:"signature_hash"`
	// Signatures: masked, at shape grain, in order.
	Signatures []string `json:"signatures"`
	// Component: whose work it recurs in.
	Component audit.ComponentRef `json:"component"`
	// Plugin: of the component.
	Plugin string `json:"plugin"`
	// Invocations is the support: distinct invocations that hold it; ComponentInvocations their total.
	Invocations int64 `json:"invocations"`
	// ComponentInvocations: all invocations of the component.
	ComponentInvocations int64 `json:"component_invocations"`
	// Occurrences: how often it was run.
	Occurrences int64 `json:"occurrences"`
	// Turns: turns that it took.
	Turns int64 `json:"turns"`
	// WasteMilli: weighted tokens of its mechanical turns (of a retry cluster: of its retries);
	// RecoverableMilli: Σ (turns − 1) turn costs; of a retry cluster all of it; of unread results
	// (read-amplification) their unread tokens once, at the price of fresh input.
	WasteMilli int64 `json:"waste_milli"`
	// RecoverableMilli: weighted tokens that one call instead would have saved.
	RecoverableMilli int64 `json:"recoverable_milli"`
	// RecoverableUSD: the same in dollars; null when not priced.
	RecoverableUSD *string `json:"recoverable_usd"`
	// ValueMilli: offload_value (rubric 3.5).
	ValueMilli int64 `json:"value_milli"`
	// SharePPM: value as a share of the audited spend.
	SharePPM int64 `json:"share_ppm"`
	// JudgmentDensityPPM: judgment turns among its turns.
	JudgmentDensityPPM int64 `json:"judgment_density_ppm"`
	// QuestionPPM: occurrences into which a question to the user falls.
	QuestionPPM int64 `json:"question_ppm"`
	// Agreements are null below five observations.
	NextStepAgreementPPM *int64 `json:"next_step_agreement_ppm"`
	// SequenceAgreementPPM: starts that run to its end; null below five.
	SequenceAgreementPPM *int64 `json:"sequence_agreement_ppm"`
	// FanOut: it was seen inside subagents.
	FanOut bool `json:"fan_out"`
	// Agent is the plugin's agent in whose threads every occurrence stood, "" when there is no
	// one such: its definition is where the step is told. The turns count for Component all the same.
	Agent string `json:"agent,omitempty"`
	// Source says which signal found it: ngram, retry-cluster, read-amplification.
	Source string `json:"source"`
}

// Staple is a mechanical atom that stands in most invocations of a component.
type Staple struct {
	// ID is "staple:" and 16 hexadecimal digits, unique in the document.
	ID string `json:"id"`
	// SignatureHash: of the signature.
	SignatureHash string `json:"signature_hash"`
	// Signature: masked.
	Signature string `json:"signature"`
	// Component: whose invocations it stands in.
	Component audit.ComponentRef `json:"component"`
	// Plugin: of the component.
	Plugin string `json:"plugin"`
	// Invocations: that hold it.
	Invocations int64 `json:"invocations"`
	// ComponentInvocations: all of the component.
	ComponentInvocations int64 `json:"component_invocations"`
	// Occurrences: how often it was run.
	Occurrences int64 `json:"occurrences"`
	// Turns: turns that it took.
	Turns int64 `json:"turns"`
	// WasteMilli: weighted tokens of its mechanical turns; a turn's cost is split evenly
	// between the atoms that it holds.
	WasteMilli int64 `json:"waste_milli"`
	// ConstantArguments: every occurrence had the same argument identity.
	ConstantArguments bool `json:"constant_arguments"`
	// Sequence is the id of the n-gram in whose turns at least half of its own stand, "" when
	// there is none: where that is a step of its own, the staple is no second one.
	Sequence string `json:"sequence"`
	// Opening: it stands before the first turn that is not mechanical, in most invocations: a preload candidate.
	Opening bool `json:"opening"`
	// RecoverableMilli: of an opening, one turn a use, that is one reading of its prompt, its
	// output and that output's place in the cache (what it wrote of its prompt the next turn would
	// have to write); else all turns of a use but one.
	RecoverableMilli int64 `json:"recoverable_milli"`
	// RecoverableUSD: in dollars; null when not priced.
	RecoverableUSD *string `json:"recoverable_usd"`
	// ValueMilli: offload_value (rubric 3.5).
	ValueMilli int64 `json:"value_milli"`
	// SharePPM: value as a share of the audited spend.
	SharePPM int64 `json:"share_ppm"`
}
