package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	findings "github.com/kotkan/claude-plugin-inference-arbitrage/internal/finding"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/plugin"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// Formats of check beside text and JSON.
const (
	formatSARIF    = "sarif"
	formatGitHub   = "github"
	formatMarkdown = "markdown"
)

var check = &cli.Verb{
	Name: "check", Args: "TARGET", MinArgs: 1, MaxArgs: 1,
	Purpose: "Check a plugin without a model, for CI: exit 0 nothing above the threshold, 1 findings, 2 called wrongly.",
	Detail: "Nobody judges here, so every candidate is a boundary question at best: a step that somebody should look at.\n" +
		"By default each one above the ranking's cut that the plugin's own executables do not do already fails the check;\n" +
		"--fail-on file lets only candidates fail that passed every gate, which needs --judgments. A candidate of the\n" +
		"--baseline never fails, nor one with a waiver: {document: waivers/v1, waivers: [{id, reason, expires}]}, JSON or\n" +
		"YAML; a waiver that is expired or gives no reason is bad input, and so is a component that cannot be read.\n" +
		"Paths are relative to the working folder, of a plugin outside it with --all to the marketplace. With --all, JSON is\n" +
		"one document a line, SARIF one run and Markdown one page over all plugins.",
	Formats: []string{cli.Text, cli.JSON, formatSARIF, formatGitHub, formatMarkdown},
	Examples: []string{
		"offload-audit check PLUGIN",
		"offload-audit check PLUGIN --format sarif --waivers .offload-waivers.yaml > offload.sarif",
		"offload-audit check PLUGIN --baseline baseline.json --format github",
		"offload-audit check MARKETPLACE --all",
	},
	Setup: func(f *cli.Flags) cli.Run {
		target, history := f.Target(), f.History()
		failOn := f.String("fail-on", findings.LevelQuestion, "fail from `LEVEL` on: "+strings.Join(findings.Levels, ", "))
		baseline := f.String("baseline", "", "let only candidates fail that the last snapshot in `FILE` does not hold")
		judgments := f.String("judgments", "", "judge by the judgments/v1 document, JSON or YAML, in `FILE`")
		all := f.Bool("all", "check every plugin of the marketplace folder TARGET")
		waivers := f.String("waivers", "", "let what the waivers/v1 document in `FILE` covers not fail")
		return func(c *cli.Call) error {
			if !slices.Contains(findings.Levels, *failOn) {
				return cli.Usage("--fail-on %q: expected one of %s", *failOn, strings.Join(findings.Levels, ", "))
			}
			h, err := history.Read(c)
			if err != nil {
				return err
			}
			policy := findings.Policy{FailOn: *failOn}
			if *waivers != "" {
				data, err := c.ReadInput("waivers", *waivers)
				if err != nil {
					return err
				}
				if policy.Waivers, err = findings.ReadWaivers(data, h.Now.In(h.Location)); err != nil {
					return cli.BadInput(fmt.Errorf("--waivers %s: %w", *waivers, err))
				}
			}
			run := &checking{call: c, target: target, history: h, policy: policy, baseline: *baseline}
			if run.judgments, err = judgmentsOf(c, *judgments); err != nil {
				return err
			}
			if *all {
				return run.all(c.Args[0])
			}
			p, err := plugin.Resolve(c.Args[0], pluginOptions(c, target))
			if err != nil {
				return cli.BadInput(err)
			}
			doc, err := run.one(p)
			if err != nil {
				return err
			}
			return run.report(findings.Report{Document: doc, Prefix: prefixOf(doc.Target.Path)})
		}
	},
}

// checking is one call of check.
type checking struct {
	call      *cli.Call
	target    *cli.TargetFlags
	history   *cli.History
	policy    findings.Policy
	baseline  string
	judgments *boundary.Judgments
}

// one checks one plugin.
func (k *checking) one(p *plugin.Plugin) (*findings.Document, error) {
	facts, _, err := gatherOf(k.call, p, k.target, k.history, nil)
	if err != nil {
		return nil, err
	}
	if err := unread(facts.inventory); err != nil {
		return nil, cli.BadInput(err)
	}
	past, err := baselineOf(k.call, k.baseline, facts.inventory.Target.Name)
	if err != nil {
		return nil, err
	}
	snapshot.Freeze(facts.candidates.Candidates, past)
	verdicts, err := boundary.Classify(facts.inventory, facts.scan, facts.candidates, k.judgments)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	policy := k.policy
	policy.Cut, policy.Path, policy.Warnings = facts.candidates.Cut, pathOf(facts), facts.inventory.Warnings
	if p.Refused != "" {
		policy.Warnings = append(slices.Clone(policy.Warnings), audit.Warning{Code: "plugin-refused", Message: "the client loads nothing of the plugin: " + p.Refused})
	}
	if n := len(past); n > 0 {
		policy.Baseline, policy.Known = past[n-1].SnapshotID, holds(&past[n-1])
	}
	return findings.Select(stability.Gate(verdicts, snapshot.Prior(past, verdicts)), policy), nil
}

