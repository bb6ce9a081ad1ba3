package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// hostileDump is a namespace in which names and messages try to be elements.
const hostileDump = `apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: "bad<img src=x onerror=x()>", namespace: "shop<u>"}
  spec: {name: "p</td><script>x()</script>", source: none, sourceNamespace: olm, channel: stable}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: "p<iframe>.v1", namespace: "shop<u>"}
  spec: {version: 1.0.0}
  status: {phase: Failed, message: "<a href=javascript:x()>"}
`

// TestReports: every report fits a phone, has no violation of WCAG AA in light and dark, takes no name
// for an element, and is whole on paper.
func TestReports(t *testing.T) {
	scenarios, community, untidy := root+"/examples/scenarios/", root+"/examples/catalogs/community", root+"/examples/catalogs/untidy.yaml"
	dump := filepath.Join(t.TempDir(), "dump.yaml")
	require.NoError(t, os.WriteFile(dump, []byte(hostileDump), 0o600))
	for name, args := range map[string][]string{
		"diff":     {"diff", community, untidy},
		"audit":    {"audit", community, untidy},
		"validate": {"validate", untidy},
		"test":     {"test", scenarios, attacked(t)},
		"whatif":   {"whatif", scenarios + "alternatives.yaml"},
		"needs":    {"needs", "--drop", "certificates", scenarios + "upgrade.yaml"},
		"capture":  {"capture", dump},
		"hostile":  {"whatif", "--forbid", "b<img src=x onerror=x()>.v1", attacked(t)},
	} {
		t.Run(name, func(t *testing.T) {
			p := reportOf(t, "", "", args...)
			require.Zero(t, eval[int](p, `document.querySelectorAll('script, img, iframe, u, [onerror], [href^=javascript]').length`))
			require.Positive(t, eval[int](p, `document.querySelectorAll('main h1').length`))
			require.Equal(t, int64(400), p.width())
			p.faultless()
			if axe() != "" {
				p.accessible(name)
			}
			p.do(chromedp.Evaluate(`document.querySelectorAll('details').forEach((d) => { d.open = false; })`, nil))
			p.do(chromedp.EmulateViewport(700, 900), emulation.SetEmulatedMedia().WithMedia("print"))
			require.Zero(t, eval[int](p, `[...document.querySelectorAll('details > *, .group')].filter((e) => !e.checkVisibility()).length`))
		})
	}
}

// TestFilter: the switches of a report hide findings and groups on the screen, without a script. A link
// of the contents opens its group.
func TestFilter(t *testing.T) {
	p := reportOf(t, "", "", "diff", root+"/examples/catalogs/community", root+"/examples/catalogs/untidy.yaml")
	count := func(selector string) int {
		return eval[int](p, `((s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility()).length)(`+"`"+selector+"`)")
	}
	groups := count("details.group")
	require.Greater(t, groups, 8, "they are folded")
	link := eval[string](p, `document.querySelector('nav a').getAttribute('href')`)
	require.False(t, eval[bool](p, `document.querySelector('`+link+`').checkVisibility()`))
	p.do(chromedp.Click("nav a", chromedp.ByQuery))
	p.until(`document.querySelector('` + link + `').closest('details').open`)
	p.do(chromedp.Evaluate(`document.querySelectorAll('details').forEach((d) => { d.open = true; })`, nil))
	require.Positive(t, count(".of-error"))

	p.do(chromedp.Click("#show-error", chromedp.ByQuery))
	require.Zero(t, count(".of-error"))
	require.Positive(t, count(".of-warning"))
	require.Positive(t, count(".of-change"))
	p.do(chromedp.Click("#show-change", chromedp.ByQuery))
	require.Zero(t, count(".of-change"))
	require.Less(t, count("details.group"), groups)
	require.Equal(t, count("details.group"), count("details.has-warning, details.has-better"))
	require.Equal(t, count("details.group"), count("nav li"))

	p.do(emulation.SetEmulatedMedia().WithMedia("print"))
	require.Equal(t, groups, count("details.group"), "paper has all")
	require.Positive(t, count(".of-error"))
	require.Zero(t, count(".filter"))
}
