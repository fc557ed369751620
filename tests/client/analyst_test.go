package client

import (
	"fmt"
	"regexp"
	"strings"
)

// The scripted analyst: it answers the candidates of a digest as a model would, without
// thinking.

var (
	runLine       = regexp.MustCompile(`(?m)^Run folder: (.+)$`)
	targetLine    = regexp.MustCompile(`(?m)^# Audit of (\S+)`)
	candidateHead = regexp.MustCompile(`(?m)^### (\S+)\n\n.*evidence: (.*)$`)
)

// runFolder is the run that a digest names, "" when it names none.
func runFolder(digest string) string {
	if m := runLine.FindStringSubmatch(digest); m != nil {
		return m[1]
	}
	return ""
}

// finishCalls judge every candidate of the digest as one that a script can do, and finish: in
// as many calls as the client's limit on a command asks for.
func finishCalls(digest string) []ToolUse {
	const limit = 8000
	head := "document: judgments/v1\ntarget: " + targetLine.FindStringSubmatch(digest)[1] + "\njudgments:\n"
	part := head
	var calls []ToolUse
	call := func(verb string) {
		calls = append(calls, Bash(fmt.Sprintf("offload-audit %s '%s' <<'JUDGMENTS'\n%sJUDGMENTS", verb, runFolder(digest), part)))
		part = head
	}
	for _, row := range judgments(digest) {
		if len(part)+len(row) > limit {
			call("answer")
		}
		part += row
	}
	call("finish")
	return calls
}

// judgments are rows of block-style YAML, one a candidate. The prose holds what shells and the client's own permission
// check may trip over: quotes, dollars, backticks, parentheses, bare braces.
func judgments(digest string) []string {
	var rows []string
	for _, m := range candidateHead.FindAllStringSubmatch(digest, -1) {
		var b strings.Builder
		evidence, _, _ := strings.Cut(m[2], ",")
		fmt.Fprintf(&b, "  - id: %s\n    row: an item\n", m[1])
		b.WriteString("    script_part: it's `gh` and $(git) output, {all} of \"it\"; emits one line an item\n    residue: none\n    undecided_share: 0\n")
		for i := 1; i <= 5; i++ {
			fmt.Fprintf(&b, "    T%d:\n      outcome: pass\n      why: the commands' output alone decides\n      evidence:\n        - %s\n", i, evidence)
		}
		b.WriteString(`    triple:
      signature:
        name: gather
        params:
          - name: limit
            type: int
        returns: list<string>
      pairs:
        - in:
            limit: 1
          out:
            - a
          edge: false
        - in:
            limit: 2
          out:
            - a
            - b
          edge: false
        - in:
            limit: 0
          out: []
          edge: true
      overrules:
        - when: the remote is unreachable
          script_says: hold
          human_says: go on with the last known list
          why: it is known to be fresh
          detectable: true
        - when: the list is cut at the limit
          script_says: hold
          human_says: raise the limit
          why: nothing may be lost
          detectable: true
`)
		rows = append(rows, b.String())
	}
	return rows
}
