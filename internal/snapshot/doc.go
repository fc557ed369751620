// Package snapshot is the memory of the audits: an append-only store of one snapshot a run,
// and what can be said by comparing snapshots: which candidate is which, what became of it,
// and whether the bill moved.
//
// # Identity
//
// A candidate gets its id (plugin/component/slug) at its first sighting and keeps it for
// ever. In a later run it is recognised by, in this order, its issue reference, its signature
// hash, its component and slug, or similar signatures (Jaccard index of their tokens at least
// 0.8) in the same component; one to one, ties by id. Recognised under other signatures it is
// signature-drifted.
//
// # Status
//
// The status compares a candidate with the latest earlier snapshot that has it. What counts
// is cost per invocation of its component, never the absolute cost, so that a quiet week is
// no improvement; with fewer than three invocations on a side nothing is compared. A
// candidate that is not seen is listed as not-seen, never as better. Only a closed issue
// together with a later window that was used enough and measured the cost below the threshold
// is resolved; a closed issue alone is claimed-fixed-unconfirmed. A candidate that is absent
// from such a window cost nothing there, which is a measurement too.
//
// # Store
//
//	snapshots/<plugin>.jsonl          one snapshot a line, as they were recorded, for ever
//	snapshots/<plugin>.jsonl.torn-N   a line that was cut off at byte N, kept for inspection
//	Audits/<plugin>/<day>.md          a page a run (<day>-<id>.md for later runs of a day)
//	Audits/<plugin>/Latest.md         the latest run's page
//	Issues/<plugin>/…/<slug>.md       findings of the channel "file"
//	memory/notes.jsonl                notes for who has no memory server
//	.lock                             held while a run is recorded
//
// A run is appended in this order: lock; make up for an append that died; read the history;
// compose; write the findings, each beside its place, synced and renamed; append the line in
// one write and sync. The line is the point of no return. Pages and the commit follow; what
// is missing of them the next append makes up for. A run that is repeated after an interruption has
// the same snapshot id (it depends on the run's inputs and moment only) and is not recorded
// twice. In a git work tree the lock stands in the git folder, every run is one commit of
// these folders and nothing else, and two clones that both appended are merged line by line
// (a page that both wrote is rendered anew).
//
// The order of a history is that of its snapshots' moments, not of its lines. A run that is
// recorded late is compared with what there was at its moment, and the runs after it keep the
// status that they were recorded with; a diff across it is decided anew. Two things look at the
// whole store all the same: a candidate's name, for one candidate must not get two of them, and
// the counters of a trend, for what was filed was filed.
//
// A run that is finished again with other answers measured nothing anew: it is a correction. Its
// snapshot names the one that it replaces, takes that one's place among the moments, and keeps
// what that one opened. The corrected line stays in the file, and no reader counts it.
//
// Lines that are no snapshot are reported and left where they are, except a torn last line,
// which is moved aside before the next one is appended. A snapshot of a later version stops
// every reader: a past that cannot be read must not be compared with.
package snapshot
