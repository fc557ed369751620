package client

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// API is a scripted Messages API on the loopback.
type API struct {
	t     testing.TB
	srv   *httptest.Server
	mu    sync.Mutex
	lanes []*Lane
	log   []Exchange
	n     int
	cache map[[32]byte]int64 // prompt prefix → its tokens
}

// Exchange is one request and what was answered.
type Exchange struct {
	// Lane that answered, "" when none matched (the answer is then the text "ok").
	Lane    string
	Request *Request
	Answer  Answer
	Usage   Usage
}

// Lane answers the requests that match, one answer after the other.
type Lane struct {
	api     *API
	name    string
	match   func(*Request) bool
	answers []func(*Request) Answer
	forever bool
}

// Answer is one response of the model.
type Answer struct {
	Thinking string
	Text     string
	Calls    []ToolUse
	// Usage as billed; nil models it from the request.
	Usage *Usage
	// Model that answers; "" is the one that was asked for.
	Model string
	// Fast bills as speed: fast.
	Fast bool
	// Status other than 0 and 200 answers with an API error and Text as its message.
	Status int
}

// ToolUse is a call that the model makes; Input is anything that encodes to an object.
type ToolUse struct {
	Name  string
	Input any
}

// Bash is a call of the Bash tool.
func Bash(command string) ToolUse {
	return ToolUse{"Bash", map[string]string{"command": command, "description": "run it"}}
}

// Usage is what a response is billed.
type Usage struct{ Input, Output, CacheRead, CacheWrite5m, CacheWrite1h int64 }

// Total is every token of u.
func (u Usage) Total() int64 {
	return u.Input + u.Output + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h
}

// NewAPI starts an API that ends with the test. When the test fails, its wire log is written
// to a file whose name is logged.
func NewAPI(t testing.TB) *API {
	a := &API{t: t, cache: map[[32]byte]int64{}}
	a.srv = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(func() {
		a.srv.Close()
		if t.Failed() {
			a.dump()
		}
	})
	return a
}

// URL is the base URL to give the client.
func (a *API) URL() string { return a.srv.URL }

// Lane adds a lane; lanes are tried in the order of their making, used-up ones are passed over.
func (a *API) Lane(name string, match func(*Request) bool) *Lane {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := &Lane{api: a, name: name, match: match}
	a.lanes = append(a.lanes, l)
	return l
}

// Then adds answers.
func (l *Lane) Then(answers ...Answer) *Lane {
	for _, x := range answers {
		l.ThenFunc(func(*Request) Answer { return x })
	}
	return l
}

// ThenFunc adds an answer that depends on the request.
func (l *Lane) ThenFunc(f func(*Request) Answer) *Lane {
	l.api.mu.Lock()
	defer l.api.mu.Unlock()
	l.answers = append(l.answers, f)
	return l
}

// Forever repeats the last answer.
func (l *Lane) Forever() *Lane {
	l.api.mu.Lock()
	defer l.api.mu.Unlock()
	l.forever = true
	return l
}

// Any matches every request.
func Any(*Request) bool { return true }

// FirstUserHas matches a conversation whose first user message holds s.
func FirstUserHas(s string) func(*Request) bool {
	return func(r *Request) bool { return strings.Contains(r.FirstUser(), s) }
}

// SystemHas matches a conversation whose system prompt holds s: a subagent's, for one.
func SystemHas(s string) func(*Request) bool {
	return func(r *Request) bool { return strings.Contains(string(r.System), s) }
}

// Log is every request so far, in order.
func (a *API) Log() []Exchange {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Exchange(nil), a.log...)
}

// Reset forgets lanes and log, not the cache.
func (a *API) Reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lanes, a.log = nil, nil
}

// Cool empties the cache, as a provider does after some minutes.
func (a *API) Cool() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.cache)
}

func (a *API) serve(w http.ResponseWriter, hr *http.Request) {
	if hr.Method != http.MethodPost || hr.URL.Path != "/v1/messages" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(hr.Body)
	req := &Request{Body: body}
	if err == nil {
		err = json.Unmarshal(body, req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, ans, usage := a.take(req)
	if ans.Status != 0 && ans.Status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(ans.Status)
		json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": ans.Text}})
		return
	}
	w.Header().Set("request-id", "req_"+id)
	if !req.Stream {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(message(id, ans, usage))
		return
	}
	stream(w, id, ans, usage)
}

// take picks the answer and enters the exchange in the log.
func (a *API) take(req *Request) (id string, ans Answer, usage Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	name := ""
	defer func() {
		if r := recover(); r != nil { // a script that met what it did not expect: end the run at once
			a.t.Errorf("api: lane %s: %v; it was asked: %.300s", name, r, req.LastUser())
			ans = Answer{Status: http.StatusBadRequest, Text: "the script failed"}
			a.log = append(a.log, Exchange{Lane: name, Request: req, Answer: ans})
		}
	}()
	ans = Answer{Text: "ok"}
	for _, l := range a.lanes {
		if len(l.answers) == 0 || !l.match(req) {
			continue
		}
		name = l.name
		ans = l.answers[0](req)
		if len(l.answers) > 1 || !l.forever {
			l.answers = l.answers[1:]
		}
		break
	}
	if ans.Model == "" {
		ans.Model = req.Model
	}
	usage = a.bill(req, ans)
	if ans.Usage != nil {
		usage = *ans.Usage
	}
	a.log = append(a.log, Exchange{Lane: name, Request: req, Answer: ans, Usage: usage})
	return fmt.Sprintf("scripted%06d", a.n), ans, usage
}

// bill models a provider's usage: four bytes a token, the longest prefix that was seen before
// read from the cache, the rest written to it for five minutes.
func (a *API) bill(req *Request, ans Answer) Usage {
	pieces, err := req.pieces()
	if err != nil {
		a.t.Errorf("api: %v", err)
		return Usage{}
	}
	var total, read int64
	key := sha256.Sum256([]byte(req.Model))
	for _, p := range pieces {
		total += int64(len(p)+3) / 4
		key = sha256.Sum256(append(key[:], p...))
		if n, ok := a.cache[key]; ok {
			read = n
		}
		a.cache[key] = total
	}
	out, _ := json.Marshal(blocksOf("x", ans))
	return Usage{Input: 3, Output: int64(len(out)+3) / 4, CacheRead: read, CacheWrite5m: total - read}
}

// dump writes the log for a person to read.
func (a *API) dump() {
	dir, err := os.MkdirTemp("", "wire-")
	if err != nil {
		return
	}
	var b strings.Builder
	for _, x := range a.Log() {
		line, _ := json.Marshal(map[string]any{"lane": x.Lane, "answer": x.Answer, "usage": x.Usage, "body": json.RawMessage(x.Request.Body)})
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(dir, "wire.jsonl")
	if os.WriteFile(path, []byte(b.String()), 0o644) == nil {
		a.t.Logf("wire log: %s", path)
	}
}
