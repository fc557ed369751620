package corpus

import (
	"encoding/json"
	"strings"
)

// Turn is one API response and the results of its calls.
type Turn struct {
	// Model that answers; "" is the thread's.
	Model    string
	Thinking bool
	Text     string
	Calls    []Call
	// Usage as billed; nil models it: the context so far is read from the cache, what came since
	// is written to it, the output is as long as the response.
	Usage *Usage
	Fast  bool
	// OutputPerRow overrides the output count of each row, one per block.
	OutputPerRow []int64
	// CutOff is a response that was interrupted while it streamed: every row has stop_reason
	// null and the counts of the response's start.
	CutOff bool
	// Interleaved writes a call's result before the response's next block.
	Interleaved bool
	// Advisor is billed on top, in usage.iterations; "" is none.
	Advisor      string
	AdvisorUsage Usage
}

// Call is one tool call with what came back. Make one with Bash, Read and the others, or in full.
type Call struct {
	Tool string
	// Input is the call's whole input: a map, or anything that encoding/json writes.
	Input any
	// Result is the text that the model gets back; Failed marks it as an error.
	Result string
	Failed bool
	// Meta is the row's toolUseResult; nil makes one from Result.
	Meta any

	skill *skillCall
	agent *Dispatch
}

type skillCall struct {
	name string
	body Body
}

// Bash is a successful command.
func Bash(command, out string) Call {
	return Call{Tool: "Bash", Input: object{{"command", command}, {"description", "run it"}}, Result: out,
		Meta: object{{"stdout", out}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}}}
}

// Read is a read of a whole file.
func Read(path, content string) Call {
	return Call{Tool: "Read", Input: object{{"file_path", path}}, Result: content,
		Meta: object{{"type", "text"}, {"file", object{{"filePath", path}, {"content", content}, {"numLines", strings.Count(content, "\n") + 1}}}}}
}

// Grep is a search over files.
func Grep(pattern, path, out string) Call {
	return Call{Tool: "Grep", Input: object{{"pattern", pattern}, {"path", path}}, Result: out}
}

// Edit is a change of a file.
func Edit(path, old, new string) Call {
	return Call{Tool: "Edit", Input: object{{"file_path", path}, {"old_string", old}, {"new_string", new}}, Result: "The file " + path + " has been updated."}
}

// WriteFile is a new file.
func WriteFile(path, content string) Call {
	return Call{Tool: "Write", Input: object{{"file_path", path}, {"content", content}}, Result: "File created successfully at: " + path}
}

// MCP is a call of a server's tool: mcp__server__tool.
func MCP(server, tool string, input any, out string) Call {
	return Call{Tool: "mcp__" + server + "__" + tool, Input: input, Result: out}
}

// Ask is a question to the user and the answer.
func Ask(question, answer string) Call {
	q := []any{object{{"question", question}, {"header", "Choice"}, {"multiSelect", false},
		{"options", []any{object{{"label", answer}, {"description", "yes"}}, object{{"label", "other"}, {"description", "no"}}}}}}
	return Call{Tool: "AskUserQuestion", Input: object{{"questions", q}}, Result: `User has answered your questions: "` + question + `"="` + answer + `".`,
		Meta: object{{"questions", q}, {"answers", object{{question, answer}}}}}
}

// Fail is c with an error as its result.
func (c Call) Fail(message string) Call {
	c.Failed, c.Result, c.Meta = true, message, nil
	return c
}

// Skill is a call of the Skill tool that succeeds: b follows, and the skill is at work from
// the next turn on.
func Skill(name, args string, b Body) Call {
	in := object{{"skill", name}}
	if args != "" {
		in = append(in, member{"args", args})
	}
	return Call{Tool: "Skill", Input: in, Result: "Launching skill: " + name,
		Meta: object{{"success", true}, {"commandName", name}}, skill: &skillCall{name, b}}
}

// UnknownSkill is a Skill call that fails and opens nothing.
func UnknownSkill(name string) Call {
	return Call{Tool: "Skill", Input: object{{"skill", name}}, Failed: true, Result: "<tool_use_error>Unknown skill: " + name + "</tool_use_error>",
		Meta: "Error: Unknown skill: " + name}
}

