package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/inventory"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/wording"
)

// text is an inventory for people: the components and what they cost, then what is wrong.
func text(d *inventory.Document) func(io.Writer) error {
	return func(w io.Writer) error {
		fmt.Fprintf(w, "%s %s (%s)\n\n", d.Target.Name, d.Target.Version, d.Target.ResolvedBy)
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "kind\tname\talways on\ton use\tsteps\tcommands\town\tverbs (script:judgment)\tthe host")
		for i := range d.Components {
			c := &d.Components[i]
			note := "loads it"
			if !c.Loaded {
				note = "ignores it: " + c.NotLoaded
			}
			s := &c.Signals
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d:%d\t%s\n", c.Kind, c.Name, c.Tokens.Trigger, c.Tokens.Invoke,
				len(c.Steps), s.ShellCommands, s.OwnCommands, s.ScriptVerbs, s.JudgmentVerbs, note)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "\nTokens are estimated from bytes: %d always on, %d on use, %d on demand.\n",
			d.Plugin.Tokens.Trigger, d.Plugin.Tokens.Invoke, d.Plugin.Tokens.Deferred)
		if share := d.Plugin.ScriptCoveragePPM; share != nil {
			fmt.Fprintf(w, "%d %% of the literal commands run executables that the plugin ships.\n", (*share+5_000)/10_000) // rounded half up
		} else {
			fmt.Fprintln(w, "No literal commands stand in the prose.")
		}
		fmt.Fprintf(w, "%s, %s, %s.\n", wording.Amount(len(d.Surface.Hooks), "hook", "hooks"), wording.Amount(len(d.Surface.Servers), "server", "servers"), wording.Amount(len(d.Surface.Executables), "executable", "executables"))
		for _, c := range d.Checks {
			fmt.Fprintf(w, "%s: %s: %s (%s)\n", c.Severity, place(c.Path, c.Line), c.Message, c.ID)
		}
		for _, x := range d.Warnings {
			fmt.Fprintf(w, "warning: %s: %s (%s)\n", place(x.Path, x.Line), x.Message, x.Code)
		}
		return nil
	}
}

// place is file:line, as far as it is known.
func place(path string, line int) string {
	switch {
	case path == "":
		return "plugin"
	case line == 0:
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}
