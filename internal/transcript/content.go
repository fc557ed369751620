package transcript

// content reads message.content: one string, or a list of blocks.
func (c *cursor) content(m *message) {
	switch c.at() {
	case '"':
		m.text, _ = c.raw()
		m.textual = true
	case '[':
		for more := c.elements(); more; more = c.another() {
			if c.at() != '{' {
				c.skip()
				continue
			}
			m.blocks = append(m.blocks, block{})
			c.block(m, &m.blocks[len(m.blocks)-1])
		}
	default:
		c.skip()
	}
}

func (c *cursor) block(m *message, bl *block) {
	for more := c.object(); more; more = c.more() {
		switch string(c.key()) {
		case "type":
			bl.kind = c.text()
		case "text":
			bl.text, _ = c.raw()
		case "id", "tool_use_id":
			bl.id = c.text()
		case "name":
			bl.name = c.text()
		case "input":
			c.input(m, bl)
		case "is_error":
			bl.isError = c.boolean()
		case "content":
			bl.text, bl.from, bl.to = nil, 0, 0
			c.resultContent(m, bl)
		default:
			c.skip()
		}
	}
}

// input reads a call's arguments: their span, and that of each member.
func (c *cursor) input(m *message, bl *block) {
	bl.input, bl.argFrom, bl.argTo = nil, len(m.args), len(m.args)
	from, whole := c.i, c.at() == '{'
	for more := c.object(); more; more = c.more() {
		k := c.key()
		m.args = append(m.args, Member{k, c.value()})
	}
	if whole && c.i >= 0 {
		bl.input, bl.argTo = c.b[from:c.i:c.i], len(m.args)
	}
}

// resultContent reads a tool result's content: one string, or blocks with texts.
func (c *cursor) resultContent(m *message, bl *block) {
	switch c.at() {
	case '"':
		bl.text, _ = c.raw()
	case '[':
		bl.from = len(m.parts)
		for more := c.elements(); more; more = c.another() {
			if t := c.rawMember("text"); t != nil {
				m.parts = append(m.parts, t)
			}
		}
		bl.to = len(m.parts)
	default:
		c.skip()
	}
}

// rawMember is member without unescaping.
func (c *cursor) rawMember(name string) []byte {
	var found []byte
	for more := c.object(); more; more = c.more() {
		if string(c.key()) == name {
			found, _ = c.raw()
		} else {
			c.skip()
		}
	}
	return found
}
