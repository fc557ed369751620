package transcript

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// tree writes files below a new configuration directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, o Options) *History {
	t.Helper()
	h, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	_ = h.Kept() // some test has it fail
	return h
}

// tok is input, output, cache read, 5-minute write, 1-hour write.
func tok(in, out, read, w5, w1 int64) audit.Tokens {
	return audit.Tokens{Input: in, Output: out, CacheRead: read, CacheWrite5m: w5, CacheWrite1h: w1}
}

// rowSpec writes one assistant row.
type rowSpec struct {
	session, origin, id, request, uuid, model, stop, version, content, usage, more string
	side                                                                           bool
	tokens                                                                         audit.Tokens
}

func (r rowSpec) String() string {
	if r.usage == "" {
		u := r.tokens
		r.usage = fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}}`,
			u.Input, u.Output, u.CacheRead, u.CacheWrite5m+u.CacheWrite1h, u.CacheWrite5m, u.CacheWrite1h)
	}
	if r.model == "" {
		r.model = "claude-opus-4-8"
	}
	stop := "null"
	if r.stop != "" {
		stop = `"` + r.stop + `"`
	}
	if r.origin != "" {
		r.more += `,"requestSessionId":"` + r.origin + `"`
	}
	if r.content == "" {
		r.content = "[]"
	}
	return fmt.Sprintf(`{"type":"assistant","sessionId":"%s","requestId":"%s","uuid":"%s","isSidechain":%t,"version":"%s","timestamp":"2026-06-01T10:00:00Z","message":{"id":"%s","model":"%s","stop_reason":%s,"content":%s,"usage":%s}%s}`+"\n",
		r.session, r.request, r.uuid, r.side, r.version, r.id, r.model, stop, r.content, r.usage, r.more)
}

func use(id, name, input string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"%s","input":%s}`, id, name, input)
}

// totals sums what the sessions say.
type totals struct {
	Turns, Calls, Answered, Errors int
	NotFinal                       int
	Tokens                         audit.Tokens
	Models                         map[string]audit.Tokens
	Sessions                       map[string]audit.Tokens
	Threads                        map[string]int // turns by session/agent
}

func add(to *audit.Tokens, t audit.Tokens) {
	to.Input += t.Input
	to.Output += t.Output
	to.CacheRead += t.CacheRead
	to.CacheWrite5m += t.CacheWrite5m
	to.CacheWrite1h += t.CacheWrite1h
	to.WebSearches += t.WebSearches
}

func addTo[K comparable](m map[K]audit.Tokens, k K, t audit.Tokens) {
	v := m[k]
	add(&v, t)
	m[k] = v
}

func (s *Session) threads() []*Thread {
	if s.Main == nil {
		return s.Subs
	}
	return append([]*Thread{s.Main}, s.Subs...)
}

func sum(h *History) totals {
	out := totals{Models: map[string]audit.Tokens{}, Sessions: map[string]audit.Tokens{}, Threads: map[string]int{}}
	for s := range h.Sessions() {
		for _, th := range s.threads() {
			for i := range th.Turns {
				u := &th.Turns[i]
				out.Turns++
				out.Threads[s.ID+"/"+th.AgentID]++
				if !u.Final {
					out.NotFinal++
				}
				for _, part := range append([]ModelTokens{{u.Model, u.Tokens}}, u.Advisor...) {
					add(&out.Tokens, part.Tokens)
					addTo(out.Models, part.Model, part.Tokens)
					addTo(out.Sessions, s.ID, part.Tokens)
				}
				for _, c := range u.Calls {
					out.Calls++
					if c.Answered {
						out.Answered++
					}
					if c.IsError {
						out.Errors++
					}
				}
			}
		}
	}
	return out
}

