package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The peers and their versions. Each package holds one native program for one platform.
const (
	ccusage        = "ccusage@20.0.24"
	ccusageProgram = "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage"
	tokscale       = "@tokscale/cli-linux-x64-gnu@4.17.0"
	tokscaleProg   = "node_modules/@tokscale/cli-linux-x64-gnu/bin/tokscale"
)

// peersFor are the programs to compare with, by name; what is not there has no arguments.
func peersFor(dir, many, one string) map[string]program {
	home := filepath.Join(dir, "home")
	list := map[string]program{"cat": command("sh", "-c", `find "$0" -name '*.jsonl' -print0 | xargs -0 cat >/dev/null`, filepath.Join(many, "projects"))}
	if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o755); err != nil {
		return list
	}
	link := filepath.Join(home, ".claude", "projects")
	os.Remove(link)
	if err := os.Symlink(filepath.Join(many, "projects"), link); err != nil {
		return list
	}
	if p := install(dir, ccusage, ccusageProgram); p != "" {
		run := command(p, "claude", "daily", "--offline", "--json").with("HOME=" + home)
		list["ccusage"] = run.with("CLAUDE_CONFIG_DIR=" + many)
		list["ccusage one file"] = run.with("CLAUDE_CONFIG_DIR=" + one)
	}
	if p := install(dir, tokscale, tokscaleProg); p != "" {
		list["tokscale"] = command(p, "models", "--json", "-c", "claude", "--no-spinner").
			with("HOME="+home, "TOKSCALE_CONFIG_DIR="+filepath.Join(dir, "tokscale"), "TOKSCALE_PRICING_CACHE_ONLY=1")
	}
	return list
}

// install is the path of a peer's program, "" where npm cannot give it.
func install(dir, pkg, program string) string {
	root := filepath.Join(dir, "peers")
	path := filepath.Join(root, program)
	if _, err := os.Stat(path); err != nil {
		if err := os.MkdirAll(root, 0o755); err != nil {
			return ""
		}
		npm := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", root, pkg)
		if out, err := npm.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s left out: %v %s\n", pkg, err, out)
			return ""
		}
	}
	if os.Chmod(path, 0o755) != nil {
		return ""
	}
	return path
}
