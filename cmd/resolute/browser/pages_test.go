package browser

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// attack is what an author of a catalog could try, in every place that a page
// shows: names, messages, ranges. %s is where the page's own text may not end.
const attack = `
catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: p, defaultChannel: "c</td><script>x()</script>"}
  - {schema: olm.channel, package: p, name: "c</td><script>x()</script>", entries: [{name: "b<img src=x onerror=x()>.v1"}]}
  - schema: olm.bundle
    package: p
    name: "b<img src=x onerror=x()>.v1"
    image: i
    properties:
    - {type: olm.package, value: {packageName: p, version: 1.0.0}}
    - type: olm.constraint
      value: {failureMessage: "<script>document.title='taken'</script>", cel: {rule: "properties.exists(p, p.type == '</pre><script>x()</script>')"}}
  - {schema: olm.package, name: q, defaultChannel: "d\"'>"}
  - {schema: olm.channel, package: q, name: "d\"'>", entries: [{name: "q\"><b onmouseover=x()>.v1"}]}
  - {schema: olm.bundle, package: q, name: "q\"><b onmouseover=x()>.v1", image: i, properties: [{type: olm.package, value: {packageName: q, version: 1.0.0}}]}
  - {schema: olm.deprecations, package: q, entries: [{reference: {schema: olm.package}, message: "</li><iframe src=javascript:x()>\e[31m"}]}
subscriptions:
- {name: "good<u>", package: q}
- {name: "bad<a href=javascript:x()>", package: p}
policy: {failures: Partial}
`

// pageOf writes the page of scenarios into a file, with some of it replaced, and opens it.
func pageOf(t *testing.T, old, with string, files ...string) *tab {
	t.Helper()
	return reportOf(t, old, with, append([]string{"resolve"}, files...)...)
}

// reportOf writes the page of a command into a file, with some of it replaced, and opens it.
func reportOf(t *testing.T, old, with string, args ...string) *tab {
	t.Helper()
	needBrowser(t)
	program, err := resolute()
	require.NoError(t, err)
	page, _ := exec.Command(program, append([]string{args[0], "-o", "html"}, args[1:]...)...).Output() // a conflict is a page as well
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, bytes.Replace(page, []byte(old), []byte(with), 1), 0o600))
	p := newTab(t)
	p.do(chromedp.Navigate("file://" + file))
	return p
}

// attacked is a file with the attack.
func attacked(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "attack.yaml")
	require.NoError(t, os.WriteFile(file, []byte(attack), 0o600))
	return file
}

// width is how wide a page of 400 pixels is, with all that can be opened open.
func (p *tab) width() int64 {
	p.do(chromedp.EmulateViewport(400, 900), chromedp.Evaluate(`document.querySelectorAll('details').forEach((d) => { d.open = true; })`, nil))
	p.until(`innerWidth === 400`)
	return eval[int64](p, `document.documentElement.scrollWidth`)
}

// TestPages looks at what the command line writes as HTML the way its readers do: what the
// parser of a browser makes of hostile names and messages is text and no element, nothing is
// refused or fails, there is something to see, and it fits a phone.
func TestPages(t *testing.T) {
	scenarios := root + "/examples/scenarios/"
	for name, files := range map[string][]string{
		"solution": {scenarios + "upgrade.yaml"},
		"conflict": {scenarios + "conflict.yaml"},
		"several":  {attacked(t), scenarios + "conflict.yaml", scenarios + "install.yaml", scenarios + "partial.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pageOf(t, "", "", files...)
			require.Zero(t, eval[int](p, `document.querySelectorAll('script, img, iframe, u, [onerror], [onmouseover], [href^=javascript]').length`))
			var shot []byte
			p.do(chromedp.CaptureScreenshot(&shot))
			require.Greater(t, colours(t, shot), 20)
			require.Equal(t, int64(400), p.width())
			p.faultless()
		})
	}
	wide := pageOf(t, "<h1>", `<p style="width:600px">wide</p><h1>`, scenarios+"upgrade.yaml")
	require.Greater(t, wide.width(), int64(600), "the test would see it")
}

