package main

import (
	"path/filepath"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/stability"
)

// config are the flags that say where to file; each overrides the user's setting.
type config struct {
	stable, channel, repo, ownRepo, readOnly, login, delegate, dir *string
	labels                                                         *[]string
}

func newConfig(f *cli.Flags) *config {
	return &config{
		stable:   f.String("stable", "", "the stable/v1 document in `FILE`; - is standard input"),
		channel:  f.String("channel", "", "file through `CHANNEL`: file, github, gitea or delegate; default the user's setting, else file"),
		repo:     f.String("repo", "", "the target's own repository `OWNER/REPO`; default the one that its manifest names"),
		ownRepo:  f.String("own-repo", "", "where findings about the audit itself go, `OWNER/REPO`"),
		readOnly: f.String("read-only", "", "nothing may be written to the repository, because `REASON`"),
		labels:   f.Strings("label", "put `LABEL` on new issues in place of the default ones"),
		login:    f.String("login", "", "the tea login `NAME` (gitea)"),
		delegate: f.String("delegate", "", "the agent `NAME` that files (delegate)"),
		dir:      f.String("dir", "", "the folder `DIR` of findings (file); default Issues in the store"),
	}
}

// read returns the document to file from and where to file.
func (f *config) read(c *cli.Call) (*stability.Document, filing.Config, error) {
	var stable stability.Document
	if err := c.ReadDocument("stable", *f.stable, stability.Kind, &stable); err != nil {
		return nil, filing.Config{}, err
	}
	s, err := c.Settings()
	if err != nil {
		return nil, filing.Config{}, err
	}
	cfg := filing.Config{
		Channel: first(*f.channel, s.Channel), Repository: first(*f.repo, first(filing.RepositoryOf(stable.Target.Repository), s.Repository)), OwnRepository: first(*f.ownRepo, s.OwnRepository),
		ReadOnly: *f.readOnly, Labels: s.Labels, Login: *f.login, Delegate: first(*f.delegate, s.Delegate), Directory: *f.dir,
	}
	if c.Given("label") {
		cfg.Labels = *f.labels
	}
	if cfg.Directory == "" {
		store, err := c.StoreDir("")
		if err != nil {
			return nil, filing.Config{}, err
		}
		cfg.Directory = filepath.Join(store, "Issues")
	}
	return &stable, cfg, cli.BadInput(cfg.Check())
}

// first is the first that is not empty.
func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
