// Package wording writes numbers for people, in the same way in every room: nouns and verbs
// agree with theirs ("1 turn is", "2 turns are"), money is in dollars and cents.
package wording

import (
	"fmt"
	"strconv"
	"strings"
)

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

// Dollars writes an amount of our documents ("0.251496") in dollars and cents, rounded half
// up: "$0.25". It is "" for what is no such amount.
func Dollars(exact string) string {
	whole, frac, _ := strings.Cut(exact, ".")
	tenths, err := strconv.ParseUint(whole+(frac + "000")[:3], 10, 63) // of a cent
	if err != nil {
		return ""
	}
	cents := (tenths + 5) / 10
	return fmt.Sprintf("$%d.%02d", cents/100, cents%100)
}