// describe is everything that the sessions of a history say, as text; for comparing.
func describe(h *History) string {
	var b strings.Builder
	for s := range h.Sessions() {
		b.WriteString(describeSession(h, s))
	}
	fmt.Fprintf(&b, "input %+v\nwarnings %v\n", h.Input, h.Warnings)
	return b.String()
}

func describeSession(h *History, s *Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s fork %q compactions %d missing %d oracle %v %d\n", s.ID, s.ForkOf, s.Compactions, s.MissingAgents, s.Oracle, s.OracleCostMicroUSD)
	for _, th := range s.threads() {
		fmt.Fprintf(&b, " thread %q type %q %t %t parent %x\n", th.AgentID, th.AgentType, th.Compaction, th.Warmup, th.ParentCall)
		for i := range th.Turns {
			u := th.Turns[i]
			for k := range u.Calls { // the key of identities differs from run to run
				u.Calls[k].Shape.Identity = 0
			}
			fmt.Fprintf(&b, "  %s:%+v\n", h.Files[u.File].Path, u)
		}
		for _, m := range th.Marks {
			m.DirHash = 0
			fmt.Fprintf(&b, "  mark %s:%+v\n", h.Files[m.File].Path, m)
		}
	}
	return b.String()
}

func TestCases(t *testing.T) {
	d1 := rowSpec{session: "s1", request: "r1", id: "m1", stop: "tool_use", tokens: tok(4, 212, 9000, 0, 1500)}
	d1a, d1b, d1c := d1, d1, d1
	d1a.content, d1b.content, d1c.content = `[{"type":"thinking"}]`, `[{"type":"text","text":"Looking."}]`, `[`+use("t1", "Bash", `{"command":"ls"}`)+`]`
	grow := func(outs ...int64) (s string) {
		for _, out := range outs {
			s += rowSpec{session: "s2", id: "m1", model: "claude-sonnet-4-6", tokens: tok(6, out, 20000, 0, 800)}.String()
		}
		return s
	}
	mA := rowSpec{session: "s1", id: "mA", request: "r1", uuid: "u1", tokens: tok(2, 300, 40000, 0, 1000)}
	mA2 := mA
	mA2.request, mA2.side, mA2.uuid = "r9", true, "u2"
	mB := rowSpec{session: "s1", id: "mB", request: "r10", uuid: "u3", side: true, tokens: tok(2, 40, 41000, 0, 300)}
	fork := func(session, origin string) string {
		return rowSpec{session: session, origin: origin, id: "m1", uuid: "u1", tokens: tok(3, 100, 0, 0, 12000)}.String() +
			rowSpec{session: session, origin: origin, id: "m2", uuid: "u2", tokens: tok(1, 50, 12000, 0, 400)}.String()
	}
	m3 := rowSpec{session: "bbb", id: "m3", uuid: "u3", tokens: tok(1, 70, 12400, 0, 200)}.String()
	synthetic := `{"type":"assistant","sessionId":"s1","isApiErrorMessage":true,"message":{"id":"x1","model":"<synthetic>","content":[{"type":"text","text":"API Error: 529"}],"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}` + "\n"
	advisor := rowSpec{session: "s8", id: "m1", model: "claude-sonnet-4-6", content: `[{"type":"text","text":"a"}]`,
		usage: `{"input_tokens":10,"output_tokens":200,"cache_read_input_tokens":30000,"iterations":[{"type":"message","input_tokens":10,"output_tokens":200,"cache_read_input_tokens":30000},{"type":"advisor_message","model":"claude-opus-4-8","input_tokens":32000,"output_tokens":900}]}`}.String()
	opus, sonnet := "claude-opus-4-8", "claude-sonnet-4-6"
	for _, c := range []struct {
		name         string
		files        map[string]string
		turns, calls int
		models, sess map[string]audit.Tokens
		threads      map[string]int
	}{
		{"D1 one call in three rows", map[string]string{"projects/p/s1.jsonl": d1a.String() + d1b.String() + d1c.String()}, 1, 1,
			map[string]audit.Tokens{opus: d1.tokens}, nil, nil},
		{"D2 output grows", map[string]string{"projects/p/s2.jsonl": grow(9, 9, 159)}, 1, 0,
			map[string]audit.Tokens{sonnet: tok(6, 159, 20000, 0, 800)}, nil, nil},
		{"D2 the finished row is not the last", map[string]string{"projects/p/s2.jsonl": grow(1, 427, 3)}, 1, 0,
			map[string]audit.Tokens{sonnet: tok(6, 427, 20000, 0, 800)}, nil, nil},
		{"D3 a sidechain replays", map[string]string{"projects/p/s1.jsonl": mA.String(), "projects/p/s1/subagents/agent-b1.jsonl": mA2.String() + mB.String()}, 2, 0,
			map[string]audit.Tokens{opus: tok(4, 340, 81000, 0, 1300)}, nil, map[string]int{"s1/": 1, "s1/b1": 1}},
		{"D4 copies keep their session", map[string]string{"projects/p/aaa.jsonl": fork("aaa", ""), "projects/p/bbb.jsonl": fork("aaa", "") + m3}, 3, 0,
			nil, map[string]audit.Tokens{"aaa": tok(4, 150, 12000, 0, 12400), "bbb": tok(1, 70, 12400, 0, 200)}, nil},
		{"D4 copies name their origin", map[string]string{"projects/p/aaa.jsonl": fork("aaa", ""), "projects/p/bbb.jsonl": fork("bbb", "aaa") + m3}, 3, 0,
			nil, map[string]audit.Tokens{"aaa": tok(4, 150, 12000, 0, 12400), "bbb": tok(1, 70, 12400, 0, 200)}, nil},
		{"D4 the other file comes first", map[string]string{"projects/p/zzz.jsonl": fork("zzz", ""), "projects/a/bbb.jsonl": fork("bbb", "zzz") + m3}, 3, 0,
			nil, map[string]audit.Tokens{"zzz": tok(4, 150, 12000, 0, 12400), "bbb": tok(1, 70, 12400, 0, 200)}, nil},
		{"D4 the original is gone", map[string]string{"projects/p/bbb.jsonl": fork("bbb", "aaa") + m3}, 3, 0,
			nil, map[string]audit.Tokens{"aaa": tok(4, 150, 12000, 0, 12400), "bbb": tok(1, 70, 12400, 0, 200)}, nil},
		{"D6 synthetic is no model", map[string]string{"projects/p/s1.jsonl": d1c.String() + synthetic}, 1, 1,
			map[string]audit.Tokens{opus: d1.tokens}, nil, nil},
		{"D8 advisor", map[string]string{"projects/p/s8.jsonl": advisor + advisor}, 1, 0,
			map[string]audit.Tokens{sonnet: tok(10, 200, 30000, 0, 0), opus: tok(32000, 900, 0, 0, 0)}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sum(open(t, Options{ConfigDirs: []string{tree(t, c.files)}}))
			if got.Turns != c.turns || got.Calls != c.calls {
				t.Errorf("%d turns, %d calls, want %d, %d", got.Turns, got.Calls, c.turns, c.calls)
			}
			if c.models != nil && !maps.Equal(got.Models, c.models) {
				t.Errorf("models %v, want %v", got.Models, c.models)
			}
			if c.sess != nil && !maps.Equal(got.Sessions, c.sess) {
				t.Errorf("sessions %v, want %v", got.Sessions, c.sess)
			}
			if c.threads != nil && !maps.Equal(got.Threads, c.threads) {
				t.Errorf("threads %v, want %v", got.Threads, c.threads)
			}
		})
	}
}

