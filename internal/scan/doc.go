// Package scan measures how plugins are used: whose turns they were, what they
// cost, and which of them were mechanical.
//
// # Turns
//
// A turn is one API response, counted once (package transcript sees to that). Its
// cost is its weighted tokens: each counter relative to the same model's input
// price, in thousandths (package pricing), so that costs of different models add up.
//
// # Whose turn it was
//
// A turn belongs to at most one component, so that no sum exceeds the whole. In
// this order: the skill or command that the client stamped on it; for a client
// that does not stamp, the skill or command whose inferred window is open; else the
// agent in whose thread it stands; else, where the target is known, the target's own
// executable that it runs; else nobody. A subagent's turn that carries a skill's stamp
// belongs to the skill (that is what the stamp says) and is shown apart, as inherited; only
// where the stamped plugin is the agent's, because the skill has none, it is the agent's. So a
// turn's plugin is always the one that the client stamped on it.
//
// Absence of a stamp means "no skill" only for clients that stamp (from 2.1.173); for
// older ones it means nothing, and coverage is null as soon as they are more than
// half of the window. Coverage is the share of attributed turns among those that are
// attributed or plausibly should be: turns in an open window that bear no stamp, turns
// after a background report that took the stamp away, turns of agents of which nothing tells
// the type, turns that use the target's own MCP tools.
//
// # What kind of turn it was
//
// Each turn has one class, the first that matches (class.go): compaction and warm-up
// threads apart, then retry, judgment, own-script, mechanical, mixed, acting, talk. A
// turn is mechanical when all it does is to call tools that only read, and to say little.
//
// # What recurs
//
// An invocation is one use of a component, however it was started. Over the calls of
// a component's invocations stand two signals: staples (one mechanical atom that most
// invocations hold) and sequences (closed n-grams of mechanical calls). Both are priced
// in the turns that they really cost. Only shapes, counts and places leave this package.
//
// # Parts
//
// Each session is measured into a part of its own, by as many workers as there are; parts
// are added up in the order of session ids, and the sum is mined. So the document does not
// depend on the workers, and a part can be kept: after an append only the sessions that it
// could have changed are measured again (package transcript says which those are).
package scan
