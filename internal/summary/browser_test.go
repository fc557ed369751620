package summary

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/kotkan/claude-plugin-inference-arbitrage/internal/snapshot"
)

// browser starts a headless Chromium of its own, or skips the test. What the page asks of the
// network and what it complains about is collected.
func browser(t *testing.T) (context.Context, *[]string) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed: the page is not looked at in a browser (Debian: apt-get install chromium)")
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(stop)
	if _, err := chromedp.Run(ctx, chromedp.Title()); err != nil {
		t.Skipf("Chromium does not start here: %v", err)
	}
	ctx, stop = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(stop)
	var mu sync.Mutex
	complaints := &[]string{}
	err := chromedp.Listen(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, "file:") && !strings.HasPrefix(u, "data:") {
				*complaints = append(*complaints, "asks the network for "+u)
			}
		case *log.EventEntryAdded:
			*complaints = append(*complaints, ev.Entry.Text)
		case *runtime.EventExceptionThrown:
			*complaints = append(*complaints, ev.ExceptionDetails.Text)
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return ctx, complaints
}

// htmlFile writes the page of a history and returns its address.
func htmlFile(t *testing.T, name string, docs []snapshot.Document) string {
	t.Helper()
	var page bytes.Buffer
	if err := HTML(&page, docs); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name+".html")
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// crowded is a history with more of everything than is comfortable.
func crowded(docs []snapshot.Document) []snapshot.Document {
	last := docs[len(docs)-1]
	for i := range 20 {
		c := docs[3].Components[i%len(docs[3].Components)]
		c.Name = fmt.Sprintf("a-component-with-a-very-long-name-%d:and-a-sub-command-of-it", i)
		c.WeightedMilli *= int64(i + 1)
		last.Components = append(last.Components, c)
		k := docs[3].Candidates[i%len(docs[3].Candidates)]
		k.Candidate.ID = fmt.Sprintf("harbor/%s/a-step-of-the-greatest-length-%d", c.Name, i)
		last.Candidates = append(last.Candidates, k)
	}
	var many []snapshot.Document
	for i := range 40 {
		d := last
		d.SnapshotID = fmt.Sprintf("snap1:%016x", i)
		d.CreatedAt = fmt.Sprintf("2026-%02d-%02dT00:00:00Z", 1+i/28, 1+i%28)
		many = append(many, d)
	}
	return many
}

// Issue 6: light and dark, readable at phone width, usable by keyboard, no network.
func TestHTMLInABrowser(t *testing.T) {
	ctx, complaints := browser(t)
	docs := history(t)
	pages := []struct{ name, url string }{
		{"six", htmlFile(t, "six", docs)},
		{"four", htmlFile(t, "four", docs[:4])},
		{"one", htmlFile(t, "one", docs[:1])},
		{"empty", htmlFile(t, "empty", []snapshot.Document{{CreatedAt: "2026-12-01T00:00:00Z"}})},
		{"crowded", htmlFile(t, "crowded", crowded(docs))},
	}
	for _, p := range pages {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{360, 1100} {
				t.Run(fmt.Sprintf("%s %s %d", p.name, scheme, width), func(t *testing.T) {
					media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
					if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
						t.Fatal(err)
					}
					if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(p.url)); err != nil {
						t.Fatal(err)
					}
					scroll := ask[int64](t, ctx, "document.documentElement.scrollWidth")
					dim := ask[[]string](t, ctx, dimText)
					if scroll > width {
						t.Errorf("%d pixels wide on a screen of %d", scroll, width)
					}
					if len(dim) > 0 {
						t.Errorf("text with too little contrast: %q", dim)
					}
					if dir := os.Getenv("SCREENSHOTS"); dir != "" {
						picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
						if err != nil {
							t.Fatal(err)
						}
						name := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", p.name, scheme, width))
						if err := os.WriteFile(name, picture, 0o644); err != nil {
							t.Fatal(err)
						}
					}
				})
			}
		}
	}
	t.Run("keyboard", func(t *testing.T) { keyboard(t, ctx, pages[1].url) })
	if len(*complaints) > 0 {
		t.Errorf("the browser complains: %q", *complaints)
	}
}

// dimText lists the texts whose contrast with their background is below 4.5 (WCAG AA).
const dimText = `(() => {
  const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
  const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const out = new Set();
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.tagName.toLowerCase() === 'title') continue;
    const style = getComputedStyle(e);
    const a = lum(rgb(e instanceof SVGElement ? style.fill : style.color)), b = lum(ground(e));
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) out.add(e.tagName + ' ' + e.textContent.trim().slice(0, 40));
  }
  return [...out];
})()`

// keyboard walks through the page with Tab: the skip link comes first, every link and every
// table can be reached, and Enter opens a table.
func keyboard(t *testing.T, ctx context.Context, url string) {
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1100, 800), chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	want := ask[int](t, ctx, "document.querySelectorAll('a[href], summary').length")
	var stops []string
	opened := 0
	for range want {
		press(t, ctx, kb.Tab)
		at := ask[string](t, ctx, "document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()")
		stops = append(stops, at)
		if strings.HasPrefix(at, "SUMMARY") {
			press(t, ctx, kb.Enter)
			if ask[bool](t, ctx, "document.activeElement.parentElement.open") {
				opened++
			}
		}
	}
	if stops[0] != "A Skip to the charts" {
		t.Errorf("the first stop is %q", stops[0])
	}
	summaries := 0
	for _, s := range stops {
		if strings.HasPrefix(s, "BODY") {
			t.Errorf("the walk ends before all %d stops: %q", want, stops)
			break
		}
		if strings.HasPrefix(s, "SUMMARY") {
			summaries++
		}
	}
	if summaries == 0 || opened != summaries {
		t.Errorf("Enter opened %d of %d tables", opened, summaries)
	}
}

// ask evaluates an expression in the page.
func ask[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func press(t *testing.T, ctx context.Context, key string) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.KeyEvent(key)); err != nil {
		t.Fatal(err)
	}
}
