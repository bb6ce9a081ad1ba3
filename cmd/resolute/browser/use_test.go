package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// The beginning of the conflict's best correction.
const release = "release the version range >=0.15.0 of subscription authorization"

// verdictSeen: the verdict has the keyboard, and is in view below the header.
const verdictSeen = `(() => {
  const v = document.activeElement.closest('.verdict');
  if (!v) return false;
  const box = v.getBoundingClientRect(), top = document.querySelector('.top');
  const under = getComputedStyle(top).position === 'sticky' ? top.getBoundingClientRect().bottom : 0;
  return box.top >= under - 1 && box.bottom <= innerHeight;
})()`

// After a correction, and after any other change, the verdict is in view and has the
// keyboard, on a desk and on a phone.
func TestVerdictIsSeen(t *testing.T) {
	url := served(t, root+"/examples/scenarios/conflict.yaml")
	for _, size := range [][2]int64{{1200, 700}, {390, 700}} {
		p := open(t, url)
		p.do(chromedp.EmulateViewport(size[0], size[1]))
		require.False(t, eval[bool](p, verdictSeen), "a page that was just opened keeps the keyboard where it is")
		p.do(chromedp.Evaluate(`document.querySelector('[aria-label="Apply: `+release+`"]').scrollIntoView()`, nil))
		p.press("Apply: " + release)
		p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
		p.until(verdictSeen)
		p.do(chromedp.Evaluate(`scrollTo(0, document.body.scrollHeight)`, nil))
		p.do(chromedp.Evaluate(`(() => { const s = document.querySelector('select[aria-label="Channel of gateway"]'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); })()`, nil))
		p.until(verdictSeen)
		p.settled()
		p.press("Follow the upgrade path")
		p.until(`document.querySelector('#path').textContent && document.querySelector('#path').contains(document.activeElement)`)
		p.faultless()
	}
}

// Titles say the verdict.
func TestTitles(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	require.Regexp(t, `^No solution: .* · resolute$`, eval[string](p, "document.title"))
	p.press("Apply: " + release)
	p.until(`document.title === 'Resolved, 3 bundles · resolute'`)
	p.do(chromedp.Evaluate(`(() => { const c = document.querySelector('#kubernetes'); c.value = 'new'; c.dispatchEvent(new Event('change')); })()`, nil))
	p.until(`document.title.startsWith('No answer')`)
	p.press("resolute: to the start page")
	p.until(`document.title === 'Which operators do you want to install? · resolute'`)
}

// described is what is said beside a control, by its selector: the browser's own description.
func (p *tab) described(selector string) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`(() => {
	  const e = document.querySelector(%s), said = document.getElementById(e.getAttribute('aria-describedby'));
	  return (said && said.checkVisibility() ? said.textContent : '') + '|' + e.getAttribute('aria-invalid');
	})()`, quoted(selector)))
}

// What is wrong is said beside the control that it is about, which is marked.
func TestErrorsBesideControls(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	set := func(id, value string) {
		p.do(chromedp.Evaluate(`(() => { const c = document.querySelector('#`+id+`'); c.value = `+quoted(value)+`; c.dispatchEvent(new Event('change')); })()`, nil))
	}
	for id, value := range map[string]string{"kubernetes": "new", "openshift": "new", "apis": "x"} {
		set(id, value)
		p.until(`document.querySelector('#` + id + `').getAttribute('aria-invalid') && document.activeElement.id === '` + id + `'`)
		require.Regexp(t, `.+\|true`, p.described("#"+id))
		require.True(t, eval[bool](p, `(() => { const f = document.querySelector('#`+id+`-fault').getBoundingClientRect(), c = document.querySelector('#`+id+`').getBoundingClientRect(); return f.top >= c.bottom - 1 && f.top - c.bottom < 40; })()`), "it stands below")
		require.Contains(t, p.text("problem"), "correct what is marked")
		set(id, "")
		p.until(`!document.querySelector('.fault') && document.querySelector('#status').textContent`)
		require.Equal(t, "|null", p.described("#"+id))
	}
	p.do(chromedp.SendKeys("#why", "nothing.v1"+kb.Enter, chromedp.ByQuery))
	p.until(`document.querySelector('#why').getAttribute('aria-invalid')`)
	require.Contains(t, p.described("#why"), "no catalog and nothing installed has a bundle of this name")
	require.Empty(t, p.text("problem"))
	p.do(chromedp.Evaluate(`document.querySelector('.more').open = true`, nil), chromedp.Click("#install-form button", chromedp.ByQuery))
	p.until(`document.querySelector('#install').getAttribute('aria-invalid')`)
	// A link with a fault is told the same way.
	link := eval[string](p, `location.origin + '/#' + btoa(JSON.stringify({ subscriptions: [{ name: 'etcd', package: 'etcd', versionRange: '<<1' }], policy: { goal: 'x' } }))`)
	other := open(t, link)
	require.Regexp(t, `not a version range.*\|true`, other.described(`select[aria-label="Version of etcd"]`))
	require.Regexp(t, `is not one of its values.*\|true`, other.described(`select[aria-label="Preferred versions"]`))
	other.faultless()
}

