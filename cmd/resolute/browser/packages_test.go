package browser

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// evilSVG runs a script and loads a picture from elsewhere, if a browser lets it.
const evilSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>top.document.title='taken'</script><image href="http://192.0.2.1/x.png"/><rect width="8" height="8" fill="red" onload="top.document.title='taken'"/></svg>`

// described is a catalog with descriptions and icons, good and bad ones.
func described(t *testing.T) string {
	t.Helper()
	pack := func(name, media, data, extra string) string {
		return fmt.Sprintf(`
schema: olm.package
name: %[1]s
defaultChannel: stable
icon: {mediatype: %[2]s, base64data: %[3]s}
---
schema: olm.channel
package: %[1]s
name: stable
entries: [{name: %[1]s.v1.0.0}]
---
schema: olm.bundle
package: %[1]s
name: %[1]s.v1.0.0
image: i
properties:
- {type: olm.package, value: {packageName: %[1]s, version: 1.0.0}}
%[4]s
---`, name, media, data, extra)
	}
	svg := base64.StdEncoding.EncodeToString([]byte(evilSVG))
	page := base64.StdEncoding.EncodeToString([]byte("<script>top.document.title='taken'</script>"))
	file := filepath.Join(t.TempDir(), "described.yaml")
	require.NoError(t, os.WriteFile(file, []byte(
		pack("rabbitmq-cluster-operator", "image/svg+xml", svg, `- {type: olm.gvk, value: {group: rabbitmq.com, version: v1beta1, kind: RabbitmqCluster}}
- {type: olm.csv.metadata, value: {displayName: RabbitMQ, description: "A broker\n\nfor a message queue <b>of</b> any size.", keywords: [amqp], provider: {name: "Burrow <i>Inc.</i>"}, annotations: {description: Runs message brokers.}}}`)+
			pack("topology", "text/html", page, `- {type: olm.gvk.required, value: {group: rabbitmq.com, version: v1beta1, kind: RabbitmqCluster}}`)+
			pack("broken-icon", "image/png", page, "")), 0o600))
	return file
}

// tile opens the page of a package from the start page.
func (p *tab) tile(name string) {
	p.Helper()
	p.until(`document.querySelector('#packages [data-package="` + name + `"]')`)
	p.do(chromedp.Evaluate(`document.querySelector('#packages [data-package="`+name+`"]').click()`, nil))
}

// Packages are found by what they are for, shown with their icon, and have a page.
func TestPackages(t *testing.T) {
	p := open(t, served(t, described(t)))
	tile := func(name string) string {
		return `document.querySelector('#packages [data-package="` + name + `"]').closest('li')`
	}
	p.until(`document.querySelector('#packages img')`)
	require.Equal(t, "RabbitMQ rabbitmq-cluster-operator Runs message brokers. by Burrow <i>Inc.</i> Add",
		strings.Join(strings.Fields(eval[string](p, tile("rabbitmq-cluster-operator")+`.innerText`)), " "))
	require.True(t, strings.HasPrefix(eval[string](p, tile("rabbitmq-cluster-operator")+`.querySelector('img').src`), "data:image/svg+xml;base64,"))
	require.Equal(t, 1, eval[int](p, `document.querySelectorAll('img').length`), "an icon of another type, and one that is no image, are not shown")
	require.Zero(t, eval[int](p, `document.querySelectorAll('img + *, object, embed, iframe, main svg script').length`))

	for _, words := range []string{"message queue", "RabbitmqCluster", "amqp", "burrow"} {
		p.typed(words)
		p.listed()
		require.Equal(t, []string{"rabbitmq-cluster-operator"}, eval[[]string](p, `[...document.querySelectorAll('[role=option]')].map((o) => o.dataset.name)`), words)
	}
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))

	p.tile("rabbitmq-cluster-operator")
	p.until(`document.activeElement.matches('#package h1')`)
	require.Equal(t, "RabbitMQ · resolute", eval[string](p, `document.title`))
	said := p.text("package")
	for _, want := range []string{"version 1.0.0", "by Burrow <i>Inc.</i>", "Channels and versions", "Needs", "it can be installed alone", "Needed by", "topology: an operator that provides rabbitmq.com/v1beta1/RabbitmqCluster", "no other package will do", "for a message queue <b>of</b> any size."} {
		require.Contains(t, said, want)
	}
	_, nameless := p.controls()
	require.Empty(t, nameless)
	p.press("Update graph of rabbitmq-cluster-operator of default/described")
	p.drawn("#package-graph")
	p.press("topology of default/described")
	p.until(`document.title.startsWith('topology') && document.querySelector('#about-needs')`)
	require.Contains(t, p.text("package"), "met by rabbitmq-cluster-operator")
	// The link leads here, and Undo back.
	link := eval[string](p, `location.href`)
	p.press("Undo")
	p.until(`document.title.startsWith('RabbitMQ')`)
	other := open(t, link)
	other.until(`document.querySelector('#about-needs')`)
	other.press("Subscribe to topology of default/described")
	other.until(`document.querySelector('#said').textContent.includes('rabbitmq-cluster-operator.v1.0.0') && !document.querySelector('#play').hidden`)
	other.faultless()
	lost := open(t, strings.Replace(link, "topology", "topologie", 1))
	lost.until(`document.querySelector('#problem').textContent.includes('did you mean topology?')`)
	p.faultless()
}

// The page of a package fits a phone and paper.
func TestPackagePageFits(t *testing.T) {
	p := open(t, served(t, described(t)))
	p.do(chromedp.EmulateViewport(390, 844))
	fits := func(what string) {
		require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('.tile, .card, .lines li, .about *')].filter((e) => e.checkVisibility() && (e.getBoundingClientRect().right > 390 || e.getBoundingClientRect().left < 0)).map((e) => e.outerHTML.slice(0, 100))`), what)
		require.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), int64(390), what)
	}
	p.until(`document.querySelectorAll('#packages li').length`)
	fits("start")
	p.tile("rabbitmq-cluster-operator")
	p.until(`document.querySelector('#about-apis')`)
	fits("package")
	// On paper there are all names and versions, and no control but those.
	p.do(emulation.SetEmulatedMedia().WithMedia("print"), chromedp.Evaluate(`dispatchEvent(new Event('beforeprint'))`, nil))
	require.Equal(t, []string{"1.0.0", "topology"}, eval[[]string](p, `[...document.querySelectorAll('button, input, select')].filter((e) => e.checkVisibility()).map((e) => e.textContent)`))
	require.Empty(t, eval[[]string](p, `[...document.querySelectorAll('#package li, #package h2, #package p')].filter((e) => e.textContent && !e.checkVisibility()).map((e) => e.outerHTML)`))
}