// unread names the components that could not be read: of those a check cannot say that
// nothing is in them. nil when all were read.
func unread(inv *inventory.Document) error {
	var list []string
	for _, w := range inv.Warnings {
		if w.Code == plugin.ComponentUnreadable {
			list = append(list, w.Path+" "+w.Message)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", inv.Target.Path, strings.Join(list, "; "))
}

// all checks every plugin of a marketplace folder, in the order of its entries. Those that
// stand elsewhere are named on standard error; one that stands there and cannot be read is
// bad input, as it would be alone.
func (k *checking) all(dir string) error {
	if k.baseline != "" || k.judgments != nil {
		return cli.Usage("--all: expected neither --baseline nor --judgments, which are about one plugin")
	}
	plugins, err := plugin.ResolveAll(dir, pluginOptions(k.call, k.target))
	if err != nil {
		return cli.BadInput(err)
	}
	var reports []findings.Report
	for p, err := range plugins {
		if elsewhere := (*plugin.ElsewhereError)(nil); errors.As(err, &elsewhere) {
			k.call.Note("%v", err)
			continue
		}
		if err != nil {
			return cli.BadInput(cli.PathError(err))
		}
		doc, err := k.one(p)
		if err != nil {
			return err
		}
		reports = append(reports, findings.Report{Document: doc, Prefix: prefixIn(dir, doc.Target.Path)})
	}
	if len(reports) == 0 {
		return cli.BadInput(fmt.Errorf("%s: none of its plugins could be read", dir))
	}
	return k.report(reports...)
}

// judgmentsOf reads the judgments that a flag named, nil for none.
func judgmentsOf(c *cli.Call, file string) (*boundary.Judgments, error) {
	if file == "" {
		return nil, nil
	}
	data, err := c.ReadInput("judgments", file)
	if err != nil {
		return nil, err
	}
	js, err := boundary.ReadJudgments(data)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--judgments %s: %w", file, err))
	}
	return js, nil
}

// baselineOf reads the snapshots of one plugin from a file; none without a file.
func baselineOf(c *cli.Call, file, name string) ([]snapshot.Document, error) {
	if file == "" {
		return nil, nil
	}
	data, err := c.ReadInput("baseline", file)
	if err != nil {
		return nil, err
	}
	docs, problems, err := snapshot.ReadHistory(bytes.NewReader(data))
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--baseline %s: %w", file, err))
	}
	if len(problems) > 0 {
		return nil, cli.BadInput(fmt.Errorf("--baseline %s: %s", file, problems[0]))
	}
	docs = slices.DeleteFunc(docs, func(d snapshot.Document) bool { return d.Target.Name != name })
	if len(docs) == 0 {
		return nil, cli.BadInput(fmt.Errorf("--baseline %s: expected a snapshot of %s, found none", file, name))
	}
	return docs, nil
}

// holds tells whether a snapshot has a candidate.
func holds(d *snapshot.Document) func(id string) bool {
	ids := map[string]bool{}
	for i := range d.Candidates {
		ids[d.Candidates[i].Candidate.ID] = true
	}
	return func(id string) bool { return ids[id] }
}

// pathOf finds a component's file.
func pathOf(f *facts) func(audit.ComponentRef) string {
	paths := map[audit.ComponentRef]string{}
	for _, c := range f.inventory.Components {
		paths[audit.ComponentRef{Kind: c.Kind, Name: c.Name}] = c.Path
	}
	return func(c audit.ComponentRef) string { return paths[c] }
}

// prefixOf is the plugin's folder seen from the working folder, which in CI is the root of
// the repository; "" when the plugin stands elsewhere.
func prefixOf(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	rel, _ := below(here, dir)
	return rel
}

// prefixIn is prefixOf for a plugin of the marketplace folder: where that stands outside the
// working folder, the plugin's folder in it.
func prefixIn(market, dir string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, ok := below(here, dir); ok {
			return rel
		}
	}
	rel, _ := below(market, dir)
	return rel
}

// below is dir relative to root, with slashes, "" for root itself; false when dir is outside.
func below(root, dir string) (string, bool) {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	switch rel, err := filepath.Rel(root, dir); {
	case err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)):
		return "", false
	case rel == ".":
		return "", true
	default:
		return filepath.ToSlash(rel), true
	}
}

// report writes what was found of one plugin or of several as --format says, and fails when
// one of them does.
func (k *checking) report(reports ...findings.Report) error {
	if err := writeFindings(k.call, reports); err != nil {
		return err
	}
	if slices.ContainsFunc(reports, func(r findings.Report) bool { return r.Failed }) {
		return cli.ErrFindings
	}
	return nil
}

// writeFindings renders reports as --format says; in JSON each of several is a line.
func writeFindings(c *cli.Call, reports []findings.Report) error {
	switch c.Format {
	case formatSARIF:
		return findings.WriteSARIF(c.Out, cli.Version, reports...)
	case formatMarkdown:
		return findings.WriteMarkdown(c.Out, reports...)
	}
	for i, r := range reports {
		var err error
		switch {
		case c.Format == formatGitHub:
			err = r.GitHub(c.Out, r.Prefix)
		case c.Format == cli.Text:
			if i > 0 {
				fmt.Fprintln(c.Out)
			}
			err = r.Text(c.Out, r.Prefix)
		case len(reports) == 1 && !c.Given("all"):
			err = c.Emit(r.Document, nil)
		default:
			var line []byte
			line, err = jsondoc.Line(r.Document)
			c.Out.Write(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