// Undo goes back inside of the page alone.
func TestUndoStays(t *testing.T) {
	url := served(t, root+"/examples/scenarios/conflict.yaml")
	before := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<title>elsewhere</title>") }))
	t.Cleanup(before.Close)
	p := newTab(t)
	p.do(chromedp.Navigate(before.URL), chromedp.Navigate(url), chromedp.WaitReady("#status", chromedp.ByQuery))
	p.settled()
	require.True(t, eval[bool](p, `document.querySelector('#undo').disabled`))
	p.do(chromedp.Evaluate(`document.querySelector('#undo').click()`, nil))
	p.press("Apply: " + release)
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.do(chromedp.Reload(), chromedp.WaitReady("#status", chromedp.ByQuery))
	p.settled()
	require.False(t, eval[bool](p, `document.querySelector('#undo').disabled`), "the page remembers when it is read again")
	p.press("Undo")
	p.until(`document.querySelector('#status').textContent.startsWith('No solution') && document.querySelector('#undo').disabled`)
	p.do(chromedp.Evaluate(`document.querySelector('#undo').click()`, nil), chromedp.Sleep(300e6))
	require.True(t, strings.HasPrefix(eval[string](p, "location.href"), url))
	p.do(chromedp.Evaluate(`history.forward()`, nil))
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved') && !document.querySelector('#undo').disabled`)
	p.faultless()
}

// A link that was cut or changed says so, wherever the page begins, and goes on saying so.
func TestDamagedLink(t *testing.T) {
	for _, start := range []string{"/examples/scenarios/conflict.yaml", "/examples/catalogs/community"} {
		url := served(t, root+start)
		for _, hash := range []string{"eyJzdWJzY3JpcHRpb25zIjpbeyJuYW", "%%%", "NQ", "bnVsbA", "eyJzdWJzY3JpcHRpb25zIjo1fQ", "__79"} {
			p := open(t, url+"#"+hash)
			require.Contains(t, p.text("notice"), "This link is damaged", hash)
			require.True(t, eval[bool](p, `document.querySelector('#notice').checkVisibility()`))
			require.Empty(t, eval[string](p, "location.hash"), "nobody copies it again")
			p.faultless()
		}
	}
}

// A damaged link that is followed from a page with a problem says so, and the problem stays.
func TestDamagedLinkKeepsTheProblem(t *testing.T) {
	for name, url := range map[string]string{"serve": served(t, root+"/examples/catalogs/community"), "site": onSite(t).URL} {
		p := open(t, link(url, liveConflict))
		p.until(`document.querySelector('#status').textContent.startsWith('No solution')`)
		p.do(chromedp.Evaluate(`location.hash = '#eyJzdWJzY3JpcHRpb25zIjpbeyJuYW'`, nil))
		p.until(`document.querySelector('#notice').textContent`)
		require.Contains(t, p.text("notice"), "This link is damaged and cannot be opened. The page keeps the problem that it showed", name)
		require.True(t, eval[bool](p, `document.querySelector('#notice').checkVisibility()`), name)
		p.settled()
		require.Contains(t, p.text("status"), "No solution", name)
		require.Equal(t, "#"+encoded(liveConflict), eval[string](p, "location.hash"), name)
		p.faultless()
	}
}

