package plugin

import (
	"path"
	"strings"
	"testing"
)

// FuzzFrontmatter: whatever stands in a file, splitting it loses nothing, and every place
// that is named exists.
func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: b\n---\nbody\n", "---\ndescription: Use when: x\nargument-hint: [a] [b]\n---\n", "---\n---\n", "---\n- a\n---\n",
		"---\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n---\n", "---\na: &x [1]\nb: *x\n---\n", "---\na: |\n  b\n  c\n---\n---\nd: e\n---\n", "--- \r\na: 1\r\n---\r\n",
		"---\ntools: *\n---\n", "---\n\ta: b\n---\n", "---\na: \"b\n---\n", "---\n? a\n: b\n---\n", "---\na: !!binary x\n<<: *y\n---\n", "\xef\xbb\xbf---\na: \xe9\n---\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		text, _ := DecodeText([]byte(raw))
		front, body, line := ParseFront(text)
		if !strings.HasSuffix(text, body) {
			t.Fatalf("the body %q is no end of %q", body, text)
		}
		lines := 1 + strings.Count(text, "\n")
		if line < 1 || line > lines {
			t.Fatalf("the body starts on line %d of %d", line, lines)
		}
		switch front.State {
		case NoFront:
			if body != text || front.Effective != nil || front.Recovered != nil {
				t.Fatalf("no block, and yet %+v", front)
			}
		case Read:
			if front.Recovered != nil || front.Err != "" {
				t.Fatalf("read, and yet %+v", front)
			}
		default:
			if len(front.Effective) > 0 || front.Err == "" {
				t.Fatalf("refused, and yet %+v", front)
			}
		}
		for _, fs := range []Fields{front.Effective, front.Recovered} {
			for _, x := range fs {
				if x.Line < 1 || x.Line > lines {
					t.Fatalf("%q stands on line %d of %d", x.Key, x.Line, lines)
				}
				fs.List(x.Key)
				fs.Bool(x.Key)
			}
		}
		if front.ErrLine < 0 || front.ErrLine > lines {
			t.Fatalf("refused on line %d of %d", front.ErrLine, lines)
		}
	})
}

// FuzzManifest: whatever stands in a manifest, no path that comes out of it leaves the plugin.
func FuzzManifest(f *testing.F) {
	for _, s := range []string{
		`{"name": "a", "skills": ["./x", "../y"], "commands": {"c": {"source": "./c.md"}, "d": {"content": "x"}}, "agents": "./a.md"}`,
		`{"name": "a", "hooks": {"Stop": []}, "mcpServers": {"m": {"command": "x"}}, "lspServers": ["./l.json", {"x": {}}]}`,
		`{"userConfig": {"k": {"type": "string"}}, "dependencies": [{"name": "x"}], "channels": [{"server": "s"}], "experimental": {"themes": "./t"}}`,
		`{"name": "a", "name": "b"}`, `[]`, `{`, `"x"`, `{"skills": "/etc", "commands": "C:\\x", "agents": "\\\\host\\share"}`, "{\"skills\": \"a/../../b\"}", `{"a":{"a":{"a":[[[[]]]]}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		text, _ := DecodeText([]byte(raw))
		m := readManifest(text, manifestPath)
		lines := 1 + strings.Count(text, "\n")
		if m.Err != nil {
			if m.Err.Line < 1 || m.Err.Line > lines || m.Err.Msg == "" {
				t.Fatalf("refused on line %d of %d: %q", m.Err.Line, lines, m.Err.Msg)
			}
		} else {
			m.merge(m.Root, "marketplace.json")
		}
		m.refusal()
		inside := func(rel string) {
			if rel != "" && (path.IsAbs(rel) || rel == ".." || strings.HasPrefix(rel, "../") || path.Clean(rel) != rel) {
				t.Fatalf("the path %q leaves the plugin", rel)
			}
		}
		for _, refs := range [][]PathRef{m.Skills, m.Commands, m.Agents} {
			for _, r := range refs {
				inside(r.Rel)
				if r.Line < 1 || r.Line > lines {
					t.Fatalf("a path on line %d of %d", r.Line, lines)
				}
			}
		}
		for _, ds := range [][]Declared{m.Hooks, m.MCP, m.LSP} {
			for _, d := range ds {
				inside(d.Rel)
			}
		}
		for _, o := range m.Other {
			inside(o.Path)
		}
	})
}

// FuzzMarkdown: whatever a text is, each block stands inside the text, behind the heading
// it names, inside the item it names, and holds its own lines, spans and links.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"# A\n\ntext `x` [l](y)\n\n1. one\n   ```sh\n   ls\n   ```\n2. two\n   - three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"````\n```\n````\n~~~\nx", "```!\nls\n```\n!`x` (!`y`)\n", "<a>\nb\n</a>\n<!-- c\nd -->\n", "> 1. a\n>    > b\n", "A\n===\n\nB\n---\n***\n", "\ta\n\tb\n", "- [ ] x\n- [x] y\n\n  z\n",
		"[a]: b\n\n[a]\n![i](j)\n<https://e.org>\n", "1) a\n\n   b\n\n0. c\n", "| `a|b` |\n|-|\n", "\\\n\\`\n``a`\n`", "*\n*\n",
	} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, raw string, first int) {
		text, _ := DecodeText([]byte(raw))
		if first < 1 || first > 1<<20 {
			first = 1
		}
		d := ParseMarkdown(text, first)
		in := func(what string, n, from, to int) {
			if n < from || n > to {
				t.Fatalf("%s on line %d, outside %d-%d of %q", what, n, from, to, text)
			}
		}
		for i := range d.Blocks {
			b := &d.Blocks[i]
			in("a block begins", b.Line, d.FirstLine, d.LastLine)
			in("a block ends", b.End, b.Line, d.LastLine)
			if b.Heading >= i || b.Heading >= 0 && d.Blocks[b.Heading].Kind != Heading {
				t.Fatalf("block %d stands under %d", i, b.Heading)
			}
			if b.Item != nil {
				in("an item's block begins", b.Line, b.Item.Line, b.Item.End)
				in("an item's block ends", b.End, b.Item.Line, b.Item.End)
			}
			for _, l := range b.Lines {
				in("a "+string(b.Kind)+"'s line", l.N, b.Line, b.End)
			}
			for _, s := range b.Spans {
				in("a span", s.Line, b.Line, b.End)
			}
			for _, l := range b.Links {
				in("a link", l.Line, b.Line, b.End)
			}
			for _, r := range b.Rows {
				in("a row", r.Line, b.Line, b.End)
			}
			b.Text()
		}
		for _, it := range d.Items {
			if it.Parent != nil {
				in("an item", it.Line, it.Parent.Line, it.Parent.End)
			}
		}
		d.Prose()
		d.Under(-1)
	})
}
