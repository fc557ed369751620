package corpus

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Scenario is a planted history: a plugin whose skills are used a known number of times, with
// known sequences, staples, retries, questions and judgment turns. [Plant] writes it and
// returns what a measurement must find.
//
// The truth is counted while planting, from what was asked for: the class of a turn is known
// because the planter chose the turn, not because something looked at it.
type Scenario struct {
	Seed uint64
	// Client is the version that wrote the sessions; "" is 2.1.332.
	Client string
	// Marketplace, Plugin and Version name the plugin; "" are acme-market, acme, 1.0.0.
	Marketplace, Plugin, Version string
	Skills                       []PlantedSkill
	// Idle is the number of sessions beside them in which no skill is at work; Foreign the number
	// in which a user's own skill runs the first skill's first sequence.
	Idle, Foreign int
	// Start of the first session; they follow each other every Gap (0: six hours).
	Start time.Time
	Gap   time.Duration
}

// PlantedSkill is one skill and what happens in each of its uses, in this order: the opening,
// then round by round its sequences, acting, retries, questions and judgments.
type PlantedSkill struct {
	Name string
	Uses int
	// Slash types every second use as /plugin:skill; otherwise the model always calls Skill.
	Slash bool
	// Opening calls stand at the start of each use, one turn each.
	Opening   []Staple
	Sequences []PlantedSequence
	// Per use: turns that edit, turns that repeat a failed call, questions, long answers, short ones.
	Acting, Retries, Questions, Judgments, Talk int
	// Agents dispatched per use; each runs the first sequence once.
	Agents int
}

// Staple is a call that most uses begin with.
type Staple struct {
	// Name in the truth.
	Name string
	Call Call
	// SkipEvery leaves it out of each n-th use; 0 never does.
	SkipEvery int
	// Vary changes its arguments: it gets the use's number.
	Vary func(use int) Call
}

// PlantedSequence is a run of mechanical calls, one turn each.
type PlantedSequence struct {
	Name  string
	Calls []Call
	// Every plants it in each n-th use (0 and 1: in all); PerUse so many times (0: once).
	Every, PerUse int
	// ForeignEvery puts one foreign call into the middle of each n-th occurrence.
	ForeignEvery int
	// BreakEvery ends each n-th occurrence halfway: a start that does not run to its end.
	BreakEvery int
	// Follow is what comes after an occurrence, in turn; empty: whatever comes.
	Follow []Call
}

// Truth is what a measurement of a planted history must find.
type Truth struct {
	Plugin   string       `json:"plugin"`
	Sessions int          `json:"sessions"`
	Skills   []SkillTruth `json:"skills"`
	Ledger   *Ledger      `json:"ledger"`
}

// SkillTruth is one skill's part. Ratios are in parts per million of Total.Turns.
type SkillTruth struct {
	Name        string `json:"name"`
	Invocations int64  `json:"invocations"`
	// Total is the attributed spend, subagents included; Classes split its main-thread turns.
	Total              Sum                 `json:"total"`
	Classes            map[string]int64    `json:"classes"`
	AgentTurns         int64               `json:"agent_turns"`
	MechanicalRatioPPM int64               `json:"mechanical_ratio_ppm"`
	RetryDensityPPM    int64               `json:"retry_density_ppm"`
	JudgmentDensityPPM int64               `json:"judgment_density_ppm"`
	Sequences          []OccurrencesTruth  `json:"sequences"`
	Staples            []OccurrencesTruth  `json:"staples"`
	uses               map[string]struct{} // sequence or staple + use: seen
}

