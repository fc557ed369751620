package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/boundary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/memory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/summary"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var finish = &cli.Verb{
	Name: "finish", Args: "RUN", MinArgs: 1, MaxArgs: 1,
	Purpose: "Classify, gate and record a prepared run, and print its report.",
	Detail: "Judgments come from standard input (YAML or JSON) when something is offered there, else from the run folder.\n" +
		"The audit is recorded in the store with its page. By the default channel, file, each finding is written there\n" +
		"too, below Issues, where the next audit finds it. For any other channel only a plan is made: no tracker is written to.\n" +
		"Finished again with other answers, a run corrects its first reading; it is no second measurement.",
	Formats: []string{cli.Text, cli.JSON},
	Examples: []string{
		"offload-audit finish ./run < judgments.yaml",
		"offload-audit finish ./run --channel github --existing existing.json",
	},
	Setup: func(f *cli.Flags) cli.Run {
		judgments := f.String("judgments", "", "read the judgments from `FILE`; - waits for standard input")
		store := f.String("store", "", "keep the audit in `DIR`; default the user's setting, else store in the user's data folder")
		push := f.Bool("push", "push the audit's commit, where the store is a git work tree with a remote")
		now := f.Clock()
		tracker := newTracker(f)
		return func(c *cli.Call) error {
			r := &ending{dir: c.Args[0]}
			var err error
			if r.prepared, err = readRun(r.dir); err != nil {
				return err
			}
			if r.now, err = momentOf(c, r.dir, *now); err != nil {
				return err
			}
			answers, given, err := readJudgments(c, r.dir, *judgments)
			if err != nil {
				return err
			}
			marked, err := nothingRefused(r.dir, answers, given)
			if err != nil {
				return err
			}
			r.verdicts, err = boundary.Classify(&r.inventory, &r.scan, &r.candidates, answers)
			if err != nil {
				return cli.BadInput(err)
			}
			if marked {
				if err := mark(filepath.Join(r.dir, refusedFile), false); err != nil {
					return err
				}
			}
			if r.filing, r.existing, err = tracker.read(c, &r.inventory); err != nil {
				return err
			}
			settings, err := c.Settings()
			if err != nil {
				return err
			}
			r.memoryServer = settings.MemoryServer
			if r.store, err = openStore(c, *store); err != nil {
				return err
			}
			r.push, r.storeFlag = *push || settings.Push && r.store.InGit(), *store
			if err := r.record(c.Context); err != nil {
				return err
			}
			if err := r.keep(answers); err != nil {
				return err
			}
			r.tell(c)
			if err := c.Emit(r.outcome.Snapshot, r.report); err != nil {
				return err
			}
			return r.places(c)
		}
	},
}

// ending is a run being finished.
type ending struct {
	*prepared
	dir      string
	now      string
	push     bool
	verdicts *boundary.Verdicts
	filing   filing.Config
	existing *filing.Existing
	store    *snapshot.Store

	memoryServer string
	storeFlag    string // as --store said

	stable   *stability.Document
	searches *filing.Searches
	plan     *filing.Plan // nil when the tracker has not been searched
	before   []snapshot.Document
	corrects string // the snapshot of this run under other answers, "" when there is none
	page     string
	notes    *memory.Notes
	outcome  *snapshot.Outcome
}

