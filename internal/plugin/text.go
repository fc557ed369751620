package plugin

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// TextIssue is something that DecodeText had to mend.
type TextIssue string

// What a text file can have besides its text.
const (
	HasBOM      TextIssue = "bom"
	UTF16       TextIssue = "utf-16"
	NotUTF8     TextIssue = "not-utf8"
	MixedEOL    TextIssue = "mixed-line-ends"
	BinaryBytes TextIssue = "nul-bytes"
)

// DecodeText makes b readable text: without byte order mark, with "\n" line ends,
// with U+FFFD where it is not UTF-8. It says what it mended. CRLF throughout is no issue.
func DecodeText(b []byte) (string, []TextIssue) {
	var issues []TextIssue
	if rest, ok := bytes.CutPrefix(b, []byte("\xef\xbb\xbf")); ok {
		b, issues = rest, append(issues, HasBOM)
	}
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		issues = append(issues, UTF16)
	}
	s := string(b)
	if !utf8.ValidString(s) {
		s, issues = strings.ToValidUTF8(s, "\uFFFD"), append(issues, NotUTF8)
	}
	if strings.IndexByte(s, 0) >= 0 {
		s, issues = strings.ReplaceAll(s, "\x00", "\uFFFD"), append(issues, BinaryBytes)
	}
	if n := strings.Count(s, "\r\n"); n > 0 || strings.IndexByte(s, '\r') >= 0 {
		if n != strings.Count(s, "\n") || n != strings.Count(s, "\r") {
			issues = append(issues, MixedEOL)
		}
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return s, issues
}
