package scan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
)

// Other is another tool's total over the same directories, held against ours. Tools that add up
// rows instead of responses come to other sums; each difference is named with its cause, and the
// causes are measured in the transcripts, row by row.
type Other struct {
	// Tool is its name.
	Tool string `json:"tool"`
	// Version is what it says of itself.
	Version string `json:"version"`
	// Ours are our sums over the same files.
	Ours Counters `json:"ours"`
	// Theirs are the sums that it printed.
	Theirs Counters `json:"theirs"`
	// Rule is the way of counting that gives their total to the token; "" when none that we know does.
	Rule string `json:"rule"`
	// Causes lie between our total and that rule's: ours − rule's, cause by cause.
	Causes []Cause `json:"causes"`
	// Unexplained is what no cause accounts for: theirs − the nearest rule's.
	Unexplained Counters `json:"unexplained"`
	// Trouble says why there is no comparison, "" when there is one.
	Trouble string `json:"trouble"`
}

// Cause is one reason for which another tool's total differs from ours.
type Cause struct {
	// Cause: first-row, progress-rows, replayed, without-request-id, advisor, other.
	Cause string `json:"cause"`
	// Says is one sentence.
	Says string `json:"says"`
	// Responses that it concerns.
	Responses int64 `json:"responses"`
	// Difference is what ours counts more for them; negative where it counts less.
	Difference Counters `json:"difference"`
}

var causeSays = map[string]string{
	"first-row":          "it keeps the first row of a response, ours the finished count",
	"progress-rows":      "responses that stand in progress rows only are ours alone",
	"replayed":           "a response repeated under another request id is counted again",
	"without-request-id": "rows without a request id are all counted",
	"advisor":            "advisor calls inside a response are ours alone",
	"other":              "what is left: rows that only one of the two reads",
}

// raw is one response as its rows stand in the files, before any accounting.
type raw struct {
	first, largest Counters
	copies         []Counters // first row under each further request id
	progress       bool       // it stands in progress rows only
	advisor        Counters
	requests       map[string]bool
}

// RowSums reads the transcripts once more, row by row, as tools do that know nothing of responses.
type RowSums struct {
	responses map[string]*raw
	keyless   Counters // rows without message or request id, all of them
	keyed     int64
}

// ReadRows adds up the rows of every transcript under the directories.
func ReadRows(dirs []string) (*RowSums, error) {
	s := &RowSums{responses: map[string]*raw{}}
	for _, dir := range dirs {
		var files []string
		err := filepath.WalkDir(filepath.Join(dir, "projects"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".jsonl") {
				files = append(files, path)
			}
			return nil // what cannot be listed was a warning already
		})
		if err != nil {
			return nil, err
		}
		slices.Sort(files)
		for _, f := range files {
			if err := s.file(f); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(f), err)
			}
		}
	}
	return s, nil
}

func (s *RowSums) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // it was a warning already
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if gjson.ValidBytes(line) {
			s.row(gjson.ParseBytes(line))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New("was not read to its end")
		}
	}
}

func (s *RowSums) row(row gjson.Result) {
	if row.Get("data.type").Str == "agent_progress" {
		if m := row.Get("data.message.message"); m.Get("usage").Exists() {
			s.add(m, row.Get("data.message.requestId").Str, true)
		}
		return
	}
	if m := row.Get("message"); row.Get("type").Str == "assistant" && m.Get("usage").Exists() {
		s.add(m, row.Get("requestId").Str, false)
	}
}

func (s *RowSums) add(m gjson.Result, request string, progress bool) {
	if m.Get("model").Str == "<synthetic>" {
		return
	}
	n := rowCounters(m.Get("usage"))
	id := m.Get("id").Str
	if (id == "" || request == "") && !progress {
		s.keyless.plus(n)
	}
	if id == "" {
		return
	}
	r := s.responses[id]
	if r == nil {
		r = &raw{first: n, progress: progress, requests: map[string]bool{}}
		s.responses[id] = r
	} else if r.progress && !progress {
		*r = raw{first: n, largest: r.largest, requests: map[string]bool{}}
	}
	r.largest.max(n)
	if progress && !r.progress {
		return
	}
	if request != "" && !r.requests[request] {
		if len(r.requests) > 0 {
			r.copies = append(r.copies, n)
		}
		r.requests[request] = true
		s.keyed++
	}
	var adv Counters
	for _, it := range m.Get("usage.iterations").Array() {
		if it.Get("type").Str == "advisor_message" {
			adv.plus(rowCounters(it))
		}
	}
	r.advisor.max(adv)
}

