// Package browser drives the page of `resolute serve` with a real browser. It is a
// module of its own, so that the library does not come with a driver of browsers.
package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the screenshots of the README")

const (
	root = "../../.."
	// chromium is where Debian's package puts it.
	chromium = "/usr/bin/chromium"
)

// resolute is the program, built once.
var resolute = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "resolute")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "resolute")
	cmd := exec.Command("go", "build", "-o", file, "./cmd/resolute")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if _, err := os.Stat(chromium); err == nil {
		if file, err := resolute(); err == nil {
			_ = os.RemoveAll(filepath.Dir(file))
		}
		if siteBuilt.Load() {
			if dir, err := smallSite(); err == nil {
				_ = os.RemoveAll(dir)
			}
		}
	}
	os.Exit(code)
}

// needBrowser skips a test where there is no browser.
func needBrowser(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no browser to drive: %v; apt-get install chromium", err)
	}
}

// served runs `resolute serve` until the test ends, and returns the address.
func served(t *testing.T, args ...string) string {
	t.Helper()
	needBrowser(t)
	program, err := resolute()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, append([]string{"serve", "--listen", "127.0.0.1:0", "--timeout", "10m"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var said strings.Builder
	cmd.Stderr = &said
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	require.NoError(t, err, "%s", &said)
	return strings.TrimSpace(line)
}

// tab is a tab of a browser, with what went wrong in it.
type tab struct {
	*testing.T
	ctx    context.Context
	mu     sync.Mutex
	faults []string
}

// open opens the page of the server in a browser of its own.
func open(t *testing.T, url string) *tab {
	t.Helper()
	p := newTab(t)
	p.do(chromedp.Navigate(url), chromedp.WaitReady("#status", chromedp.ByQuery))
	p.settled()
	return p
}

// newTab starts a browser.
func newTab(t *testing.T) *tab {
	t.Helper()
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1200, 900), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, flags...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); shut() })
	p := &tab{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.faults = append(p.faults, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Source == log.SourceSecurity {
				p.faults = append(p.faults, e.Entry.Text)
			}
		case *runtime.EventConsoleAPICalled:
			for _, a := range e.Args {
				p.faults = append(p.faults, string(a.Value))
			}
		}
	})
	p.do()
	return p
}

// faultless fails the test if a script threw, or said something.
func (p *tab) faultless() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Empty(p, p.faults)
}

func (p *tab) do(actions ...chromedp.Action) {
	p.Helper()
	require.NoError(p, chromedp.Run(p.ctx, actions...))
}

// awaited waits for a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// eval evaluates an expression in the page.
func eval[V any](p *tab, expression string) V {
	p.Helper()
	var v V
	p.do(chromedp.Evaluate(expression, &v, awaited))
	return v
}

// until waits until an expression holds in the page.
func (p *tab) until(expression string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*time.Minute)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Poll("!!("+expression+")", nil, chromedp.WithPollingInterval(20*time.Millisecond)))
	if err != nil {
		p.Fatalf("%s: %v; the page says:\n%s", expression, err, eval[string](p, "document.body.innerText"))
	}
}

// settled waits until the page shows an answer or an error.
func (p *tab) settled() {
	p.Helper()
	p.until(`document.querySelector('#answer').ariaBusy !== 'true' && (document.querySelector('#status').textContent || document.querySelector('#problem').textContent)`)
}

// press clicks the button, link or summary with an accessible name.
func (p *tab) press(name string) {
	p.Helper()
	quoted, _ := json.Marshal(name)
	found := eval[bool](p, fmt.Sprintf(`(() => {
	  const b = [...document.querySelectorAll('button, summary, a')].find((e) => (e.getAttribute('aria-label') || e.textContent.trim()) === %s && e.checkVisibility());
	  if (b) b.click();
	  return !!b;
	})()`, quoted))
	require.True(p, found, "no button %s", quoted)
}

// text is what an element shows.
func (p *tab) text(id string) string {
	p.Helper()
	quoted, _ := json.Marshal(id)
	return eval[string](p, fmt.Sprintf("document.getElementById(%s).innerText", quoted))
}

// axValue is a value in the accessibility tree.
type axValue struct {
	Value any `json:"value"`
}

// controls are the roles and names of all controls in the accessibility tree.
func (p *tab) controls() (names, nameless []string) {
	p.Helper()
	// The browser knows more properties than the driver, which refuses what it does
	// not know: only what counts is read.
	var tree struct {
		Nodes []struct {
			Ignored bool    `json:"ignored"`
			Role    axValue `json:"role"`
			Name    axValue `json:"name"`
			ID      int     `json:"backendDOMNodeId"`
		} `json:"nodes"`
	}
	p.do(chromedp.ActionFunc(func(ctx context.Context) error {
		return cdp.Execute(ctx, "Accessibility.getFullAXTree", struct{}{}, &tree)
	}))
	control := map[string]bool{ // true for what needs a name
		"button": true, "link": true, "combobox": true, "textbox": true, "searchbox": true, "checkbox": true,
		"image": true, "DisclosureTriangle": true, "region": true, "table": true, "listbox": true, "group": false}
	for _, n := range tree.Nodes {
		role := fmt.Sprint(n.Role.Value)
		needs, known := control[role]
		if n.Ignored || !known {
			continue
		}
		if name, _ := n.Name.Value.(string); strings.TrimSpace(name) != "" {
			names = append(names, role+" "+name)
		} else if needs {
			nameless = append(nameless, fmt.Sprint(role, " ", n.ID))
		}
	}
	return names, nameless
}