// Turn writes one response, then the results of its calls, and says what was written.
func (t *Thread) Turn(turn Turn) Written {
	s := t.s
	r := s.rnd
	id, request := token(r, "msg_01", 22), token(r, "req_011C", 20)
	model := turn.Model
	if model == "" {
		model = t.model
	}
	blocks, ids := t.blocks(turn)
	usage := t.usage(turn, blocks)
	w := Written{MessageID: id, Session: s.ID, AgentID: t.AgentID, Model: model, Usage: usage, Final: true, Calls: len(turn.Calls),
		Skill: t.working().skill, Plugin: t.plugin(), Agent: t.agent, Stamped: s.v.stamps() && (t.working().skill != "" || t.agent != "")}
	rows := t.usageRows(turn, usage, len(blocks))
	var most int64
	for _, row := range rows {
		most = max(most, row.output)
	}
	w.Usage.Output, w.Final = most, rows[len(rows)-1].final
	t.dispatch = t.dispatch[:0]
	answered := 0
	for i, b := range blocks {
		row := t.assistant(id, request, model, b, i, t.usageObject(turn, usage, rows[i].output), stopReason(turn, rows[i].final))
		t.write(row)
		t.dispatch = append(t.dispatch, row)
		if n := i - (len(blocks) - len(turn.Calls)); turn.Interleaved && n >= 0 && n < len(turn.Calls)-1 {
			t.answer(turn.Calls[n], ids[n])
			answered = n + 1
		}
	}
	t.cached = t.context
	t.context += w.Usage.Output
	s.home.Ledger.enter(w)
	s.spend(model, w.Usage)
	if turn.Advisor != "" {
		s.home.Ledger.advisor(turn.Advisor, turn.AdvisorUsage)
		s.spend(turn.Advisor, turn.AdvisorUsage)
	}
	if s.home.OnTurn != nil {
		s.home.OnTurn(w)
	}
	if !turn.CutOff {
		for n := answered; n < len(turn.Calls); n++ {
			t.answer(turn.Calls[n], ids[n])
		}
	}
	return w
}

// Say is a turn of text alone.
func (t *Thread) Say(text string) Written { return t.Turn(Turn{Text: text}) }

// Do is a turn of calls alone.
func (t *Thread) Do(calls ...Call) Written { return t.Turn(Turn{Calls: calls}) }

// working is what was at work when the thread's next response starts.
func (t *Thread) working() work {
	if t.main() {
		return t.s.active
	}
	return t.inherit
}

// plugin is the skill's plugin, else, with no skill at work, the agent's own.
func (t *Thread) plugin() string {
	w := t.working()
	if w.plugin == "" {
		if p, _, ok := strings.Cut(t.agent, ":"); ok {
			return p
		}
	}
	return w.plugin
}

// blocks are the response's content blocks and the ids of its calls.
func (t *Thread) blocks(turn Turn) (blocks []any, ids []string) {
	if turn.Thinking {
		blocks = append(blocks, object{{"type", "thinking"}, {"thinking", ""}, {"signature", token(t.s.rnd, "", 64)}})
	}
	if turn.Text != "" || !turn.Thinking && len(turn.Calls) == 0 {
		blocks = append(blocks, object{{"type", "text"}, {"text", turn.Text}})
	}
	for _, c := range turn.Calls {
		ids = append(ids, token(t.s.rnd, "toolu_01", 22))
		tool := c.Tool
		if c.agent != nil {
			tool = t.s.v.agentTool()
		}
		blocks = append(blocks, object{{"type", "tool_use"}, {"id", ids[len(ids)-1]}, {"name", tool}, {"input", c.Input}})
	}
	return blocks, ids
}

func (t *Thread) usage(turn Turn, blocks []any) Usage {
	if turn.Usage != nil {
		return *turn.Usage
	}
	u := Usage{Input: 3, CacheRead: t.cached}
	if fresh := t.context - t.cached; t.s.opt.FiveMinuteCache || t.s.v < 1_000_119 {
		u.Write5m = fresh
	} else {
		u.Write1h = fresh
	}
	u.Output = 8 + int64(len(appendJSON(nil, blocks)))/4
	if turn.Thinking {
		u.Output += 150
	}
	return u
}

// usageRow is what one row says of the output.
type usageRow struct {
	output int64
	final  bool
}

func (t *Thread) usageRows(turn Turn, u Usage, n int) []usageRow {
	rows := make([]usageRow, n)
	style := t.s.v.usageStyle()
	for i := range rows {
		last := i == n-1
		switch {
		case turn.CutOff:
			rows[i] = usageRow{min(2, u.Output), false}
		case turn.OutputPerRow != nil:
			rows[i] = usageRow{turn.OutputPerRow[i], style == usageAllFinal || style == usageLastFinal && last}
		case style == usageAllFinal || style == usageLastFinal && last:
			rows[i] = usageRow{u.Output, true}
		case style == usageGrows && last:
			rows[i] = usageRow{u.Output, false}
		case style == usageGrows:
			rows[i] = usageRow{u.Output * int64(i+1) / int64(n+1), false}
		default:
			rows[i] = usageRow{min(u.Output, 5), false}
		}
	}
	return rows
}

