package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

var why = &cli.Verb{
	Name: "why", Args: "ID [RUN]", MinArgs: 1, MaxArgs: 2,
	Purpose: "Show the whole chain of one verdict, and what would change it.",
	Detail: "ID is a candidate's (plugin/component/slug) or its end, as long as that fits one candidate only.\n" +
		"It is looked up in the run folder RUN, else in the latest audit of its plugin in the store.",
	Formats:  []string{cli.Text, cli.JSON},
	Examples: []string{"offload-audit why PLUGIN/COMPONENT/STEP", "offload-audit why STEP ./run"},
	Setup: func(f *cli.Flags) cli.Run {
		store := f.String("store", "", "look the candidate up among the audits kept in `DIR`")
		return func(c *cli.Call) error {
			var verdicts []stability.Verdict
			var source string
			var err error
			if len(c.Args) == 2 {
				source = "run " + c.Args[1]
				verdicts, err = verdictsOfRun(c.Args[1])
			} else {
				verdicts, source, err = verdictsOfStore(c, *store, c.Args[0])
			}
			if err != nil {
				return err
			}
			v, err := pick(verdicts, c.Args[0], source)
			if err != nil {
				return err
			}
			e := stability.Explain(v, source)
			return c.Emit(e, chain(e))
		}
	},
}

// verdictsOfRun reads the gated verdicts of a finished run.
func verdictsOfRun(dir string) ([]stability.Verdict, error) {
	data, err := os.ReadFile(filepath.Join(dir, stableFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.BadInput(fmt.Errorf("%s: expected a run folder that finish completed, found no %s in it", dir, stableFile))
	}
	if err != nil {
		return nil, cli.BadInput(cli.PathError(err))
	}
	var doc stability.Document
	if err := jsondoc.Decode(data, stability.Kind, &doc); err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", filepath.Join(dir, stableFile), err))
	}
	return doc.Verdicts, nil
}

// verdictsOfStore reads the verdicts of the latest snapshot of the plugin that id begins
// with; where it names none, of the latest of every plugin.
func verdictsOfStore(c *cli.Call, dir, id string) ([]stability.Verdict, string, error) {
	store, err := openStore(c, dir)
	if err != nil {
		return nil, "", err
	}
	names, err := store.Targets()
	if err != nil {
		return nil, "", err
	}
	var verdicts []stability.Verdict
	var sources []string
	for _, name := range names {
		if strings.Contains(id, "/") && !strings.HasPrefix(id, name+"/") && hasPlugin(names, id) {
			continue
		}
		docs, err := pastOf(c, store, name)
		if err != nil {
			return nil, "", err
		}
		if n := len(docs); n > 0 {
			sources = append(sources, "snapshot "+docs[n-1].SnapshotID+" of "+docs[n-1].CreatedAt)
			for i := range docs[n-1].Candidates {
				verdicts = append(verdicts, docs[n-1].Candidates[i].Verdict)
			}
		}
	}
	if len(sources) == 0 {
		return nil, "", cli.BadInput(errors.New("the store holds no audit; run offload-audit prepare and finish first, or name a run folder"))
	}
	if len(sources) > 1 {
		return verdicts, "the latest snapshots", nil
	}
	return verdicts, sources[0], nil
}

// hasPlugin says whether id begins with one of the plugins' names.
func hasPlugin(names []string, id string) bool {
	for _, n := range names {
		if strings.HasPrefix(id, n+"/") {
			return true
		}
	}
	return false
}

// mostNamed is how many candidates a refusal lists.
const mostNamed = 5

// pick finds the one verdict that id names: its whole id, else the end of it.
func pick(verdicts []stability.Verdict, id, source string) (*stability.Verdict, error) {
	var found []*stability.Verdict
	for i := range verdicts {
		switch have := verdicts[i].Candidate.ID; {
		case have == id:
			return &verdicts[i], nil
		case strings.HasSuffix(have, "/"+id):
			found = append(found, &verdicts[i])
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) == 0 {
		for i := range verdicts {
			found = append(found, &verdicts[i])
		}
	}
	var ids []string
	for _, v := range found[:min(len(found), mostNamed)] {
		ids = append(ids, v.Candidate.ID)
	}
	if len(ids) == 0 {
		return nil, cli.BadInput(fmt.Errorf("%q names no candidate: %s holds none", id, source))
	}
	says := strings.Join(ids, ", ")
	if more := len(found) - len(ids); more > 0 {
		says += fmt.Sprintf(" and %d more", more)
	}
	return nil, cli.BadInput(fmt.Errorf("%q names no one candidate in %s: expected one of %s", id, source, says))
}
