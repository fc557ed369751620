package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

// maxHistory bounds a history file: 1 GiB, some ten thousand snapshots.
const maxHistory = 1 << 30

// Problem is a line of a history that is no snapshot. The line itself stays where it is.
type Problem struct {
	// Code: torn-line (the last line has no end), bad-line (a line in the middle is no snapshot),
	// duplicate-id; or more, which stands for those that there was no room for.
	Code string
	// Line is 1-based; 0 of more.
	Line int
	// Why is one sentence, without content of the line.
	Why string
}

func (p Problem) String() string {
	if p.Code == codeMore {
		return p.Why
	}
	return fmt.Sprintf("line %d: %s: %s", p.Line, p.Code, p.Why)
}

const codeMore = "more"

// How many problems are told one by one: of a history that is read, and by Verify. The rest is
// counted only, so that a file of nothing but broken lines costs no more than its own size.
const (
	maxTold   = 3
	maxListed = 1000
)

// flaws collects the first problems and counts the others.
type flaws struct {
	room, more int
	list       []Problem
}

func (f *flaws) add(code string, line int, why string) {
	if len(f.list) == f.room {
		f.more++
		return
	}
	f.list = append(f.list, Problem{code, line, why})
}

func (f *flaws) problems() []Problem {
	if f.more > 0 {
		return append(f.list, Problem{codeMore, 0, fmt.Sprintf("and %d more", f.more)})
	}
	return f.list
}

// ErrNewer says that a newer version of this tool wrote a snapshot: reading on without it
// would compare with the wrong past.
var ErrNewer = errors.New("written by a newer version of this tool")

// ReadHistory reads a history file: one snapshot a line, in the order of their moments (see
// byMoment), without those that a later one corrects. Old versions are lifted to the present one. Lines that are no snapshot are told as
// problems, the first few one by one, and left out; a snapshot that stands twice counts once. A
// lone snapshot over several lines, as a tool prints it, is read too. A file that is not empty
// but has no snapshot is an error, and so is ErrNewer.
func ReadHistory(r io.Reader) ([]Document, []Problem, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, nil, err
	}
	if doc, ok := lone(data); ok {
		return []Document{doc}, nil, nil
	}
	docs, problems, err := parse(data, lifts, maxTold)
	if err != nil {
		return nil, nil, err
	}
	if len(docs) == 0 && len(problems) > 0 {
		return nil, nil, fmt.Errorf("expected %s lines, found %s", Kind, instead(data, problems))
	}
	return byMoment(uncorrected(docs)), problems, nil
}

// kindWord is what a document calls itself; anything else that stands there is not repeated.
var kindWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z-]{0,40}/v[0-9]{1,4}$`) })

// instead says what a file without a snapshot holds: another document, as a whole or in its first line, or nothing known.
func instead(data []byte, problems []Problem) string {
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	for _, part := range [][]byte{data, first} {
		if kind, err := jsondoc.Kind(part); err == nil && kind != Kind && kindWord().MatchString(kind) {
			return kind
		}
	}
	said := make([]string, len(problems))
	for i, p := range problems {
		said[i] = p.String()
	}
	return "no snapshot; " + strings.Join(said, "; ")
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxHistory+1))
	if err == nil && len(data) > maxHistory {
		err = fmt.Errorf("larger than %d MiB, expected one snapshot a line", maxHistory>>20)
	}
	return data, err
}

// parse reads the lines of a history as they stand, and tells at most room problems one by one.
func parse(data []byte, lifts map[string]lift, room int) (docs []Document, problems []Problem, err error) {
	docs = []Document{}
	found := flaws{room: room}
	have := map[string]int{}
	for n := 1; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if ended && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		doc, err := decode(line, lifts)
		switch {
		case errors.Is(err, ErrNewer):
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		case !ended:
			found.add("torn-line", n, "the last line has no end: a write was cut off")
			continue
		case err != nil:
			found.add("bad-line", n, err.Error())
			continue
		}
		if first := have[doc.SnapshotID]; first > 0 {
			found.add("duplicate-id", n, fmt.Sprintf("the same snapshot as line %d", first))
			continue
		}
		have[doc.SnapshotID] = n
		docs = append(docs, *doc)
	}
	return docs, found.problems(), nil
}

// lone reads a single snapshot over several lines.
func lone(data []byte) (Document, bool) {
	var doc Document
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if json.Valid(first) || len(bytes.TrimSpace(rest)) == 0 {
		return doc, false
	}
	return doc, jsondoc.Decode(data, Kind, &doc) == nil
}

// lift turns the members of a snapshot of one version into those of the next and names that one.
type lift struct {
	to string
	up func(map[string]any) error
}

// lifts maps each version that was ever written, but the present, to its lift. A change of
// snapshot/v1 that older readers would misread makes snapshot/v2 and an entry here; a member
// that is only added does not, as its absence reads as empty.
var lifts = map[string]lift{}

var errNoDocument = errors.New("no JSON document")

// decode reads one line of any version up to the present one.
func decode(line []byte, lifts map[string]lift) (*Document, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
		return nil, errNoDocument
	}
	kind, err := jsondoc.Kind(line)
	if err != nil {
		return nil, errNoDocument
	}
	doc := &Document{}
	if kind == Kind {
		return doc, jsondoc.Decode(line, Kind, doc)
	}
	step, ok := lifts[kind]
	if !ok {
		if newer(kind) {
			return nil, fmt.Errorf("%q: %w", kind, ErrNewer)
		}
		return nil, fmt.Errorf("document: expected %q, found another kind", Kind)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var tree map[string]any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	for ok {
		if err := step.up(tree); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		kind = step.to
		tree["document"] = kind
		step, ok = lifts[kind]
	}
	return doc, jsondoc.DecodeTree(tree, Kind, doc)
}

// newer says whether kind is a later version of a snapshot than this tool writes.
func newer(kind string) bool {
	var n, have int
	if _, err := fmt.Sscanf(kind, "snapshot/v%d", &n); err != nil {
		return false
	}
	_, _ = fmt.Sscanf(Kind, "snapshot/v%d", &have)
	return n > have
}
