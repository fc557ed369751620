package boundary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
)

// maxWritten bounds what is read: it is written by hand, so 4 MiB is far more than any.
const maxWritten = 4 << 20

// ReadJudgments reads judgments/v1 from JSON or from YAML, one document, strictly:
// what is unknown, missing, of another type or out of range is refused with the path
// of the member, such as "judgments[2].T3.outcome". Rows of the form that are still
// open are kept. Which candidates exist is Classify's to check.
func ReadJudgments(data []byte) (*Judgments, error) {
	var js Judgments
	if err := DecodeWritten(data, JudgmentsKind, &js); err != nil {
		return nil, err
	}
	if js.Judgments == nil {
		js.Judgments = []Judgment{}
	}
	return &js, js.check()
}

// DecodeWritten decodes a document that people or models write by hand, JSON or YAML, as
// strictly as jsondoc.Decode.
func DecodeWritten(data []byte, kind string, dst any) error {
	if len(data) > maxWritten {
		return fmt.Errorf("larger than %d MiB, expected a %s document", maxWritten>>20, kind)
	}
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return jsondoc.Decode(data, kind, dst)
	}
	return decodeYAML(data, kind, dst)
}

// decodeYAML parses exactly one YAML document into the tree that jsondoc checks.
// Anchors, aliases and tags have no use here and are refused (an alias can blow up).
func decodeYAML(data []byte, kind string, dst any) error {
	if line := tooMuch(data); line > 0 {
		return fmt.Errorf("YAML line %d: deeper or longer than any %s document", line, kind)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return fmt.Errorf("neither JSON nor YAML: %s", firstLine(err))
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d.Body)
		}
	}
	if len(docs) != 1 {
		return fmt.Errorf("expected one %s document, found %d", kind, len(docs))
	}
	var odd refuser
	ast.Walk(&odd, docs[0])
	if odd.err != nil {
		return odd.err
	}
	ast.Walk(plainScalars{}, docs[0])
	var tree any
	if err := yaml.NodeToValue(docs[0], &tree); err != nil {
		return fmt.Errorf("YAML: %s", firstLine(err))
	}
	return jsondoc.DecodeTree(tree, kind, dst)
}

// Bounds of a written document in YAML. A parser's time and stack grow with the depth, and
// its time with the square of the members of one mapping; ours nest some ten levels and
// have some twenty members.
const (
	maxNesting = 200
	maxMembers = 2_000
)

// tooMuch returns the first line at which YAML may go beyond the bounds, 0 for none. It
// counts what each further level or member has to spend: a column of indentation, a dash
// in the same line, an open bracket, a line at the same column, a comma in one line.
func tooMuch(data []byte) int {
	var members [2*maxNesting + 1]int
	open, deepest := 0, 0
	for n, line := range bytes.Split(data, []byte("\n")) {
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		lead := len(line) - len(bytes.TrimLeft(line, " \t-?:"))
		if lead >= len(members) || bytes.Count(line[:lead], []byte("-")) > maxNesting {
			return n + 1
		}
		if indent < len(line) {
			clear(members[indent+1 : max(deepest, indent)+1])
			deepest = indent
			if members[indent]++; members[indent] > maxMembers {
				return n + 1
			}
		}
		if bytes.Count(line, []byte(",")) > maxMembers {
			return n + 1
		}
		for _, b := range line {
			switch b {
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			if open > maxNesting {
				return n + 1
			}
		}
	}
	return 0
}

// refuser finds what YAML has and JSON has not.
type refuser struct{ err error }

// Visit implements ast.Visitor.
func (r *refuser) Visit(n ast.Node) ast.Visitor {
	switch n.Type() {
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		r.err = fmt.Errorf("YAML line %d: anchors, aliases and tags are not accepted", n.GetToken().Position.Line)
	}
	if r.err != nil {
		return nil
	}
	return r
}

// plainScalars puts together what the parser takes apart: to it, the item x.md:12 of a list
// inside of braces is a mapping. In YAML 1.2 a colon that no blank follows belongs to the
// scalar, and a file with its line is how evidence is cited.
type plainScalars struct{}

// Visit implements ast.Visitor.
func (p plainScalars) Visit(n ast.Node) ast.Visitor {
	if list, ok := n.(*ast.SequenceNode); ok && list.IsFlowStyle {
		for i, item := range list.Values {
			if whole := joined(item); whole != nil {
				list.Values[i] = whole
			}
		}
	}
	return p
}

// joined is the plain scalar that a pair without a blank after its colon is, nil for every other node.
func joined(n ast.Node) ast.Node {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) == 1 {
		n = m.Values[0]
	}
	pair, ok := n.(*ast.MappingValueNode)
	if !ok {
		return nil
	}
	key, value := pair.Key.GetToken(), pair.Value.GetToken()
	if key == nil || value == nil || key.Indicator != token.NotIndicator || value.Indicator != token.NotIndicator ||
		value.Origin == "" || strings.ContainsAny(value.Origin[:1], " \t\r\n") {
		return nil
	}
	return ast.String(token.String(key.Value+":"+value.Value, key.Origin+":"+value.Origin, key.Position))
}

