package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// axe is the source of axe-core, as axe/package-lock.json pins it. It is empty if npm is missing or
// cannot fetch it.
var axe = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "axe")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"package.json", "package-lock.json"} {
		content, err := os.ReadFile(filepath.Join("axe", name))
		if err != nil || os.WriteFile(filepath.Join(dir, name), content, 0o600) != nil {
			return ""
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if cmd.Run() != nil {
		return ""
	}
	source, _ := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(source)
})

// accessible wants no violation of WCAG 2.2 AA, in light and dark.
func (p *tab) accessible(what string) {
	p.Helper()
	for _, scheme := range []string{"light", "dark"} {
		p.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		p.do(chromedp.Evaluate(axe(), nil))
		require.Empty(p, eval[[]string](p, `(async () => {
		  const found = await axe.run(document, { preload: false, resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
		  return found.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html.slice(0, 200) + ' ' + n.any.concat(n.all).map((c) => c.message).join(' ')));
		})()`), "%s, %s", what, scheme)
	}
}

// TestAccessible: axe-core finds no violation on the pages.
func TestAccessible(t *testing.T) {
	needBrowser(t)
	if axe() == "" {
		t.Skip("axe-core cannot be fetched with npm")
	}
	conflict := root + "/examples/scenarios/conflict.yaml"
	p := open(t, served(t, conflict))
	p.opened()
	p.accessible("conflict")
	p.press("Apply: " + release)
	p.until(`document.querySelector('#status').textContent.startsWith('Resolved')`)
	p.press("Update graph of kuadrant-operator")
	p.until(`document.querySelector('#graph svg')`)
	p.press("Follow the upgrade path")
	p.until(`document.querySelector('#path').textContent`)
	p.opened()
	p.accessible("solution")

	p = open(t, served(t, described(t)))
	p.until(`document.querySelectorAll('#packages img').length`)
	p.accessible("start")
	p.typed("rabbit")
	p.listed()
	p.accessible("search")
	p.tile("rabbitmq-cluster-operator")
	p.until(`document.querySelector('#about-apis')`)
	p.opened()
	p.accessible("package")

	p = open(t, onSite(t).URL)
	p.until(`document.querySelectorAll('#packages li').length`)
	p.accessible("site")
	p.dropped(map[string]string{"broken.yaml": "a: ["})
	p.until(`document.querySelector('#problem').textContent`)
	p.accessible("error")

	for _, file := range []string{conflict, root + "/examples/scenarios/upgrade.yaml"} {
		p := pageOf(t, "", "", file)
		p.width() // opens everything
		p.accessible(strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
}
