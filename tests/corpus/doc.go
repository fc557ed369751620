// Package corpus writes Claude Code histories for tests: the rows that the real clients
// write, version by version, under a configuration directory of the test's own.
//
// A [Home] is that directory, a [Session] one conversation in it. A test tells the story in
// the session's own verbs and the writer takes care of what a client takes care of: ids,
// parents, timestamps, one row per content block with the usage repeated on each, the
// attribution stamps (from the client version that writes them, starting and ending where
// they do), the cost-state line, a subagent's file and its meta.json:
//
//	h, _ := corpus.NewHome(t.TempDir(), 1)
//	s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
//	s.Command("acme:deploy", "staging", corpus.PluginBody("market", "acme", "1.0.0", "skills/deploy"))
//	s.Turn(corpus.Turn{Calls: []corpus.Call{corpus.Bash("git status", "clean")}})
//	s.Turn(corpus.Turn{Text: "Done."})
//	err := h.Close()
//
// Everything is a function of the seed and of the calls made: no clock, no randomness from
// outside, so two runs write the same bytes. Each response is also entered in [Home.Ledger],
// at the moment it is written and from the numbers that were asked for; that ledger is the
// truth which a reader of the files must reproduce. Nothing here imports the project's own
// rooms, or the truth would be computed by what it is to test.
//
// [Plant] and [Bulk] are two generators made of these verbs.
package corpus
