package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// program is a command line, what its environment adds, and what happens before it.
type program struct {
	args, env []string
	prepare   func() error
}

func command(args ...string) program { return program{args: args} }

func (p program) with(env ...string) program {
	p.env = append(slices.Clone(p.env), env...)
	return p
}

func (p program) before(f func() error) program {
	p.prepare = f
	return p
}

// sample is what one run took.
type sample struct{ wall, cpu, mib float64 }

func (p program) run(out io.Writer) (s sample, err error) {
	if p.prepare != nil {
		if err := p.prepare(); err != nil {
			return s, err
		}
	}
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &said
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		return s, fmt.Errorf("%s: %w: %s", p.args[0], err, said.String())
	}
	s.wall = time.Since(begun).Seconds()
	s.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	s.mib = peak(cmd.ProcessState)
	return s, nil
}

// totals runs ours and holds its sums against the ledger.
func (p program) totals(want *corpus.Ledger) error {
	var out bytes.Buffer
	if _, err := p.run(&out); err != nil {
		return err
	}
	var doc struct {
		Usage struct {
			corpus.Usage
			Turns int64 `json:"turns"`
			Calls int64 `json:"tool_calls"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		return err
	}
	got := doc.Usage
	if got.Usage != want.Total.Usage || got.Turns != want.Total.Turns || got.Calls != want.Total.Calls {
		return fmt.Errorf("%v: totals %+v, the ledger says %+v", p.args, got, want.Total)
	}
	return nil
}

// pair is two programs that are timed in turn.
type pair struct {
	name    string
	a, b    program
	prepare func() error // before each b
}

// time prints the medians of both and of their ratios.
func (p pair) time(runs int) error {
	p.b.prepare = p.prepare
	var a, b, ratio []sample
	for i := -1; i < runs; i++ { // the first pair warms up
		x, err := p.a.run(io.Discard)
		if err != nil {
			return err
		}
		y, err := p.b.run(io.Discard)
		if err != nil {
			return err
		}
		if i >= 0 {
			a, b = append(a, x), append(b, y)
			ratio = append(ratio, sample{x.wall / y.wall, x.cpu / max(y.cpu, 0.001), x.mib / max(y.mib, 0.001)})
		}
	}
	fmt.Printf("%-36s wall %.3f (%.3f s / %.3f s)  cpu %.3f (%.3f s / %.3f s)  peak %.0f / %.0f MiB\n", p.name,
		median(ratio).wall, median(a).wall, median(b).wall, median(ratio).cpu, median(a).cpu, median(b).cpu, median(a).mib, median(b).mib)
	return nil
}

// median is that of each member by itself.
func median(list []sample) sample {
	by := func(f func(sample) float64) float64 {
		v := make([]float64, len(list))
		for i, s := range list {
			v[i] = f(s)
		}
		slices.Sort(v)
		return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
	}
	return sample{by(func(s sample) float64 { return s.wall }), by(func(s sample) float64 { return s.cpu }), by(func(s sample) float64 { return s.mib })}
}
