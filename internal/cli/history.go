package cli

import "time"

// HistoryFlags are the flags of every verb that reads transcripts.
type HistoryFlags struct {
	ConfigDirs                           *[]string
	Since, Until, Timezone, Prices, Time *string
	NoCache                              *bool
}

// History declares the flags of every verb that measures transcripts.
func (f *Flags) History() *HistoryFlags {
	h := f.WholeHistory()
	h.Since = f.String("since", "", "count from `D` on: a day, RFC 3339, or an age such as 7d")
	h.Until = f.String("until", "", "count up to `D`: a day (its end), RFC 3339, or an age")
	h.Timezone = f.String("timezone", "", "cut days in `ZONE` (IANA name); default the machine's")
	h.Prices = f.String("prices", "", "prices from `FILE` override the built-in ones: {\"models\": {ID: {\"input\": 5, \"output\": 25}}}, dollars per million tokens")
	h.Time = f.Clock()
	return h
}

// WholeHistory declares the flags of a verb that reads histories from end to end: it knows
// no window and no zone, and a flag that changed nothing would be a lie.
func (f *Flags) WholeHistory() *HistoryFlags {
	return &HistoryFlags{
		ConfigDirs: f.Strings("config-dir", "read histories under `DIR`; default CLAUDE_CONFIG_DIR, else ~/.claude and ~/.config/claude"),
		NoCache:    f.Bool("no-cache", "read every transcript anew and keep no digest of it"),
		Since:      new(string), Until: new(string), Timezone: new(string), Prices: new(string), Time: new(string),
	}
}

// History is what the flags of a verb that reads transcripts say.
type History struct {
	ConfigDirs []string
	// Since and Until: since ≤ t < until; zero is open.
	Since, Until time.Time
	Location     *time.Location
	// CacheDir is "" with --no-cache and where there is no place for one.
	CacheDir string
	// Prices is the content of the user's price file, nil without one; PricesFile its name.
	Prices     []byte
	PricesFile string
	Now        time.Time
}

// Read resolves the flags.
func (h *HistoryFlags) Read(c *Call) (*History, error) {
	r := &History{PricesFile: *h.Prices}
	var err error
	if r.ConfigDirs, err = c.ConfigDirs(*h.ConfigDirs); err != nil {
		return nil, err
	}
	if r.Location, err = c.Zone(*h.Timezone); err != nil {
		return nil, err
	}
	if r.Now, err = c.Now(*h.Time); err != nil {
		return nil, err
	}
	if r.Since, r.Until, err = Window(*h.Since, *h.Until, r.Now, r.Location); err != nil {
		return nil, err
	}
	if r.PricesFile != "" {
		if r.Prices, err = c.ReadInput("prices", r.PricesFile); err != nil {
			return nil, err
		}
	}
	if !*h.NoCache {
		r.CacheDir = c.CacheDir()
	}
	return r, nil
}

// Clock declares --now, so that two runs on the same input can be the same to the byte.
func (f *Flags) Clock() *string {
	return f.String("now", "", "take `T` (RFC 3339) for the present")
}

// TargetFlags are the flags of every verb that finds a plugin.
type TargetFlags struct {
	PluginsRoot, Marketplace, Plugin *string
}

// Target declares the flags of every verb that finds a plugin.
func (f *Flags) Target() *TargetFlags {
	return &TargetFlags{
		PluginsRoot: f.String("plugins-root", "", "look for installed plugins under `DIR`; default CLAUDE_CODE_PLUGIN_CACHE_DIR, else plugins under CLAUDE_CONFIG_DIR or ~/.claude"),
		Marketplace: f.String("marketplace", "", "read the plugin's definition from marketplace `FILE`, for a folder without a manifest"),
		Plugin:      f.String("plugin", "", "the entry's `NAME` in that marketplace file"),
	}
}