// TestPrintedPages: a report on paper has what is folded up on the screen, and its pictures
// are not cut.
func TestPrintedPages(t *testing.T) {
	p := pageOf(t, "", "", root+"/examples/scenarios/conflict.yaml")
	const hidden = `[...document.querySelectorAll('details > *')].filter((e) => !e.checkVisibility()).length`
	require.Positive(t, eval[int](p, hidden), "something is folded up")
	p.do(chromedp.EmulateViewport(700, 900), emulation.SetEmulatedMedia().WithMedia("print"))
	require.Zero(t, eval[int](p, hidden))
	require.Zero(t, eval[int](p, `[...document.querySelectorAll('svg')].filter((e) => e.getBoundingClientRect().right > 700).length`))
}

// colours counts those of a picture.
func colours(t *testing.T, shot []byte) int {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	seen := make(map[any]bool)
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			seen[picture.(*image.RGBA).RGBAAt(x, y)] = true
		}
	}
	return len(seen)
}

// TestAttackedPage: the messages are there, as text, and a script that got through is
// refused.
func TestAttackedPage(t *testing.T) {
	file := attacked(t)
	p := pageOf(t, "", "", file)
	said := eval[string](p, "document.body.innerText")
	for _, text := range []string{"<script>document.title='taken'</script>", "b<img src=x onerror=x()>.v1"} {
		require.True(t, strings.Contains(said, text), text)
	}
	require.Contains(t, eval[string](p, "document.title"), "Resolved, 1 bundle, 1 subscription unresolved: ", "it is still ours")
	p.faultless()
	p = pageOf(t, "<h1>", "<script>document.title='taken'</script><h1>", file)
	require.Equal(t, 1, eval[int](p, `document.querySelectorAll('script').length`))
	require.NotEqual(t, "taken", eval[string](p, "document.title"))
	require.Len(t, p.faults, 1, "it is refused, and reported")
}

// escaped lists texts of pictures that leave their boxes, and texts on top of each other, as the
// browser measures them in its own font.
const escaped = `[...document.querySelectorAll('svg.picture')].flatMap((svg) => {
	const found = []
	const texts = [...svg.querySelectorAll('text')].map((t) => [t.textContent, t.getBoundingClientRect()])
	const paper = svg.getBoundingClientRect()
	for (const node of svg.querySelectorAll('g.node')) {
		const box = node.querySelector('rect').getBoundingClientRect()
		for (const t of node.querySelectorAll('text')) {
			const r = t.getBoundingClientRect()
			if (r.left < box.left || r.right > box.right || r.top < box.top || r.bottom > box.bottom + 1) found.push('out of its box: ' + t.textContent)
		}
	}
	texts.forEach(([said, r], i) => {
		if (r.right > paper.right || r.bottom > paper.bottom) found.push('out of the picture: ' + said)
		texts.slice(0, i).forEach(([other, o]) => {
			if (r.left < o.right && o.left < r.right && r.top + 3 < o.bottom && o.top + 3 < r.bottom) found.push(said + ' on ' + other)
		})
	})
	return found
})`

// TestPicturesFit: in the font of the browser, texts of pictures stay in their boxes and beside each
// other.
func TestPicturesFit(t *testing.T) {
	needBrowser(t)
	program, err := resolute()
	require.NoError(t, err)
	scenarios := root + "/examples/scenarios/"
	for name, args := range map[string][]string{
		"conflict": {"resolve", scenarios + "conflict.yaml"},
		"upgrade":  {"resolve", scenarios + "upgrade.yaml"},
		"partial":  {"resolve", scenarios + "partial.yaml"},
		"path":     {"converge", scenarios + "loop.yaml"},
		"graph":    {"graph", root + "/examples/catalogs/community", "rabbitmq-cluster-operator"},
	} {
		t.Run(name, func(t *testing.T) {
			page, _ := exec.Command(program, append([]string{args[0], "-o", "html"}, args[1:]...)...).Output() // a conflict is a page as well
			file := filepath.Join(t.TempDir(), "page.html")
			require.NoError(t, os.WriteFile(file, page, 0o600))
			p := newTab(t)
			p.do(chromedp.Navigate("file://" + file))
			require.Positive(t, eval[int](p, `document.querySelectorAll('svg.picture text').length`))
			require.Empty(t, eval[[]string](p, escaped))
			p.do(chromedp.Evaluate(`document.querySelector('svg.picture text:last-of-type').textContent += ' and much more than there is room for in any box'.repeat(9)`, nil))
			require.NotEmpty(t, eval[[]string](p, escaped), "the test would see it")
		})
	}
}
