package transcript

import "github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"

// reader reads a whole digest's events, segment after segment, and says for each whose
// conversation it belongs to.
//
// In a forked session's file only the assistant rows name the session that they were
// copied from. What stands between them is copied too: it goes where they go, up to the
// last of them and the results that follow it.
type reader struct {
	events
	digest  *digest
	segment int
	base    int32 // lines before the current segment
	turns   int32
	copied  uint32
	place   uint32 // of the event's scope in names.scopes
	entry   spot   // where the latest change of scope led
}

// spot is where a reader stands between two events, with all that the next one needs.
type spot struct {
	segment, i int
	base, line int32
	scope      uint32
	time       int64
	key        uint64
	tokens     audit.Tokens
}

// span is the stretch of a file's events in which a session's stand.
type span struct {
	file       int32
	start      spot
	endSegment int
	end        int
}

func (r *reader) spot() spot {
	return spot{r.segment, r.i, r.base, r.line, r.scope, r.time, r.turn.key, r.turn.tokens}
}

// past says whether the reader has gone beyond a span.
func (r *reader) past(s *span) bool {
	return r.segment > s.endSegment || r.segment == s.endSegment && r.i > s.end
}

// openAt opens a digest at a spot that an earlier reading of it has met.
func (r *reader) openAt(n *names, d *digest, s spot) {
	r.open(n, d)
	if s == (spot{}) {
		return
	}
	r.segment, r.base = s.segment, s.base
	r.events.open(n, d.segments[s.segment].events)
	r.i, r.line, r.scope, r.time, r.turn.key, r.turn.tokens = s.i, s.line, s.scope, s.time, s.key, s.tokens
}

// copies says how far a file is a copy.
type copies struct {
	turns int32  // turn rows up to the last copied one, 0 for none
	first uint32 // place of the first copied scope
}

// open begins at a digest's start. How far the file is a copy must be known.
func (r *reader) open(n *names, d *digest) {
	r.digest, r.segment, r.base, r.turns, r.place, r.copied = d, 0, 0, 0, 0, d.copies.first
	var first []byte
	if len(d.segments) > 0 {
		first = d.segments[0].events
	}
	r.events.open(n, first)
}

// survey finds out how far the file is a copy, and begins at its start.
func (r *reader) survey(n *names, d *digest) {
	d.copies = copies{}
	if n.anyCopied {
		found, turns := copies{}, int32(0)
		for r.open(n, d); r.next(); {
			if r.kind != evTurn {
				continue
			}
			turns++
			if n.scopes[r.place].copied {
				if found.turns == 0 {
					found.first = r.place
				}
				found.turns = turns
			}
		}
		d.copies = found
	}
	r.open(n, d)
}

// next moves to the next event that belongs to a conversation.
func (r *reader) next() bool {
	for {
		if !r.events.next() {
			if r.bad || r.segment+1 >= len(r.digest.segments) {
				return false
			}
			r.base += r.digest.segments[r.segment].lines
			r.segment++
			r.events.open(r.names, r.digest.segments[r.segment].events)
			continue
		}
		if r.kind == evScope {
			r.entry = r.spot()
			continue
		}
		if r.kind == evFlaw {
			continue
		}
		r.place = r.names.place[r.scope]
		if r.digest.copies.turns > 0 {
			r.follow()
		}
		return true
	}
}

// follow moves what stands between copied turns to where those belong.
func (r *reader) follow() {
	s := &r.names.scopes[r.place]
	if r.kind == evTurn {
		r.turns++
		if s.copied {
			r.copied = r.place
		}
		return
	}
	if s.copied || s.agent != "" || s.unnamed || r.kind == evTotal {
		return
	}
	if r.turns < r.digest.copies.turns ||
		r.turns == r.digest.copies.turns && (r.kind == evResult || r.kind == evReuse) {
		r.place = r.copied
	}
}

// lineInFile is the event's line, 1-based in its file.
func (r *reader) lineInFile() int32 { return r.base + r.line + 1 }
