package transcript

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/tidwall/gjson"
)

// digest is one file's segments, in order, with what the file's surroundings say.
type digest struct {
	source   source
	segments []segment
	// Of a subagent's meta.json.
	metaType string
	metaCall uint64       // hash of toolUseId
	view     []byte       // packed; nil until it is made
	copies   copies       // likewise, of the view
	sums     [2]uint64    // see endsOf
	stored   *stored      // where the cache has its events, nil for those made now
	loaded   sync.Once    // see load
	damage   error        // likewise
	left     atomic.Int32 // jobs to do
	mu       sync.Mutex
	trouble  error // the first thing that went wrong with reading it
}

// size is how many bytes its events take.
func (d *digest) size() (n int) {
	if d.stored != nil {
		return d.stored.size()
	}
	for i := range d.segments {
		n += len(d.segments[i].events)
	}
	return n
}

// fail notes that the file was not read as it was found.
func (d *digest) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trouble == nil {
		d.trouble = err
	}
}

// maxMeta bounds a meta.json that is read whole.
const maxMeta = 1 << 20

// readMeta reads what stands beside a subagent's transcript.
func (d *digest) readMeta() {
	if d.source.meta == (state{}) || d.source.meta.size > maxMeta {
		return
	}
	data, err := os.ReadFile(strings.TrimSuffix(d.source.full, ".jsonl") + ".meta.json")
	if err != nil || !gjson.ValidBytes(data) {
		return
	}
	d.metaType = gjson.GetBytes(data, "agentType").String()
	if id := gjson.GetBytes(data, "toolUseId").String(); id != "" {
		d.metaCall = xxhash.Sum64String(id)
	}
}
