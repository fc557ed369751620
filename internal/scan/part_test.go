package scan

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/audit"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/jsondoc"
	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/pricing"
	"github.com/kotkan/claude-plugin-inference-arbitrage/tests/corpus"
)

// notPacked are the members that a part has no more when it is kept: what only the session's
// own measuring needs, what is asked for without keeping, what adding fills.
var notPacked = map[string]bool{
	"roster.components": true, "words.ids": true, "part.sessions": true, "part.rows": true,
	"component.big": true, "bigReads.last": true, "bigReads.lastTurn": true,
	"use.of": true, "use.counted": true, "use.name": true, "use.call": true, "use.slash": true, "use.relayed": true, "use.bodied": true, "use.turns": true,
	"strand.thread": true, "Attribution.CoveragePPM": true, "Attribution.Reason": true,
}

// fill sets every member of a part that is packed to a value of its own.
func fill(v reflect.Value, next *int64) {
	*next++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			if f := v.Field(i); !notPacked[name] {
				fill(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem(), next)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			fill(v.Index(i), next)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.String:
		v.SetString(fmt.Sprint("s", *next))
	case reflect.Bool:
		v.SetBool(*next%2 == 0)
	case reflect.Uint64:
		v.SetUint(uint64(*next) << 50)
	case reflect.Int64:
		v.SetInt(*next << 40)
	case reflect.Int32:
		v.SetInt(*next % 3) // signatures, turns and files: any of the three
	case reflect.Uint8:
		v.SetUint(uint64(*next % int64(classCount)))
	case reflect.Int:
		v.SetInt(*next)
	default:
		panic(v.Type().String())
	}
}

// TestPartCodec: every member of a part comes back as it was, or is listed as one that does not.
func TestPartCodec(t *testing.T) {
	p, next := &part{words: &words{}}, int64(0)
	fill(reflect.ValueOf(p).Elem(), &next)
	for _, c := range p.order {
		for _, u := range c.uses {
			for _, st := range u.strands { // calls stand in the order of their turns
				slices.SortFunc(st.steps, func(a, b step) int { return int(a.turn - b.turn) })
				slices.SortFunc(st.atoms, func(a, b atom) int { return int(a.turn - b.turn) })
			}
		}
	}
	var c partCodec
	packed := c.pack(p, []int32{2, 0, 1})
	got := c.unpack(packed, []int32{2, 0, 1})
	if !reflect.DeepEqual(got, p) {
		t.Errorf("%+v\nwant\n%+v", got, p)
	}
	if next < 500 {
		t.Errorf("only %d members were filled", next)
	}
	moved := c.unpack(packed, []int32{7, 5, 6})
	for i, r := range p.order[0].bigOrder[0].rows {
		if at := moved.order[0].bigOrder[0].rows[i]; at.File != r.File+5 || at.Line != r.Line {
			t.Errorf("row %+v moved to %+v", r, at)
		}
	}
	for n := range packed {
		if c.unpack(packed[:n], []int32{2, 0, 1}) != nil {
			t.Fatalf("the first %d of %d bytes were believed", n, len(packed))
		}
	}
	if c.unpack(append(packed, 0), []int32{2, 0, 1}) != nil {
		t.Error("a byte too many was believed")
	}
}

// FuzzPart: whatever was kept, unpacking it ends, and what it gives can be added and mined.
func FuzzPart(f *testing.F) {
	dir := f.TempDir()
	if _, err := corpus.Bulk(dir, corpus.BulkOptions{Seed: 3, Bytes: 1 << 20}); err != nil {
		f.Fatal(err)
	}
	h, err := open(f.Context(), Options{ConfigDirs: []string{dir}}, "")
	if err != nil {
		f.Fatal(err)
	}
	m := newMeasurement(Options{})
	from := partSource{h: h, builder: h.Builder(), meter: m.meter()}
	for i := range h.Len() {
		if _, packed := from.part(i, true); len(packed) < 4<<10 {
			f.Add(slices.Clone(packed))
		}
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		var c partCodec
		if p := c.unpack(packed, []int32{0, 1}); p != nil {
			w := whole{m, newPart()}
			w.add(p)
			w.finish()
		}
	})
}

