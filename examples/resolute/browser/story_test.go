package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// resolves has the command line resolve what the page exported.
func resolves(t *testing.T, yaml string) []string {
	t.Helper()
	program, err := resolute()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "exported.yaml")
	require.NoError(t, os.WriteFile(file, []byte(yaml), 0o600))
	out, err := exec.Command(program, "resolve", "-o", "json", file).Output()
	require.NoError(t, err, "%s", out)
	var answer struct{ Set []string }
	require.NoError(t, json.Unmarshal(out, &answer))
	return answer.Set
}

// story goes from a conflict to an exported scenario.
func (p *tab) story(correction string) {
	p.Helper()
	require.Equal(p, "There is no solution", p.text("status"))
	require.NotEmpty(p, p.text("conflicts"))
	p.press("Apply: " + correction)
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.until(`document.querySelectorAll('#diff li.new').length`)
	require.Empty(p, p.text("conflicts"))

	first := eval[string](p, `document.querySelector('#steps tbody td:nth-child(3)').textContent`)
	p.press("Why " + first + "?")
	p.until(`!document.querySelector('#because').hidden`)
	require.Contains(p, p.text("because"), first)

	p.press("Follow the road")
	p.until(`document.querySelector('#road').textContent.includes('Settled after')`)
	p.press("Export scenario")
	p.until(`!document.querySelector('#exported').hidden`)
	shown := eval[[]string](p, `[...document.querySelectorAll('#bundles option')].map((o) => o.value)`)
	require.NotEmpty(p, shown)
	require.Equal(p, shown, resolves(p.T, eval[string](p, `document.querySelector('#yaml').textContent`)))
	p.faultless()
}

// The story of a player: conflict, a correction, the difference, why, the road, the
// export, and the export resolved on the command line.
func TestStory(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	require.Contains(t, p.text("conflicts"), "cannot both be had")
	p.story("release the pin of subscription authorization")
	diff := p.text("diff")
	require.Contains(t, diff, "+ kuadrant-operator.v0.11.1")

	// Back is the problem as it was, and the link alone brings the mended one again.
	link := eval[string](p, "location.href")
	p.press("Undo")
	p.until(`document.querySelector('#status').textContent === 'There is no solution'`)
	again := open(t, link)
	require.Equal(t, "Resolved: 3 bundles", again.text("status"))
}

// The story on everything that the public community catalog has.
func TestStoryOnWholeCatalog(t *testing.T) {
	data := root + "/../shared/data/community-all.jsonl.gz"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("no whole catalog beside the checkout: %v", err)
	}
	data, err := filepath.Abs(data)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "whole.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `catalogs: [{name: community, namespace: olm, path: %q}]
