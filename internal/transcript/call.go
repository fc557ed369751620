package transcript

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

var (
	noInput        = []byte("{}")
	generalPurpose = []byte("general-purpose") // what a missing subagent_type means
)

// call adds one tool_use block, with its arguments, to a turn row.
func (w *walker) call(t *turnRow, bl *block, args []Member) {
	var c callRow
	if len(bl.id) > 0 {
		c.id = xxhash.Sum64(bl.id)
	} else {
		c.id = t.key ^ uint64(len(t.calls)+1)
	}
	input := bl.input
	if input == nil {
		input = noInput
	}
	var shape Shape
	if w.shaper != nil {
		shape = w.shaper(bl.name, input, args)
	}
	var flags uint64
	if shape.ReadOnly {
		flags |= 1
	}
	if shape.Own {
		flags |= 2
	}
	var skill, agentType []byte
	switch string(bl.name) {
	case "Skill":
		skill = w.argument(args, "skill")
	case "Agent", "Task":
		if agentType = w.argument(args, "subagent_type"); len(agentType) == 0 {
			agentType = generalPurpose
		}
	}
	b := append(w.scope[:0], recordShape)
	b = binary.AppendUvarint(b, flags)
	b = appendBytes(b, bl.name)
	b = appendStrings(b, shape.Sig, shape.Full)
	b = appendBytes(appendBytes(b, skill), agentType)
	b = binary.AppendUvarint(b, uint64(len(shape.Atoms)))
	from := len(w.atoms)
	for i := range shape.Atoms {
		a := &shape.Atoms[i]
		if a.Own {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
		b = appendStrings(b, a.Sig)
		w.atoms = append(w.atoms, w.identity(a.Identity))
	}
	w.scope = b
	c.class = w.desk.number(b)
	c.identity = w.identity(shape.Identity)
	c.atoms = w.atoms[from:len(w.atoms):len(w.atoms)]
	t.calls = append(t.calls, c)
}

// argument is the text of an argument, of the last one where it stands twice.
func (w *walker) argument(args []Member, name string) []byte {
	for i := len(args) - 1; i >= 0; i-- {
		if string(args[i].Key) != name {
			continue
		}
		c := cursor{b: args[i].Value, scratch: w.scratch[:0]}
		text := c.text()
		w.scratch = c.scratch
		return text
	}
	return nil
}

// identity hides a literal argument's hash behind the cache's own key, so that a cache
// file cannot be searched for known arguments. 0 means none and stays.
func (w *walker) identity(v uint64) uint64 {
	if v == 0 {
		return 0
	}
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], v)
	binary.LittleEndian.PutUint64(b[8:], w.key)
	return xxhash.Sum64(b[:])
}
