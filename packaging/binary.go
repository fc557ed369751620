package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	name   = "inference-arbitrage"
	module = "github.com/kotkan/claude-plugin-inference-arbitrage"
	// combined is where the overlay shows the one binary's sources; no such folder exists.
	combined = "packaging/combined"
)

// toolNames are the folders under tools/, each one tool.
func toolNames(root string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, "tools"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, errors.New("tools/ holds no tool")
	}
	return names, nil
}

// buildAll builds the one binary for each platform under folder/libexec.
func buildAll(root, folder string, tools []string, list []platform) error {
	scratch, err := os.MkdirTemp("", "packaging-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	overlay, err := writeOverlay(root, scratch, tools)
	if err != nil {
		return err
	}
	for _, p := range list {
		bin := filepath.Join(folder, "libexec", p.String(), name)
		if p.os == "windows" {
			bin += ".exe"
		}
		bin, err := filepath.Abs(bin)
		if err != nil {
			return err
		}
		// The same sources give the same bytes: no paths, no build id, no state of the checkout.
		cmd := exec.Command("go", "build", "-overlay", overlay, "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", bin, "./"+combined)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.os, "GOARCH="+p.arch)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building for %s: %w\n%s", p, err, out)
		}
	}
	return nil
}

// writeOverlay writes the tools' sources as packages, and the main that chooses among them,
// into scratch, and returns the file that shows them to the compiler under combined.
func writeOverlay(root, scratch string, tools []string) (string, error) {
	replace := map[string]string{}
	show := func(rel string, data []byte) error {
		real := filepath.Join(scratch, fmt.Sprint(len(replace))+filepath.Ext(rel))
		replace[filepath.Join(root, filepath.FromSlash(combined), filepath.FromSlash(rel))] = real
		return os.WriteFile(real, data, 0o644)
	}
	var imports, cases strings.Builder
	for i, tool := range tools {
		dir := filepath.Join(root, "tools", tool)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if e.IsDir() || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err == nil && strings.HasSuffix(e.Name(), ".go") {
				data, err = asPackage(e.Name(), data)
			}
			if err == nil {
				err = show(tool+"/"+e.Name(), data)
			}
			if err != nil {
				return "", fmt.Errorf("tools/%s: %w", tool, err)
			}
		}
		fmt.Fprintf(&imports, "\ttool%d %q\n", i, module+"/"+combined+"/"+tool)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\ttool%d.Main()\n", tool, i)
	}
	main := fmt.Sprintf(combinedMain, imports.String(), name, strings.Join(tools, ", "), cases.String(), name)
	if err := show("main.go", []byte(main)); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(scratch, "overlay.json")
	return path, os.WriteFile(path, data, 0o644)
}

const combinedMain = `package main

import (
	"fmt"
	"os"

%s)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "%s: expected a tool as the first argument: %s")
		os.Exit(2)
	}
	tool := os.Args[1]
	os.Args = os.Args[1:]
	switch tool {
%s	default:
		fmt.Fprintf(os.Stderr, "%s: %%q is no tool\n", tool)
		os.Exit(2)
	}
}
`

// asPackage turns a main's source into that of a package: its clause, and main into Main.
// Everything else stays as it is, byte for byte.
func asPackage(file string, src []byte) ([]byte, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if f.Name.Name != "main" {
		return nil, fmt.Errorf("%s: package %s, expected main", file, f.Name.Name)
	}
	// A fresh FileSet gives positions that are offsets plus one.
	at := []int{int(f.Name.Pos()) - 1}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" {
			at = append(at, int(fn.Name.Pos())-1)
		}
	}
	words := []string{"tool", "Main"}
	var out []byte
	last := 0
	for i, pos := range at {
		out = append(append(out, src[last:pos]...), words[min(i, 1)]...)
		last = pos + len("main")
	}
	return append(out, src[last:]...), nil
}
