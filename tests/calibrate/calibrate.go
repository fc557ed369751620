package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
)

// The reference data: a marketplace as it was before its owner reviewed the likeliest
// skills and extracted the confirmed ones into scripts, and single plugins of other
// owners with what a careful reader expects of them.
const marketplace = "marketplace-before"

// confirmed are the skills of the marketplace (plugin/skill) that its owner confirmed.
// The other skills are unlabelled, not negative.
var confirmed = []string{
	"finops-plugin/github-actions-finops",
	"git-plugin/git-derive-docs",
	"git-plugin/git-fork-workflow",
	"git-plugin/git-pr",
	"git-plugin/git-triage",
	"macos-plugin/macos-incident-postmortem",
	"workflow-orchestration-plugin/workflow-preflight",
}

// expectation of one folder of the reference data.
type expectation struct {
	folder string
	// above: these components and no others (only) or at least one (any) stand above the cut.
	only []string
	any  bool
	none bool
	// cut: these components are no longer proposed as uncut.
	cut []string
}

var expected = []expectation{
	{folder: "offload-commit-commands", only: []string{"clean_gone"}},
	{folder: "offload-etcd", any: true},
	{folder: "offload-olm", any: true},
	{folder: "offload-terraform-plugin", any: true},
	{folder: "offload-git-plugin-before", any: true},
	{folder: "offload-git-plugin-after", cut: []string{"git-derive-docs", "git-fork-workflow", "git-pr", "git-triage"}},
	{folder: "wellcut-cc-plugin-eval", none: true},
	{folder: "wellcut-claude-security", none: true},
	{folder: "wellcut-finance", none: true},
	{folder: "wellcut-health-plugin", none: true},
	{folder: "wellcut-must-gather", none: true},
}

// reference is the folder of the reference plugins, and whether it is there.
func reference() (string, bool) {
	root := os.Getenv("SHARED")
	if root == "" {
		root = filepath.Join("..", "shared")
		for _, up := range []string{".", "..", filepath.Join("..", "..")} {
			if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
				root = filepath.Join(up, "..", "shared")
			}
		}
	}
	root = filepath.Join(root, "plugins")
	info, err := os.Stat(filepath.Join(root, marketplace))
	return root, err == nil && info.IsDir()
}

// report is one calibration.
type report struct {
	skills, scriptless int
	rows               []boundary.RankingRow // the script-less skills, ranked
	aucPPM             int64
	places             []place
	recall             map[int]int // confirmed among the first n
	leftOut            []leftOut
	signals            []signalWorth
	folders            []folderResult
}

// place is where one confirmed skill stands.
type place struct {
	name               string
	rank, inPlugin, of int
	score              int64
	above              bool
}

// signalWorth is what one signal of the score is worth: the area under the curve of its
// count alone, and of the score without it.
type signalWorth struct {
	name                   string
	alonePPM, aucWithoutIt int64
}

// leftOut is the area under the curve without one of the labels.
type leftOut struct {
	name   string
	aucPPM int64
}

// folderResult is one expectation and what came of it.
type folderResult struct {
	expectation
	components int
	above      []string
	candidates []string // proposed as uncut, above the cut
	lowest     int64    // of those above
	highest    int64    // of those below
	met        bool
	why        string
}

// calibrate ranks the reference plugins under root.
func calibrate(root string) (*report, error) {
	r := &report{recall: map[int]int{}}
	dir := filepath.Join(root, marketplace)
	plugins, err := plugin.ResolveAll(dir, plugin.Options{})
	if err != nil {
		return nil, err
	}
	scriptless := map[string]bool{}
	var docs []*inventory.Document
	for p, err := range plugins {
		if err != nil {
			continue // an entry whose source stands elsewhere
		}
		doc, err := inventory.Take(p)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
		for _, c := range doc.Components {
			if c.Kind == audit.KindSkill {
				r.skills++
				scriptless[doc.Target.Name+"/"+c.Path] = !hasScripts(doc, c.Path)
			}
		}
	}
	for _, row := range boundary.Rank(docs...).Rows {
		if row.Kind == audit.KindSkill && scriptless[row.Plugin+"/"+row.Path] {
			r.rows = append(r.rows, row)
		}
	}
	r.scriptless = len(r.rows)
	r.score()
	for _, e := range expected {
		f, err := judge(root, e)
		if err != nil {
			return nil, err
		}
		r.folders = append(r.folders, f)
	}
	return r, nil
}

// hasScripts: the skill's folder has a scripts folder with something executable in it.
func hasScripts(doc *inventory.Document, file string) bool {
	for _, e := range doc.Surface.Executables {
		if strings.HasPrefix(e.Path, path.Dir(file)+"/scripts/") {
			return true
		}
	}
	return false
}

func nameOf(row boundary.RankingRow) string { return row.Plugin + "/" + row.Component }

