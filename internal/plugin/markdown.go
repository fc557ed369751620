package plugin

import (
	"sort"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Inline stands in a Line's Prose for a code span, an address or an image: a
// word was there, but not one of prose.
const Inline = "\uFFFC"

// BlockKind says what a Block is.
type BlockKind string

// The kinds of blocks. List items are no blocks: their paragraphs and fences are,
// and each names its Item.
const (
	Heading   BlockKind = "heading"
	Paragraph BlockKind = "paragraph"
	Fence     BlockKind = "fence" // fenced code
	Code      BlockKind = "code"  // indented code
	Table     BlockKind = "table"
	HTML      BlockKind = "html" // raw HTML, or the angle-bracket tags that prompts use
	Rule      BlockKind = "rule" // a thematic break
)

// Doc is Markdown in reading order. All line numbers are 1-based and count from
// the top of the file, frontmatter included.
type Doc struct {
	Blocks []Block
	// Items are all list items, in the order of their first lines.
	Items []*Item
	// FirstLine and LastLine bound the body; LastLine < FirstLine when it is empty.
	FirstLine, LastLine int
}

// Block is one leaf of the document with the context that it stands in.
type Block struct {
	Kind BlockKind
	// Line and End are its first and last line, fence markers included.
	Line, End int
	// Level is a heading's level, 1 to 6.
	Level int
	// Heading is the index in Doc.Blocks of the heading that this block stands under,
	// for a heading its parent heading; -1 at the top.
	Heading int
	// Item is the innermost list item that holds the block, nil outside lists.
	Item *Item
	// Quoted: inside a block quote.
	Quoted bool
	// Lines are the source lines: of a heading or paragraph with markup removed, of a
	// fence, code or HTML block as written. Blank for tables and rules.
	Lines []Line
	// Spans are the inline code spans, in order; Links the links and images. Those of
	// table cells are included.
	Spans []Span
	Links []Link
	// Info is a fence's whole info string, Lang its first word in lower case.
	Info, Lang string
	// Dynamic: a fence opened with ```! whose lines the host runs as the text loads.
	Dynamic bool
	// Unclosed: the fence runs to the end of the document without a closing marker.
	Unclosed bool
	// Header and Rows are a table's.
	Header Row
	Rows   []Row
}

// Line is one source line of a block.
type Line struct {
	N int
	// Text has the words of code spans in it, Prose has Inline in their place. Prose is
	// "" for fences and indented code.
	Text, Prose string
}

// Span is an inline code span.
type Span struct {
	Line int
	Text string
	// Dynamic: written !`…` after a blank, a line start or "(", so that the host runs it
	// as the text loads.
	Dynamic bool
}

// Link is a link or an image.
type Link struct {
	Line   int
	Target string
	Image  bool
}

// Row is one table row.
type Row struct {
	Line int
	// Cells hold the text of each cell, Prose the same with Inline for code spans.
	Cells, Prose []string
}

// Item is a list item.
type Item struct {
	// Line and End are its first and last line, children included.
	Line, End int
	Ordered   bool
	// Number is an ordered item's position as rendered (start + index).
	Number int
	// Depth is 1 for an item of an outermost list.
	Depth  int
	Parent *Item
	// List tells lists apart: items of one list share it.
	List int
}

// In reports whether the block stands in it, directly or in one of its children.
func (b *Block) In(it *Item) bool {
	for p := b.Item; p != nil; p = p.Parent {
		if p == it {
			return true
		}
	}
	return false
}

// Text is the block's lines joined by newlines.
func (b *Block) Text() string { return joinLines(b.Lines, func(l Line) string { return l.Text }) }

// Prose is the block's prose joined by newlines; a table's cells each on a line.
func (b *Block) Prose() string {
	if b.Kind == Table {
		var all []string
		for _, r := range append([]Row{b.Header}, b.Rows...) {
			all = append(all, r.Prose...)
		}
		return strings.Join(all, "\n")
	}
	return joinLines(b.Lines, func(l Line) string { return l.Prose })
}

func joinLines(ls []Line, f func(Line) string) string {
	var sb strings.Builder
	for i, l := range ls {
		if i > 0 {
			sb.WriteByte('\n')
		}
		sb.WriteString(f(l))
	}
	return sb.String()
}

// Prose returns every prose line of the document in order: headings, paragraphs,
// item texts, tag-wrapped text and table rows (cells joined by " | "); no code.
func (d *Doc) Prose() []Line {
	var out []Line
	for i := range d.Blocks {
		b := &d.Blocks[i]
		switch b.Kind {
		case Heading, Paragraph, HTML:
			for _, l := range b.Lines {
				if strings.TrimSpace(l.Prose) != "" {
					out = append(out, l)
				}
			}
		case Table:
			for _, r := range append([]Row{b.Header}, b.Rows...) {
				out = append(out, Line{N: r.Line, Text: strings.Join(r.Cells, " | "), Prose: strings.Join(r.Prose, " | ")})
			}
		}
	}
	return out
}

// Under returns the indexes of the blocks that stand under the heading at index h,
// sub-headings and their blocks included. Under(-1) is everything.
func (d *Doc) Under(h int) []int {
	var out []int
	for i := h + 1; i < len(d.Blocks); i++ {
		if h >= 0 && d.Blocks[i].Kind == Heading && d.Blocks[i].Level <= d.Blocks[h].Level {
			break
		}
		out = append(out, i)
	}
	return out
}

// Words counts the words of s: runs between blanks that hold a letter or a digit.
func Words(s string) int {
	n := 0
	for _, f := range strings.Fields(s) {
		if strings.ContainsFunc(f, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

var markdown = sync.OnceValue(func() parser.Parser { return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser() })

// ParseMarkdown reads body, whose first line is line firstLine of its file.
// Any text is Markdown: it cannot fail. Line ends must be "\n" (see DecodeText).
func ParseMarkdown(body string, firstLine int) *Doc {
	src := []byte(body)
	r := &mdReader{src: src, first: firstLine, doc: &Doc{FirstLine: firstLine}}
	r.starts = []int{0}
	for i, c := range src {
		if c == '\n' && i+1 < len(src) {
			r.starts = append(r.starts, i+1)
		}
	}
	r.doc.LastLine = firstLine - 1
	if len(src) > 0 {
		r.doc.LastLine = firstLine + len(r.starts) - 1
	}
	r.blocks(markdown().Parse(text.NewReader(guarded(src))), nil, false)
	sort.SliceStable(r.doc.Items, func(i, j int) bool { return r.doc.Items[i].Line < r.doc.Items[j].Line })
	return r.doc
}

// mdReader turns goldmark's tree into a Doc.
type mdReader struct {
	src     []byte
	starts  []int // byte offset of each line
	first   int
	doc     *Doc
	lists   int
	outline []int // indexes of the open headings
}

// line is the file line of a byte offset.
func (r *mdReader) line(off int) int {
	return r.first + sort.SearchInts(r.starts, off+1) - 1
}

// raw is the text of a file line, without its end.
func (r *mdReader) raw(n int) string {
	i := n - r.first
	if i < 0 || i >= len(r.starts) {
		return ""
	}
	end := len(r.src)
	if i+1 < len(r.starts) {
		end = r.starts[i+1]
	}
	return strings.TrimSuffix(string(r.src[r.starts[i]:end]), "\n")
}

func (r *mdReader) blocks(parent ast.Node, item *Item, quoted bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.List:
			r.list(n, item, quoted)
		case *ast.Blockquote:
			r.blocks(n, item, true)
		default:
			r.block(n, item, quoted)
		}
	}
}

func (r *mdReader) list(l *ast.List, parent *Item, quoted bool) {
	r.lists++
	id, number := r.lists, l.Start
	for n := l.FirstChild(); n != nil; n = n.NextSibling() {
		it := &Item{Ordered: l.IsOrdered(), Depth: 1, Parent: parent, List: id}
		if it.Ordered {
			it.Number = number
			number++
		}
		if parent != nil {
			it.Depth = parent.Depth + 1
		}
		it.Line = r.startOf(n)
		it.End = it.Line
		r.doc.Items = append(r.doc.Items, it)
		from := len(r.doc.Blocks)
		r.blocks(n, it, quoted)
		for _, b := range r.doc.Blocks[from:] {
			it.Line, it.End = min(it.Line, b.Line), max(it.End, b.End)
		}
		for p := parent; p != nil; p = p.Parent { // an empty item has no block to tell them
			p.End = max(p.End, it.End)
		}
	}
}

// startOf is the first line of a container: its own position, else its first descendant's.
func (r *mdReader) startOf(n ast.Node) int {
	for ; n != nil; n = n.FirstChild() {
		if p := n.Pos(); p >= 0 {
			return r.line(p)
		}
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			return r.line(n.Lines().At(0).Start)
		}
	}
	return r.first
}
