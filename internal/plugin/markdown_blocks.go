package plugin

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// block appends one leaf block.
func (r *mdReader) block(n ast.Node, item *Item, quoted bool) {
	b := Block{Item: item, Quoted: quoted, Heading: -1}
	b.Line = r.startOf(n)
	b.End = b.Line
	switch n := n.(type) {
	case *ast.Heading:
		b.Kind, b.Level = Heading, n.Level
		r.inlines(n, &b)
		r.extend(&b)
		if next := strings.TrimSpace(r.raw(b.End + 1)); b.End+1 <= r.doc.LastLine && isSetext(next) && !strings.HasPrefix(strings.TrimSpace(r.raw(b.Line)), "#") {
			b.End++
		}
	case *ast.Paragraph, *ast.TextBlock:
		b.Kind = Paragraph
		r.inlines(n, &b)
		r.extend(&b)
		if len(b.Lines) == 0 {
			return // only link definitions
		}
	case *ast.FencedCodeBlock:
		b.Kind = Fence
		if n.Info != nil {
			b.Info = strings.TrimSpace(string(n.Info.Segment.Value(r.src)))
			b.Dynamic = strings.HasPrefix(b.Info, "!")
			if f := strings.Fields(strings.TrimPrefix(b.Info, "!")); len(f) > 0 {
				b.Lang = strings.ToLower(f[0])
			}
		}
		r.code(n, &b)
		b.End = b.Line + len(b.Lines)
		if isFenceMarker(r.raw(b.End + 1)) {
			b.End++
		} else {
			b.Unclosed = true
		}
	case *ast.CodeBlock:
		b.Kind = Code
		r.code(n, &b)
		r.extend(&b)
	case *ast.HTMLBlock:
		b.Kind = HTML
		r.html(n, &b)
		r.extend(&b)
	case *east.Table:
		b.Kind = Table
		r.table(n, &b)
	case *ast.ThematicBreak:
		b.Kind = Rule
	default:
		return
	}
	r.place(&b)
	r.doc.Blocks = append(r.doc.Blocks, b)
}

// place sets the heading that the block stands under and keeps the outline.
func (r *mdReader) place(b *Block) {
	if b.Kind == Heading {
		for len(r.outline) > 0 && r.doc.Blocks[r.outline[len(r.outline)-1]].Level >= b.Level {
			r.outline = r.outline[:len(r.outline)-1]
		}
	}
	if len(r.outline) > 0 {
		b.Heading = r.outline[len(r.outline)-1]
	}
	if b.Kind == Heading {
		r.outline = append(r.outline, len(r.doc.Blocks))
	}
}

// extend makes Line and End span the lines collected.
func (r *mdReader) extend(b *Block) {
	if len(b.Lines) > 0 {
		b.Line = min(b.Line, b.Lines[0].N)
		b.End = max(b.End, b.Lines[len(b.Lines)-1].N)
	}
}

func isSetext(s string) bool {
	return s != "" && (strings.Trim(s, "=") == "" || strings.Trim(s, "-") == "")
}

func isFenceMarker(line string) bool {
	s := strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~")
}

func (r *mdReader) code(n ast.Node, b *Block) {
	ls := n.Lines()
	for i := range ls.Len() {
		seg := ls.At(i)
		b.Lines = append(b.Lines, Line{N: r.line(seg.Start), Text: strings.TrimSuffix(string(seg.Value(r.src)), "\n")})
	}
}

var (
	htmlComment = pattern.New(`<!--.*?(-->|$)`)
	htmlTag     = pattern.New(`</?[A-Za-z][^<>]*>`)
)

// html keeps the lines as written; their prose is what stands between tags, outside comments.
func (r *mdReader) html(n *ast.HTMLBlock, b *Block) {
	comment := false
	add := func(start int, value []byte) {
		raw := strings.TrimSuffix(string(value), "\n")
		prose := raw
		if comment {
			if i := strings.Index(prose, "-->"); i >= 0 {
				comment, prose = false, prose[i+3:]
			} else {
				prose = ""
			}
		}
		if i := strings.LastIndex(prose, "<!--"); i >= 0 && !strings.Contains(prose[i:], "-->") {
			comment = true
		}
		prose = htmlTag().ReplaceAllString(htmlComment().ReplaceAllString(prose, ""), "")
		b.Lines = append(b.Lines, Line{N: r.line(start), Text: raw, Prose: prose})
	}
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		add(seg.Start, seg.Value(r.src))
	}
	if n.HasClosure() {
		add(n.ClosureLine.Start, n.ClosureLine.Value(r.src))
	}
}

