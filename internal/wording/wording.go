// Package wording makes nouns and verbs agree with their numbers: "1 turn is", "2 turns are".
// Every sentence with a count, whichever room says it, is made with it.
package wording

import "fmt"

// Amount writes a number with its noun: "1 snapshot", "2 snapshots".
func Amount[N int | int64](n N, one, many string) string {
	return fmt.Sprintf("%d %s", n, Pick(n, one, many))
}

// Pick is the form that agrees with the number: of a noun, a verb or a whole clause.
func Pick[N int | int64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Of writes a part of a whole, each agreeing: "1 of 1 turn is", "1 of 8 turns is", "2 of 8
// turns are", where the verb is for the part.
func Of[N int | int64](part, whole N, one, many, is, are string) string {
	return fmt.Sprintf("%d of %s %s", part, Amount(whole, one, many), Pick(part, is, are))
}
