// Package transcript reads the session files that Claude Code keeps and gives them
// back as what happened: sessions, their threads, and in each thread the turns.
//
// A turn is one API response, counted once. The client writes a response as several
// rows, one a content block, and repeats the usage on each; a resumed session goes on
// in the same file, a forked one copies rows into another, a fork agent's file begins
// with its parent's response. So the rows of a turn are joined by message.id, over all
// files, never because they stand side by side: of repeated counters the largest counts,
// the blocks are put together, and of several conversations that hold a turn exactly one
// owns it (merge.go says which). Rows that are no response (synthetic ones, API errors,
// hooks, progress, summaries) are no turns; those that attribution needs become Marks.
//
// A history may be gigabytes, so it is walked once, in pieces, by a few workers, and no
// file is held in memory. The walk (walk.go) goes by the structure of a line and descends
// only where something is wanted; what it found of a file is packed into a digest, and
// the merge sees digests only. That is why digests can be kept (cache.go): an answer from
// the cache and one from the files are made by the same merge. It needs little of them:
// which conversations they hold, and the keys of their turns. That is kept beside the events
// (view.go), so that these are read only of sessions that are asked for; and of a session
// that cannot have changed a caller can keep what it made of it (parts.go).
//
// Nothing that a transcript says leaves this room. A tool call's arguments are reduced by
// the caller's Shaper while the line is in the buffer; of results only sizes are kept, and
// how much of them the next turn used again (reuse.go); of prompts only that there was one.
//
// Reading is lenient: a line that is cut, is no object or is too long is counted, named as
// a warning with its place, and passed over. Two documents on one line are both read. The
// result does not depend on the order of files nor on how they were cut into pieces.
//
// How a number comes about, file by file: find and folder (which files, and what tells a
// file from a later state of it), read (in pieces, by workers), lines (one at a time, through
// ReadAt), lexer (proof that a line is JSON, and where each value ends; string_amd64.s where
// the processor can), parse and content (the few members that matter, as spans of the line),
// walk (a row → events), names (strings, each once), digest (events, packed), cache and plan
// (what need not be read again), view and merge (who owns which turn), reader, session and
// shared (a session, put together from its events), memo and parts (what callers keep).
package transcript
