package cli

import "runtime/debug"

const (
	// memoryBase and memoryShare bound the heap while a history is read: 40 MiB, and a byte
	// for every 80 bytes of history, which is about what its digest and a session take.
	memoryBase  = 40 << 20
	memoryShare = 80
	// memorySlack is the garbage collector's target below that bound, in percent of what is
	// in use: it may wait longer than its default of 100.
	memorySlack = 400
)

// Memory sets the garbage collector for reading a history of so many bytes, unless the
// user has set it (GOGC, GOMEMLIMIT). The peak then depends on the history's size and
// not on how it is spread over files.
func (c *Call) Memory(history int64) {
	if c.Getenv("GOGC") != "" || c.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(memorySlack)
	debug.SetMemoryLimit(memoryBase + history/memoryShare)
}
