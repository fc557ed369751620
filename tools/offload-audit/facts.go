package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/cli"
)

// sessionFile holds the id of the client's session that prepared a run.
const sessionFile = "session"

// sessionVariable is where the client tells its session's id to the programs that it runs.
const sessionVariable = "CLAUDE_CODE_SESSION_ID"

// showFacts prints what prepare printed. The analyst is loaded with it: its skill calls this as
// the client starts the agent, so that reading the facts costs no request of its own, and no
// file outside the project has to be read, which the client would ask about.
var showFacts = &cli.Verb{
	Name: "facts", Args: "[RUN]", MaxArgs: 1,
	Purpose:  "Print the facts of a prepared run once more.",
	Detail:   "Without RUN: of the newest run that this session of the client prepared and has not finished.",
	Examples: []string{"offload-audit facts ./run", "offload-audit facts"},
	Setup: func(f *cli.Flags) cli.Run {
		return func(c *cli.Call) error {
			dir := ""
			if len(c.Args) > 0 {
				dir = c.Args[0]
			} else {
				below, err := c.RunDir("", "")
				if err != nil {
					return err
				}
				if dir, err = newestRun(below, c.Getenv(sessionVariable)); err != nil {
					return err
				}
			}
			if dir == "" {
				// No error: an agent that is started with a run's folder goes on from here.
				fmt.Fprintln(c.Out, "This session has prepared no run that waits for judgments. Given a run folder, call: offload-audit facts RUN")
				return nil
			}
			data, err := os.ReadFile(filepath.Join(dir, digestFile))
			if err != nil {
				return cli.BadInput(fmt.Errorf("%s: expected a run folder that prepare wrote: %w", dir, cli.PathError(err)))
			}
			c.Out.Write(data)
			return nil
		}
	},
}

// newestRun is the run folder below dir that the session prepared last and that has no report
// yet; "" when there is none.
func newestRun(dir, session string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", cli.PathError(err)
	}
	newest, at := "", time.Time{}
	for _, e := range entries {
		run := filepath.Join(dir, e.Name())
		by, err := os.ReadFile(filepath.Join(run, sessionFile))
		if err != nil || session == "" || strings.TrimSpace(string(by)) != session || exists(filepath.Join(run, reportFile)) {
			continue
		}
		if st, err := os.Stat(filepath.Join(run, digestFile)); err == nil && st.ModTime().After(at) {
			newest, at = run, st.ModTime()
		}
	}
	return newest, nil
}
