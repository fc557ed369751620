package filing

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pattern"
)

// Channels.
const (
	GitHub   = "github"
	Gitea    = "gitea"
	Delegate = "delegate"
	Files    = "file"
)

// Channels lists every channel, the default first.
var Channels = []string{Files, GitHub, Gitea, Delegate}

// Config says where and how to file. The zero value files into a folder.
type Config struct {
	// Channel is one of Channels; "" is file.
	Channel string
	// Repository is the target's own, as owner/repo; "" when it is not known.
	Repository string
	// OwnRepository is this plugin's; "" is OwnRepository.
	OwnRepository string
	// ReadOnly says why nothing may be written to the repository, "" when it may.
	ReadOnly string
	// Labels replace the default ones; nil keeps those, empty means none.
	Labels []string
	// Login is the tea login to use (gitea), "" for tea's own choice.
	Login string
	// Delegate is the agent that files (delegate).
	Delegate string
	// Directory is where files go (file), and how their paths begin.
	Directory string
}

// OwnRepository is where findings about the audit itself go.
const OwnRepository = "kotkan/claude-plugin-inference-arbitrage"

var (
	repository = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`)
	label      = pattern.New(`^[^-,\x00-\x1f][^,\x00-\x1f]{0,49}$`)
	agentName  = pattern.New(`^[A-Za-z0-9][A-Za-z0-9:._-]*$`)
)

// Check says what is wrong with a configuration.
func (c Config) Check() error {
	if c.Channel != "" && !slices.Contains(Channels, c.Channel) {
		return fmt.Errorf("channel %q: expected one of %s", c.Channel, strings.Join(Channels, ", "))
	}
	for _, r := range []string{c.Repository, c.OwnRepository} {
		if r != "" && !repository().MatchString(r) {
			return fmt.Errorf("repository %q: expected owner/repo", r)
		}
	}
	for _, l := range c.Labels {
		if !label().MatchString(l) {
			return fmt.Errorf("label %q: expected at most 50 characters without a comma", l)
		}
	}
	if c.Channel == Delegate && !agentName().MatchString(c.Delegate) {
		return fmt.Errorf("delegate %q: expected the name of the agent that files", c.Delegate)
	}
	return nil
}

func (c Config) channel() string {
	if c.Channel == "" {
		return Files
	}
	return c.Channel
}

func (c Config) own() string {
	if c.OwnRepository == "" {
		return OwnRepository
	}
	return c.OwnRepository
}

// repositoryOf is where a finding goes; "" for the channel "file", which has no repositories.
func (c Config) repositoryOf(self bool) string {
	switch {
	case c.channel() == Files:
		return ""
	case self:
		return c.own()
	}
	return c.Repository
}

// unavailable says why findings about the target cannot be filed, "" when they can (FR-6.4).
func (c Config) unavailable() string {
	switch {
	case c.ReadOnly != "":
		return c.ReadOnly
	case c.channel() != Files && c.Repository == "":
		return "the target's repository is not known"
	}
	return ""
}

// RepositoryOf reads owner/repo out of a repository's address as manifests give it; "" when it is none.
func RepositoryOf(address string) string {
	address = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(address), "/"), ".git")
	if repository().MatchString(address) {
		return address
	}
	for _, prefix := range []string{"github:", "git+"} {
		address = strings.TrimPrefix(address, prefix)
	}
	if repository().MatchString(address) {
		return address
	}
	if user, rest, ok := strings.Cut(address, "@"); ok && !strings.Contains(user, "/") { // git@host:owner/repo
		if _, p, ok := strings.Cut(rest, ":"); ok && repository().MatchString(p) {
			return p
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	if p := strings.Trim(u.Path, "/"); repository().MatchString(p) {
		return p
	}
	return ""
}

// Default labels (FR-6.2). A preload or wrapper calls what exists in another way: a chore.
// Everything else lacks a script: a capability gap.
func (c Config) labels(kind string) []string {
	if c.Labels != nil {
		return slices.Clone(c.Labels)
	}
	return []string{kind, "area/agent-behavior", "domain/agents", "activity/automate", "token-offload"}
}

// Marker is what the body of a candidate's issue carries.
func Marker(id string) string { return "<!-- ia-candidate: " + id + " -->" }

// StabilityMarker is what the body of a finding about the audit itself carries.
func StabilityMarker(id string) string { return "<!-- ia-stability: " + id + " -->" }

// candidateOf is the id in a candidate's marker.
func candidateOf(marker string) (string, bool) {
	id, ok := strings.CutPrefix(marker, "<!-- ia-candidate: ")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(id, " -->")
}
