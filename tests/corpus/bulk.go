package corpus

import (
	"math/rand/v2"
	"strings"
	"time"
)

// BulkOptions say how large a corpus to write.
type BulkOptions struct {
	Seed uint64
	// Bytes to reach, in transcript rows; the last session may overshoot by a little.
	Bytes int64
	// Clients that write in turn; nil is a mix of old and new ones.
	Clients []string
}

// Bulk writes sessions until there are o.Bytes of rows: what a benchmark reads. Row sizes and
// the mix of kinds follow a survey of real files: about 3 kB a row, results of up to 60 kB,
// three quarters of the responses on several rows, a subagent in one session of three, skills
// in one of four, one torn line in some hundreds of sessions.
func Bulk(dir string, o BulkOptions) (*Ledger, error) {
	h, err := NewHome(dir, o.Seed)
	if err != nil {
		return nil, err
	}
	if o.Clients == nil {
		o.Clients = []string{"2.1.332", "2.1.236", "2.1.197", "2.1.332", "2.1.110", "2.1.332", "2.1.70", "2.1.45", "2.1.14", "2.0.60"}
	}
	g := &bulk{rnd: rand.New(rand.NewPCG(o.Seed, 0)), filler: filler(o.Seed)}
	start := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	for n := 0; h.Ledger.Bytes < o.Bytes; n++ {
		g.session(h.Session(SessionOptions{Version: o.Clients[n%len(o.Clients)], Start: start.Add(time.Duration(n) * 17 * time.Minute),
			Cwd: []string{"/home/dev/app", "/home/dev/site", "/home/dev/tools/cli"}[n%3]}), n)
	}
	return h.Ledger, h.Close()
}

type bulk struct {
	rnd    *rand.Rand
	filler string
}

// filler is prose-like text to cut results from.
func filler(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("error request handler returns value when file path \"quoted\" line index module test config build server client struct import func context naïve größe")
	var b strings.Builder
	for b.Len() < 1<<20 {
		b.WriteString(words[r.IntN(len(words))])
		switch r.IntN(12) {
		case 0:
			b.WriteString("\n\t")
		case 1:
			b.WriteString(": ")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// text is n bytes of it, cut at a rune.
func (g *bulk) text(n int) string {
	at := g.rnd.IntN(len(g.filler) - n)
	return strings.ToValidUTF8(g.filler[at:at+n], "")
}

// result is as long as real ones are: mostly short, sometimes very long.
func (g *bulk) result() string {
	switch g.rnd.IntN(20) {
	case 0:
		return g.text(20_000 + g.rnd.IntN(40_000))
	case 1, 2, 3, 4:
		return g.text(3_000 + g.rnd.IntN(9_000))
	}
	return g.text(100 + g.rnd.IntN(1_500))
}

func (g *bulk) call() Call {
	file := "/home/dev/app/src/" + []string{"a", "b", "server", "store"}[g.rnd.IntN(4)] + ".go"
	switch g.rnd.IntN(9) {
	case 0, 1, 2:
		return Bash([]string{"git status --short", "go test ./...", "ls -la src | head -20", "gh pr view 12 --json title", "rm -rf build && make"}[g.rnd.IntN(5)], g.result())
	case 3, 4:
		return Read(file, g.result())
	case 5:
		return Grep("func [A-Z]", "/home/dev/app", g.result())
	case 6:
		return Edit(file, g.text(200+g.rnd.IntN(800)), g.text(200+g.rnd.IntN(800)))
	case 7:
		return Bash("make check", "").Fail("Exit code 2\n" + g.text(800))
	}
	return MCP("tracker", "list_items", object{{"state", "open"}}, g.result())
}

func (g *bulk) turns(t *Thread, n int) {
	for range n {
		turn := Turn{Thinking: g.rnd.IntN(3) == 0, Calls: []Call{g.call()}, Interleaved: g.rnd.IntN(9) == 0}
		if g.rnd.IntN(2) == 0 {
			turn.Text = g.text(40 + g.rnd.IntN(400))
		}
		for g.rnd.IntN(5) == 0 {
			turn.Calls = append(turn.Calls, g.call())
		}
		t.Turn(turn)
	}
}

func (g *bulk) session(s *Session, n int) {
	defer s.Close()
	s.Noise()
	if n%200 == 50 {
		s.Torn()
	}
	for prompt := range 2 + g.rnd.IntN(4) {
		switch {
		case n%4 == 0 && prompt == 1:
			s.Command("acme:deploy", "staging", PluginBody("acme-market", "acme", "1.0.0", "skills/deploy"))
		default:
			s.Prompt(g.text(60 + g.rnd.IntN(500)))
		}
		s.Snapshot(500 + g.rnd.IntN(6_000))
		g.turns(s.Thread, 4+g.rnd.IntN(14))
		if n%3 == 0 && prompt == 0 {
			s.Do(Agent(Dispatch{Type: "Explore", Prompt: g.text(300), Model: "claude-haiku-4-5-20251001", Run: func(a *Thread) {
				g.turns(a, 3+g.rnd.IntN(8))
				a.Say(g.text(900))
			}}))
		}
		s.Say(g.text(200 + g.rnd.IntN(1_500)))
		s.Advance(time.Duration(g.rnd.IntN(600)) * time.Second)
	}
	if n%12 == 5 {
		s.Compact(Usage{Input: 12, Output: 900, CacheRead: s.context}, "auto")
		g.turns(s.Thread, 3)
	}
	if n%15 == 7 {
		f := s.Fork()
		f.Prompt(g.text(80))
		g.turns(f.Thread, 2)
		f.Close()
	}
}
