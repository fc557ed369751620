package scan

import (
	"runtime"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/signature"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/transcript"
)

// Options say what to measure. Everything a scan depends on stands here: no clock,
// no environment.
type Options struct {
	// ConfigDirs are the configuration directories to read, each with a projects folder.
	ConfigDirs []string
	// CacheDir keeps digests of transcripts between runs, "" keeps none.
	CacheDir string
	// Workers is how many goroutines read, measure and mine; 0 means GOMAXPROCS.
	Workers int
	// Progress, if set, is called now and then while reading.
	Progress func(transcript.Progress)
	// Sized, if set, is told the history's size in bytes before anything of it is read.
	Sized func(bytes int64)

	// Target restricts components, sequences and staples to one plugin; nil measures all.
	Target *audit.Target
	// Own is what the target ships: its files may be named, its executables are recognised.
	Own signature.Own
	// Components are the target's skills, commands and agents as its inventory names them
	// (without the plugin's prefix): evidence for what is a skill and what a command.
	Components []audit.ComponentRef
	// Vocabulary gives for a component of the target, by its name without prefix, the shape
	// signatures of its literal commands ("Bash gh pr view") and its own MCP tools: what a
	// turn must use to count as the component's own work: any of their programs, whatever the
	// sub-command. A component that is not in it has no tail.
	Vocabulary map[string][]string
	// Installed maps the full names under which installed plugins' components can be invoked
	// ("acme:deploy") to their plugin. A bare name is in nobody's inventory: a plugin skill that
	// was typed without its prefix shows its plugin in its base directory.
	Installed map[string]string

	// Since and Until bound the turns that count: since ≤ time < until; zero is open.
	Since, Until time.Time
	// Location is the zone in which bounds are printed; nil is UTC.
	Location *time.Location
	// Project keeps the turns whose working directory is this directory or below it; "" keeps all.
	Project string
	// Prices default to the embedded table.
	Prices *pricing.Table
	// BySession fills Document.Sessions.
	BySession bool
	// Key makes argument identities (never emitted). nil derives them without a secret,
	// which is enough where nothing is kept.
	Key []byte
}

// prices are the caller's, or the embedded table.
func (o *Options) prices() *pricing.Table {
	if o.Prices == nil {
		return pricing.Default()
	}
	return o.Prices
}

// workers is how many goroutines work at once.
func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}
