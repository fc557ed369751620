package client

import (
	"strings"
	"testing"
)

// The driver itself: a scripted conversation with a tool call runs in the real client, and
// what the API billed is what the transcript holds.
func TestDriver(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, *API) *Client{"pinned": New, "old": NewOld} {
		t.Run(name, func(t *testing.T) {
			api := NewAPI(t)
			c := open(t, api)
			api.Lane("main", FirstUserHas("LANE")).Then(
				Answer{Thinking: "hm", Text: "Looking.", Calls: []ToolUse{Bash("echo one two")}},
				Answer{Text: "Seen."})
			got := c.Prompt("LANE go")
			if got.Result != "Seen." || got.IsError {
				t.Fatalf("result %+v", got)
			}
			log := api.Log()
			if len(log) != 2 {
				t.Fatalf("%d requests, expected 2", len(log))
			}
			if r := log[1].Request.Results(); len(r) != 1 || !strings.Contains(r[0].Content.Text(), "one two") {
				t.Errorf("tool result on the wire: %+v", r)
			}
			if log[1].Usage.CacheRead == 0 {
				t.Errorf("the second request read nothing from the cache: %+v", log[1].Usage)
			}
			seen := map[string]int64{}
			for _, row := range c.Rows(got.SessionID) {
				if row["type"] != "assistant" {
					continue
				}
				m := row["message"].(map[string]any)
				seen[m["id"].(string)] = int64(m["usage"].(map[string]any)["cache_read_input_tokens"].(float64))
			}
			if len(seen) != 2 || seen["msg_scripted000002"] != log[1].Usage.CacheRead {
				t.Errorf("transcript holds %v, the API billed %+v", seen, log)
			}
		})
	}
}