// firstLine is a parser's message without its excerpt of the source.
func firstLine(err error) string {
	line, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
	return line
}

// UnmarshalJSON keeps numbers as they are written, so that no int passes through a float.
func (p *Pair) UnmarshalJSON(data []byte) error {
	type plain Pair
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode((*plain)(p)); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the pair")
	}
	return nil
}

// check refuses answers that no rule could read.
func (js *Judgments) check() error {
	seen := map[string]int{}
	for i := range js.Judgments {
		j := &js.Judgments[i]
		at := fmt.Sprintf("judgments[%d]", i)
		if j.ID == "" {
			return fmt.Errorf("%s.id: missing, expected a candidate's id", at)
		}
		if first, ok := seen[j.ID]; ok {
			return fmt.Errorf("%s.id: %q was already judged at judgments[%d]", at, clip(j.ID), first)
		}
		seen[j.ID] = i
		if j.Open() {
			continue
		}
		if err := j.check(at); err != nil {
			return err
		}
	}
	return nil
}

func (j *Judgment) check(at string) error {
	switch j.Residue {
	case ResidueNone, ResidueOnce, ResiduePerRun, ResidueAll:
	default:
		return fmt.Errorf("%s.residue: expected none, once, per_run or all, found %q", at, clip(j.Residue))
	}
	least, most := 0, 0
	switch j.Residue {
	case ResiduePerRun:
		least, most = 1, 100
	case ResidueAll:
		most = 100
	}
	if j.UndecidedShare < least || j.UndecidedShare > most {
		return fmt.Errorf("%s.undecided_share: expected %d to %d percent with residue %s, found %d", at, least, most, j.Residue, j.UndecidedShare)
	}
	for i, a := range j.answers() {
		if err := a.check(at+"."+testIDs[i], j.Residue == ResidueAll); err != nil {
			return err
		}
	}
	if j.Triple != nil && len(j.Triple.Overrules) > 2 {
		return fmt.Errorf("%s.triple.overrules[2]: expected the two likeliest cases, found %d", at, len(j.Triple.Overrules))
	}
	return nil
}

func (a *Answer) check(at string, optional bool) error {
	switch a.Outcome {
	case Pass, Partial, Fail, Unknown:
	case "":
		if !optional {
			return fmt.Errorf("%s.outcome: missing, expected pass, partial, fail or unknown", at)
		}
	default:
		return fmt.Errorf("%s.outcome: expected pass, partial, fail or unknown, found %q", at, clip(a.Outcome))
	}
	for i, e := range a.Evidence {
		if !isReference(e) {
			return fmt.Errorf("%s.evidence[%d]: expected a reference (file:line, a signal's id or a signature hash), found %q", at, i, clip(e))
		}
	}
	return nil
}