func (r *mdReader) table(t *east.Table, b *Block) {
	for n := t.FirstChild(); n != nil; n = n.NextSibling() {
		row := Row{Line: r.startOf(n)}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			cell := Block{Line: row.Line}
			r.inlines(c, &cell)
			row.Cells = append(row.Cells, strings.TrimSpace(cell.Text()))
			row.Prose = append(row.Prose, strings.TrimSpace(cell.Prose()))
			b.Spans = append(b.Spans, cell.Spans...)
			b.Links = append(b.Links, cell.Links...)
			if len(cell.Lines) > 0 {
				row.Line = cell.Lines[0].N
			}
		}
		b.End = max(b.End, row.Line)
		if _, ok := n.(*east.TableHeader); ok {
			b.Line, b.Header = row.Line, row
			b.End = max(b.End, row.Line+1) // the delimiter row
			continue
		}
		b.Rows = append(b.Rows, row)
	}
}

// inlines collects the text of n into b's lines, code spans and links.
func (r *mdReader) inlines(n ast.Node, b *Block) {
	at := b.Line
	put := func(line int, txt, prose string) {
		at = line
		if k := len(b.Lines) - 1; k >= 0 && b.Lines[k].N == line {
			b.Lines[k].Text += txt
			b.Lines[k].Prose += prose
			return
		}
		b.Lines = append(b.Lines, Line{N: line, Text: txt, Prose: prose})
	}
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Text:
				s := string(util.UnescapePunctuations(c.Segment.Value(r.src)))
				put(r.line(c.Segment.Start), s, s)
			case *ast.String:
				put(at, string(c.Value), string(c.Value))
			case *ast.CodeSpan:
				r.codeSpan(c, b, at, put)
			case *ast.Link:
				b.Links = append(b.Links, Link{Line: r.lineOf(c, at), Target: string(c.Destination)})
				walk(c)
			case *ast.Image:
				b.Links = append(b.Links, Link{Line: r.lineOf(c, at), Target: string(c.Destination), Image: true})
				put(r.lineOf(c, at), "", Inline)
			case *ast.AutoLink:
				u := string(c.URL(r.src))
				b.Links = append(b.Links, Link{Line: r.lineOf(c, at), Target: u})
				put(r.lineOf(c, at), u, Inline)
			case *ast.RawHTML, *east.TaskCheckBox:
			default:
				walk(c)
			}
		}
	}
	walk(n)
}

// codeSpan records a span; a span may run over a line end, and is one span all the same.
func (r *mdReader) codeSpan(c *ast.CodeSpan, b *Block, at int, put func(int, string, string)) {
	var txt bytes.Buffer
	line, start := at, -1
	for t := c.FirstChild(); t != nil; t = t.NextSibling() {
		if t, ok := t.(*ast.Text); ok {
			if start < 0 {
				start = t.Segment.Start
				line = r.line(start)
			}
			txt.Write(t.Segment.Value(r.src))
		}
	}
	s := Span{Line: line, Text: strings.TrimSpace(strings.ReplaceAll(txt.String(), "\n", " "))}
	s.Dynamic = start >= 0 && r.dynamicAt(start)
	b.Spans = append(b.Spans, s)
	put(line, s.Text, Inline)
}

// dynamicAt: the text before the span's backticks is "!" at a line start, after a blank or "(".
func (r *mdReader) dynamicAt(start int) bool {
	i := start - 1
	for i >= 0 && (r.src[i] == '`' || r.src[i] == ' ') {
		i--
	}
	if i < 0 || r.src[i] != '!' || r.src[i+1] != '`' {
		return false
	}
	return i == 0 || bytes.IndexByte([]byte(" \t\n("), r.src[i-1]) >= 0
}

// lineOf is the line of an inline node: its first text's, else that of what came before it.
func (r *mdReader) lineOf(n ast.Node, at int) int {
	for c := n.FirstChild(); c != nil; c = c.FirstChild() {
		if t, ok := c.(*ast.Text); ok {
			return r.line(t.Segment.Start)
		}
	}
	if p := n.Pos(); p >= 0 {
		return r.line(p)
	}
	return at
}