// D5: cache writes, two lifetimes, a remainder, a missing split.
func TestCacheWriteSplit(t *testing.T) {
	for usage, want := range map[string][2]int64{
		`{"cache_creation_input_tokens":10000,"cache_creation":{"ephemeral_5m_input_tokens":1000,"ephemeral_1h_input_tokens":5000}}`: {5000, 5000},
		`{"cache_creation_input_tokens":10000}`:                                                                                            {10000, 0},
		`{"cache_creation_input_tokens":10000,"cache_creation":null}`:                                                                      {10000, 0},
		`{"cache_creation_input_tokens":4000,"cache_creation":{"ephemeral_1h_input_tokens":6000}}`:                                         {0, 4000},
		`{"cache_creation":{"ephemeral_5m_input_tokens":600000,"ephemeral_1h_input_tokens":400000},"cache_creation_input_tokens":1000000}`: {600000, 400000},
		`{"cache_creation":{"ephemeral_5m_input_tokens":7,"ephemeral_1h_input_tokens":8}}`:                                                 {7, 8},
		`{"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":7,"ephemeral_1h_input_tokens":8}}`:                 {0, 0},
	} {
		dir := tree(t, map[string]string{"projects/p/s.jsonl": rowSpec{session: "s", id: "m", usage: usage}.String()})
		got := sum(open(t, Options{ConfigDirs: []string{dir}})).Tokens
		if got.CacheWrite5m != want[0] || got.CacheWrite1h != want[1] {
			t.Errorf("%s: %d, %d, want %v", usage, got.CacheWrite5m, got.CacheWrite1h, want)
		}
	}
}

