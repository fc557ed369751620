package inventory

// markScript marks the shell's own structure: pipes, control flow and captured output.
//
// Signals pipes and control_flow: a pipe works on what a command emits, by a fixed
// rule; a branch, a loop, a function or a captured variable makes a block a program
// that was pasted where it should have been shipped.
func (r *reading) markScript(s *script, first int) {
	for _, l := range s.Pipes {
		r.mark("pipes", first+l, 1)
	}
	for _, l := range s.Control {
		r.mark("control_flow", first+l, 1)
	}
	for _, l := range s.Captures {
		r.mark("control_flow", first+l, 1)
	}
}
