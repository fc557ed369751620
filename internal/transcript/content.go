package transcript

// content reads message.content: one string, or a list of blocks.
func (c *cursor) content(m *message) {
	switch c.at() {
	case '"':
		m.text, _ = c.raw()
		m.textual = true
	case '[':
		if !c.elements() {
			return
		}
		for {
			if c.at() == '{' {
				m.blocks = append(m.blocks, block{})
				c.block(m, &m.blocks[len(m.blocks)-1])
			} else {
				c.skip()
			}
			if !c.another() {
				return
			}
		}
	default:
		c.skip()
	}
}

func (c *cursor) block(m *message, bl *block) {
	if !c.open() {
		return
	}
	for {
		k := c.key()
		if c.i < 0 {
			return
		}
		switch string(k) {
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
		if !c.more() {
			return
		}
	}
}

// input reads a call's arguments: their span, and that of each member.
func (c *cursor) input(m *message, bl *block) {
	bl.input, bl.argFrom, bl.argTo = nil, len(m.args), len(m.args)
	if c.at() != '{' {
		c.skip()
		return
	}
	from := c.i
	for more := c.open(); more; more = c.more() {
		k := c.key()
		if c.i < 0 {
			return
		}
		m.args = append(m.args, Member{k, c.value()})
	}
	if c.i < 0 {
		return
	}
	bl.input, bl.argTo = c.b[from:c.i:c.i], len(m.args)
}

// resultContent reads a tool result's content: one string, or blocks with texts.
func (c *cursor) resultContent(m *message, bl *block) {
	switch c.at() {
	case '"':
		bl.text, _ = c.raw()
	case '[':
		bl.from = len(m.parts)
		if c.elements() {
			for {
				if c.at() == '{' {
					if t := c.rawMember("text"); t != nil {
						m.parts = append(m.parts, t)
					}
				} else {
					c.skip()
				}
				if !c.another() {
					break
				}
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
	if !c.open() {
		return nil
	}
	for {
		k := c.key()
		if c.i < 0 {
			return nil
		}
		if string(k) == name {
			found, _ = c.raw()
		} else {
			c.skip()
		}
		if !c.more() {
			return found
		}
	}
}
