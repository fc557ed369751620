package transcript

// parseRow reads the object at b[i] into r and answers the position after it, or -1.
// Members come in any order; of a member that stands twice the last one counts.
func parseRow(b []byte, i, depth int, r *row) int {
	r.reset()
	c := cursor{b: b, i: i, depth: depth, scratch: r.scratch}
	c.row(r)
	r.scratch = c.scratch
	return c.i
}

func (c *cursor) row(r *row) {
	for more := c.object(); more; more = c.more() {
		switch string(c.key()) {
		case "type":
			r.kind = c.text()
		case "message":
			r.message.reset()
			c.message(&r.message)
		case "uuid":
			r.uuid = c.text()
		case "sessionId":
			r.session = c.text()
		case "requestSessionId":
			r.originSession = c.text()
		case "requestId":
			r.request = c.text()
		case "timestamp":
			r.stamp = c.text()
		case "version":
			r.version = c.text()
		case "cwd":
			r.cwd = c.text()
		case "agentId":
			r.agent = c.text()
		case "isSidechain":
			r.sidechain = c.boolean()
		case "isMeta":
			r.meta = c.boolean()
		case "isCompactSummary":
			r.summary = c.boolean()
		case "isApiErrorMessage":
			r.apiError = c.boolean()
		case "attributionSkill":
			r.skill = c.text()
		case "attributionPlugin":
			r.plugin = c.text()
		case "attributionAgent":
			r.attributionAgent = c.text()
		case "subtype":
			r.subtype = c.text()
		case "sourceToolUseID":
			r.sourceCall = c.text()
		case "parentToolUseID":
			r.parentCall = c.text()
		case "origin":
			r.origin = c.member("kind")
		case "toolUseResult":
			r.resultAgent = c.member("agentId")
		case "data", "attachment":
			r.extra = extra{}
			c.extra(&r.extra)
		case "totalCostUSD":
			r.totalCost = c.value()
		case "modelUsage":
			r.modelUsage = c.value()
		default:
			c.skip()
		}
	}
}

// parseOne is parseRow for a line's first object.
func parseOne(line []byte, r *row) bool {
	i := skipSpace(line, 0)
	return i < len(line) && line[i] == '{' && parseRow(line, i, 0, r) > 0
}

// member reads one string member of the object at i and skips the rest.
func (c *cursor) member(name string) []byte {
	var found []byte
	for more := c.object(); more; more = c.more() {
		if string(c.key()) == name {
			found = c.text()
		} else {
			c.skip()
		}
	}
	return found
}

func (c *cursor) extra(e *extra) {
	for more := c.object(); more; more = c.more() {
		switch string(c.key()) {
		case "type":
			e.kind = c.text()
		case "hookEvent":
			e.hook = c.text()
		case "agentId":
			e.agent = c.text()
		case "commandMode":
			e.mode = c.text()
		case "prompt":
			e.prompt, _ = c.raw()
		case "message":
			e.hasMessage = c.at() == '{'
			e.inner = c.value()
		default:
			c.skip()
		}
	}
}

func (c *cursor) message(m *message) {
	for more := c.object(); more; more = c.more() {
		switch string(c.key()) {
		case "id":
			m.id = c.text()
		case "model":
			m.model = c.text()
		case "stop_reason":
			m.stopped = c.at() == '"'
			c.skip()
		case "usage":
			m.usage, m.hasUsage, m.iterations = usage{}, c.at() == '{', m.iterations[:0]
			c.usage(&m.usage, &m.iterations)
		case "content":
			m.text, m.textual, m.blocks, m.parts, m.args = nil, false, m.blocks[:0], m.parts[:0], m.args[:0]
			c.content(m)
		default:
			c.skip()
		}
	}
}

// usage reads a usage object; iterations is nil inside an iteration.
func (c *cursor) usage(u *usage, iterations *[]iteration) {
	for more := c.object(); more; more = c.more() {
		c.counter(string(c.key()), u, iterations)
	}
}

func (c *cursor) counter(k string, u *usage, iterations *[]iteration) {
	switch k {
	case "input_tokens":
		u.input = c.count()
	case "output_tokens":
		u.output = c.count()
	case "cache_read_input_tokens":
		u.read = c.count()
	case "cache_creation_input_tokens":
		u.aggregate = c.at()-'0' < 10
		u.write = c.count()
	case "cache_creation":
		c.split(u)
	case "server_tool_use":
		c.searches(u)
	case "speed":
		u.fast = string(c.text()) == "fast"
	case "iterations":
		if iterations == nil || c.at() != '[' {
			c.skip()
			return
		}
		*iterations = (*iterations)[:0]
		for more := c.elements(); more; more = c.another() {
			*iterations = append(*iterations, iteration{})
			c.iteration(&(*iterations)[len(*iterations)-1])
		}
	default:
		c.skip()
	}
}

func (c *cursor) searches(u *usage) {
	for more := c.object(); more; more = c.more() {
		if string(c.key()) == "web_search_requests" {
			u.searches = c.count()
		} else {
			c.skip()
		}
	}
}

func (c *cursor) split(u *usage) {
	u.write5m, u.write1h = 0, 0
	for more := c.object(); more; more = c.more() {
		switch string(c.key()) {
		case "ephemeral_5m_input_tokens":
			u.write5m = c.count()
		case "ephemeral_1h_input_tokens":
			u.write1h = c.count()
		default:
			c.skip()
		}
	}
}

func (c *cursor) iteration(it *iteration) {
	for more := c.object(); more; more = c.more() {
		switch k := c.key(); string(k) {
		case "type":
			it.kind = c.text()
		case "model":
			it.model = c.text()
		default:
			c.counter(string(k), &it.usage, nil)
		}
	}
}
