package plugin

import (
	"fmt"
	"strings"
	"testing"
)

// outline renders a Doc one block a line, so that a table can say what it expects.
func outline(d *Doc) string {
	var sb strings.Builder
	for i := range d.Blocks {
		b := &d.Blocks[i]
		fmt.Fprintf(&sb, "%d-%d %s", b.Line, b.End, b.Kind)
		if b.Level > 0 {
			fmt.Fprintf(&sb, " h%d", b.Level)
		}
		if b.Heading >= 0 {
			fmt.Fprintf(&sb, " under=%d", d.Blocks[b.Heading].Line)
		}
		if b.Item != nil {
			fmt.Fprintf(&sb, " item=%d-%d depth=%d n=%d", b.Item.Line, b.Item.End, b.Item.Depth, b.Item.Number)
		}
		if b.Quoted {
			sb.WriteString(" quoted")
		}
		if b.Info != "" {
			fmt.Fprintf(&sb, " info=%q lang=%q", b.Info, b.Lang)
		}
		if b.Dynamic {
			sb.WriteString(" dynamic")
		}
		if b.Unclosed {
			sb.WriteString(" unclosed")
		}
		for _, s := range b.Spans {
			fmt.Fprintf(&sb, " span@%d=%q", s.Line, s.Text)
			if s.Dynamic {
				sb.WriteString("!")
			}
		}
		for _, l := range b.Links {
			fmt.Fprintf(&sb, " link@%d=%q", l.Line, l.Target)
		}
		if b.Kind == Table {
			fmt.Fprintf(&sb, " header@%d=%q", b.Header.Line, b.Header.Cells)
			for _, r := range b.Rows {
				fmt.Fprintf(&sb, " row@%d=%q", r.Line, r.Cells)
			}
		} else if len(b.Lines) > 0 {
			fmt.Fprintf(&sb, " %q", b.Text())
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

func TestMarkdownBlocksAndLines(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want string
	}{
		"headings nest": {
			"# A\n\n## B\ntext\n### C\nx\n## D\ny",
			`1-1 heading h1 "A"
3-3 heading h2 under=1 "B"
4-4 paragraph under=3 "text"
5-5 heading h3 under=3 "C"
6-6 paragraph under=5 "x"
7-7 heading h2 under=1 "D"
8-8 paragraph under=7 "y"
`},
		"setext": {"A\n=\n\nB\nC\n---\n", "1-2 heading h1 \"A\"\n4-6 heading h2 under=1 \"B\\nC\"\n"},
		"items with a fence inside, nested (F16)": {
			"1. first\n   ```bash\n   ls\n   ```\n2. second\n   - inner\n",
			`1-1 paragraph item=1-4 depth=1 n=1 "first"
2-4 fence item=1-4 depth=1 n=1 info="bash" lang="bash" "ls"
5-5 paragraph item=5-6 depth=1 n=2 "second"
6-6 paragraph item=6-6 depth=2 n=0 "inner"
`},
		"four backticks hold three (F16)": {
			"````md\n```sh\nx\n```\n````\n", "1-5 fence info=\"md\" lang=\"md\" \"```sh\\nx\\n```\"\n"},
		"tilde fence (F16)":    {"~~~\na\n~~~\n", "1-3 fence \"a\"\n"},
		"unclosed fence (F16)": {"x\n\n```sh\na\nb", "1-1 paragraph \"x\"\n3-5 fence info=\"sh\" lang=\"sh\" unclosed \"a\\nb\"\n"},
		"empty fence":          {"```sh\n```\nx", "1-2 fence info=\"sh\" lang=\"sh\"\n3-3 paragraph \"x\"\n"},
		"dynamic span and fence (F15)": {
			"Now: !`git status` and (!`date`) not vec!`x`\n\n```!\nls\n```\n",
			"1-1 paragraph span@1=\"git status\"! span@1=\"date\"! span@1=\"x\" \"Now: !git status and (!date) not vec!x\"\n" +
				"3-5 fence info=\"!\" lang=\"\" dynamic \"ls\"\n"},
		"table": {
			"| a | `b` |\n|---|---|\n| 1 | [x](y.md) |\n| 2 | 3 |\n",
			"1-4 table span@1=\"b\" link@3=\"y.md\" header@1=[\"a\" \"b\"] row@3=[\"1\" \"x\"] row@4=[\"2\" \"3\"]\n"},
		"links and images": {
			"see [a](b.md)\nand ![i](p.png) <https://e.org>\n",
			"1-2 paragraph link@1=\"b.md\" link@2=\"p.png\" link@2=\"https://e.org\" \"see a\\nand  https://e.org\"\n"},
		"quote, rule, html": {
			"> q\n\n---\n\n<tip>\nhold on\n</tip>\n",
			"1-1 paragraph quoted \"q\"\n3-3 rule\n5-7 html \"<tip>\\nhold on\\n</tip>\"\n"},
		"span over a line end": {"a `b\nc` d\n", "1-2 paragraph span@1=\"b c\" \"a b c\\n d\"\n"},
		"empty":                {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outline(ParseMarkdown(c.in, 1)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestMarkdownProse(t *testing.T) {
	d := ParseMarkdown("# Run `x`\n\nCount **all** <https://e.org> rows.\n\n```\ncode\n```\n\n| a | `b` |\n|--|--|\n| c | d |\n\n<tip>ask <!-- no --> first</tip>\n", 10)
	var got []string
	for _, l := range d.Prose() {
		got = append(got, fmt.Sprintf("%d:%s", l.N, l.Prose))
	}
	want := "10:Run \uFFFC|12:Count all \uFFFC rows.|18:a | \uFFFC|20:c | d|22:ask  first"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got %q\nwant %q", s, want)
	}
	if n := Words("Run \uFFFC, now — 3 times"); n != 4 {
		t.Errorf("Words = %d, want 4", n)
	}
	if d.FirstLine != 10 || d.LastLine != 22 {
		t.Errorf("lines %d-%d, want 10-22", d.FirstLine, d.LastLine)
	}
}

func TestMarkdownUnder(t *testing.T) {
	d := ParseMarkdown("# A\n## B\nx\n### C\ny\n## D\nz\n", 1)
	for _, c := range []struct {
		h    int
		want string
	}{{0, "[1 2 3 4 5 6]"}, {1, "[2 3 4]"}, {3, "[4]"}, {-1, "[0 1 2 3 4 5 6]"}} {
		if got := fmt.Sprint(d.Under(c.h)); got != c.want {
			t.Errorf("Under(%d) = %s, want %s", c.h, got, c.want)
		}
	}
}

// Text made to hang its reader is read in time: what exceeds the limits is plain text, and
// what stands before and behind it is as it was.
func TestMarkdownGuard(t *testing.T) {
	for _, p := range []string{"[", "![", "**a ", "[a](", "_a*", "`a ``b ", "x@y.z ", "> ", "1. ", "- ", "* "} {
		d := ParseMarkdown("# A\n\n"+strings.Repeat(p, 200_000/len(p))+"\n\n[b](c) `d`\n", 1)
		last := d.Blocks[len(d.Blocks)-1]
		if d.Blocks[0].Text() != "A" || last.Line != 5 || len(last.Links) != 1 || len(last.Spans) != 1 {
			t.Errorf("%q: %s", p, outline(d)[:100])
		}
	}
	// A long table and a long list are no such text.
	d := ParseMarkdown(strings.Repeat("- [a](b) `c` *d*\n", 500)+"\n| a |\n|---|\n"+strings.Repeat("| [a](b) `c` |\n", 500), 1)
	links := 0
	for _, b := range d.Blocks {
		links += len(b.Links)
	}
	if links != 1000 {
		t.Errorf("%d links, expected 1000", links)
	}
	// Code keeps every byte.
	code := strings.Repeat("[*_`]", 1000)
	if d := ParseMarkdown("```\n"+code+"\n```\n", 1); d.Blocks[0].Text() != code {
		t.Error("the guard changed code")
	}
}
