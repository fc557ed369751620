package plugin

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first needed: a run needs few of
// them, and what a package compiles at its start every tool pays for.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