func rowCounters(u gjson.Result) Counters {
	return Counters{Input: u.Get("input_tokens").Int(), Output: u.Get("output_tokens").Int(), CacheRead: u.Get("cache_read_input_tokens").Int(),
		CacheWrite: u.Get("cache_creation_input_tokens").Int()}
}

func (c *Counters) plus(o Counters) {
	c.Input += o.Input
	c.Output += o.Output
	c.CacheRead += o.CacheRead
	c.CacheWrite += o.CacheWrite
	c.WebSearches += o.WebSearches
}

func (c *Counters) max(o Counters) {
	*c = Counters{max(c.Input, o.Input), max(c.Output, o.Output), max(c.CacheRead, o.CacheRead), max(c.CacheWrite, o.CacheWrite), max(c.WebSearches, o.WebSearches)}
}

// rules of counting that tools are known to follow.
var rules = []struct {
	name           string
	first, replays bool
}{
	{"one row per message and request id, the first", true, true},
	{"one row per message and request id, the largest", false, true},
	{"one row per message id, the first", true, false},
	{"one row per message id, the largest", false, false},
}

// Explain holds another tool's total against ours.
func (s *RowSums) Explain(tool, version string, ours audit.Tokens, theirs Counters) Other {
	o := Other{Tool: tool, Version: version, Theirs: theirs, Causes: []Cause{}}
	o.Ours.add(ours)
	best := int64(-1)
	for _, rule := range rules {
		sum, causes := s.apply(rule.first, rule.replays, o.Ours)
		rest := theirs.minus(sum)
		if size := rest.size(); best < 0 || size < best {
			best, o.Causes, o.Unexplained, o.Rule = size, causes, rest, rule.name
		}
	}
	if best > 0 {
		o.Rule = ""
	}
	return o
}

func (c Counters) size() int64 {
	abs := func(v int64) int64 { return max(v, -v) }
	return abs(c.Input) + abs(c.Output) + abs(c.CacheRead) + abs(c.CacheWrite)
}

// apply adds up by one rule, and lists what lies between ours and it.
func (s *RowSums) apply(first, replays bool, ours Counters) (sum Counters, causes []Cause) {
	by := map[string]*Cause{}
	note := func(cause string, d Counters) {
		if d == (Counters{}) {
			return
		}
		c := by[cause]
		if c == nil {
			c = &Cause{Cause: cause, Says: causeSays[cause]}
			by[cause] = c
		}
		c.Responses++
		c.Difference.plus(d)
	}
	var counted Counters // what ours counts of these responses
	for _, r := range s.responses {
		counted.plus(r.largest)
		counted.plus(r.advisor)
		note("advisor", r.advisor)
		switch {
		case r.progress:
			note("progress-rows", r.largest)
			continue
		case len(r.requests) == 0:
			note("without-request-id", r.largest)
			continue
		case first:
			sum.plus(r.first)
			note("first-row", r.largest.minus(r.first))
		default:
			sum.plus(r.largest)
		}
		if replays {
			for _, c := range r.copies {
				sum.plus(c)
				note("replayed", Counters{}.minus(c))
			}
		}
	}
	sum.plus(s.keyless)
	if s.keyless != (Counters{}) {
		note("without-request-id", Counters{}.minus(s.keyless))
	}
	note("other", ours.minus(counted))
	causes = []Cause{}
	for _, c := range by {
		causes = append(causes, *c)
	}
	slices.SortFunc(causes, func(a, b Cause) int { return strings.Compare(a.Cause, b.Cause) })
	return sum, causes
}