// record compares with the past, plans and appends, all while the store is locked.
func (r *ending) record(ctx context.Context) error {
	name := r.inventory.Target.Name
	var err error
	r.outcome, err = r.store.Append(ctx, name, snapshot.Options{Push: r.push, Page: summary.Page}, func(history []snapshot.Document) (*snapshot.Run, error) {
		at, err := snapshot.PlaceOf(history, r.verdicts, &r.scan, r.now)
		if err != nil {
			return nil, err
		}
		r.before, r.corrects = at.Earlier, at.Corrects
		r.stable = stability.Gate(r.verdicts, snapshot.Prior(r.before, r.verdicts))
		files, err := r.toFile()
		if err != nil {
			return nil, err
		}
		doc, err := snapshot.Compose(snapshot.Input{
			Stable: r.stable, Scan: &r.scan, History: history, Surface: r.inventory.Refs(),
			Issues: filing.Issues(r.existing, r.plan), Filing: r.filed(), ToolVersion: cli.Version, Now: r.now,
		})
		if err != nil {
			return nil, err
		}
		r.page = snapshot.PagePath(r.before, doc)
		notes, kept, err := remember(r.store, doc, r.page, r.memoryServer)
		if err != nil {
			return nil, err
		}
		if r.notes = notes; kept != nil {
			files[snapshot.NotesPath] = kept
		}
		return &snapshot.Run{Snapshot: doc, Files: files}, nil
	})
	return err
}

// issuesDir is where findings go in the store by the channel "file".
const issuesDir = "Issues"

// toFile searches where it can do so itself, plans, and returns the files that the channel
// "file" writes, by their path in the store. A tracker that nobody searched gets no plan.
func (r *ending) toFile() (map[string][]byte, error) {
	files := map[string][]byte{}
	var err error
	if r.searches, err = filing.MakeSearches(r.stable, r.filing, snapshot.Tracked(r.before)...); err != nil {
		return nil, cli.BadInput(err)
	}
	findings := os.DirFS(filepath.Join(r.store.Dir(), issuesDir))
	if r.searches.Channel == filing.Files && r.existing == nil {
		if r.existing, err = filing.LookIn(findings, r.searches); err != nil {
			return nil, err
		}
	}
	r.plan, err = filing.MakePlan(r.stable, r.existing, r.filing)
	if errors.Is(err, filing.ErrNotSearched) && r.existing == nil {
		return files, nil
	}
	if err != nil {
		return nil, cli.BadInput(err)
	}
	if r.corrects != "" { // nothing was measured again, so there is nothing to tell an issue
		r.plan.Actions = slices.DeleteFunc(r.plan.Actions, func(a filing.Action) bool { return a.Action == filing.Comment })
	}
	written, err := filing.Write(findings, r.plan, r.now)
	for name, data := range written {
		files[path.Join(issuesDir, name)] = data
	}
	return files, err
}

// filed is what the snapshot says about filing.
func (r *ending) filed() snapshot.Filing {
	f := snapshot.Filing{Mode: r.searches.Channel}
	if r.plan == nil {
		f.Reason = "the tracker has not been searched"
		return f
	}
	f.Reason = r.plan.Unavailable
	for _, a := range r.plan.Actions {
		issue := a.Issue
		if a.Path != "" {
			issue = a.Path
		}
		f.Actions = append(f.Actions, snapshot.Filed{CandidateID: a.CandidateID, Action: a.Action, Repository: a.Repository, Issue: issue, Self: a.Self})
	}
	return f
}

// keep writes what came of the run into its folder.
func (r *ending) keep(answers *boundary.Judgments) error {
	var report strings.Builder
	if err := r.report(&report); err != nil {
		return err
	}
	docs := map[string]any{
		notesFile: r.notes, judgmentsFile: answers, verdictsFile: r.verdicts, stableFile: r.stable, searchesFile: r.searches, snapshotFile: r.outcome.Snapshot,
	}
	if r.plan != nil {
		docs[planFile] = r.plan
	}
	return writeRun(r.dir, docs, map[string]string{reportFile: report.String()})
}

// unmeasured says what no measurement means for so many candidates.
func unmeasured(candidates int) string {
	if candidates == 0 {
		return ""
	}
	return ", so every candidate is unmeasured"
}

