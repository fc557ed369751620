package scan

import "encoding/binary"

// codec packs values into bytes, or unpacks them: which of the two its user does not say,
// so one function states a form for both directions and the two cannot disagree. What is
// unpacked is checked: of what makes no sense it becomes bad, and its values are zeros.
type codec struct {
	out     []byte // what was packed
	in      []byte // what is left to unpack
	reading bool
	bad     bool
	known   map[string]string // strings that were unpacked, each once
}

// integer is any whole number.
func integer[T ~int | ~int32 | ~int64](c *codec, v *T) {
	if !c.reading {
		c.out = binary.AppendVarint(c.out, int64(*v))
		return
	}
	n, size := binary.Varint(c.in)
	if size <= 0 || int64(T(n)) != n {
		c.fail()
		n, size = 0, 0
	}
	*v, c.in = T(n), c.in[size:]
}

func (c *codec) fail() { c.bad, c.in = true, nil }

// integers are several.
func integers[T ~int | ~int32 | ~int64](c *codec, list ...*T) {
	for _, v := range list {
		integer(c, v)
	}
}

// below is a number from 0 up to a bound.
func below[T ~int32 | ~uint8](c *codec, v *T, bound int) {
	n := 0
	if !c.reading {
		n = int(*v)
	}
	if integer(c, &n); n < 0 || n >= bound {
		c.fail()
		n = 0
	}
	*v = T(n)
}

// hash is eight bytes.
func (c *codec) hash(v *uint64) {
	switch {
	case !c.reading:
		c.out = binary.LittleEndian.AppendUint64(c.out, *v)
	case len(c.in) < 8:
		c.fail()
		*v = 0
	default:
		*v, c.in = binary.LittleEndian.Uint64(c.in), c.in[8:]
	}
}

// flags are up to eight yes or no.
func (c *codec) flags(list ...*bool) {
	var b byte
	if !c.reading {
		for i, v := range list {
			if *v {
				b |= 1 << i
			}
		}
		c.out = append(c.out, b)
		return
	}
	if len(c.in) == 0 {
		c.fail()
	} else {
		b, c.in = c.in[0], c.in[1:]
	}
	for i, v := range list {
		*v = b>>i&1 != 0
	}
}

func (c *codec) text(s *string) {
	if !c.reading {
		c.count(len(*s))
		c.out = append(c.out, *s...)
		return
	}
	n := c.count(0)
	b := c.in[:n]
	c.in = c.in[n:]
	known, ok := c.known[string(b)]
	if !ok {
		known = string(b)
		c.known[known] = known
	}
	*s = known
}

// count says how many things follow, that take a byte each at least; n is ignored where they
// are unpacked.
func (c *codec) count(n int) int {
	if integer(c, &n); c.reading && (n < 0 || n > len(c.in)) {
		c.fail()
		return 0
	}
	return n
}

// list is any number of things.
func list[T any](c *codec, l *[]T, each func(*T)) {
	if c.reading {
		*l = nil
		if n := c.count(0); n > 0 {
			*l = make([]T, n)
			clear(*l) // fresh pages: to write them first costs half the faults of reading them first
		}
	} else {
		c.count(len(*l))
	}
	for i := range *l {
		if each(&(*l)[i]); c.bad {
			return
		}
	}
}

// pointers is a list of pointers, none of them nil.
func pointers[T any](c *codec, l *[]*T, each func(*T)) {
	if !c.reading {
		c.count(len(*l))
		for _, v := range *l {
			each(v)
		}
		return
	}
	var room []T
	list(c, &room, each)
	*l = make([]*T, len(room))
	for i := range room {
		(*l)[i] = &room[i]
	}
}