// D9: broken lines are counted, named and passed over.
func TestBrokenLines(t *testing.T) {
	row := func(id string) string { return rowSpec{session: "s", id: id, tokens: tok(1, 1, 0, 0, 0)}.String() }
	m2 := rowSpec{session: "s", id: "m2", tokens: tok(1, 1, 0, 0, 0), content: `[{"type":"text","text":"` + strings.Repeat("x", 5<<20) + `"}]`}.String()
	text := row("m1") +
		`{"type":"user","message":{"content":"half a str` + "\n" +
		"\n" +
		`{"type":"user","message":{"content":"\p"}}` + "\n" +
		`[1,{"a":2}]` + "\n" +
		`{"type":"user"` + "\n}\n" + // one document for encoding/json, two lines here
		m2 +
		`{"type":"file-history-snapshot","snapshot":"` + strings.Repeat("y", 3<<20) + `"}` + "\n" +
		strings.TrimSuffix(row("m3"), "\n") + `{"type":"summary","summary":"glued"}` + "\n" +
		strings.TrimSuffix(row("m4"), "\n") + row("m5") +
		strings.TrimSuffix(row("m6"), "\n")
	for _, p := range []pieces{{}, {above: 1, size: 3 << 20}, {above: 1, size: 1<<20 + 7}, {above: 1, size: 777_777}} {
		h := open(t, Options{ConfigDirs: []string{tree(t, map[string]string{"projects/p/s.jsonl": text})}, pieces: p})
		if got := sum(h); got.Turns != 6 || got.Tokens != tok(6, 6, 0, 0, 0) {
			t.Errorf("pieces %v: %d turns, %v", p, got.Turns, got.Tokens)
		}
		if want := (Input{Files: 1, Bytes: int64(len(text)), Lines: 12, Bad: 4, Unexpected: 1}); h.Input != want {
			t.Errorf("pieces %v: input %+v, want %+v", p, h.Input, want)
		}
		var at []string
		for _, w := range h.Warnings {
			at = append(at, fmt.Sprintf("%s %s:%d", w.Code, w.Path, w.Line))
		}
		if want := []string{"bad-line projects/p/s.jsonl:2", "bad-line projects/p/s.jsonl:4", "unexpected-line projects/p/s.jsonl:5",
			"bad-line projects/p/s.jsonl:6", "bad-line projects/p/s.jsonl:7"}; !slices.Equal(at, want) {
			t.Errorf("pieces %v: warnings %v, want %v", p, at, want)
		}
	}
}
