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

// bundles are those of the answer.
const bundles = `[...document.querySelectorAll('#bundles option')].map((o) => o.value)`

// quoted is a text as a string of JavaScript.
func quoted(s string) string {
	q, _ := json.Marshal(s) // a string is always JSON
	return string(q)
}

// drawn wants pictures in a part of the page whose texts are inside of their boxes, as
// this browser with its fonts draws them.
func (p *tab) drawn(selector string) {
	p.Helper()
	p.until(fmt.Sprintf(`document.querySelector(%s)`, quoted(selector+" svg")))
	require.Empty(p, eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%s)].flatMap((node) => {
	  const box = node.querySelector('rect').getBBox();
	  return [...node.querySelectorAll('text')].filter((t) => { const b = t.getBBox(); return b.x < box.x || b.y < box.y || b.x + b.width > box.x + box.width || b.y + b.height > box.y + box.height; }).map((t) => t.textContent);
	})`, quoted(selector+" svg .node"))), "texts are inside of their boxes")
	require.Zero(p, eval[int](p, fmt.Sprintf(`[...document.querySelectorAll(%s)].filter((e) => !e.getAttribute('aria-label') || !e.querySelector('desc').textContent).length`, quoted(selector+" svg"))), "each picture has a name and a description")
}

// story goes from a conflict to an exported scenario.
func (p *tab) story(correction string) {
	p.Helper()
	require.Contains(p, p.text("status"), "No solution: ")
	require.Equal(p, p.text("status"), eval[string](p, `[...document.querySelectorAll('h1')].filter((e) => e.checkVisibility()).map((e) => e.textContent).join()`), "one headline")
	require.NotEmpty(p, eval[string](p, `document.querySelector('#subscriptions .hot').textContent`), "what is part of the conflict is marked")
	p.drawn("#said")
	asked := eval[string](p, `document.querySelector('#subscriptions b').textContent`)
	p.do(chromedp.SetValue("#why", asked, chromedp.ByQuery), chromedp.SendKeys("#why", kb.Enter, chromedp.ByQuery))
	p.until(`document.querySelector('#why-fault') || document.querySelector('#because').textContent`)
	p.press("Apply: " + correction)
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.until(`document.querySelectorAll('#said .plan .install').length`)
	require.Zero(p, eval[int](p, `document.querySelectorAll('#said .why').length`))
	require.Contains(p, eval[string](p, `document.querySelector('#said .plan').textContent`), "+ install kuadrant-operator.v0.11.")

	first := eval[string](p, `document.querySelector('#said .steps [data-forbid]').dataset.forbid`)
	p.press("Why " + first + "?")
	p.until(`document.querySelector('#because').textContent.includes(` + quoted(first) + `)`)
	p.drawn("#said")

	p.press("Follow the upgrade path")
	p.until(`document.querySelector('#path').textContent.includes('Settled after')`)
	p.drawn("#path")
	set := eval[[]string](p, bundles)
	p.press("Go there: the state after round 1")
	p.until(`document.querySelectorAll('#installed li').length`)
	p.settled()
	installed := eval[[]string](p, `[...document.querySelectorAll('#installed .name')].map((e) => e.textContent)`)
	require.ElementsMatch(p, set, installed, "what was to be installed is")
	p.press("Undo")
	p.until(`!document.querySelectorAll('#installed li').length`)
	p.settled()
	p.press("Export scenario")
	p.until(`!document.querySelector('#exported').hidden`)
	shown := eval[[]string](p, bundles)
	require.NotEmpty(p, shown)
	require.Equal(p, shown, resolves(p.T, eval[string](p, `document.querySelector('#yaml').textContent`)))
	p.faultless()
}

// The story of a player: conflict, a correction, the difference, why, the upgrade
// path, the export, and the export resolved on the command line.
func TestStory(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	require.Contains(t, p.text("status"), "cannot both be")
	p.story("release the version range >=0.15.0 of subscription authorization")

	// Back is the problem as it was, and the link alone brings the mended one again.
	link := eval[string](p, "location.href")
	p.press("Undo")
	p.until(`document.querySelector('#status').textContent.startsWith('No solution')`)
	again := open(t, link)
	require.Equal(t, "Resolved, 3 bundles", again.text("status"))
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
	p.story("release the version range >=0.15.0 of subscription authorization")
	p.clicks()
	p.do(chromedp.SendKeys("#search", "etcd", chromedp.ByQuery))
	p.listed()
	p.press("Update graph of etcd of olm/community")
	p.until(`document.querySelector('#graph svg')`)
	p.faultless()
}

// clicks logs how long the page takes from a click to the answer, in the browser. It is
// a figure for people: no machine is held to it.
func (p *tab) clicks() {
	p.Helper()
	took := eval[[]float64](p, `(async () => {
	  const took = [];
	  const select = () => document.querySelector('select[aria-label="Version of authorization"]');
	  for (let i = 0; i < 20; i++) {
	    const s = select(), began = performance.now();
	    s.selectedIndex = 1 + i % 3;
	    s.dispatchEvent(new Event('change'));
	    await new Promise((done) => {
	      const watch = new MutationObserver(() => { if (document.querySelector('#answer').ariaBusy === 'false') { watch.disconnect(); requestAnimationFrame(done); } });
	      watch.observe(document.querySelector('#answer'), { attributes: true });
	    });
	    took.push(performance.now() - began);
	    await new Promise((done) => setTimeout(done, 50));
	  }
	  return took.sort((a, b) => a - b);
	})()`)
	p.Logf("from a click to the answer on the page: median %.0f ms, longest %.0f ms", took[len(took)/2], took[len(took)-1])
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
	p.listed()
	p.press("Add bad of default/catalog")
	p.until(`document.querySelector('#said').textContent.includes('<script>hit()')`)
	p.drawn("#said")
	p.opened()
	p.press("Update graph of bad")
	p.drawn("#graph")
	p.do(chromedp.Evaluate(`document.querySelector('#graph summary').click()`, nil))
	p.until(`document.querySelectorAll('#graph pre').length === 2`)
	p.do(chromedp.SendKeys("#why", `<script>hit()</script>`+kb.Enter, chromedp.ByQuery))
	p.until(`(document.querySelector('#why-fault') || document.body).textContent.includes('<script>')`)
	require.Zero(t, eval[int](p, "window.hits"))
	require.Equal(t, before, eval[int](p, `document.querySelectorAll('script, img').length`))
	require.Zero(t, eval[int](p, `document.querySelectorAll('[onerror], [onfocus], [onload], foreignObject, svg a, svg image, svg use').length`))
	require.NotContains(t, eval[string](p, "document.body.innerText"), "\u202e", "no name turns the text around it")
	p.faultless()
}

// opened opens the lines of what is asked for, and the rules.
func (p *tab) opened() {
	p.Helper()
	p.do(chromedp.Evaluate(`document.querySelectorAll('#ask details').forEach((d) => { d.open = true; })`, nil))
}

// Every control has an accessible name.
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
	p.opened()
	look()
	p.press("Apply: release the version range >=0.15.0 of subscription authorization")
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.settled()
	p.opened()
	p.press("Update graph of kuadrant-operator")
	p.until(`document.querySelector('#graph svg')`)
	p.press("Export scenario")
	p.until(`!document.querySelector('#exported').hidden`)
	look()
	for _, want := range []string{"button Apply: drop subscription gateway", "image Why there is no solution", "image The steps of the solution, first to last", "image Updates of package kuadrant-operator", "group The conflict, left to right",
		"button Apply: relax what kuadrant-operator.v0.11.1 requires: package authorino-operator in range 0.13.0", "combobox Preferred versions", "combobox Channel of gateway",
		"textbox Kubernetes version", "button Forbid kuadrant-operator.v0.11.1", "button Follow the upgrade path", "link Save"} {
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
	p.tabTo("Apply: release the version range >=0.15.0 of subscription authorization")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.until(verdictSeen) // the button is gone
	p.tabTo("Forbid kuadrant-operator.v0.11.1")
	p.do(chromedp.KeyEvent(" "))
	p.until(`document.querySelector('#forbidden li')`)
	p.settled()
	p.do(chromedp.Focus("#search", chromedp.ByQuery), chromedp.KeyEvent("etcd"))
	p.listed()
	p.tabTo("Add etcd of olm/community")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('[data-name=etcd] summary')`)
	p.settled()
	p.do(chromedp.Focus("[data-name=etcd] summary", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	p.tabTo("Drop subscription etcd")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`!document.querySelector('[data-name=etcd]')`)
	p.faultless()
}

