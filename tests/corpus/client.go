package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// version is a client version as one comparable number: 2.1.98 is 2001098.
type version int

func parseVersion(s string) (version, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return 0, fmt.Errorf("client version %q: expected three numbers such as 2.1.332", s)
	}
	n := 0
	for _, p := range parts {
		d, err := strconv.Atoi(p)
		if err != nil || d < 0 || d > 999 {
			return 0, fmt.Errorf("client version %q: expected three numbers such as 2.1.332", s)
		}
		n = n*1000 + d
	}
	return version(n), nil
}

// What the clients write, by version. Each bound is one that real files or a real run showed.

// stamps: skill, plugin and agent attribution on assistant rows.
func (v version) stamps() bool { return v >= 2_001_173 }

// agentTool is the name of the dispatching tool.
func (v version) agentTool() string {
	if v < 2_001_079 {
		return "Task"
	}
	return "Agent"
}

// metaFile: an agent-*.meta.json beside the agent's file.
func (v version) metaFile() bool { return v >= 2_001_173 }

// costState: the client's own totals at the end of a session.
func (v version) costState() bool { return v >= 2_001_300 }

// rewritesForks: copies in a forked session's file carry the new session's id and name the
// original in requestSessionId; older clients leave the original id on them.
func (v version) rewritesForks() bool { return v >= 2_001_300 }

// agentLayout is where a subagent's rows stand.
type agentLayout int

const (
	agentInline     agentLayout = iota // isSidechain rows in the main file
	agentBeside                        // agent-<id>.jsonl beside the main file
	agentUnder                         // <session>/subagents/agent-<id>.jsonl
	agentAndEchoed                     // the same, and agent_progress rows in the main file
	agentEchoedOnly                    // agent_progress rows alone (asked for, see Dispatch.FileLost)
)

func (v version) agentLayout() agentLayout {
	switch {
	case v < 2_000_029:
		return agentInline
	case v < 2_001_009:
		return agentBeside
	case v <= 2_001_081:
		return agentAndEchoed
	}
	return agentUnder
}

// usageStyle is how the rows of one response repeat its usage.
type usageStyle int

const (
	usageGrows       usageStyle = iota // partial counts, the last row's is final, stop_reason null
	usagePlaceholder                   // 1 to 7 output tokens on every row, stop_reason null
	usageLastFinal                     // placeholders, then the last row final with its stop_reason
	usageAllFinal                      // every row final
)

func (v version) usageStyle() usageStyle {
	switch {
	case v < 2_001_009:
		return usageGrows
	case v < 2_001_030:
		return usagePlaceholder
	case v < 2_001_059:
		return usageGrows
	case v < 2_001_098:
		return usageLastFinal
	}
	return usageAllFinal
}