subscriptions:
- {name: gateway, package: kuadrant-operator, channel: stable, startingCSV: kuadrant-operator.v0.11.0}
- {name: authorization, package: authorino-operator, versionRange: '>=0.15.0'}
`, data), 0o600))
	p := open(t, served(t, file))
	p.story("release the pin of subscription authorization")
	p.do(chromedp.SendKeys("#search", "etcd", chromedp.ByQuery))
	p.until(`document.querySelector('#found').textContent.includes('etcd')`)
	p.press("Update graph of etcd of olm/community")
	p.until(`document.querySelector('#graph-picture svg')`)
	p.faultless()
}

// hostile is a catalog whose every name wants to be more than text.
func hostile(t *testing.T) string {
	t.Helper()
	const evil = `<script>hit()</script><img src=x onerror=hit()>"'onfocus=hit() autofocus `
	var b strings.Builder
	for _, v := range []map[string]any{
		{"schema": "olm.package", "name": "bad", "defaultChannel": evil + "c"},
		{"schema": "olm.channel", "package": "bad", "name": evil + "c", "entries": []any{map[string]any{"name": evil + "\u202eexe.v1"}}},
		{"schema": "olm.bundle", "package": "bad", "name": evil + "\u202eexe.v1", "image": "registry.example/x", "properties": []any{
			map[string]any{"type": "olm.package", "value": map[string]any{"packageName": "bad", "version": "1.0.0"}},
			map[string]any{"type": "olm.constraint", "value": map[string]any{"failureMessage": evil + "</text></svg>\u202egnp", "package": map[string]any{"packageName": evil + "missing", "versionRange": ">=1.0.0"}}},
		}},
	} {
		line, err := json.Marshal(v)
		require.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	file := filepath.Join(t.TempDir(), "catalog.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	return file
}

// Names from a catalog are text, wherever the page shows them.
func TestHostileNames(t *testing.T) {
	p := open(t, served(t, hostile(t)))
	p.do(chromedp.Evaluate(`window.hits = 0; window.hit = () => { window.hits++; }`, nil))
	before := eval[int](p, `document.querySelectorAll('script, img').length`)
	p.do(chromedp.SendKeys("#search", "bad", chromedp.ByQuery))
	p.until(`document.querySelector('#found button')`)
	p.press("Subscribe to bad of default/catalog")
	p.until(`document.querySelector('#conflicts').textContent.includes('<script>hit()')`)
	p.press("Update graph of bad")
	p.until(`document.querySelector('#graph-picture svg')`)
	p.do(chromedp.SendKeys("#why", `<script>hit()</script>`+kb.Enter, chromedp.ByQuery))
	p.until(`document.querySelector('#problem').textContent.includes('<script>')`)
	require.Zero(t, eval[int](p, "window.hits"))
	require.Equal(t, before, eval[int](p, `document.querySelectorAll('script, img').length`))
	require.Zero(t, eval[int](p, `document.querySelectorAll('[onerror], [onfocus], [onload], foreignObject').length`))
	require.NotContains(t, eval[string](p, "document.body.innerText"), "\u202e", "no name turns the text around it")
	p.faultless()
}

// Whoever does not see the page is told what each control is.
func TestControlsHaveNames(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	seen := make(map[string]bool)
	look := func() {
		p.Helper()
		names, nameless := p.controls()
		require.Empty(t, nameless)
		for _, n := range names {
			seen[n] = true
		}
	}
	p.press("Policy and cluster")
	look()
	p.press("Apply: release the pin of subscription authorization")
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.press("Update graph of kuadrant-operator")
	p.until(`document.querySelector('#graph-picture svg')`)
	p.press("Export scenario")
	p.until(`!document.querySelector('#exported').hidden`)
	look()
	for _, want := range []string{"button Apply: drop subscription gateway", "combobox Policy goal", "combobox Channel of gateway",
		"textbox Kubernetes version", "button Forbid kuadrant-operator.v0.11.1", "button Follow the road", "link Save"} {
		require.True(t, seen[want], "%s is not among %v", want, seen)
	}
}

// focused is the name of the control that has the keyboard.
const focused = `(() => { const e = document.activeElement; return e.getAttribute('aria-label') || (e.labels && e.labels.length ? e.labels[0].textContent : '') || e.textContent.trim().slice(0, 80); })()`

// tabTo goes forward with the tabulator until a control has the keyboard.
func (p *tab) tabTo(name string) {
	p.Helper()
	for range 80 {
		if eval[string](p, focused) == name {
			require.NotEqual(p, "none", eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`), "the focus is seen")
			return
		}
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	p.Fatalf("the tabulator does not lead to %s", name)
}

// Without a mouse: from the beginning to a solution and its export.
func TestKeyboardOnly(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	p.do(chromedp.KeyEvent(kb.Tab))
	require.Equal(t, "Skip to the answer", eval[string](p, focused))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.activeElement.id === 'answer'`)
	require.Empty(t, eval[string](p, "location.hash"), "the state stays in the link")
	p.tabTo("Apply: release the pin of subscription authorization")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.until(`document.activeElement.id === 'answer'`) // the button is gone, its place is not
	p.tabTo("Forbid kuadrant-operator.v0.11.1")
	p.do(chromedp.KeyEvent(" "))
	p.until(`document.querySelector('#forbidden li')`)
	p.settled()
	p.do(chromedp.Focus("#search", chromedp.ByQuery), chromedp.KeyEvent("etcd"))
	p.until(`document.querySelector('#found button')`)
	p.tabTo("Subscribe to etcd of olm/community")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('[aria-label="Drop subscription etcd"]')`)
	p.faultless()
}

// On a telephone nothing is cut off.
func TestNarrow(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/upgrade.yaml"))
	p.do(chromedp.EmulateViewport(360, 740))
	p.until(`innerWidth === 360`)
	require.LessOrEqual(t, eval[int](p, `document.documentElement.scrollWidth`), 360)
}

// The pictures of the README, light and dark.
func TestScreenshots(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	p.do(chromedp.EmulateViewport(960, 640))
	backgrounds := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		p.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		backgrounds[eval[string](p, `getComputedStyle(document.body).backgroundColor`)] = true
		var png []byte
		p.do(chromedp.CaptureScreenshot(&png))
		require.NotEmpty(t, png)
		require.Less(t, len(png), 150_000)
		if *update {
			require.NoError(t, os.WriteFile("../pictures/serve-"+scheme+".png", png, 0o644))
		}
	}
	require.Len(t, backgrounds, 2)
}