// encoded is the document of a scan.
func encoded(t *testing.T, o Options) string {
	t.Helper()
	doc, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := jsondoc.Encode(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// settleFiles makes the files that were just written old enough to be trusted.
func settleFiles(t *testing.T, dir string) {
	t.Helper()
	if err := corpus.Settle(dir); err != nil {
		t.Fatal(err)
	}
}

// TestDocumentFromParts: whatever happens to a history and whatever is asked, the document from
// parts that were kept is the one from the files; and parts of what did not change are used.
func TestDocumentFromParts(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	if _, err := corpus.Bulk(dir, corpus.BulkOptions{Seed: 5, Bytes: 4 << 20}); err != nil {
		t.Fatal(err)
	}
	settleFiles(t, dir)
	var files []string // main files, the largest first
	err := filepath.WalkDir(filepath.Join(dir, "projects"), func(p string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".jsonl") && !strings.Contains(p, "agent-") {
			files = append(files, p)
		}
		return err
	})
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	size := func(p string) int64 {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	slices.SortFunc(files, func(a, b string) int { return int(size(b) - size(a)) })
	read := func(p string) string {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write := func(p, text string) {
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// half is the second half of a history's file, as other turns.
	half := func(p string) string {
		lines := strings.SplitAfter(read(p), "\n")
		return strings.NewReplacer(`"msg_`, `"msg_again`, `"uuid":"`, `"uuid":"again`).Replace(strings.Join(lines[len(lines)/2:], ""))
	}
	user, err := pricing.Default().WithUser(strings.NewReader(`{"models":{"claude-opus-5":{"input":50,"output":250}}}`))
	if err != nil {
		t.Fatal(err)
	}
	questions := map[string]Options{
		"all": {}, "by session": {BySession: true}, "window": {Since: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)},
		"target": {Target: &audit.Target{Name: "acme"}}, "prices": {Prices: user},
	}
	first := filepath.Dir(files[0])
	for _, step := range []struct {
		name   string
		change func()
		kept   int // sessions of which parts must be found, at least
	}{
		{"at first", func() {}, 0},
		{"appended", func() { write(files[0], read(files[0])+half(files[0])) }, 3},
		{"changed", func() { write(files[1], strings.Replace(read(files[1]), `"output_tokens":`, `"output_tokens":1`, 9)) }, 3},
		{"a fork that shares turns with an old session", func() {
			write(filepath.Join(first, "0000fork.jsonl"), strings.ReplaceAll(read(files[2]), strings.TrimSuffix(filepath.Base(files[2]), ".jsonl"), "0000fork"))
		}, 2},
		{"a file that brings rows of an old session", func() { write(filepath.Join(first, "0000more.jsonl"), half(files[3])) }, 2},
		{"removed", func() { os.Remove(files[1]) }, 3},
		{"and the fork", func() { os.Remove(filepath.Join(first, "0000fork.jsonl")) }, 3},
	} {
		step.change()
		settleFiles(t, dir)
		for _, name := range slices.Sorted(maps.Keys(questions)) {
			o := questions[name]
			o.ConfigDirs, o.CacheDir = []string{dir}, cache
			h, err := open(t.Context(), o, memoKey(o))
			if err != nil || h.Kept() != nil {
				t.Fatal(err, h.Kept())
			}
			found := 0
			for i := range h.Len() {
				if h.Part(i) != nil {
					found++
				}
			}
			if name == "all" && (found < step.kept || step.kept > 0 && found == h.Len()) {
				t.Errorf("%s: parts of %d of %d sessions were found", step.name, found, h.Len())
			}
			warm := encoded(t, o)
			o.CacheDir = ""
			if cold := encoded(t, o); cold != warm {
				t.Errorf("%s, %s: from parts\n%s\nfrom the files\n%s", step.name, name, warm, cold)
			}
		}
	}
}

// TestDamagedPart: a part that makes no sense is measured again, and of damaged events the files are read.
func TestDamagedPart(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	if _, err := corpus.Bulk(dir, corpus.BulkOptions{Seed: 5, Bytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	settleFiles(t, dir)
	o := Options{ConfigDirs: []string{dir}, CacheDir: cache}
	h, err := open(t.Context(), o, memoKey(o))
	if err != nil {
		t.Fatal(err)
	}
	keeper := h.Keeper()
	for i := range h.Len() {
		keeper.Keep(i, []byte{3, byte(i), 9, 9})
	}
	if err := keeper.Close(true); err != nil || h.Kept() != nil {
		t.Fatal(err)
	}
	if h, err = open(t.Context(), o, memoKey(o)); err != nil || h.Part(0) == nil {
		t.Fatalf("nothing was kept (%v): nothing is tested", err)
	}
	want := encoded(t, Options{ConfigDirs: []string{dir}})
	if got := encoded(t, o); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	files, err := filepath.Glob(filepath.Join(cache, "*.events"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	o.BySession = true // a question of which nothing is kept: the events are needed
	want = encoded(t, Options{ConfigDirs: []string{dir}, BySession: true})
	for range 2 {
		if got := encoded(t, o); got != want {
			t.Errorf("from damaged events\n%s\nwant\n%s", got, want)
		}
	}
}

// TestPartsHoldNoContent: no argument stands in what is kept of a part, and what tells one argument
// from another is hidden behind a key of the cache's own.
func TestPartsHoldNoContent(t *testing.T) {
	call := func(id, tool, input string) string {
		return fmt.Sprintf(`{"type":"assistant","sessionId":"s","uuid":"u%s","version":"2.1.280","attributionSkill":"acme:deploy","attributionPlugin":"acme","cwd":"/secret1","message":{"id":"m%s","model":"claude-opus-5","stop_reason":"tool_use","content":[{"type":"text","text":"secret2"},{"type":"tool_use","id":"t%s","name":"%s","input":%s}],"usage":{"input_tokens":1,"output_tokens":2}}}`+"\n", id, id, id, tool, input)
	}
	dir := history(t, map[string]string{"p/s.jsonl": call("1", "Read", `{"file_path":"/home/secret3/secret4.md"}`) + call("2", "Bash", `{"command":"git log --secret5=secret6 | jq secret7"}`)})
	settleFiles(t, dir)
	var kept []string
	for range 2 {
		cache := t.TempDir()
		encoded(t, Options{ConfigDirs: []string{dir}, CacheDir: cache, BySession: true})
		files, err := filepath.Glob(filepath.Join(cache, "*.parts"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, string(data[8:len(data)-8])) // between the key and the file's hash
	}
	if !strings.Contains(kept[0], "acme:deploy") || !strings.Contains(kept[0], "git log") || strings.Contains(kept[0], "secret") {
		t.Errorf("%q", kept[0])
	}
	if len(kept[0]) != len(kept[1]) || kept[0] == kept[1] {
		t.Errorf("two caches hide the same arguments alike:\n%q\n%q", kept[0], kept[1])
	}
}

// TestWorkers: the document does not depend on how many measure, nor on who is first.
func TestWorkers(t *testing.T) {
	dir := t.TempDir()
	if _, err := corpus.Bulk(dir, corpus.BulkOptions{Seed: 7, Bytes: 4 << 20}); err != nil {
		t.Fatal(err)
	}
	want := encoded(t, Options{ConfigDirs: []string{dir}, Workers: 1, BySession: true})
	for workers := range 8 {
		if got := encoded(t, Options{ConfigDirs: []string{dir}, Workers: workers, BySession: true}); got != want {
			t.Errorf("%d workers: another document", workers)
		}
	}
}