// score finds the confirmed skills in the ranking.
func (r *report) score() {
	isConfirmed := map[string]bool{}
	for _, n := range confirmed {
		isConfirmed[n] = true
	}
	seen := map[string]int{} // rows of a plugin so far
	total := map[string]int{}
	for _, row := range r.rows {
		total[row.Plugin]++
	}
	for i, row := range r.rows {
		seen[row.Plugin]++
		if isConfirmed[nameOf(row)] {
			r.places = append(r.places, place{name: nameOf(row), rank: i + 1, inPlugin: seen[row.Plugin], of: total[row.Plugin], score: row.Score, above: row.AboveCut})
		}
	}
	for _, n := range []int{10, 25, 50, 100} {
		for _, p := range r.places {
			if p.rank <= n {
				r.recall[n]++
			}
		}
	}
	r.aucPPM = auc(r.rows, isConfirmed)
	for _, name := range []string{"gathers", "order", "rules", "conditionals", "shell_logic", "script_verbs", "code_samples", "judgment_verbs", "loose_commands"} {
		alone, without := slices.Clone(r.rows), slices.Clone(r.rows)
		for i, row := range r.rows {
			alone[i].Score, without[i].Score = value(row, name), rescored(row, name)
		}
		r.signals = append(r.signals, signalWorth{name, auc(alone, isConfirmed), auc(without, isConfirmed)})
	}
	for _, n := range confirmed {
		rest := map[string]bool{}
		for _, m := range confirmed {
			rest[m] = m != n
		}
		var rows []boundary.RankingRow
		for _, row := range r.rows {
			if nameOf(row) != n {
				rows = append(rows, row)
			}
		}
		r.leftOut = append(r.leftOut, leftOut{n, auc(rows, rest)})
	}
}

// value is how often a signal was counted in a row, 0 when it is not among its reasons.
func value(row boundary.RankingRow, signal string) int64 {
	for _, w := range row.Why {
		if w.Signal == signal {
			return w.Value
		}
	}
	return 0
}

// rescored is a row's score without one signal. A score is the sum of its reasons: the
// terms, then brakes in proportion to them; so what a term loses is lost in proportion,
// and a brake that is left out is given back. Without "gathers" there is no product: the
// terms then count as if as much were gathered everywhere.
func rescored(row boundary.RankingRow, signal string) int64 {
	var terms, part, given, factor int64
	brakes := map[string]bool{"judgment_verbs": true, "loose_commands": true, "own_commands": true}
	for _, w := range row.Why {
		switch {
		case w.Signal == "gathers":
			factor = w.Points
			terms += w.Points
		case brakes[w.Signal]:
			if w.Signal == signal {
				given -= w.Points
			}
		default:
			terms += w.Points
		}
		if w.Signal == signal && !brakes[signal] {
			part += w.Points
		}
	}
	switch {
	case brakes[signal]:
		return row.Score + given
	case terms <= 0:
		return 0
	case signal == "gathers" && factor > 0:
		return (terms - part) * 1000 / factor * row.Score / terms
	}
	return (terms - part) * row.Score / terms
}

// auc is the area under the curve in ppm: the share of pairs of a confirmed and another
// row in which the confirmed one scores higher; ties count half.
func auc(rows []boundary.RankingRow, positive map[string]bool) int64 {
	var won2, pairs int64
	for _, p := range rows {
		if !positive[nameOf(p)] {
			continue
		}
		for _, n := range rows {
			if positive[nameOf(n)] {
				continue
			}
			pairs++
			switch {
			case p.Score > n.Score:
				won2 += 2
			case p.Score == n.Score:
				won2++
			}
		}
	}
	if pairs == 0 {
		return 0
	}
	return won2 * 500_000 / pairs
}

// judge compares one folder with what is expected of it.
func judge(root string, e expectation) (folderResult, error) {
	f := folderResult{expectation: e}
	p, err := plugin.Resolve(filepath.Join(root, e.folder), plugin.Options{})
	if err != nil {
		return f, err
	}
	doc, err := inventory.Take(p)
	if err != nil {
		return f, err
	}
	uncut := map[string]bool{}
	for _, c := range boundary.Propose(doc, nil).Candidates {
		if c.AboveCut {
			f.candidates = append(f.candidates, c.Component.Name+"/"+c.Slug)
			uncut[c.Component.Name] = true
		}
	}
	for _, row := range boundary.Rank(doc).Rows {
		f.components++
		if row.AboveCut {
			f.above = append(f.above, row.Component)
			f.lowest = row.Score
			uncut[row.Component] = true
		} else {
			f.highest = max(f.highest, row.Score)
		}
	}
	f.met, f.why = e.met(uncut)
	return f, nil
}

func (e expectation) met(uncut map[string]bool) (bool, string) {
	switch {
	case e.none:
		return len(uncut) == 0, "nothing above the cut"
	case e.any:
		return len(uncut) > 0, "something above the cut"
	case e.cut != nil:
		for _, n := range e.cut {
			if uncut[n] {
				return false, n + " is cut already"
			}
		}
		return true, "none of " + strings.Join(e.cut, ", ") + " proposed as uncut"
	}
	if len(uncut) != len(e.only) {
		return false, "only " + strings.Join(e.only, ", ")
	}
	for _, n := range e.only {
		if !uncut[n] {
			return false, "only " + strings.Join(e.only, ", ")
		}
	}
	return true, fmt.Sprintf("only %s above the cut", strings.Join(e.only, ", "))
}