// Each policy says in words what it decides, and so does the list of what is not the default.
func TestPoliciesInWords(t *testing.T) {
	link := func(policy string) string {
		return "#" + encoded(`{"subscriptions":[{"name":"e","package":"etcd"}],"policy":`+policy+`}`)
	}
	p := open(t, served(t, root+"/"+small)+"/"+link(`{"goal":"Oldest","failures":"Partial","upgrades":"SelfCertified","deprecations":"Avoid","compatibility":"Require","compounds":"PerBundle","dependencies":"Plan"}`))
	said := eval[string](p, `document.querySelector('#rules').textContent`)
	for _, key := range []string{"SelfCertified", "PerBundle", "MinimalChange", "Oldest", "Partial", "goal", "compounds", "failures:", "default"} {
		require.NotContains(t, said, key)
	}
	require.Contains(t, eval[string](p, `document.querySelector('#rules-said').innerText`), "Preferred versions: the oldest of each channel")
	require.Equal(t, "Oldest", eval[string](p, `document.querySelector('select[aria-label="Preferred versions"]').value`))
	p.faultless()
}

// Rules of the policy are listed, added and removed on the page. A rule that does not compile is marked, and
// its text can be corrected.
func TestRulesOfThePolicy(t *testing.T) {
	for name, url := range map[string]string{"serve": served(t, root+"/"+small), "site": onSite(t).URL} {
		p := open(t, link(url, `{"subscriptions":[{"name":"e","package":"etcd"}]}`))
		p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
		p.do(chromedp.Evaluate(`document.querySelector('#rules').open = true`, nil))
		add := func(rule, message string) {
			p.do(chromedp.Evaluate(`document.querySelector('#veto-rule').value = `+quoted(rule)+`; document.querySelector('#veto-message').value = `+quoted(message), nil))
			p.press("Add the rule")
		}
		add("", "nothing")
		require.Contains(t, p.text("veto-form"), "Enter a rule", name)
		add(`bundle.nam == "x"`, "<b>wrong</b>")
		p.until(`document.querySelector('#veto .fault')`)
		require.Contains(t, p.text("veto"), "undefined field 'nam'", name)
		require.Contains(t, p.text("veto"), "<b>wrong</b>", name)
		p.press("Remove rule 1")
		p.until(`document.querySelector('#veto-part').hidden && document.querySelector('#status').textContent.startsWith('Resolved')`)
		require.Equal(t, `bundle.nam == "x"`, eval[string](p, `document.querySelector('#veto-rule').value`), name)
		add(`bundle.package == "etcd"`, "not here")
		p.until(`document.querySelector('#status').textContent.startsWith('No solution') && document.querySelector('#said').textContent.includes('not here')`)
		require.NotContains(t, p.text("rules-said"), "veto", name)
		p.do(chromedp.Evaluate(`history.back()`, nil))
		p.until(`document.querySelector('#veto-part').hidden && document.querySelector('#status').textContent.startsWith('Resolved')`)
		add(`now < timestamp("2026-01-01T00:00:00Z") && bundle.package == "etcd"`, "too early")
		p.until(`document.querySelector('#veto .fault')`)
		require.Contains(t, p.text("veto"), "set now", name)
		p.do(chromedp.Evaluate(`document.querySelector('#now').value = '2025-08-22'; document.querySelector('#now').dispatchEvent(new Event('change'))`, nil))
		p.until(`document.querySelector('#said').textContent.includes('too early')`)
		require.Contains(t, p.text("rules-said"), "now is 2025-08-22", name)
		_, nameless := p.controls()
		require.Empty(t, nameless, name)
		p.faultless()
	}
}
