// Package filing says what to file, where and how, and writes to no tracker itself.
//
// Filing is idempotent by a marker: every body carries <!-- ia-candidate: ID -->, or
// <!-- ia-stability: ID --> for a finding about the audit itself, and the tracker is searched
// for it first. MakeSearches says what to look for; whoever ran the searches hands back
// existing/v1 (Answers makes it from what gh and tea print); MakePlan then comments the new
// measurement on an issue that is there and opens one only where the search came back
// without any. A marker that was never searched for refuses the plan, so that a search that
// did not run cannot read as "nothing exists".
//
// Findings about the target go to the target's own repository, findings about the audit to
// this plugin's own. Four channels differ only in how: github and gitea give argument vectors
// of gh and tea, delegate gives prompts for an agent, file gives Markdown files in a folder,
// which is the default and needs nothing.
package filing
