// Package client drives the real Claude Code client in tests, with no network and no account:
// an [API] plays the Messages API on the loopback from a script and keeps every request, and a
// [Client] runs the client's binary in a home and a working directory of the test's own.
//
//	api := client.NewAPI(t)
//	api.Lane("main", client.FirstUserHas("review")).Then(
//		client.Answer{Calls: []client.ToolUse{client.Bash("git status")}},
//		client.Answer{Text: "All clean."})
//	c := client.New(t, api)
//	res := c.Prompt("review this")
//
// The binary comes from CLAUDE_BIN, an older one from CLAUDE_BIN_OLD; where the variable is
// not set the test is skipped and says so. `.ci/client.sh` installs both, pinned.
//
// What the API bills is modelled on what a provider bills: a request's prompt is measured by
// its bytes, the part that an earlier request began with is read from the cache, the rest is
// written to it. So the usage in the transcripts behaves as in real sessions, turn by turn.
package client
