package transcript

// view is what the merge wants of one digest: the stretches of its sessions, and in each
// the turns, the marks and the agents that results name. Views are made ahead by another
// goroutine, since reading events costs more than entering keys.
type view struct {
	stretches []stretch
	rows      []viewRow
	bad       bool
}

// stretch is a run of events of one session.
type stretch struct {
	session     string
	start       spot
	segment, at int // where its last event ends
	rows        int // index into view.rows of the first row behind it
}

// viewRow is a turn row, a mark, or a result that names an agent.
type viewRow struct {
	key   uint64 // of an agent: its plain record
	place uint32 // of its scope
	kind  byte
}

// read fills the view from a digest.
func (v *view) read(e *reader, n *names, d *digest) {
	v.stretches, v.rows = v.stretches[:0], v.rows[:0]
	var s *stretch
	for e.open(n, d); e.next(); {
		if session := n.scopes[e.place].session; s == nil || s.session != session {
			v.stretches = append(v.stretches, stretch{session: session})
			s = &v.stretches[len(v.stretches)-1]
			if d.copies.turns == 0 { // else what belongs to whom needs the file from its start
				s.start = e.entry
			}
		}
		switch {
		case e.kind == evTurn:
			v.rows = append(v.rows, viewRow{e.turn.key, e.place, evTurn})
		case e.kind == evMark:
			v.rows = append(v.rows, viewRow{e.mark.row, e.place, evMark})
		case e.kind == evResult && e.agent != 0:
			v.rows = append(v.rows, viewRow{uint64(e.agent), e.place, evResult})
		}
		s.segment, s.at, s.rows = e.segment, e.i, len(v.rows)
	}
	v.bad = e.bad
}

// viewsAhead is how many views may wait for the merge.
const viewsAhead = 8

// views reads all digests in order, ahead of whoever takes them. What was taken is given
// back through free. When stop is closed it ends.
func (h *History) views(stop <-chan struct{}) (made <-chan *view, free chan<- *view) {
	out, back := make(chan *view, viewsAhead), make(chan *view, viewsAhead+2)
	for range viewsAhead + 2 {
		back <- &view{}
	}
	go func() {
		defer close(out)
		var e reader
		for _, d := range h.digests {
			select {
			case v := <-back:
				v.read(&e, h.names, d)
				select {
				case out <- v:
				case <-stop:
					return
				}
			case <-stop:
				return
			}
		}
	}()
	return out, back
}
