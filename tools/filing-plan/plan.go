package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

var plan = &cli.Verb{
	Name:    "plan",
	Purpose: "Print what to open or comment on, and how. Nothing is written to a tracker.",
	Formats: []string{cli.JSON, cli.Text},
	Examples: []string{
		"filing-plan plan --stable stable.json --existing existing.json --channel github --repo OWNER/REPO",
		"filing-plan plan --stable stable.json --existing existing.json --write",
	},
	Setup: func(f *cli.Flags) cli.Run {
		from := newConfig(f)
		found := f.String("existing", "", "the existing/v1 document in `FILE`: what the searches found")
		write := f.Bool("write", "write the files of the channel file")
		clock := f.Clock()
		return func(c *cli.Call) error {
			if *found == "" {
				return cli.BadInput(filing.ErrNotSearched)
			}
			stable, cfg, err := from.read(c)
			if err != nil {
				return err
			}
			var e filing.Existing
			if err := c.ReadDocument("existing", *found, filing.ExistingKind, &e); err != nil {
				return err
			}
			p, err := filing.MakePlan(stable, &e, cfg)
			if err != nil {
				return cli.BadInput(err)
			}
			if *write {
				now, err := c.Now(*clock)
				if err != nil {
					return err
				}
				if err := writeFiles(c, p, cfg.Directory, now); err != nil {
					return err
				}
			}
			return c.Emit(p, func(w io.Writer) error { return planText(w, p) })
		}
	},
}

func writeFiles(c *cli.Call, p *filing.Plan, dir string, now time.Time) error {
	if p.Channel != filing.Files {
		return cli.Usage("--write: only the channel file is written here, %s is left to you", p.Channel)
	}
	files, err := filing.Write(os.DirFS(dir), p, now.Format(time.RFC3339))
	if err != nil {
		return cli.PathError(err)
	}
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return cli.PathError(err)
		}
		if err := cli.WriteFile(full, text); err != nil {
			return err
		}
	}
	c.Note("%s written in %s", wording.Amount(len(files), "file", "files"), dir)
	return nil
}

// planText is a shell script where a shell can file, else a list.
func planText(w io.Writer, p *filing.Plan) error {
	if p.Unavailable != "" {
		fmt.Fprintf(w, "# filing: unavailable (%s)\n", p.Unavailable)
	}
	for _, argv := range p.Labels {
		fmt.Fprintf(w, "%s || true # is there already\n", shell(argv))
	}
	for _, a := range p.Actions {
		where := a.Repository
		if a.Issue != "" {
			where = a.Issue
		} else if a.Path != "" {
			where = a.Path
		}
		fmt.Fprintf(w, "# %s on %s: %s\n", a.Action, where, a.Title)
		switch {
		case a.Argv != nil:
			fmt.Fprintln(w, shell(a.Argv))
		case a.Prompt != "":
			fmt.Fprintf(w, "# for %s:\n%s\n", p.Delegate, a.Prompt)
		}
	}
	if len(p.Actions) == 0 {
		fmt.Fprintln(w, "# nothing to file")
	}
	return nil
}