// report is what a person reads at the end.
func (r *ending) report(w io.Writer) error {
	if err := summary.Report(w, r.before, r.outcome.Snapshot); err != nil {
		return err
	}
	if r.scan.Usage.Turns == 0 {
		fmt.Fprintln(w, "\nno measured evidence: no transcript was read in this window"+unmeasured(len(r.verdicts.Verdicts)))
	}
	switch {
	case r.plan == nil:
		fmt.Fprintf(w, "\nto file: not planned, because %s has not been searched; see 'filing-plan --help' (%s is in the run folder)\n", r.searches.Channel, searchesFile)
	case r.plan.Unavailable != "":
		fmt.Fprintf(w, "\nto file: unavailable, %s\n", r.plan.Unavailable)
	case r.plan.Channel == filing.Files:
		r.written(w)
	case len(r.plan.Actions) > 0:
		fmt.Fprintf(w, "\nto file: %d by %s, see %s in the run folder; nothing has been filed\n", len(r.plan.Actions), r.plan.Channel, planFile)
	}
	if r.corrects != "" {
		fmt.Fprintf(w, "\ncorrects %s, the same measurement under other answers, which no longer counts; issues that stood are left as they are\n", r.corrects)
	}
	if r.notes.Server != "" {
		fmt.Fprintf(w, "to remember: %s for %s, see %s in the run folder\n", wording.Amount(len(r.notes.Notes), "note", "notes"), r.notes.Server, notesFile)
	}
	return nil
}

// maxWritten bounds the files that a report names.
const maxWritten = 8

// written names the files of findings in the store, of a run that is repeated too.
func (r *ending) written(w io.Writer) {
	files := r.outcome.Snapshot.Filing.Actions
	for i, a := range files {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if i == maxWritten {
			fmt.Fprintf(w, "written: … and %d more, see the page\n", len(files)-maxWritten)
			break
		}
		fmt.Fprintf(w, "written: %s in the store\n", path.Join(issuesDir, a.Issue))
	}
}

// places ends the report with what only this machine knows: what to call next, and where the
// run and its page lie. The report that is kept in the run folder is without them. A snapshot
// that is printed stands alone, so they go beside it then.
func (r *ending) places(c *cli.Call) error {
	run, err := filepath.Abs(r.dir)
	if err != nil {
		return err
	}
	page := filepath.Join(r.store.Dir(), filepath.FromSlash(r.page))
	if c.Format != cli.Text {
		c.Note("the run folder is %s", run)
		c.Note("the page is %s", page)
		return nil
	}
	fmt.Fprintln(c.Out)
	if n := r.unjudged(); n > 0 {
		program := "offload-audit"
		if filepath.Base(os.Args[0]) == program {
			program = quoted(os.Args[0]) // as it was called: it need not be on PATH
		}
		again := program + " finish " + quoted(run)
		if r.storeFlag != "" {
			again += " --store " + quoted(r.store.Dir())
		}
		fmt.Fprintf(c.Out, "to judge: %d, in Claude Code by /%s:offload-audit, or by hand: edit %s, then\n  %s\n",
			n, cli.PluginName, filepath.Join(run, judgmentsFile), again)
	}
	fmt.Fprintf(c.Out, "run folder: %s\npage: %s\n", run, page)
	return nil
}

// plainWord is what a shell takes as it stands.
var plainWord = pattern.New(`^[A-Za-z0-9_./:@%+=,-]+$`)

// quoted is a word as a POSIX shell takes it.
func quoted(word string) string {
	if plainWord().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// unjudged counts the candidates whose verdict waits for a judgment.
func (r *ending) unjudged() (n int) {
	for i := range r.verdicts.Verdicts {
		if slices.Contains(r.verdicts.Verdicts[i].Reasons, "unjudged") {
			n++
		}
	}
	return n
}

// tell says what went otherwise than asked, beside the report.
func (r *ending) tell(c *cli.Call) {
	for _, p := range r.outcome.Problems {
		c.Note("the store's history: %s", p)
	}
	if !r.outcome.Recorded {
		c.Note("this very run stood in the store already")
	}
	if r.outcome.NotPushed != nil {
		c.Note("recorded, but not pushed: %v", r.outcome.NotPushed)
	}
}
