package transcript

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
}

// copies says how far a file is a copy.
type copies struct {
	turns int32  // turn rows up to the last copied one, 0 for none
	first uint32 // place of the first copied scope
}

func (r *reader) open(n *names, d *digest) {
	if d.copies == nil {
		d.copies = &copies{}
		if n.anyCopied {
			r.survey(n, d)
		}
	}
	r.rewind(n, d)
}

func (r *reader) rewind(n *names, d *digest) {
	r.digest, r.segment, r.base, r.turns, r.place, r.copied = d, 0, 0, 0, 0, d.copies.first
	var first []byte
	if len(d.segments) > 0 {
		first = d.segments[0].events
	}
	r.events.open(n, first)
}

// survey fills d.copies.
func (r *reader) survey(n *names, d *digest) {
	found := copies{}
	turns := int32(0)
	for r.rewind(n, d); r.next(); {
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
	*d.copies = found
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
		if r.kind == evScope || r.kind == evFlaw {
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