// OccurrencesTruth is how often a sequence or staple was planted and what it cost.
type OccurrencesTruth struct {
	Name string `json:"name"`
	// Calls are its calls in plain words, such as "Bash: git status".
	Calls []string `json:"calls"`
	// Support is the number of uses that hold it; Occurrences count it each time, whole ones only.
	Support     int64 `json:"support"`
	Occurrences int64 `json:"occurrences"`
	// Starts counts the broken ones too.
	Starts int64 `json:"starts"`
	Turns  int64 `json:"turns"`
	// WasteMilli is the weighted cost of its turns; RecoverableMilli that of all but the first of
	// each occurrence; for a staple what not making its turn would save, see SparedMilli.
	WasteMilli       int64 `json:"waste_milli"`
	RecoverableMilli int64 `json:"recoverable_milli"`
	// AgentOccurrences were run by subagents that a use dispatched, with what they cost; they are
	// in none of the counts above.
	AgentOccurrences      int64 `json:"agent_occurrences"`
	AgentWasteMilli       int64 `json:"agent_waste_milli"`
	AgentRecoverableMilli int64 `json:"agent_recoverable_milli"`
	// Followers counts what came right after, in plain words.
	Followers map[string]int64 `json:"followers"`
	// Constant says that the arguments never differed.
	Constant bool `json:"constant_arguments"`
}

// Plant writes the scenario under dir as a configuration directory.
func Plant(dir string, sc Scenario) (*Truth, error) {
	sc = sc.defaults()
	h, err := NewHome(dir, sc.Seed)
	if err != nil {
		return nil, err
	}
	p := &planter{h: h, sc: sc, truth: &Truth{Plugin: sc.Plugin, Ledger: h.Ledger}}
	for i := range sc.Skills {
		p.truth.Skills = append(p.truth.Skills, SkillTruth{Name: sc.Plugin + ":" + sc.Skills[i].Name, Classes: map[string]int64{}, uses: map[string]struct{}{},
			Sequences: []OccurrencesTruth{}, Staples: []OccurrencesTruth{}})
		p.prepare(&sc.Skills[i], &p.truth.Skills[i])
	}
	// Skills take turns, so that the uses of each lie across the whole window.
	for use, more := 0, true; more; use++ {
		more = false
		for i := range sc.Skills {
			if use < sc.Skills[i].Uses {
				more = true
				p.use(&sc.Skills[i], &p.truth.Skills[i], use)
			}
		}
		if use < sc.Idle {
			more = true
			p.idle()
		}
		if use < sc.Foreign {
			more = true
			p.foreign()
		}
	}
	for i := range p.truth.Skills {
		p.truth.Skills[i].finish()
	}
	return p.truth, h.Close()
}

func (sc Scenario) defaults() Scenario {
	set := func(s *string, to string) {
		if *s == "" {
			*s = to
		}
	}
	set(&sc.Client, "2.1.332")
	set(&sc.Marketplace, "acme-market")
	set(&sc.Plugin, "acme")
	set(&sc.Version, "1.0.0")
	if sc.Start.IsZero() {
		sc.Start = time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	}
	if sc.Gap == 0 {
		sc.Gap = 6 * time.Hour
	}
	return sc
}

// planter carries what Plant writes to.
type planter struct {
	h     *Home
	sc    Scenario
	truth *Truth
}

func (p *planter) session() *Session {
	start := p.sc.Start.Add(time.Duration(p.truth.Sessions) * p.sc.Gap)
	p.truth.Sessions++
	return p.h.Session(SessionOptions{Version: p.sc.Client, Start: start})
}

func (p *planter) prepare(sk *PlantedSkill, t *SkillTruth) {
	for _, q := range sk.Sequences {
		t.Sequences = append(t.Sequences, OccurrencesTruth{Name: q.Name, Calls: words(q.Calls), Followers: map[string]int64{}, Constant: true})
	}
	for _, st := range sk.Opening {
		call := st.Call
		if st.Vary != nil {
			call = st.Vary(0)
		}
		t.Staples = append(t.Staples, OccurrencesTruth{Name: st.Name, Calls: words([]Call{call}), Followers: map[string]int64{}, Constant: st.Vary == nil})
	}
}

