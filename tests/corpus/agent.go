package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dispatch is an Agent (once Task) call and the subagent that it starts.
type Dispatch struct {
	// Type is the subagent_type: "Explore", "acme:reviewer"; "" leaves it out (general-purpose).
	// "fork" begins the agent's file with a copy of the dispatching response.
	Type   string
	Prompt string
	// Model that the agent's turns are answered by; "" is the parent's.
	Model string
	// Background returns at once; the caller writes the report with Session.Notify.
	Background bool
	// FileLost leaves no file of the agent's; of clients that echo, the echoes remain.
	FileLost bool
	// ReplayParent begins the agent's file with the dispatching response under a new request id.
	ReplayParent bool
	// Run writes the agent's turns, after its prompt.
	Run func(*Thread)
}

// Agent is the call that dispatches d.
func Agent(d Dispatch) Call {
	in := object{{"description", "do a part"}, {"prompt", d.Prompt}}
	if d.Type != "" {
		in = append(in, member{"subagent_type", d.Type})
	}
	return Call{Tool: "Agent", Input: in, agent: &d}
}

// run writes the subagent's thread and returns its call's result and toolUseResult.
func (t *Thread) run(d *Dispatch, call string) (result string, meta any) {
	s := t.s
	kind := d.Type
	if kind == "" {
		kind = "general-purpose"
	}
	a := &Thread{s: s, AgentID: fmt.Sprintf("a%07x", s.rnd.Uint64()&0xfffffff), call: call, prompt: d.Prompt, agent: kind,
		model: d.Model, context: s.opt.Context / 2, inherit: t.working(), noFile: d.FileLost}
	if a.model == "" {
		a.model = t.model
	}
	dir, _ := strings.CutSuffix(s.path, s.ID+".jsonl")
	switch s.v.agentLayout() {
	case agentInline:
		a.path = s.path
	case agentBeside:
		a.path = dir + "agent-" + a.AgentID + ".jsonl"
	case agentAndEchoed:
		a.path, a.echo = dir+s.ID+"/subagents/agent-"+a.AgentID+".jsonl", true
	default:
		a.path = dir + s.ID + "/subagents/agent-" + a.AgentID + ".jsonl"
	}
	s.threads = append(s.threads, a)
	if !d.FileLost && s.v.metaFile() {
		s.home.meta(strings.TrimSuffix(a.path, ".jsonl")+".meta.json", object{{"agentType", kind}, {"description", "do a part"}, {"toolUseId", call}, {"spawnDepth", 1}})
	}
	if kind == "fork" || d.ReplayParent {
		a.replay(t.dispatch, d.ReplayParent)
	}
	if d.Background {
		defer a.begin(d)
		return "Async agent launched successfully.\nagentId: " + a.AgentID,
			object{{"isAsync", true}, {"status", "async_launched"}, {"agentId", a.AgentID}, {"prompt", d.Prompt}}
	}
	last := a.begin(d)
	total := last.Input + last.Output + last.CacheRead + last.Write5m + last.Write1h
	return "The part is done.", object{{"status", "completed"}, {"prompt", d.Prompt}, {"agentId", a.AgentID},
		{"content", []any{object{{"type", "text"}, {"text", "The part is done."}}}}, {"totalTokens", total}}
}

// begin runs the agent and returns its last response's usage, which is all that the client's
// own totalTokens is about.
func (a *Thread) begin(d *Dispatch) (last Usage) {
	h := a.s.home
	outer := h.OnTurn
	h.OnTurn = func(w Written) {
		if w.AgentID == a.AgentID {
			last = w.Usage
		}
		if outer != nil {
			outer(w)
		}
	}
	a.Prompt(d.Prompt)
	if d.Run != nil {
		d.Run(a)
	}
	h.OnTurn = outer
	return last
}

// replay repeats the parent's response: same message id, new row ids.
func (a *Thread) replay(rows []object, newRequest bool) {
	request := token(a.s.rnd, "req_011C", 20)
	for _, row := range rows {
		row = slices.Clone(row)
		for i := range row {
			if newRequest && row[i].key == "requestId" {
				row[i].value = request
			}
		}
		a.write(row)
	}
}

// echoProgress repeats an agent's row in the main file as a progress row.
func (s *Session) echoProgress(a *Thread, body object, id, stamp string) {
	get := func(key string) any {
		for _, m := range body {
			if m.key == key {
				return m.value
			}
		}
		return nil
	}
	if k := get("type"); k != "assistant" && k != "user" {
		return
	}
	msg := object{{"type", get("type")}, {"timestamp", stamp}, {"message", get("message")}}
	if r := get("requestId"); r != nil {
		msg = append(msg, member{"requestId", r})
	}
	msg = append(msg, member{"uuid", id})
	s.write(object{{"type", "progress"}, {"data", object{{"message", msg}, {"normalizedMessages", []any{}}, {"type", "agent_progress"},
		{"prompt", a.prompt}, {"agentId", a.AgentID}}}, {"toolUseID", "agent_" + id}, {"parentToolUseID", a.call}})
}

// meta writes a small JSON file that is no transcript.
func (h *Home) meta(path string, o object) {
	rf := h.file(path)
	rf.w.Write(appendJSON(nil, o))
	h.closeFile(path)
	h.Ledger.Files--
}

// CompactionAgent is an agent-acompact-* thread: one request, a cost of its own.
func (s *Session) CompactionAgent(u Usage) Written {
	return s.sideThread("acompact-"+fmt.Sprintf("%07x", s.rnd.Uint64()&0xfffffff), "", u)
}

// Warmup is a warm-up run: an agent's file without a dispatch.
func (s *Session) Warmup(u Usage) Written {
	return s.sideThread(fmt.Sprintf("a%07x", s.rnd.Uint64()&0xfffffff), "Warmup", u)
}

func (s *Session) sideThread(id, prompt string, u Usage) Written {
	dir, _ := strings.CutSuffix(s.path, s.ID+".jsonl")
	a := &Thread{s: s, AgentID: id, model: s.model, path: dir + s.ID + "/subagents/agent-" + id + ".jsonl"}
	if s.v.agentLayout() == agentBeside {
		a.path = dir + "agent-" + id + ".jsonl"
	}
	s.threads = append(s.threads, a)
	if prompt == "" {
		prompt = "Summarise the conversation so far."
	}
	a.Prompt(prompt)
	return a.Turn(Turn{Text: "ready", Usage: &u})
}

// CostState writes the client's own cumulative totals.
func (s *Session) CostState() {
	usage, total := object{}, 0.0
	for _, m := range slices.Sorted(maps.Keys(s.spent)) {
		u := s.spent[m]
		pico, _ := CostPico(m, u)
		cost := float64(pico) / 1e12
		total += cost
		usage = append(usage, member{m, object{{"inputTokens", u.Input}, {"outputTokens", u.Output}, {"thinkingTokens", 0}, {"cacheReadInputTokens", u.CacheRead},
			{"cacheCreationInputTokens", u.Write5m + u.Write1h}, {"cacheCreationEphemeral5mInputTokens", u.Write5m}, {"cacheCreationEphemeral1hInputTokens", u.Write1h},
			{"webSearchRequests", 0}, {"costUSD", cost}}})
	}
	s.home.row(s.path, object{{"type", "cost-state"}, {"sessionId", s.ID}, {"totalCostUSD", total}, {"modelUsage", usage}, {"hasUnknownModelCost", false}})
}
