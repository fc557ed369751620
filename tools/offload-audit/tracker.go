package main

import (
	"fmt"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/filing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
)

// tracker is where findings are to be filed: flags over the user's settings.
type tracker struct {
	channel, repository, existing *string
}

func newTracker(f *cli.Flags) *tracker {
	return &tracker{
		channel:    f.String("channel", "", "plan to file through `CHANNEL`: file (default), github, gitea, delegate"),
		repository: f.String("repo", "", "the target's own repository, `OWNER/REPO`; default the one that its manifest names"),
		existing:   f.String("existing", "", "the existing/v1 document in `FILE`: what a search of the tracker found; - is standard input"),
	}
}

// read resolves them. existing is nil when no search result was given.
func (t *tracker) read(c *cli.Call, inv *inventory.Document) (filing.Config, *filing.Existing, error) {
	s, err := c.Settings()
	if err != nil {
		return filing.Config{}, nil, err
	}
	config := filing.Config{
		Directory: issuesDir, // relative to the store, where the channel "file" is searched from here
		Channel:   first(*t.channel, s.Channel), Delegate: s.Delegate, OwnRepository: s.OwnRepository, Labels: s.Labels,
		Repository: first(*t.repository, filing.RepositoryOf(inv.Target.Repository), s.Repository),
	}
	if err := config.Check(); err != nil {
		return config, nil, cli.BadInput(fmt.Errorf("filing: %w", err))
	}
	if *t.existing == "" {
		return config, nil, nil
	}
	var existing filing.Existing
	if err := c.ReadDocument("existing", *t.existing, filing.ExistingKind, &existing); err != nil {
		return config, nil, err
	}
	return config, &existing, nil
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
