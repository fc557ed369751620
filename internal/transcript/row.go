package transcript

// row is one line's object, as spans of the line. Nothing of it outlives the line.
type row struct {
	kind, uuid, session, originSession, request []byte
	stamp, version, cwd, agent                  []byte
	skill, plugin, attributionAgent             []byte
	subtype, origin, sourceCall, parentCall     []byte
	sidechain, meta, summary, apiError          bool
	resultAgent                                 []byte // toolUseResult.agentId
	totalCost, modelUsage                       []byte // cost-state, proved values

	message message
	extra   extra // data of a progress row, attachment of an attachment row

	scratch []byte // values that had escapes
}

// message is the member "message" of a row.
type message struct {
	id, model  []byte
	stopped    bool // stop_reason is there and not null
	usage      usage
	hasUsage   bool
	text       []byte // content where it is one string, raw
	textual    bool   // content is one string
	blocks     []block
	parts      [][]byte // raw texts inside tool results, by block.from
	args       []Member // of all calls, by block.argFrom
	iterations []iteration
}

// usage is a usage object's counters as written.
type usage struct {
	input, output, read, write, write5m, write1h int64
	searches                                     int64
	aggregate, fast                              bool // aggregate: write was there
}

// iteration is one entry of usage.iterations.
type iteration struct {
	kind, model []byte
	usage
}

// block is one element of message.content.
type block struct {
	kind, id, name []byte
	text           []byte // raw: a text block's text, a result's string content
	input          []byte // tool_use.input, a proved object
	isError        bool
	from, to       int // message.parts of a result whose content is a list
	argFrom, argTo int // message.args of input
}

func (b *block) isResult() bool { return string(b.kind) == "tool_result" && len(b.id) > 0 }

// extra is what hook, progress and attachment rows carry besides.
type extra struct {
	kind, hook, agent, mode []byte
	prompt                  []byte // raw
	hasMessage              bool
	inner                   []byte // a whole row inside agent_progress, proved
}

func (m *message) reset() {
	*m = message{blocks: m.blocks[:0], parts: m.parts[:0], args: m.args[:0], iterations: m.iterations[:0]}
}

func (r *row) reset() {
	m := r.message
	m.reset()
	*r = row{message: m, scratch: r.scratch[:0]}
}

// cursor walks one line. A member's value starts at i when its case runs and the case
// must leave i after the value, or at -1.
type cursor struct {
	b       []byte
	i       int
	depth   int
	scratch []byte // where unescaped values go
}

// unescape is the value of a raw string. It stays when the scratch space moves.
func (c *cursor) unescape(raw []byte) []byte {
	from := len(c.scratch)
	c.scratch = unescape(c.scratch, raw)
	return c.scratch[from:len(c.scratch):len(c.scratch)]
}

// object enters the object at i; false when there is none to read: it is another value,
// which is skipped, or empty, or broken (then i is -1). A loop over its members reads
//
//	for more := c.object(); more; more = c.more() { switch string(c.key()) { … } }
//
// where each case reads the member's value. Once i is -1 every method leaves it so and
// answers nothing, and more ends the loop.
func (c *cursor) object() bool {
	if c.at() != '{' {
		c.skip()
		return false
	}
	return c.enter('}')
}

// key reads a member's name and moves to its value.
func (c *cursor) key() []byte {
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		c.i = -1
		return nil
	}
	from := c.i + 1
	end, escaped := skipString(c.b, from)
	if end < 0 {
		c.i = -1
		return nil
	}
	k := c.b[from : end-1]
	if escaped {
		k = c.unescape(k)
	}
	if end < len(c.b) && c.b[end] == ':' && end+1 < len(c.b) && c.b[end+1] > ' ' {
		c.i = end + 1
	} else {
		c.i = skipColon(c.b, end)
	}
	return k
}

// more moves to the next member; false at the object's end or when it is broken.
func (c *cursor) more() bool { return c.next('}') }

// another moves to the next element; false at the array's end or when it is broken.
func (c *cursor) another() bool { return c.next(']') }

func (c *cursor) next(closing byte) bool {
	if c.i < 0 {
		return false
	}
	b, i := c.b, c.i
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) {
		c.i = -1
		return false
	}
	switch b[i] {
	case ',':
		i++
		if i < len(b) && b[i] <= ' ' {
			i = skipSpace(b, i)
		}
		c.i = i
		return true
	case closing:
		c.i = i + 1
		c.depth--
		return false
	}
	c.i = -1
	return false
}

// elements enters the array at i; false when it is empty or broken.
func (c *cursor) elements() bool { return c.enter(']') }

// enter goes behind the bracket at i; false where the closing one follows, or where it is
// too deep.
func (c *cursor) enter(closing byte) bool {
	c.depth++
	c.i = skipSpace(c.b, c.i+1)
	if c.depth > maxDepth {
		c.i = -1
		return false
	}
	if c.i < len(c.b) && c.b[c.i] == closing {
		c.i++
		c.depth--
		return false
	}
	return true
}

func (c *cursor) at() byte {
	if c.i < 0 || c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

func (c *cursor) skip() {
	if c.i >= 0 {
		c.i = skipValue(c.b, c.i, c.depth)
	}
}

// raw is the inside of a string as it stands; other values are skipped and are nil.
func (c *cursor) raw() (s []byte, escaped bool) {
	if c.at() != '"' {
		c.skip()
		return nil, false
	}
	from := c.i + 1
	c.i, escaped = skipString(c.b, from)
	if c.i < 0 {
		return nil, false
	}
	return c.b[from : c.i-1 : c.i-1], escaped
}

// text is a string's value.
func (c *cursor) text() []byte {
	s, escaped := c.raw()
	if escaped {
		return c.unescape(s)
	}
	return s
}

// value is any value's span.
func (c *cursor) value() []byte {
	from := c.i
	c.skip()
	if c.i < 0 {
		return nil
	}
	return c.b[from:c.i:c.i]
}

func (c *cursor) boolean() bool {
	t := c.at() == 't'
	c.skip()
	return t
}

func (c *cursor) count() int64 {
	from := c.i
	switch c.at() {
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		c.i = skipNumber(c.b, from)
		if c.i < 0 {
			return 0
		}
		return parseCount(c.b[from:c.i])
	}
	c.skip()
	return 0
}
