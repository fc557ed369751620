package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/scan"
)

// Place is where a run belongs in a history.
type Place struct {
	// ID is the run's snapshot id.
	ID string
	// Corrects is the snapshot that this one replaces, "" for a measurement of its own.
	Corrects string
	// History is what counts beside the run: without the snapshot that it corrects.
	History []Document
	// Earlier is the part of History that the run comes after.
	Earlier []Document

	corrected *Document
}

// PlaceOf places a run. The same measurement (plugin and version, moment, window and spend) with
// other verdicts is a correction: somebody judged it again, and nothing was measured again. With
// the same verdicts it is the same run, repeated.
func PlaceOf(history []Document, verdicts *boundary.Verdicts, sc *scan.Document, now string) (Place, error) {
	return place(history, verdicts.Target, verdicts.Window, verdicts.Verdicts, sc, now)
}

func place(history []Document, target audit.Target, window audit.Window, verdicts []boundary.Verdict, sc *scan.Document, now string) (Place, error) {
	id, err := ID(target, verdicts, sc, now)
	if err != nil {
		return Place{}, err
	}
	p := Place{ID: id, History: history}
	for i := range history {
		d := &history[i]
		same, err := sameMeasurement(d, target, window, sc, now)
		if err != nil {
			return Place{}, err
		}
		if !same {
			continue
		}
		p.corrected = d
		if d.SnapshotID == id || d.Corrects != "" && d.SnapshotID == correctionID(id, d.Corrects) {
			p.ID, p.Corrects, p.corrected = d.SnapshotID, d.Corrects, nil
			break
		}
	}
	if d := p.corrected; d != nil {
		p.ID, p.Corrects = correctionID(id, d.SnapshotID), d.SnapshotID
		p.History = slices.DeleteFunc(slices.Clone(history), func(h Document) bool { return h.SnapshotID == d.SnapshotID })
	}
	p.Earlier = Earlier(p.History, p.ID, now)
	return p, nil
}

// sameMeasurement says whether a snapshot records what is measured here, whoever judged it.
func sameMeasurement(d *Document, target audit.Target, window audit.Window, sc *scan.Document, now string) (bool, error) {
	if d.CreatedAt != now || d.Target.Name != target.Name || d.Target.Version != target.Version {
		return false, nil
	}
	again := &Document{Target: target, Window: window}
	if sc != nil {
		measured(again, sc)
	}
	var lines [2][]byte
	for i, m := range []*Document{d, again} {
		var err error
		lines[i], err = jsondoc.Line(struct {
			Window         audit.Window
			Audited, Usage scan.Spend
			Composition    []scan.ClassUsage
			Components     []Component
		}{m.Window, m.Audited, m.Usage, orEmpty(m.Composition), orEmpty(m.Components)})
		if err != nil {
			return false, err
		}
	}
	return bytes.Equal(lines[0], lines[1]), nil
}

// correctionID is the id of a run that corrects another: its own, told apart by what it
// corrects, so that going back to earlier answers is one more correction.
func correctionID(id, corrects string) string {
	sum := sha256.Sum256([]byte(id + " corrects " + corrects))
	return "snap1:" + hex.EncodeToString(sum[:8])
}

// uncorrected leaves out the snapshots that a later line corrects. They stay in the file.
func uncorrected(docs []Document) []Document {
	corrected := map[string]bool{}
	for i := range docs {
		if docs[i].Corrects != "" {
			corrected[docs[i].Corrects] = true
		}
	}
	if len(corrected) == 0 {
		return docs
	}
	return slices.DeleteFunc(docs, func(d Document) bool { return corrected[d.SnapshotID] })
}

// inherit keeps of a corrected snapshot what no other answer undoes: the issues that its
// candidates stand at, and what it opened.
func (in *Input) inherit(corrected *Document) {
	in.Issues = maps.Clone(in.Issues)
	if in.Issues == nil {
		in.Issues = map[string]audit.Issue{}
	}
	for i := range corrected.Candidates {
		c := &corrected.Candidates[i]
		if c.Issue != "" && in.Issues[c.Candidate.ID].Ref == "" {
			in.Issues[c.Candidate.ID] = audit.Issue{Ref: c.Issue, State: c.IssueState, Resolution: c.IssueResolution}
		}
	}
	in.Filing.Actions = slices.Clone(in.Filing.Actions)
	for _, old := range corrected.Filing.Actions {
		if old.Action == "create" && !slices.ContainsFunc(in.Filing.Actions, func(a Filed) bool { return a.CandidateID == old.CandidateID && a.Self == old.Self }) {
			in.Filing.Actions = append(in.Filing.Actions, old)
		}
	}
}
