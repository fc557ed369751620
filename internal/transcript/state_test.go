//go:build unix

package transcript

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A change is seen although size and modification time say that there was none, and whether
// it is seen through a link or not.
func TestChangesThatHide(t *testing.T) {
	const meta = "s1/subagents/agent-a1.meta.json"
	overwrite := func(t *testing.T, path, old, new string) {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("%s: no %s (%v)", path, old, err)
		}
		write(t, path, strings.Replace(string(data), old, new, 1))
	}
	anew := func(t *testing.T, path, old, new string) { // the number of the inode may be the same
		data, _ := os.ReadFile(path)
		os.Remove(path)
		write(t, path, strings.Replace(string(data), old, new, 1))
	}
	for name, c := range map[string]struct {
		file, old, new string
		change         func(t *testing.T, path, old, new string)
	}{
		"a transcript, in place":         {"s1.jsonl", `"output_tokens":30`, `"output_tokens":31`, overwrite},
		"a transcript, anew":             {"s2.jsonl", `"output_tokens":30`, `"output_tokens":31`, anew},
		"what stands beside it":          {meta, "Explore", "Examine", overwrite},
		"what stands beside it, anew":    {meta, "Explore", "Examine", anew},
		"what a link beside it leads to": {"linked", "Explore", "Examine", overwrite},
	} {
		t.Run(name, func(t *testing.T) {
			dir, cache := sample(t), t.TempDir()
			path := filepath.Join(dir, "projects", "p", filepath.FromSlash(c.file))
			if c.file == "linked" {
				link := filepath.Join(dir, "projects", "p", filepath.FromSlash(meta))
				path = filepath.Join(t.TempDir(), "meta")
				if err := os.Rename(link, path); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, link); err != nil {
					t.Fatal(err)
				}
				if err := exec.Command("touch", "-h", "-t", "202001010000", link).Run(); err != nil {
					t.Fatal(err)
				}
			}
			o := Options{ConfigDirs: []string{dir}, CacheDir: cache, MemoKey: "k"}
			h, _ := counted(t, o)
			before := describe(h)
			if err := h.Remember([]byte("stale")); err != nil {
				t.Fatal(err)
			}
			keepParts(t, h)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			c.change(t, path, c.old, c.new)
			os.Chtimes(path, info.ModTime(), info.ModTime())
			h, _ = counted(t, o)
			if h.Memo != nil {
				t.Fatal("a memo of what was")
			}
			recalled(t, h, dir)
			cold, _ := counted(t, Options{ConfigDirs: []string{dir}})
			if a, b := describe(cold), describe(h); a != b || a == before {
				t.Errorf("the cache makes a difference, or nothing changed%s", firstDifference(a, b))
			}
		})
	}
}

// A file of the cache under another's name is none: digests were made by another shaper, a
// memo or parts belong to another question about the same files.
func TestNamesInTheCache(t *testing.T) {
	dir, cache := partsSample(t), t.TempDir()
	ask := func(shaper, question string) (h *History, o Options) {
		o = Options{ConfigDirs: []string{dir}, CacheDir: cache, ShaperID: shaper, MemoKey: question}
		h, _ = counted(t, o)
		return h, o
	}
	copyTo := func(from, to string) {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, string(data))
	}
	h, a := ask("x", "a")
	keepParts(t, h)
	if err := h.Remember([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	aMemo := h.memoPath
	h, _ = ask("x", "b")
	copyTo(partsPath(aMemo), partsPath(h.memoPath))
	if h, _ := ask("x", "b"); len(recalled(t, h, dir)) > 0 {
		t.Error("parts of another question")
	}
	copyTo(aMemo, h.memoPath)
	if h, _ := ask("x", "b"); h.Memo != nil {
		t.Error("the answer to another question")
	}
	_, b := ask("y", "")
	copyTo(storeFor(a).path(), storeFor(b).path())
	if _, walked := counted(t, b); walked == 0 {
		t.Error("digests of another shaper")
	}
}
