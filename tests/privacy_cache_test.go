package tests

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestNothingOfTheContentIsCached: of a transcript's content nothing stands in the files that are
// kept between runs, which nobody else may read. The index names what rows name (a working directory, a
// client's version); what is kept beside it names shapes only.
func TestNothingOfTheContentIsCached(t *testing.T) {
	plugin, history := poisoned(t)
	old := time.Now().Add(-time.Hour)
	if err := filepath.WalkDir(history, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, old, old)
	}); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	scan := exec.Command(filepath.Join(toolsDir, "offload-scan"+exeSuffix), "--target", plugin, "--config-dir", history)
	scan.Env = []string{"HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + cache, "TZ=UTC"}
	if out, err := scan.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	content := map[string]*regexp.Regexp{".digests": regexp.MustCompile(canary + "[0-9]"), "": regexp.MustCompile(canary)}
	seen := map[string]bool{}
	if err := filepath.WalkDir(filepath.Join(cache, "inference-arbitrage"), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if open := info.Mode().Perm() & 0o077; open != 0 && exeSuffix == "" {
			t.Errorf("%s: others may touch it (%o)", d.Name(), open)
		}
		if d.IsDir() {
			return nil
		}
		kind := filepath.Ext(p)
		seen[kind] = true
		what := content[kind]
		if what == nil {
			what = content[""]
		}
		text := strings.ToLower(read(p))
		if at := what.FindStringIndex(text); at != nil {
			t.Errorf("%s holds content at byte %d", d.Name(), at[0])
		}
		if kind == ".digests" && !strings.Contains(text, canary) {
			t.Error("no working directory is named: names are not searched for as they are written")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{".digests", ".events", ".parts", ".memo"} {
		if !seen[kind] {
			t.Errorf("no %s was kept, so none could leak", kind)
		}
	}
}
