// Command packaging makes dist/: the plugin as users install it, and its marketplace.
//
//	go run ./packaging [-out dist] [-only linux-amd64,darwin-arm64]
//
// The plugin folder is self-contained: its text, one static binary per platform that holds
// every tool, and a launcher per tool in bin/ that picks the binary. Nothing is compiled or
// downloaded where it is installed.
//
// Why one binary: seven tools share nearly all of their code, so seven binaries for five
// platforms would be some 250 MB; one per platform is a seventh of that. The tools' mains stay
// ordinary mains: for the packaged build only, an overlay shows the compiler each of them as a
// package with a Main function and one generated main that calls the tool named by its first
// argument. Nothing of that is written into the tree.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// platform is one system that the plugin carries a binary for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "-" + p.arch }

var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

func main() {
	out := flag.String("out", "dist", "folder to make; what stands there is replaced")
	only := flag.String("only", "", "platforms to build, such as linux-amd64,darwin-arm64; empty: all")
	flag.Parse()
	if err := run(".", *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(root, out, only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return err
	}
	tools, err := toolNames(root)
	if err != nil {
		return err
	}
	if err := clear(out); err != nil {
		return err
	}
	folder := filepath.Join(out, name)
	if err := copyText(root, folder); err != nil {
		return err
	}
	if err := writeMarketplace(root, out); err != nil {
		return err
	}
	if err := writeLaunchers(filepath.Join(folder, "bin"), tools); err != nil {
		return err
	}
	if err := buildAll(root, folder, tools, chosen); err != nil {
		return err
	}
	return writeSums(out)
}

func choose(only string) ([]platform, error) {
	if only == "" {
		return platforms, nil
	}
	var list []platform
	for s := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == s })
		if i < 0 {
			return nil, fmt.Errorf("-only %q: expected one of %v", s, platforms)
		}
		list = append(list, platforms[i])
	}
	return list, nil
}

// clear makes out an empty folder; it refuses to empty one that it did not make.
func clear(out string) error {
	entries, err := os.ReadDir(out)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(out, sums)); err != nil {
			return fmt.Errorf("%s is not empty and was not made by this command (it has no %s)", out, sums)
		}
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	// The mark of our own folder stands first, so that an interrupted run can be repeated.
	return os.WriteFile(filepath.Join(out, sums), nil, 0o644)
}
