package inventory

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestChecksPage holds docs/CHECKS.md to the rules; -update writes it anew.
func TestChecksPage(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(`# What plugin-inventory checks

Every finding names a file, mostly a line, and what to do. Severity: an **error** does not work, or the client
refuses it; a **warning** works less well than meant; an **info** is a habit. Found by: **host** is a rule of
` + "`claude plugin validate --strict`" + ` (a test holds the two against each other, defect by defect), **spec** one of a
published specification, **ours** what the client does not look at. ` + "`plugin-inventory explain ID TARGET`" + ` shows
every place of one of them. This page is written by a test.

| id | severity | found by | what to do |
|---|---|---|---|
`)
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		r := rules[id]
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", id, r.severity, r.source, r.remedy)
	}
	file := filepath.Join("..", "..", "docs", "CHECKS.md")
	if *update {
		if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, page.Bytes()) {
		t.Error("docs/CHECKS.md is not what the rules say: go test ./internal/inventory -run TestChecksPage -update")
	}
}
