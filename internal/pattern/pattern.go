// Package pattern keeps regular expressions that are compiled when they are first needed. A run
// needs few of the ones that the rooms know, and what a package compiles at its start every tool
// pays for, each time: of some tools it was half of the start.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that somebody may need. Calling it compiles it, once; one
// that is none panics then, as regexp.MustCompile does.
type Pattern = func() *regexp.Regexp

// New is a Pattern for an expression.
func New(expr string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
