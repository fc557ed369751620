package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Conversation is one running client that is told one prompt after the other: cheaper than a
// process per prompt, and its results carry the client's own running totals.
type Conversation struct {
	c    *Client
	cmd  *exec.Cmd
	in   io.WriteCloser
	rows *bufio.Reader
	errs *bytes.Buffer
}

// Total is the result of one prompt; the totals are the session's so far.
type Total struct {
	Result    string  `json:"result"`
	IsError   bool    `json:"is_error"`
	SessionID string  `json:"session_id"`
	CostUSD   float64 `json:"total_cost_usd"`
	Models    map[string]struct {
		CostUSD   float64 `json:"costUSD"`
		Canonical string  `json:"canonicalModel"`
		Basis     string  `json:"costBasis"`
	} `json:"modelUsage"`
}

// Converse starts the client with args; it ends with the test at the latest.
func (c *Client) Converse(args ...string) *Conversation {
	c.t.Helper()
	v := &Conversation{c: c, errs: &bytes.Buffer{}}
	v.cmd = exec.Command(c.Bin, append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, args...)...)
	v.cmd.Dir, v.cmd.Env, v.cmd.Stderr = c.Work, c.environ(), v.errs
	var out io.ReadCloser
	var err error
	if v.in, err = v.cmd.StdinPipe(); err == nil {
		if out, err = v.cmd.StdoutPipe(); err == nil {
			err = v.cmd.Start()
		}
	}
	if err != nil {
		c.t.Fatal(err)
	}
	v.rows = bufio.NewReaderSize(out, 1<<20)
	c.t.Cleanup(func() { v.End() })
	return v
}

// Say sends one prompt and waits for its result.
func (v *Conversation) Say(prompt string) Total {
	v.c.t.Helper()
	text, _ := json.Marshal(prompt)
	if _, err := fmt.Fprintf(v.in, `{"type":"user","message":{"role":"user","content":%s}}`+"\n", text); err != nil {
		v.c.t.Fatalf("conversation: %v: %s", err, v.errs)
	}
	stuck := time.AfterFunc(time.Minute, func() { v.cmd.Process.Kill() })
	defer stuck.Stop()
	for {
		line, err := v.rows.ReadString('\n')
		if strings.Contains(line, `"type":"result"`) {
			var t Total
			if err := json.Unmarshal([]byte(line), &t); err != nil {
				v.c.t.Fatalf("conversation: %v in %.200s", err, line)
			}
			return t
		}
		if err != nil {
			v.c.t.Fatalf("conversation ended without a result: %v: %s", err, v.errs)
		}
	}
}

// Model makes the client ask another model from the next prompt on; it may first send the
// model a probe of one token, outside the stream.
func (v *Conversation) Model(id string) {
	v.c.t.Helper()
	if _, err := fmt.Fprintf(v.in, `{"type":"control_request","request_id":"model-%s","request":{"subtype":"set_model","model":%q}}`+"\n", id, id); err != nil {
		v.c.t.Fatalf("conversation: %v: %s", err, v.errs)
	}
}

// End closes standard input and waits for the client to leave.
func (v *Conversation) End() {
	if v.in == nil {
		return
	}
	v.in.Close()
	v.in = nil
	io.Copy(io.Discard, v.rows)
	v.cmd.Wait()
}
