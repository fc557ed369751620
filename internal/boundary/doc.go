// Package boundary decides where the line between script and judgment runs
// inside one step of a plugin, and what becomes of that step.
//
// A candidate is a step that may be an algorithm: inputs are gathered, something
// is decided, and then (by the caller, never by the step) something is done. Few
// steps are all rule or all judgment, so the cut is drawn first: the analyst
// states the best script that could be written for the step (script_part) and what
// is left to judge each time after it has run (residue). Five determinism tests are
// then asked of the script part alone:
//
//	T1 closed inputs   where does each input come from?
//	T2 one answer      would two careful implementations emit the same?
//	T3 stated rule     is the rule complete and consistent?
//	T4 checkable       is there a check that does not restate the rule?
//	T5 known edge      does it recognise the cases in which a human overrules it?
//
// The analyst's answers are opinions, so they are bounded by what is measured:
// ceilings lower them (never raise them), the falsifiability triple must parse and
// type-check, T5 is counted from the overrule cases and not believed. What remains
// is arithmetic on integers: position and confidence (position.go), caps, and a
// ladder of which the first matching rung is the verdict (ladder.go). Everything
// here is total and pure; every answer says why; a better answer never moves a step
// towards inference nor lowers the confidence of its cut.
//
// A candidate that nobody judged is not one that was judged badly. By the arithmetic
// five unknown tests are pure inference, and the ladder would say that there is
// nothing to offload, which nobody has found out. So an unjudged candidate is a
// boundary question with the reason "unjudged"; its position and confidence are what
// the arithmetic gives (pure-inference, low). The exceptions are decided without a
// judgment: a drift note, and a step that the plugin's own executables already do.
//
// The flow is Propose → Form → (the analyst) → ReadJudgments → Classify. Carry fills
// a form from earlier judgments on unchanged evidence; Changes says which smallest
// changes of answers would move a verdict.
package boundary