func stopReason(turn Turn, final bool) any {
	switch {
	case !final:
		return nil
	case len(turn.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (t *Thread) usageObject(turn Turn, u Usage, output int64) object {
	v := t.s.v
	o := object{{"input_tokens", u.Input}, {"cache_creation_input_tokens", u.Write5m + u.Write1h}, {"cache_read_input_tokens", u.CacheRead}, {"output_tokens", output}}
	if v >= 2_000_060 {
		o = append(o, member{"server_tool_use", object{{"web_search_requests", 0}, {"web_fetch_requests", 0}}})
	}
	o = append(o, member{"service_tier", "standard"})
	if v >= 1_000_119 {
		o = append(o, member{"cache_creation", object{{"ephemeral_1h_input_tokens", u.Write1h}, {"ephemeral_5m_input_tokens", u.Write5m}}})
	}
	if v >= 2_001_038 {
		iterations := []any{}
		if v >= 2_001_098 {
			iterations = append(iterations, object{{"type", "message"}, {"input_tokens", u.Input}, {"output_tokens", output}, {"cache_read_input_tokens", u.CacheRead},
				{"cache_creation_input_tokens", u.Write5m + u.Write1h}})
		}
		if turn.Advisor != "" {
			a := turn.AdvisorUsage
			iterations = append(iterations, object{{"type", "advisor_message"}, {"model", turn.Advisor}, {"input_tokens", a.Input}, {"output_tokens", a.Output},
				{"cache_read_input_tokens", a.CacheRead}, {"cache_creation_input_tokens", a.Write5m + a.Write1h},
				{"cache_creation", object{{"ephemeral_1h_input_tokens", a.Write1h}, {"ephemeral_5m_input_tokens", a.Write5m}}}})
		}
		o = append(o, member{"iterations", iterations})
	}
	if v >= 2_001_041 {
		speed := "standard"
		if turn.Fast {
			speed = "fast"
		}
		o = append(o, member{"speed", speed})
	}
	return o
}

func (t *Thread) assistant(id, request, model string, block any, index int, usage object, stop any) object {
	m := object{{"model", model}, {"id", id}, {"type", "message"}, {"role", "assistant"}, {"content", []any{block}}, {"stop_reason", stop}, {"stop_sequence", nil}, {"usage", usage}}
	o := object{{"message", m}}
	if t.s.v >= 2_001_300 {
		o = append(o, member{"apiBlockIndex", index})
	}
	o = append(o, member{"requestId", request})
	if w := t.working(); t.s.v.stamps() {
		for _, m := range (object{{"attributionAgent", t.agent}, {"attributionSkill", w.skill}, {"attributionPlugin", t.plugin()}}) {
			if m.value != "" {
				o = append(o, m)
			}
		}
	}
	return append(o, member{"type", "assistant"})
}

// answer writes the result of one call, and what follows from it.
func (t *Thread) answer(c Call, id string) {
	if c.agent != nil {
		c.Result, c.Meta = t.run(c.agent, id)
	}
	block := object{{"tool_use_id", id}, {"type", "tool_result"}, {"content", c.Result}}
	meta := c.Meta
	if c.Failed {
		block = append(block, member{"is_error", true})
		if meta == nil {
			meta = "Error: " + c.Result
		}
	}
	if meta == nil {
		meta = object{{"content", c.Result}}
	}
	t.grow(c.Result)
	t.user([]any{block}, member{"toolUseResult", meta})
	if c.skill != nil {
		t.body(c.skill.body, id)
		if t.main() {
			t.s.active = work{c.skill.name, c.skill.body.Plugin}
		}
	}
}

func (l *Ledger) advisor(model string, u Usage) {
	l.Total.Usage = l.Total.Usage.plus(u)
	l.Total.WeightedMilli += WeightedMilli(model, u)
	m := entry(l.Models, model)
	m.Usage = m.Usage.plus(u)
	m.WeightedMilli += WeightedMilli(model, u)
}

// Raw is JSON that goes into a row as it stands.
func Raw(s string) any { return json.RawMessage(s) }
