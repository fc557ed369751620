package snapshot

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// Folders of a store. They are all that a git store commits of its work tree.
const (
	historyDir = "snapshots"
	pageDir    = "Audits"
	// issueDir holds the findings of the channel "file".
	issueDir = "Issues"
	// memoryDir holds the local notes file.
	memoryDir = "memory"
)

// NotesPath is the local notes file of a store, for who has no memory server.
const NotesPath = memoryDir + "/notes.jsonl"

// HistoryPath is where a target's snapshots stand in a store, with slashes.
func HistoryPath(target string) string { return path.Join(historyDir, escape(target)+".jsonl") }

// PagePath is where a run's page stands in a store: Audits/<plugin>/<day>.md, and
// <day>-<id>.md for later runs of the same day.
func PagePath(history []Document, doc *Document) string {
	day := Day(doc.CreatedAt)
	for i := range Before(history, doc.SnapshotID) {
		if Day(history[i].CreatedAt) == Day(doc.CreatedAt) {
			_, id, _ := strings.Cut(doc.SnapshotID, ":")
			day = Day(doc.CreatedAt) + "-" + escape(id)
		}
	}
	return path.Join(pageDir, escape(doc.Target.Name), day+".md")
}

// LatestPath is the page that is always the latest run's.
func LatestPath(target string) string { return path.Join(pageDir, escape(target), "Latest.md") }

// Day is the day of an RFC 3339 time, "undated" for anything else: a history may come from
// elsewhere, and the day becomes part of a path.
func Day(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "undated"
	}
	return t.Format(time.DateOnly)
}

// escape makes a name fit for a file: bytes outside letters, digits, "-", "_" and inner dots become %XX.
func escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func unescape(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		var c byte
		if name[i] == '%' && i+2 < len(name) {
			if _, err := fmt.Sscanf(name[i+1:i+3], "%02X", &c); err == nil {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(name[i])
	}
	return b.String()
}