// At any width nothing is cut off and nothing lies over anything else: pictures scroll in
// their own frames, and where there is no room beside each other the answer comes first.
func TestWidths(t *testing.T) {
	conflicting := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	p := open(t, served(t, root+"/examples/scenarios/upgrade.yaml"))
	p.press("Follow the upgrade path")
	p.drawn("#path")
	p.press("Export scenario")
	p.until(`!document.querySelector('#exported').hidden`)
	p.opened()
	for _, width := range []int64{360, 800, 1280, 1920} {
		for _, p := range []*tab{p, conflicting} {
			p.do(chromedp.EmulateViewport(width, 900))
			p.until(fmt.Sprintf(`innerWidth === %d`, width))
			require.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), width)
			require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('button, input, select, h1, h2, h3, p, li')].filter((e) => e.checkVisibility() && !e.closest('.scroll, .unseen') && e.getBoundingClientRect().right > innerWidth).map((e) => e.outerHTML)`), "everything is on the screen")
			require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('#answer .tag, #answer th, #ask h3')].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map((e) => e.outerHTML)`), "no text is cut")
			first := eval[bool](p, `document.querySelector('.verdict').getBoundingClientRect().top < document.querySelector('#ask').getBoundingClientRect().top`)
			require.Equal(t, width < 860, first, "the answer comes first where the page is narrow")
		}
	}
	p.do(chromedp.EmulateViewport(360, 740), chromedp.SendKeys("#search", "rabbit", chromedp.ByQuery))
	p.listed()
	require.LessOrEqual(t, eval[int](p, `document.documentElement.scrollWidth`), 360)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until(`document.querySelector('#found').hidden`)
	p.faultless()
}