// use plants one use of a skill.
func (p *planter) use(sk *PlantedSkill, t *SkillTruth, use int) {
	s := p.session()
	defer s.Close()
	name := p.sc.Plugin + ":" + sk.Name
	body := PluginBody(p.sc.Marketplace, p.sc.Plugin, p.sc.Version, "skills/"+sk.Name)
	t.Invocations++
	if sk.Slash && use%2 == 1 {
		s.Command(name, "", body)
	} else {
		s.Prompt("please " + sk.Name)
		s.Do(Skill(name, "", body))
	}
	emit := func(class string, turn Turn) Written {
		w := s.Turn(turn)
		t.Total.add(w)
		t.Classes[class]++
		return w
	}
	for i, st := range sk.Opening {
		if st.SkipEvery > 0 && use%st.SkipEvery == st.SkipEvery-1 {
			continue
		}
		call := st.Call
		if st.Vary != nil {
			call = st.Vary(use)
		}
		w := emit("mechanical", Turn{Calls: []Call{call}})
		o := &t.Staples[i]
		o.Support++
		o.Starts++
		o.Occurrences++
		o.Turns++
		o.WasteMilli += WeightedMilli(w.Model, w.Usage)
		o.RecoverableMilli += SparedMilli(w.Model, w.Usage)
	}
	for i, q := range sk.Sequences {
		if q.Every > 1 && use%q.Every != 0 {
			continue
		}
		for range max(1, q.PerUse) {
			p.sequence(q, &t.Sequences[i], use, t, emit)
			emit("acting", Turn{Calls: []Call{Edit("/home/dev/app/src/main.go", "a", "b")}})
		}
	}
	for n := range sk.Agents {
		w := s.Do(Agent(Dispatch{Type: "Explore", Prompt: "look into it", Run: func(a *Thread) {
			o := &t.Sequences[0]
			o.AgentOccurrences++
			for i, c := range sk.Sequences[0].Calls {
				w := a.Do(c)
				t.Total.add(w)
				t.AgentTurns++
				o.AgentWasteMilli += WeightedMilli(w.Model, w.Usage)
				if i > 0 {
					o.AgentRecoverableMilli += WeightedMilli(w.Model, w.Usage)
				}
			}
			t.Total.add(a.Say(fmt.Sprintf("Part %d is in order.", n)))
			t.AgentTurns++
		}}))
		t.Total.add(w)
		t.Classes["acting"]++
	}
	for n := range sk.Acting {
		emit("acting", Turn{Calls: []Call{WriteFile(fmt.Sprintf("/home/dev/app/out/%d.txt", n), "text")}})
	}
	for range sk.Retries {
		emit("acting", Turn{Calls: []Call{Bash("make check", "").Fail("Exit code 2\nmake: *** [check] Error 1")}})
		emit("retry", Turn{Calls: []Call{Bash("make check", "ok")}})
	}
	for range sk.Questions {
		emit("judgment", Turn{Calls: []Call{Ask("Which of the two?", "the first")}})
	}
	for range sk.Judgments {
		emit("judgment", Turn{Text: strings.Repeat("The first option weighs more here. ", 60)})
	}
	for range sk.Talk {
		emit("talk", Turn{Text: "Done."})
	}
}

// sequence plants one occurrence, or a broken start of one.
func (p *planter) sequence(q PlantedSequence, o *OccurrencesTruth, use int, t *SkillTruth, emit func(string, Turn) Written) {
	o.Starts++
	n := int(o.Starts)
	whole := q.BreakEvery == 0 || n%q.BreakEvery != 0
	calls := q.Calls
	if !whole {
		calls = calls[:(len(calls)+1)/2]
	}
	foreign := -1
	if q.ForeignEvery > 0 && n%q.ForeignEvery == 0 {
		foreign = len(q.Calls) / 2
	}
	var costs []int64
	for i, c := range calls {
		if i == foreign {
			emit("mechanical", Turn{Calls: []Call{Bash(fmt.Sprintf("wc -l notes-%d.txt", n), "12")}})
		}
		w := emit("mechanical", Turn{Calls: []Call{c}})
		costs = append(costs, WeightedMilli(w.Model, w.Usage))
	}
	if !whole {
		return
	}
	o.Occurrences++
	if key := fmt.Sprint(q.Name, "/", use); !has(t.uses, key) {
		t.uses[key] = struct{}{}
		o.Support++
	}
	o.Turns += int64(len(costs))
	for i, c := range costs {
		o.WasteMilli += c
		if i > 0 {
			o.RecoverableMilli += c
		}
	}
	follower := "Edit"
	if len(q.Follow) > 0 {
		c := q.Follow[int(o.Occurrences-1)%len(q.Follow)]
		follower = words([]Call{c})[0]
		class := "acting"
		if c.Tool == "AskUserQuestion" {
			class = "judgment"
		}
		emit(class, Turn{Calls: []Call{c}})
	}
	o.Followers[follower]++
}

