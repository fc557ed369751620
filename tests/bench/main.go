// Command bench times offload-scan beside public tools that read the same transcripts,
// as whole processes and in pairs, on a history that this repository's generator writes,
// and checks the totals of every run of ours against the generator's ledger.
//
//	bench [-mib 500] [-runs 5] [-dir DIR] [-scan bin/offload-scan]
//
// Only the ratios of a pair mean something: on a busy machine both sides slow down. The
// peers come from npm into DIR, once, and are left out where that is not possible; none
// of them is let onto the network while it is timed.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

func main() {
	mib := flag.Int64("mib", 500, "MiB of transcripts")
	runs := flag.Int("runs", 5, "counted pairs of runs")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "inference-arbitrage-bench"), "where histories and peers are kept")
	scan := flag.String("scan", filepath.Join("bin", "offload-scan"), "the program to time")
	flag.Parse()
	if err := run(*dir, *scan, *mib, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(dir, scan string, mib int64, runs int) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		scan, err = filepath.Abs(scan)
	}
	if err != nil {
		return err
	}
	many, want, err := history(dir, mib)
	if err != nil {
		return err
	}
	one, err := joined(dir, many)
	if err != nil {
		return err
	}
	cold := command(scan, "--no-cache", "--config-dir", many)
	single := command(scan, "--no-cache", "--config-dir", one)
	warm := command(scan, "--config-dir", many).with("XDG_CACHE_HOME=" + filepath.Join(dir, "cache"))
	for _, c := range []program{cold, warm, warm, single} {
		if err := c.totals(want); err != nil {
			return err
		}
	}
	fmt.Printf("%d MiB in %d files, %d lines, %d turns: totals agree, cold, cached, and as one file\n",
		want.Bytes>>20, want.Files, want.Lines, want.Total.Turns)
	peers := peersFor(dir, many, one)
	pairs := []pair{
		{"cold / cat", cold, peers["cat"], nil},
		{"cold / ccusage", cold, peers["ccusage"], nil},
		{"cold / tokscale without its cache", cold, peers["tokscale"], func() error { return os.RemoveAll(filepath.Join(dir, "tokscale", "cache")) }},
		{"one file, cold / ccusage", single, peers["ccusage one file"], nil},
		{"one file / many files", single, cold, nil},
		{"unchanged / cold", warm, cold, nil},
		{"unchanged / tokscale unchanged", warm, peers["tokscale"], nil},
		{"appended / cold", warm.before(appender(many)), cold, nil},
	}
	for _, p := range pairs {
		if p.b.args == nil {
			fmt.Printf("%-36s left out: no such peer here\n", p.name)
			continue
		}
		if err := p.time(runs); err != nil {
			return err
		}
	}
	return nil
}

// history is the generator's configuration directory of a size. It is written anew each
// time: the appending pair makes it grow.
func history(dir string, mib int64) (string, *corpus.Ledger, error) {
	config := filepath.Join(dir, fmt.Sprintf("history-%d", mib))
	if err := os.RemoveAll(config); err != nil {
		return "", nil, err
	}
	ledger, err := corpus.Bulk(config, corpus.BulkOptions{Seed: 1, Bytes: mib << 20})
	if err == nil {
		err = corpus.Settle(config)
	}
	return config, ledger, err
}

// joined is a configuration directory whose one file holds all rows of another's.
func joined(dir, many string) (string, error) {
	root := filepath.Join(dir, "one-file")
	if err := os.MkdirAll(filepath.Join(root, "projects", "p"), 0o755); err != nil {
		return "", err
	}
	out, err := os.Create(filepath.Join(root, "projects", "p", "all.jsonl"))
	if err != nil {
		return "", err
	}
	cat := exec.Command("sh", "-c", `find "$0" -name '*.jsonl' -print0 | sort -z | xargs -0 cat`, filepath.Join(many, "projects"))
	cat.Stdout, cat.Stderr = out, os.Stderr
	if err := cat.Run(); err != nil {
		out.Close()
		return "", err
	}
	return root, out.Close()
}

// appended is how many bytes the appending pair adds before each run.
const appended = 165_000

// appender adds turns of a session that go on to the largest of the history's main files.
func appender(many string) func() error {
	turn := 0
	return func() error {
		name, err := largest(filepath.Join(many, "projects", "*", "*.jsonl"))
		if err != nil {
			return err
		}
		session := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		var b bytes.Buffer
		for b.Len() < appended {
			turn++
			fmt.Fprintf(&b, `{"type":"assistant","sessionId":%q,"uuid":"bench-a-%d","version":"2.1.42","message":{"id":"bench-%d","model":"claude-opus-4-5-20251101",`+
				`"stop_reason":"tool_use","usage":{"input_tokens":4,"output_tokens":90,"cache_read_input_tokens":30000},"content":[{"type":"text","text":%q},`+
				`{"type":"tool_use","id":"bench-c-%d","name":"Read","input":{"file_path":"/home/dev/app/%d.go"}}]}}`+"\n", session, turn, turn, strings.Repeat("on we go ", 40), turn, turn)
			fmt.Fprintf(&b, `{"type":"user","sessionId":%q,"uuid":"bench-u-%d","version":"2.1.42","message":{"role":"user","content":[{"type":"tool_result",`+
				`"tool_use_id":"bench-c-%d","content":%q}]}}`+"\n", session, turn, turn, strings.Repeat("func next() { return }\n", 100))
		}
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(b.Bytes())
		if e := f.Close(); err == nil {
			err = e
		}
		return err
	}
}

// largest is the largest file that a pattern names.
func largest(pattern string) (name string, err error) {
	files, err := filepath.Glob(pattern)
	most := int64(-1)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return "", err
		}
		if info.Size() > most {
			name, most = f, info.Size()
		}
	}
	if err == nil && name == "" {
		err = fmt.Errorf("%s: no transcript to append to", pattern)
	}
	return name, err
}
