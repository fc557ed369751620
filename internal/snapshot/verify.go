package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// VerifyKind is the kind of what Verify reports.
const VerifyKind = "store-check/v1"

// Check is store-check/v1: the state of a whole store.
type Check struct {
	Document string `json:"document"`
	// Targets and Snapshots that could be read.
	Targets int `json:"targets"`
	// Snapshots: that could be read.
	Snapshots int `json:"snapshots"`
	// Findings are defects, sorted by path and line; a sound store has none.
	Findings []Finding `json:"findings"`
	// Notes are no defects: what was once mended, and what merged clones or a clock set back leave.
	Notes []Finding `json:"notes"`
}

// Finding is one place in a store that is not as it should be.
type Finding struct {
	// Code of a defect: torn-line, bad-line, duplicate-id, unknown-version, wrong-target,
	// dangling-diff, missing-page, unreadable; of a note: torn-aside, out-of-order.
	Code string `json:"code"`
	// Path is relative to the store, with slashes.
	Path string `json:"path"`
	// Line is 1-based, 0 when the whole file is meant.
	Line int `json:"line,omitempty"`
	// Message: one sentence.
	Message string `json:"message"`
}

// Verify reads the whole store and reports every defect that it finds. It changes nothing.
func (s *Store) Verify() (*Check, error) {
	check := &Check{Document: VerifyKind, Findings: []Finding{}, Notes: []Finding{}}
	entries, err := os.ReadDir(s.path(historyDir))
	if err != nil {
		return nil, fmt.Errorf("%s: expected a store with a folder %s: %w", s.dir, historyDir, rootCause(err))
	}
	for _, e := range entries {
		rel := path.Join(historyDir, e.Name())
		name, ok := strings.CutSuffix(e.Name(), ".jsonl")
		switch {
		case strings.Contains(e.Name(), ".jsonl.torn-"):
			check.note("torn-aside", rel, 0, "a write was cut off; what had been written stands here")
		case ok && !e.IsDir():
			s.verifyHistory(check, rel, unescape(name))
		}
	}
	for _, list := range [][]Finding{check.Findings, check.Notes} {
		slices.SortStableFunc(list, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
		})
	}
	return check, nil
}

func (s *Store) verifyHistory(check *Check, rel, target string) {
	end := s.settle()
	docs, problems, err := s.lines(target, maxListed)
	end()
	if err != nil {
		code := "unreadable"
		if errors.Is(err, ErrNewer) {
			code = "unknown-version"
		}
		check.add(code, rel, 0, rootCause(err).Error())
		return
	}
	check.Targets++
	check.Snapshots += len(docs)
	for _, p := range problems {
		check.add(p.Code, rel, p.Line, p.Why)
	}
	ids := map[string]bool{}
	for i := range docs { // in the order of recording: what a run compares with was recorded before it
		d := &docs[i]
		if d.Target.Name != target {
			check.add("wrong-target", rel, 0, fmt.Sprintf("%s is about another plugin than the file's name says", d.SnapshotID))
		}
		if i > 0 && later(&d.CreatedAt, &docs[i-1].CreatedAt) {
			check.note("out-of-order", rel, 0, fmt.Sprintf("%s is older than %s before it", d.SnapshotID, docs[i-1].SnapshotID))
		}
		if d.DiffAgainst != "" && !ids[d.DiffAgainst] {
			check.add("dangling-diff", rel, 0, fmt.Sprintf("%s compares with %s, which does not stand before it", d.SnapshotID, d.DiffAgainst))
		}
		ids[d.SnapshotID] = true
	}
	docs = byMoment(uncorrected(docs))
	for i := range docs {
		s.verifyPage(check, PagePath(docs[:i], &docs[i]), docs[i].SnapshotID)
	}
	if len(docs) > 0 {
		s.verifyPage(check, LatestPath(target), docs[len(docs)-1].SnapshotID)
	}
}

func (s *Store) verifyPage(check *Check, rel, id string) {
	if !s.shows(rel, id) {
		check.add("missing-page", rel, 0, "the page of "+id+" is missing or is another run's")
	}
}

func (c *Check) add(code, rel string, line int, message string) {
	c.Findings = append(c.Findings, Finding{code, rel, line, message})
}

func (c *Check) note(code, rel string, line int, message string) {
	c.Notes = append(c.Notes, Finding{code, rel, line, message})
}

// rootCause strips a path that the message names already.
func rootCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