// On a phone of 390 pixels all cards are as wide as the screen at most, and nothing in them
// is cut.
func TestCardsFitAPhone(t *testing.T) {
	wide := filepath.Join(t.TempDir(), "wide.yaml")
	long := strings.Repeat("very-long-name-", 8)
	require.NoError(t, os.WriteFile(wide, []byte(strings.ReplaceAll(attack, "good<u>", long+"good<u>")), 0o600))
	for name, p := range map[string]*tab{
		"conflict": open(t, served(t, root+"/examples/scenarios/conflict.yaml")),
		"upgrade":  open(t, served(t, root+"/examples/scenarios/upgrade.yaml")),
		"start":    open(t, served(t, root+"/examples/catalogs/community")),
		"long":     open(t, served(t, wide)),
	} {
		p.do(chromedp.EmulateViewport(390, 844))
		if name == "upgrade" {
			p.press("Follow the upgrade path")
			p.until(`document.querySelector('#path').textContent`)
		}
		p.opened()
		require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('.card, .fix, .tile, .verdict, .note, .rows > li, .rows summary, .fact, figure, pre, #notice, #problem')]
		  .filter((e) => e.checkVisibility() && (e.getBoundingClientRect().right > 390 || e.getBoundingClientRect().left < 0 || e.scrollWidth > e.clientWidth + 1 && !e.closest('.scroll')))
		  .map((e) => e.className + ' ' + e.scrollWidth + ' ' + e.clientWidth + ' ' + e.textContent.slice(0, 60))`), name)
		require.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), int64(390), name)
	}
}

// On paper there is all that the answer says, and no control.
func TestPrint(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	texts := eval[[]string](p, `[...document.querySelectorAll('#said h1, #said h2, #said h3, #said p, #said li > span, #said dt, #said dd, #said pre, #subscriptions b')].map((e) => e.textContent.trim()).filter((x) => x)`)
	require.Greater(t, len(texts), 20)
	p.do(emulation.SetEmulatedMedia().WithMedia("print"))
	require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('button, input, select, textarea, .skip')].filter((e) => e.checkVisibility()).map((e) => e.outerHTML)`))
	require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('#said h1, #said h2, #said h3, #said p, #said li > span, #said dt, #said dd, #said pre, #said details > *, #subscriptions b')]
	  .filter((e) => e.textContent.trim() && !e.matches('.copy') && !e.checkVisibility({ contentVisibilityAuto: true })).map((e) => e.outerHTML.slice(0, 200))`), "what is folded up is printed")
	require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('#said .scroll')].filter((e) => e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== 'visible').map((e) => e.className)`))
	p.do(emulation.SetEmulatedMedia())
	var pdf []byte
	p.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().Do(ctx)
		return err
	}))
	require.True(t, strings.HasPrefix(string(pdf), "%PDF"))
	require.Zero(t, eval[int](p, `document.querySelectorAll('[data-printed]').length`), "what was opened for that is closed")
	p.faultless()
}

// The page has an icon of its own server.
func TestFavicon(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	require.True(t, eval[bool](p, `(async () => {
	  const icon = document.querySelector('link[rel=icon]'), image = new Image();
	  image.src = icon.href;
	  await image.decode();
	  return new URL(icon.href).origin === location.origin && image.naturalWidth > 0;
	})()`))
	p.faultless()
}

