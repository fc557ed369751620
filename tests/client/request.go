package client

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Request is one request to the Messages API, as the client sent it.
type Request struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	Speed    string          `json:"speed"`
	System   json.RawMessage `json:"system"`
	Messages []Message       `json:"messages"`
	Tools    []struct {
		Name string `json:"name"`
	} `json:"tools"`
	// Body is the whole request.
	Body []byte `json:"-"`
}

// Message is one message of a request.
type Message struct {
	Role    string `json:"role"`
	Content Blocks `json:"content"`
}

// Blocks are a message's content; a plain string is one text block.
type Blocks []Block

// Block is one content block. Content is a tool result's text.
type Block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   Blocks          `json:"content"`
}

// UnmarshalJSON accepts a string or a list of blocks.
func (b *Blocks) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*b = Blocks{{Type: "text", Text: s}}
		return nil
	}
	var list []Block
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*b = list
	return nil
}

// Text is all text of the blocks, tool results included, joined by newlines.
func (b Blocks) Text() string {
	var out []string
	for _, x := range b {
		if x.Text != "" {
			out = append(out, x.Text)
		}
		if t := x.Content.Text(); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n")
}

// FirstUser is the text of the first user message: the prompt, or a command's body.
func (r *Request) FirstUser() string {
	for _, m := range r.Messages {
		if m.Role == "user" {
			return m.Content.Text()
		}
	}
	return ""
}

// LastUser is the text of the last user message: what the model is to answer now.
func (r *Request) LastUser() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].Content.Text()
		}
	}
	return ""
}

// Results are the tool results of the last user message.
func (r *Request) Results() []Block {
	var out []Block
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			for _, b := range r.Messages[i].Content {
				if b.Type == "tool_result" {
					out = append(out, b)
				}
			}
			return out
		}
	}
	return out
}

// ToolNames are the tools that the request offers.
func (r *Request) ToolNames() []string {
	var out []string
	for _, t := range r.Tools {
		out = append(out, t.Name)
	}
	return out
}

// pieces are the parts of a prompt in the order in which a provider caches them: tools,
// system, then each message, in one form: the client writes the same text now as a string, now
// as a block with a cache marker, which moves from request to request.
func (r *Request) pieces() ([][]byte, error) {
	var raw struct {
		Tools    any   `json:"tools"`
		System   any   `json:"system"`
		Messages []any `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &raw); err != nil {
		return nil, fmt.Errorf("request body: %w", err)
	}
	var out [][]byte
	for _, p := range append([]any{raw.Tools, raw.System}, raw.Messages...) {
		data, err := json.Marshal(plain(p))
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "cache_control")
		for k, e := range v {
			if text, ok := e.(string); ok && k == "content" {
				e = []any{map[string]any{"type": "text", "text": text}}
			}
			v[k] = plain(e)
		}
	case []any:
		for i, e := range v {
			v[i] = plain(e)
		}
	}
	return v
}
