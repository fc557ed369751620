// Package summary renders one snapshot for people: a Markdown page in the order in which a
// reader needs it (how much was seen, what it was made of, what could be moved, what changed,
// what is open, what was filed), a short report for the terminal, and a self-contained HTML
// page with charts over the whole history.
//
// It decides nothing and computes nothing that the snapshot does not say, but ranks: measured
// candidates by what a script would have saved, the rest by their score. Two things that look
// alike are kept apart: a candidate of low confidence is a question to the target's owner; one
// that the stability gate downgraded is a defect of the auditor.
package summary
