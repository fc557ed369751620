package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// launcher is the same for every tool: it goes by the name that it was called by.
//
//go:embed launcher.sh
var launcher []byte

// launcherCmd is for a Windows command prompt; Git Bash, which Claude Code uses there, runs launcher.
const launcherCmd = `@echo off
if not exist "%%~dp0..\libexec\windows-amd64\%[1]s.exe" goto missing
"%%~dp0..\libexec\windows-amd64\%[1]s.exe" %[2]s %%*
exit /b %%ERRORLEVEL%%
:missing
if defined CLAUDE_PLUGIN_ROOT exit /b 0
echo %[2]s: this plugin carries no binary for this platform; build it with "make build" from its source 1>&2
exit /b 1
`

// writeLaunchers writes bin/: for each tool a shell script and a .cmd.
func writeLaunchers(bin string, tools []string) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, tool := range tools {
		if err := os.WriteFile(filepath.Join(bin, tool), launcher, 0o755); err != nil {
			return err
		}
		cmd := strings.ReplaceAll(fmt.Sprintf(launcherCmd, name, tool), "\n", "\r\n")
		if err := os.WriteFile(filepath.Join(bin, tool+".cmd"), []byte(cmd), 0o644); err != nil {
			return err
		}
	}
	return nil
}
