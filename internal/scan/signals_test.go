package scan

import (
	"fmt"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// TestMechanicalFlag: more than half of the turns, and at least 2 % of the audited spend.
func TestMechanicalFlag(t *testing.T) {
	for _, c := range []struct {
		mech, turns, weighted, audited int64
		want                           bool
	}{
		{5, 10, 100, 100, false}, {6, 10, 100, 100, true}, {6, 10, 2, 100, true}, {6, 10, 1, 100, false}, {0, 0, 0, 0, false},
	} {
		comp := &component{}
		comp.bill.turns, comp.bill.weighted = c.turns, c.weighted
		comp.classes[mechanical].Turns = c.mech
		if got := comp.signals(c.audited).MechanicalFlagged; got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestRetryClusters: three invocations and a fifth of the call's turns.
func TestRetryClusters(t *testing.T) {
	uses := func(n, calls, retries int) *component {
		c := &component{}
		for range n {
			st := &strand{}
			for i := range calls {
				class := acting
				if 0 < i && i <= retries {
					class = retry
				}
				st.turns = append(st.turns, strandTurn{cost: 10, class: class})
				st.steps = append(st.steps, step{sig: 1, turn: int32(i)})
			}
			c.uses = append(c.uses, &use{of: c, strands: []*strand{st}})
		}
		return c
	}
	for _, c := range []struct {
		sig             string
		n, calls, again int
		want            int
	}{
		{"Bash make", 3, 5, 1, 1}, {"Bash make", 2, 5, 1, 0}, {"Bash make", 3, 6, 1, 0}, {"mcp__a__b", 3, 2, 1, 1}, {"Edit <path.go>", 3, 2, 1, 0},
	} {
		w := newWords()
		w.id(c.sig)
		if got := newMiner(w.traits()).retries(uses(c.n, c.calls, c.again)); len(got) != c.want {
			t.Errorf("%+v: %d clusters", c, len(got))
		} else if c.want == 1 && (got[0].turns != int64(c.n*c.again) || got[0].waste != got[0].turns*10) {
			t.Errorf("%+v: %+v", c, got[0])
		}
	}
}

// TestUnreadThresholds: a twentieth that is used again is the limit, and small change is no candidate.
// TestRetryByAnotherCall: what is called after another call's failure is a way out, not fiddly.
func TestRetryByAnotherCall(t *testing.T) {
	w := newWords()
	build, look := w.id("Bash make"), w.id("Bash git status")
	c := &component{}
	for range 4 {
		st := &strand{turns: []strandTurn{{cost: 10, class: acting}, {cost: 10, class: retry}}, steps: []step{{sig: build}, {sig: look, turn: 1}}}
		c.uses = append(c.uses, &use{of: c, strands: []*strand{st}})
	}
	if got := newMiner(w.traits()).retries(c); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestAmount: a saving of which a part has no price has none.
func TestAmount(t *testing.T) {
	var a amount
	a.add(amount{money: 2_500_000})
	a.add(amount{money: 1_500_000}.part(3))
	if got := a.dollars(); got == nil || *got != "0.000003" {
		t.Errorf("%v", got)
	}
	a.add(amount{unknown: true})
	if got := a.dollars(); got != nil {
		t.Errorf("%s although a part is unknown", *got)
	}
}

func TestUnreadThresholds(t *testing.T) {
	for _, c := range []struct {
		support, result, reused, unread int64
		want                            int
	}{
		{3, 100_000, 5_000, 23_750, 1}, {3, 100_000, 5_001, 23_749, 0}, {2, 100_000, 0, 25_000, 0}, {3, 30_000, 0, 7_500, 0},
	} {
		comp := &component{}
		b := comp.bigRead(1)
		b.support, b.result, b.reused, b.unread = c.support, c.result, c.reused, c.unread
		if got := comp.unreadResults(); len(got) != c.want {
			t.Errorf("%+v: %d", c, len(got))
		}
	}
}

// TestUnmade: a turn that is not made spares one reading of its prompt, however much of that it
// had to write, its output, and the writing of that output.
func TestUnmade(t *testing.T) {
	for _, c := range []struct{ turn, want audit.Tokens }{
		{audit.Tokens{Input: 3, Output: 50, CacheWrite1h: 12_000}, audit.Tokens{Input: 3, Output: 50, CacheRead: 12_000, CacheWrite1h: 50}},
		{audit.Tokens{Input: 3, Output: 50, CacheRead: 12_000, CacheWrite5m: 80}, audit.Tokens{Input: 3, Output: 50, CacheRead: 12_080, CacheWrite5m: 50}},
		{audit.Tokens{Input: 12_000, Output: 50}, audit.Tokens{Input: 12_000, Output: 50}}, // no cache at all
	} {
		if got := unmade(c.turn); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.turn, got, c.want)
		}
	}
}

// TestSharedTurns: what stands together in one turn shares its price, and what always did is no
// sequence: one turn is what one call costs.
func TestSharedTurns(t *testing.T) {
	var cost, spared int64
	d := told(t, func(h *corpus.Home) {
		for range 4 {
			s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
			s.Command("acme:deploy", "", cache)
			w := s.Turn(corpus.Turn{Calls: []corpus.Call{corpus.Bash("git status", "a"), corpus.Bash("docker ps", "b"), corpus.Bash("docker ps -a", "b"), corpus.Bash("git status -s", "a")}})
			cost += corpus.WeightedMilli(w.Model, w.Usage) / 4 * 2
			spared += corpus.SparedMilli(w.Model, w.Usage) / 4 * 2
			s.Do(corpus.Edit("/home/dev/app/x.go", "a", "b"))
		}
	})
	if len(d.Sequences) != 0 {
		t.Errorf("a sequence within one turn: %+v", d.Sequences)
	}
	if len(d.Staples) != 2 {
		t.Fatalf("staples %+v", d.Staples)
	}
	for _, s := range d.Staples {
		if s.WasteMilli != cost || s.RecoverableMilli != spared || s.Turns != 4 || s.Occurrences != 8 {
			t.Errorf("%+v, want half of each turn: %d, and of what it would save: %d", s, cost, spared)
		}
	}
}

// TestGenericReads: reads of ever other files are no sequence and no staple. The same files are
// staples, and a sequence only where they do not stand in the opening, which can be preloaded.
func TestGenericReads(t *testing.T) {
	story := func(same, edit bool) func(h *corpus.Home) {
		return func(h *corpus.Home) {
			for n := range 4 {
				s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
				s.Command("acme:deploy", "", cache)
				if edit {
					s.Do(corpus.Edit("/home/dev/app/x.go", "a", "b"))
				}
				for i := range 3 {
					if same {
						n = 0
					}
					s.Do(corpus.Read(fmt.Sprintf("/home/dev/app/%d-%d.go", i, n), "a"))
				}
				s.Say("ok")
			}
		}
	}
	for _, c := range []struct {
		same, edit         bool
		sequences, staples int
	}{{false, false, 0, 0}, {false, true, 0, 0}, {true, false, 0, 3}, {true, true, 1, 3}} {
		d := told(t, story(c.same, c.edit))
		if len(d.Sequences) != c.sequences || len(d.Staples) != c.staples {
			t.Errorf("%+v: %+v %+v", c, d.Sequences, d.Staples)
		}
		ids := map[string]bool{}
		for _, s := range d.Staples {
			ids[s.ID] = true
			if s.Signature != "Read <path.go>" || !s.ConstantArguments || s.Opening == c.edit {
				t.Errorf("%+v: %+v", c, s)
			}
		}
		if len(ids) != c.staples {
			t.Errorf("files that nobody may name share an id: %v", ids)
		}
	}
}

// TestFindings is the truth table of reconcile.
func TestFindings(t *testing.T) {
	c := func(in, out, read, write int64) Counters {
		return Counters{Input: in, Output: out, CacheRead: read, CacheWrite: write}
	}
	parent := map[string]Counters{"m": c(5, 5, 5, 5)}
	for _, x := range []struct {
		name         string
		ours, client Counters
		fork         string
		compactions  int
		notFinal     int64
		want         string
	}{
		{"the same", c(1, 2, 3, 4), c(1, 2, 3, 4), "", 0, 0, FoundExact},
		{"the same, although forked", c(1, 2, 3, 4), c(1, 2, 3, 4), "p", 1, 1, FoundExact},
		{"a fork's inheritance", c(1, 2, 3, 4), c(6, 7, 8, 9), "p", 0, 0, FoundFork},
		{"more than a parent had", c(1, 2, 3, 4), c(7, 7, 8, 9), "p", 0, 0, FoundUnexplained},
		{"the same without a parent", c(1, 2, 3, 4), c(6, 7, 8, 9), "", 0, 0, FoundUnexplained},
		{"compaction", c(1, 2, 3, 4), c(1, 9, 9, 4), "", 1, 0, FoundCompaction},
		{"less is no compaction", c(1, 2, 3, 4), c(1, 9, 2, 4), "", 1, 0, FoundUnexplained},
		{"another price", c(1, 2, 3, 4), c(1, 2, 3, 4), "", 0, 1, FoundPrice},
		{"broken off", c(1, 2, 3, 4), c(1, 9, 3, 4), "", 0, 1, FoundNotFinal},
		{"broken off changes output only", c(1, 2, 3, 4), c(1, 9, 4, 4), "", 0, 1, FoundUnexplained},
		{"ours is more", c(1, 2, 3, 4), c(1, 1, 3, 4), "", 0, 1, FoundUnexplained},
	} {
		s := SessionCheck{ForkOf: x.fork, Compactions: x.compactions, TurnsNotFinal: x.notFinal, Models: []ModelCheck{{Model: "m", Ours: x.ours, Client: x.client}}}
		s.samePrice = x.want != FoundPrice
		if got := s.find(parent); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

// TestReconcileRealClient: every scenario of the real client agrees, or differs for a named cause.
func TestReconcileRealClient(t *testing.T) {
	found := map[string]int{}
	for _, dir := range scenarios(t) {
		r, err := Reconcile(t.Context(), Options{ConfigDirs: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Sessions {
			found[s.Finding]++
			if s.Finding == FoundUnexplained {
				t.Errorf("%s: %+v", dir, s)
			}
		}
	}
	t.Log(found)
	if found[FoundExact] < 18 || found[FoundCompaction] != 2 || found[FoundFork] != 1 || found[FoundNotFinal] != 1 {
		t.Errorf("findings %v", found)
	}
}

// TestSequenceInAnAgent: a sequence that only ever stands in threads of one of the plugin's own
// agents names it; one that stands elsewhere too names none.
func TestSequenceInAnAgent(t *testing.T) {
	story := func(agent string, alsoMain bool) func(h *corpus.Home) {
		run := func(th *corpus.Thread) {
			th.Do(corpus.Bash("git fetch --dry-run", "a"))
			th.Do(corpus.Bash("docker ps", "a"))
			th.Do(corpus.Edit("/home/dev/app/x.go", "a", "b"))
		}
		return func(h *corpus.Home) {
			for range 4 {
				s := h.Session(corpus.SessionOptions{Version: "2.1.332"})
				s.Command("acme:deploy", "", cache)
				s.Do(corpus.Agent(corpus.Dispatch{Type: agent, Prompt: "p", Run: run}))
				if alsoMain {
					run(s.Thread)
				}
			}
		}
	}
	for _, c := range []struct {
		agent    string
		alsoMain bool
		want     string
	}{{"acme:checker", false, "checker"}, {"acme:checker", true, ""}, {"Explore", false, ""}, {"other:checker", false, ""}} {
		d := told(t, story(c.agent, c.alsoMain))
		if len(d.Sequences) != 1 || d.Sequences[0].Agent != c.want || !d.Sequences[0].FanOut || d.Sequences[0].Component.Name != "deploy" {
			t.Errorf("%+v: %+v", c, d.Sequences)
		}
	}
}

// TestPeoplesNumbers: amounts in text are rounded half up, and no unit is shown a thousand times.
func TestPeoplesNumbers(t *testing.T) {
	for in, want := range map[string]string{"15.178582": "$15.18", "0.004999": "$0.00", "0.005000": "$0.01", "1234.000000": "$1234.00"} {
		if got := money(&in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[int64]string{0: "0", 949: "949", 999: "999", 1000: "1.0k", 1049: "1.0k", 1050: "1.1k", 999_949: "999.9k", 999_950: "1.0M", 1_000_000: "1.0M", 2_340_000_000: "2.3G"} {
		if got := short(in); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
	}
}