// Commands are copied with one press.
func TestCopyCommands(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/conflict.yaml"))
	// A browser without a head keeps no clipboard.
	p.do(chromedp.Evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`, nil))
	commands := eval[int](p, `document.querySelectorAll('#said pre.commands').length`)
	require.Positive(t, commands)
	require.Equal(t, commands, eval[int](p, `[...document.querySelectorAll('#said .copy')].filter((b) => b.checkVisibility()).length`))
	p.press("Copy: Commands of: drop subscription gateway")
	p.until(`document.querySelector('#status').textContent === 'Copied'`)
	require.Equal(t, "kubectl -n gateways delete subscription.operators.coreos.com gateway", eval[string](p, `window.copied`))
	p.press("Export scenario")
	p.until(`!document.querySelector('#exported').hidden`)
	p.press("Copy the command")
	p.until(`window.copied === 'resolute resolve scenario.yaml'`)
	p.press("Copy the scenario")
	p.until(`window.copied === document.querySelector('#yaml').textContent`)
	p.do(chromedp.Evaluate(`navigator.clipboard.writeText = async () => { throw new Error('no'); }`, nil))
	p.press("Copy the scenario")
	p.until(`(document.getElementById(document.querySelector('#copy-yaml').getAttribute('aria-describedby')) || document.body).textContent.startsWith('The browser does not allow')`)
	p.faultless()
}

// listed waits until the list has what is found for the text in the search, and no search for
// it is under way.
func (p *tab) listed() {
	p.Helper()
	p.until(`document.querySelector('[role=listbox]').ariaBusy === 'false' && document.querySelector('#found').checkVisibility()`)
}

// held is a page that answers what it is asked under a path only when it is released.
func (p *tab) held(path string) (release func()) {
	p.Helper()
	p.do(chromedp.Evaluate(`(() => {
	  const fetched = window.fetch, gate = new Promise((open) => { window.release = open; });
	  window.waiting = 0;
	  window.fetch = async (what, how) => {
	    if (String(what).startsWith(`+quoted(path)+`)) { window.waiting++; await gate; }
	    return fetched(what, how);
	  };
	})()`, nil))
	return func() {
		p.until(`window.waiting`)
		// The answer is on its way from this machine: the page has it before this time is over.
		p.do(chromedp.Evaluate(`(async () => { window.release(); await new Promise((done) => setTimeout(done, 300)); })()`, nil, awaited))
	}
}

// typed replaces the text in the search.
func (p *tab) typed(text string) {
	p.Helper()
	p.do(chromedp.Evaluate(`(() => { const s = document.querySelector('#search'); s.focus(); s.value = `+quoted(text)+`; s.dispatchEvent(new Event('input')); })()`, nil))
}

// While a search is under way the list says so, and what it shows was found for another text:
// Enter waits, Escape closes for good, and a button of the list keeps the keyboard.
func TestSearchUnderWay(t *testing.T) {
	busy := func(p *tab) string { return eval[string](p, `document.querySelector('[role=listbox]').ariaBusy`) }
	p := open(t, served(t, root+"/examples/catalogs/community"))
	p.typed("rabbitmq")
	p.listed()
	p.do(chromedp.KeyEvent(kb.ArrowDown))
	release := p.held("api/search?q=rabbitmq-messaging")
	p.typed("rabbitmq-messaging")
	require.Equal(t, "true", busy(p))
	p.do(chromedp.KeyEvent(kb.Enter))
	release()
	p.until(`document.querySelector('#subscriptions summary')`)
	p.settled()
	require.Equal(t, "rabbitmq-messaging-topology-operator", eval[string](p, `[...document.querySelectorAll('#subscriptions b')].map((e) => e.textContent).join()`))
	require.Equal(t, "false", busy(p))

	release = p.held("api/search?q=etcd")
	p.typed("etcd")
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Escape))
	release()
	require.True(t, eval[bool](p, `document.querySelector('#found').hidden && !document.querySelector('#search').hasAttribute('aria-activedescendant')`))
	require.Equal(t, "false", busy(p))

	p.typed("etcd")
	p.listed()
	const add = "Add etcd of default/community"
	p.tabTo(add)
	release = p.held("api/search?q=etcd")
	p.do(chromedp.Evaluate(`document.querySelector('#search').dispatchEvent(new Event('input'))`, nil))
	release()
	p.listed()
	require.Equal(t, add, eval[string](p, focused))
	p.faultless()
}

// What was asked about a problem is not said of the next one.
func TestLateAnswers(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/upgrade.yaml"))
	for path, question := range map[string]func(){
		"api/path":   func() { p.press("Follow the upgrade path") },
		"api/export": func() { p.press("Export scenario") },
		"api/why":    func() { p.do(chromedp.SendKeys("#why", "nothing.v1"+kb.Enter, chromedp.ByQuery)) },
	} {
		release := p.held(path)
		question()
		p.opened()
		p.press("Drop subscription " + eval[string](p, `[...document.querySelectorAll('#subscriptions details')].at(-1).dataset.name`))
		p.settled()
		release()
		require.Empty(t, eval[string](p, `document.querySelector('#path').textContent + document.querySelector('#because').textContent + [...document.querySelectorAll('.fault')].map((e) => e.textContent)`), path)
		require.True(t, eval[bool](p, `document.querySelector('#exported').hidden && !!document.activeElement.closest('.verdict')`), path)
	}
	p.faultless()
}

// The keyboard stays at the answer to the last question, if that is there first.
func TestAnswersInTurn(t *testing.T) {
	p := open(t, served(t, root+"/examples/scenarios/upgrade.yaml"))
	const atPath = `document.querySelector('#path').textContent && document.querySelector('#path').contains(document.activeElement)`
	release := p.held("api/resolve")
	p.opened()
	p.press("Drop subscription messaging")
	p.press("Follow the upgrade path")
	p.until(atPath)
	release()
	p.settled()
	require.True(t, eval[bool](p, atPath))
	p.faultless()
}

// The search is a combobox: arrows go through what was found, Enter takes it, Escape closes.
func TestCombobox(t *testing.T) {
	p := open(t, served(t, root+"/examples/catalogs/community"))
	state := func() string {
		return eval[string](p, `(() => {
		  const s = document.querySelector('[role=combobox]'), a = document.getElementById(s.getAttribute('aria-activedescendant'));
		  return [s.getAttribute('aria-expanded'), a ? a.dataset.name : '', document.activeElement === s, document.querySelectorAll('[role=option][aria-selected=true]').length].join(' ');
		})()`)
	}
	p.do(chromedp.Focus("#search", chromedp.ByQuery))
	require.Equal(t, "false  true 0", state())
	p.do(chromedp.KeyEvent("rabbitmq"))
	p.listed()
	names := eval[[]string](p, `[...document.querySelectorAll('[role=option]')].map((o) => o.dataset.name)`)
	require.Greater(t, len(names), 1)
	require.Equal(t, "true  true 0", state())
	require.Equal(t, "listbox", eval[string](p, `document.getElementById(document.querySelector('#search').getAttribute('aria-controls')).getAttribute('role')`))
	require.ElementsMatch(t, eval[[]string](p, `[...document.querySelectorAll('[role=option]')].map((o) => o.id)`), strings.Fields(eval[string](p, `document.querySelector('[role=listbox]').getAttribute('aria-owns')`)))
	for _, step := range []struct{ key, want string }{
		{kb.ArrowDown, names[0]}, {kb.ArrowDown, names[1]}, {kb.ArrowUp, names[0]}, {kb.ArrowUp, names[len(names)-1]}, {kb.ArrowDown, names[0]},
	} {
		p.listed()
		p.do(chromedp.KeyEvent(step.key))
		require.Equal(t, "true "+step.want+" true 1", state())
	}
	p.do(chromedp.KeyEvent(kb.Escape))
	require.Equal(t, "false  true 0", state())
	require.Equal(t, "rabbitmq", eval[string](p, `document.querySelector('#search').value`))
	p.do(chromedp.KeyEvent(kb.ArrowDown))
	p.listed()
	p.until(`document.querySelector('#search').getAttribute('aria-activedescendant')`)
	require.Equal(t, "true "+names[0]+" true 1", state())
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('[data-name="` + names[0] + `"] summary') && ` + verdictSeen)
	require.Equal(t, "", eval[string](p, `document.querySelector('#search').value`))
	// A whole name needs no arrow.
	p.do(chromedp.Focus("#search", chromedp.ByQuery), chromedp.KeyEvent("etcd"), chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector('[data-name=etcd] summary')`)
	p.do(chromedp.Focus("#search", chromedp.ByQuery), chromedp.KeyEvent("zzzz"))
	p.until(`document.querySelector('#found-said').textContent.startsWith('No such package')`)
	require.Equal(t, "false  true 0", state())
	p.faultless()
}
