package corpus_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// story writes one session with each of the library's verbs.
func story(t *testing.T, dir, client string) *corpus.Home {
	t.Helper()
	h, err := corpus.NewHome(dir, 7)
	if err != nil {
		t.Fatal(err)
	}
	s := h.Session(corpus.SessionOptions{Version: client})
	s.Noise()
	s.Prompt("look at the build")
	s.Turn(corpus.Turn{Thinking: true, Text: "Looking.", Calls: []corpus.Call{corpus.Bash("git status", "clean"), corpus.Read("/home/dev/app/go.mod", "module app")}, Interleaved: true})
	s.Do(corpus.UnknownSkill("acme:nothing"))
	s.Do(corpus.Skill("acme:deploy", "staging", corpus.PluginBody("market", "acme", "1.0.0", "skills/deploy")))
	s.Hook("PostToolUse", "Bash", "check.sh")
	s.Do(corpus.Agent(corpus.Dispatch{Type: "acme:reviewer", Prompt: "review", Run: func(a *corpus.Thread) {
		a.Do(corpus.Grep("TODO", "/home/dev/app", "none"))
		a.Say("Nothing found.")
	}}))
	s.Do(corpus.Agent(corpus.Dispatch{Type: "fork", Prompt: "go on", Run: func(a *corpus.Thread) { a.Say("ok") }}))
	s.GlueNext()
	s.Do(corpus.Ask("Deploy now?", "yes"))
	s.Torn()
	s.BadEscape()
	s.Array()
	s.Blank()
	s.Snapshot(100_000)
	s.Turn(corpus.Turn{Text: "half", CutOff: true})
	s.Interrupt()
	s.APIError(529, "overloaded")
	s.Compact(corpus.Usage{Input: 10, Output: 400, CacheRead: 9000}, "auto")
	s.Command("acme:audit", "x", corpus.CommandBody("acme"))
	s.Do(corpus.Bash("ls", "").Fail("Exit code 2"))
	s.Say("Done.")
	s.Builtin("clear")
	f := s.Fork()
	f.Prompt("and now?")
	f.Say("Now this.")
	f.Close()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return h
}

// A second, plain reading of the files must find what the ledger says: this test shares no
// code with the writer nor with the project's own reader.
func TestLedgerIsWhatStandsInTheFiles(t *testing.T) {
	for _, client := range []string{"2.0.10", "2.0.60", "2.1.14", "2.1.40", "2.1.70", "2.1.110", "2.1.197", "2.1.332"} {
		t.Run(client, func(t *testing.T) {
			dir := t.TempDir()
			h := story(t, dir, client)
			type counted struct{ in, out, read, write int64 }
			turns := map[string]counted{}
			var lines, bad, odd, files int64
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(path, ".jsonl") {
					return err
				}
				files++
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				sc := bufio.NewScanner(bytes.NewReader(data))
				sc.Buffer(nil, 1<<26)
				for sc.Scan() {
					lines++
					dec := json.NewDecoder(bytes.NewReader(sc.Bytes()))
					for dec.More() {
						var v any
						if dec.Decode(&v) != nil {
							bad++
							break
						}
						row, ok := v.(map[string]any)
						if !ok {
							odd++
							continue
						}
						if row["type"] == "progress" {
							row, _ = row["data"].(map[string]any)["message"].(map[string]any)
						}
						msg, ok := row["message"].(map[string]any)
						if !ok || row["type"] != "assistant" || msg["model"] == "<synthetic>" {
							continue
						}
						u := msg["usage"].(map[string]any)
						n := func(k string) int64 { return int64(u[k].(float64)) }
						c := turns[msg["id"].(string)]
						turns[msg["id"].(string)] = counted{max(c.in, n("input_tokens")), max(c.out, n("output_tokens")),
							max(c.read, n("cache_read_input_tokens")), max(c.write, n("cache_creation_input_tokens"))}
					}
				}
				return sc.Err()
			})
			if err != nil {
				t.Fatal(err)
			}
			var sum counted
			for _, c := range turns {
				sum.in, sum.out, sum.read, sum.write = sum.in+c.in, sum.out+c.out, sum.read+c.read, sum.write+c.write
			}
			l := h.Ledger
			want := counted{l.Total.Input, l.Total.Output, l.Total.CacheRead, l.Total.Write5m + l.Total.Write1h}
			if sum != want || int64(len(turns)) != l.Total.Turns {
				t.Errorf("files hold %d turns %+v, the ledger %d turns %+v", len(turns), sum, l.Total.Turns, want)
			}
			if lines != l.Lines || bad != l.BadLines || odd != l.OddLines || files != l.Files {
				t.Errorf("files hold %d lines, %d bad, %d odd in %d files; the ledger says %d, %d, %d, %d", lines, bad, odd, files, l.Lines, l.BadLines, l.OddLines, l.Files)
			}
		})
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	story(t, a, "2.1.332")
	story(t, b, "2.1.332")
	n := 0
	err := filepath.WalkDir(a, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		rel, _ := filepath.Rel(a, path)
		x, _ := os.ReadFile(path)
		y, err := os.ReadFile(filepath.Join(b, rel))
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs between two runs (%v)", rel, err)
		}
		return nil
	})
	if err != nil || n < 4 {
		t.Fatalf("compared %d files: %v", n, err)
	}
}

// The planter counts as it plants, the ledger as it writes: they must agree, and each turn of
// a skill must have a class.
func TestPlantedTruthAddsUp(t *testing.T) {
	truth, err := corpus.Plant(t.TempDir(), corpus.Triage(3))
	if err != nil {
		t.Fatal(err)
	}
	if len(truth.Skills) != 3 {
		t.Fatalf("planted %d skills", len(truth.Skills))
	}
	for _, sk := range truth.Skills {
		if got := truth.Ledger.Work[sk.Name]; got == nil || *got != sk.Total {
			t.Errorf("%s: ledger has %+v, the plan %+v", sk.Name, got, sk.Total)
		}
		n := sk.AgentTurns
		for _, c := range sk.Classes {
			n += c
		}
		if n != sk.Total.Turns {
			t.Errorf("%s: classes and agents make %d turns of %d", sk.Name, n, sk.Total.Turns)
		}
	}
	deploy := truth.Skills[1].Sequences[0]
	if deploy.Support != 5 || deploy.Starts != 15 || deploy.Occurrences != 12 {
		t.Errorf("deploy's sequence: support %d, starts %d, occurrences %d; planned 5, 15, 12", deploy.Support, deploy.Starts, deploy.Occurrences)
	}
}

func TestBulkReachesItsSize(t *testing.T) {
	const want = 6 << 20
	dir := t.TempDir()
	l, err := corpus.Bulk(dir, corpus.BulkOptions{Seed: 1, Bytes: want})
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			info, _ := d.Info()
			size += info.Size()
		}
		return err
	})
	if err != nil || size != l.Bytes || size < want || size > want+(8<<20) {
		t.Errorf("wrote %d bytes, the ledger says %d, asked %d: %v", size, l.Bytes, want, err)
	}
}