// The page begins with a search and examples where nothing is asked for yet.
func TestStart(t *testing.T) {
	p := open(t, served(t, root+"/examples/catalogs/community"))
	require.True(t, eval[bool](p, `document.querySelector('#play').hidden`))
	p.until(`document.querySelectorAll('#examples button').length === 3 && document.querySelectorAll('#packages button').length > 3`)
	require.Empty(t, eval[[]string](p, contrasts))
	p.tabTo("Search packages and versions")
	p.do(chromedp.KeyEvent("etcd"))
	p.listed()
	p.press("Add etcd of default/community")
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved, 1') && !document.querySelector('#play').hidden`)
	p.settled()
	p.press("resolute: to the start page")
	p.until(`!document.querySelector('#start').hidden`)
	p.do(chromedp.Evaluate(`document.querySelector('#examples li:last-child button').click()`, nil))
	p.until(`document.querySelector('#status').textContent.startsWith('No solution')`)
	p.faultless()
}

// An outdated answer is not shown as the current one.
func TestResolvedBut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "outside.yaml")
	catalog, err := filepath.Abs(root + "/examples/catalogs/community")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `catalogs: [{name: community, path: %q}]
subscriptions: [{name: etcd, package: etcd, channel: singlenamespace-alpha, installedCSV: etcdoperator.v0.9.4, versionRange: '>=2.0.0'}]
installed: [{name: etcdoperator.v0.9.4}]
`, catalog), 0o600))
	p := open(t, served(t, file))
	require.Contains(t, p.text("status"), "Resolved, but")
	require.Equal(t, []string{"verdict but"}, eval[[]string](p, `[...document.querySelectorAll('.verdict')].map((e) => e.className)`))
}

// contrasts computes the least contrast of the page's texts with what is behind them.
const contrasts = `(() => {
  const parse = (c) => { const n = c.match(/[\d.]+/g).map(Number); return { rgb: n.slice(0, 3), a: n[3] === undefined ? 1 : n[3] }; };
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b + .05; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a > 0) return c.rgb; } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg') || !e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) && !e.value) continue;
    const a = light(parse(getComputedStyle(e).color).rgb), b = light(behind(e)), ratio = Math.max(a / b, b / a);
    if (ratio < 4.5) bad.push(ratio.toFixed(2) + ' ' + e.outerHTML.slice(0, 80));
  }
  return bad;
})()`

// All texts stand out from what is behind them, as WCAG 2 AA wants it, light and dark.
func TestContrast(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		require.Empty(t, eval[[]string](p, contrasts), scheme)
		p.press("Apply: release the version range >=0.15.0 of subscription authorization")
		p.until(`document.querySelector("#status").textContent.startsWith("Resolved")`)
		p.settled()
		p.opened()
		require.Empty(t, eval[[]string](p, contrasts), scheme)
		p.press("Undo")
		p.until(`document.querySelector('#said .why')`)
	}
	p.do(chromedp.Evaluate(`document.querySelector('#said h1').style.color = '#777'`, nil))
	require.Len(t, eval[[]string](p, contrasts), 1, "the test would see it")
}

// scheme has the browser prefer light or dark.
func (p *tab) scheme(name string) {
	p.Helper()
	p.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}))
}

// The pictures of the README, light and dark.
func TestScreenshots(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	p.do(chromedp.EmulateViewport(1040, 1500))
	backgrounds := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		backgrounds[eval[string](p, `getComputedStyle(document.body).backgroundColor`)] = true
		var png []byte
		p.do(chromedp.CaptureScreenshot(&png))
		require.NotEmpty(t, png)
		require.Less(t, len(png), 500_000)
		if *update {
			require.NoError(t, os.WriteFile("../pictures/serve-"+scheme+".png", png, 0o644))
		}
	}
	require.Len(t, backgrounds, 2)
}
