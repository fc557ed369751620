package boundary

import (
	"path"
	"strings"
)

// maxSlug bounds a slug in bytes.
const maxSlug = 40

// slugOf names a list of signatures by its first words, for candidates that no text
// names: "Bash gh pr view", "Read <own:x.md>" → gh-pr-view-read-x-md.
func slugOf(sigs []string) string {
	var words []string
	for _, s := range sigs {
		words = append(words, strings.TrimPrefix(s, "Bash "))
	}
	return kebab(strings.Join(words, " "))
}

// kebab is s in lower-case words joined by "-", cut at a word to maxSlug bytes.
func kebab(s string) string {
	out := ""
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		if len(out)+len(w)+1 > maxSlug {
			break
		}
		if out != "" {
			out += "-"
		}
		out += w
	}
	if out == "" {
		return "step"
	}
	return out
}

func baseName(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
