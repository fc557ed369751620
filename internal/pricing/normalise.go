package pricing

import "strings"

// Normalise takes the decoration off a model id: a path or vendor prefix, a Bedrock
// region, a context suffix "[1m]", a revision "-v1:0", "@date" and a trailing
// "-YYYYMMDD" or "-latest". A dot between digits becomes a hyphen. What is left is
// the model's canonical name, or simply an id that the table does not hold.
func Normalise(id string) string {
	s := strings.ToLower(strings.TrimSpace(id))
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
	}
	for _, region := range []string{"us-gov.", "us.", "eu.", "apac.", "au.", "jp.", "ca.", "global."} {
		if rest, ok := strings.CutPrefix(s, region); ok {
			s = rest
			break
		}
	}
	s = strings.TrimPrefix(s, "anthropic.")
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		s = s[:i]
	}
	s, _, _ = strings.Cut(s, "@")
	if i := strings.LastIndexByte(s, ':'); i > 0 && digits(s[i+1:]) {
		s = s[:i]
	}
	if i := strings.LastIndex(s, "-v"); i > 0 && digits(s[i+2:]) {
		s = s[:i]
	}
	s = strings.TrimSuffix(s, "-latest")
	if i := len(s) - 9; i > 0 && s[i] == '-' && strings.HasPrefix(s[i+1:], "20") && digits(s[i+1:]) {
		s = s[:i]
	}
	s = hyphenateVersion(s)
	if full, ok := unversioned[s]; ok {
		return full
	}
	return s
}

// unversioned are the names under which a first minor version is also known.
var unversioned = map[string]string{
	"claude-opus-4":   "claude-opus-4-0",
	"claude-sonnet-4": "claude-sonnet-4-0",
}

func hyphenateVersion(s string) string {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '.' && digits(s[i-1:i]) && digits(s[i+1:i+2]) {
			s = s[:i] + "-" + s[i+1:]
		}
	}
	return s
}

func digits(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