func has(m map[string]struct{}, k string) bool { _, ok := m[k]; return ok }

// idle is a session in which no skill is at work.
func (p *planter) idle() {
	s := p.session()
	s.Prompt("what does this do?")
	s.Do(Read("/home/dev/app/src/main.go", "package main"))
	s.Say("It starts the server.")
	s.Close()
}

// foreign runs the first skill's first sequence under a skill of the user's own.
func (p *planter) foreign() {
	s := p.session()
	s.Command("mine", "", UserBody("mine"))
	if len(p.sc.Skills) > 0 && len(p.sc.Skills[0].Sequences) > 0 {
		for _, c := range p.sc.Skills[0].Sequences[0].Calls {
			s.Do(c)
		}
	}
	s.Say("Done.")
	s.Close()
}

func (t *SkillTruth) finish() {
	if t.Total.Turns == 0 {
		return
	}
	ppm := func(class string) int64 { return t.Classes[class] * 1_000_000 / t.Total.Turns }
	t.MechanicalRatioPPM, t.RetryDensityPPM, t.JudgmentDensityPPM = ppm("mechanical"), ppm("retry"), ppm("judgment")
}

// words names calls so that a person knows them: the tool, and its command or path.
func words(calls []Call) []string {
	out := make([]string, 0, len(calls))
	for _, c := range calls {
		w := c.Tool
		if in, ok := c.Input.(object); ok && len(in) > 0 {
			if s, ok := in[0].value.(string); ok && (c.Tool == "Bash" || c.Tool == "Read") {
				w += ": " + s
			}
		}
		out = append(out, w)
	}
	return out
}

// WritePlugin writes the scenario's plugin at dir: a manifest, each skill's SKILL.md (which
// tells the model to run its sequences) and the references that its staples read.
func (sc Scenario) WritePlugin(dir string) error {
	sc = sc.defaults()
	manifest, err := json.MarshalIndent(map[string]any{"name": sc.Plugin, "version": sc.Version, "description": "A planted plugin",
		"author": map[string]string{"name": "Acme"}}, "", "  ")
	if err != nil {
		return err
	}
	files := map[string]string{".claude-plugin/plugin.json": string(manifest) + "\n"}
	for _, sk := range sc.Skills {
		var b strings.Builder
		fmt.Fprintf(&b, "---\nname: %s\ndescription: Use when asked to %s.\n---\n# %s\n", sk.Name, sk.Name, sk.Name)
		for i, q := range sk.Sequences {
			fmt.Fprintf(&b, "\n## Step %d\n\n", i+1)
			for n, w := range words(q.Calls) {
				fmt.Fprintf(&b, "%d. `%s`\n", n+1, strings.TrimPrefix(strings.TrimPrefix(w, "Bash: "), "Read: "))
			}
		}
		files["skills/"+sk.Name+"/SKILL.md"] = b.String()
	}
	files["references/labels.md"] = "# Labels\n\n| label | meaning |\n|---|---|\n| bug | a defect |\n| task | work |\n"
	for _, rel := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(files[rel]), 0o644); err != nil {
			return err
		}
	}
	return nil
}
