package plugin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// yamlError is a refusal with its place in the file.
type yamlError struct {
	msg  string
	line int
}

// Limits on what a block may make of itself: aliases multiply, and nesting recurses.
const (
	maxYAMLBlock = 32 << 10 // the parser takes time in the square of a block's keys
	maxYAMLNodes = 20_000
	maxYAMLDepth = 64
)

// parseYAML reads a block whose first line is file line at. Anything but a mapping (or
// nothing at all) is refused, as in the host.
func parseYAML(block string, at int) (fields Fields, refused *yamlError) {
	defer func() {
		if r := recover(); r != nil { // a parser's panic on foreign text is a refusal, not ours to die of
			fields, refused = nil, &yamlError{msg: "the YAML parser gave up on this block"}
		}
	}()
	if len(block) > maxYAMLBlock {
		return nil, &yamlError{msg: "larger than 32 KiB"}
	}
	if deep(block) {
		return nil, &yamlError{msg: "nested too deeply"}
	}
	file, err := parser.ParseBytes([]byte(block), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, refusal(err, at)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return Fields{}, nil
	}
	if len(file.Docs) > 1 {
		return nil, &yamlError{msg: "more than one YAML document"}
	}
	c := &yamlReader{anchors: map[string]ast.Node{}}
	pairs, ok := mappingOf(file.Docs[0].Body)
	if !ok {
		if _, null := file.Docs[0].Body.(*ast.NullNode); null {
			return Fields{}, nil
		}
		return nil, &yamlError{msg: "must be a YAML mapping (key: value pairs)", line: at}
	}
	out := Fields{}
	for _, p := range pairs {
		f := Field{Key: keyText(p.Key), Line: at + p.Key.GetToken().Position.Line - 1}
		if f.Value, err = c.value(p.Value, 0); err != nil {
			return nil, &yamlError{msg: err.Error(), line: f.Line}
		}
		f.Raw = c.raw(p.Value)
		out = append(out, f)
	}
	return out, nil
}

var dashes = pattern.New(`(?m)^[ \t]*(?:- ?){64}`)

// deep guards the recursive parser against nesting that no author writes.
func deep(block string) bool {
	if dashes().MatchString(block) {
		return true
	}
	depth, most := 0, 0
	for _, r := range block {
		switch r {
		case '[', '{':
			depth++
			most = max(most, depth)
		case ']', '}':
			depth--
		}
	}
	return most > 4*maxYAMLDepth
}

func refusal(err error, at int) *yamlError {
	e := &yamlError{msg: "not valid YAML"}
	var located interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &located) {
		if m := strings.TrimSpace(located.GetMessage()); m != "" {
			e.msg, _, _ = strings.Cut(m, "\n")
		}
		if tk := located.GetToken(); tk != nil && tk.Position != nil {
			e.line = at + tk.Position.Line - 1
		}
	}
	return e
}

func mappingOf(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	case *ast.AnchorNode:
		return mappingOf(n.Value)
	case *ast.TagNode:
		return mappingOf(n.Value)
	case nil:
		return nil, true
	}
	return nil, false
}

func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.GetToken().Value
}

// yamlReader turns nodes into values, following aliases within a budget.
type yamlReader struct {
	anchors map[string]ast.Node
	nodes   int
}

func (c *yamlReader) value(n ast.Node, depth int) (any, error) {
	if c.nodes++; c.nodes > maxYAMLNodes || depth > maxYAMLDepth {
		return nil, errors.New("grows too large")
	}
	switch n := n.(type) {
	case nil:
		return nil, nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.NullNode:
		return nil, nil
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			return v, nil
		case uint64:
			if v <= 1<<62 {
				return int64(v), nil
			}
		}
		return n.GetToken().Value, nil
	case *ast.FloatNode:
		return n.Value, nil
	case *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	case *ast.AnchorNode:
		c.anchors[n.Name.GetToken().Value] = n.Value
		return c.value(n.Value, depth+1)
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		target, ok := c.anchors[name]
		if !ok {
			return nil, fmt.Errorf("unresolved alias *%s", clipWord(name))
		}
		return c.value(target, depth+1)
	case *ast.TagNode:
		return c.value(n.Value, depth+1)
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, e := range n.Values {
			v, err := c.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.MappingNode, *ast.MappingValueNode:
		pairs, _ := mappingOf(n)
		m := make(map[string]any, len(pairs))
		for _, p := range pairs {
			v, err := c.value(p.Value, depth+1)
			if err != nil {
				return nil, err
			}
			m[keyText(p.Key)] = v
		}
		return m, nil
	}
	return nil, fmt.Errorf("an unexpected %s", n.Type())
}

// raw is a scalar as written, "" for everything else.
func (c *yamlReader) raw(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return strings.TrimSpace(n.GetToken().Value)
	case *ast.AnchorNode:
		return c.raw(n.Value)
	case *ast.TagNode:
		return c.raw(n.Value)
	case *ast.AliasNode:
		if t, ok := c.anchors[n.Value.GetToken().Value]; ok {
			if _, again := t.(*ast.AliasNode); !again {
				return c.raw(t)
			}
		}
	}
	return ""
}

func clipWord(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
