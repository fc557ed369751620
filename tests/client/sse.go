package client

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// blocksOf are an answer's content blocks; id makes the calls' ids.
func blocksOf(id string, ans Answer) []map[string]any {
	var out []map[string]any
	if ans.Thinking != "" {
		out = append(out, map[string]any{"type": "thinking", "thinking": ans.Thinking, "signature": "c2ln"})
	}
	if ans.Text != "" || len(ans.Calls) == 0 {
		out = append(out, map[string]any{"type": "text", "text": ans.Text})
	}
	for i, c := range ans.Calls {
		out = append(out, map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%s_%d", id, i), "name": c.Name, "input": c.Input})
	}
	return out
}

func stopReason(ans Answer) string {
	if len(ans.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func usageObject(u Usage, fast bool) map[string]any {
	speed := "standard"
	if fast {
		speed = "fast"
	}
	return map[string]any{
		"input_tokens": u.Input, "output_tokens": u.Output, "cache_read_input_tokens": u.CacheRead,
		"cache_creation_input_tokens": u.CacheWrite5m + u.CacheWrite1h,
		"cache_creation":              map[string]int64{"ephemeral_5m_input_tokens": u.CacheWrite5m, "ephemeral_1h_input_tokens": u.CacheWrite1h},
		"service_tier":                "standard", "speed": speed,
	}
}

// message is a whole response.
func message(id string, ans Answer, u Usage) map[string]any {
	return map[string]any{"id": "msg_" + id, "type": "message", "role": "assistant", "model": ans.Model, "content": blocksOf(id, ans),
		"stop_reason": stopReason(ans), "stop_sequence": nil, "usage": usageObject(u, ans.Fast)}
}

// stream sends the response as server-sent events, in the order of the public protocol.
func stream(w http.ResponseWriter, id string, ans Answer, u Usage) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event string, data map[string]any) {
		data["type"] = event
		raw, _ := json.Marshal(data)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, raw)
	}
	start := message(id, ans, u)
	early := u
	early.Output = min(1, u.Output)
	start["content"], start["stop_reason"], start["usage"] = []any{}, nil, usageObject(early, ans.Fast)
	send("message_start", map[string]any{"message": start})
	for i, b := range blocksOf(id, ans) {
		open := map[string]any{"type": b["type"]}
		var deltas []map[string]any
		switch b["type"] {
		case "thinking":
			open["thinking"], open["signature"] = "", ""
			deltas = []map[string]any{{"type": "thinking_delta", "thinking": b["thinking"]}, {"type": "signature_delta", "signature": b["signature"]}}
		case "text":
			open["text"] = ""
			deltas = []map[string]any{{"type": "text_delta", "text": b["text"]}}
		case "tool_use":
			open["id"], open["name"], open["input"] = b["id"], b["name"], map[string]any{}
			input, _ := json.Marshal(b["input"])
			deltas = []map[string]any{{"type": "input_json_delta", "partial_json": string(input)}}
		}
		send("content_block_start", map[string]any{"index": i, "content_block": open})
		for _, d := range deltas {
			send("content_block_delta", map[string]any{"index": i, "delta": d})
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stopReason(ans), "stop_sequence": nil}, "usage": usageObject(u, ans.Fast)})
	send("message_stop", map[string]any{})
}
