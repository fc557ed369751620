// Package memory renders what an audit asks of a memory server before grading and what it
// leaves there afterwards. No call is made here: whoever runs the audit passes both verbatim
// to the server that is configured; without one, a local notes file takes the notes and
// answers the queries.
//
// Nothing crosses but an allow-list of structured fields: identifiers of a fixed alphabet,
// words of fixed vocabularies, numbers and times, each checked on the way out. What a model or
// a plugin's author wrote as text (judgments, notes, warnings, headings) has no way through,
// so that a memory never carries one target's content into another audit.
//
// Recall is advisory. It can file nothing that the gates rejected, skip no search for a
// marker and re-grade no verdict; a run that leans on it says so (recall_used).
package memory
