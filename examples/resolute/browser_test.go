package main

import (
	"bytes"
	"context"
	"html"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// browser is where Debian's package puts Chromium.
const browser = "/usr/bin/chromium"

// browse has a real browser load a page and returns the document as it is after
// parsing, and what the browser said.
func browse(t *testing.T, file string, flags ...string) (dom, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir(), "--enable-logging=stderr",
		"--virtual-time-budget=2000",
	}, append(flags, "file://"+file)...)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = 10 * time.Second // its helpers may hold the streams open
	require.NoError(t, cmd.Run(), "%s", errOut.String())
	return out.String(), errOut.String()
}

// needBrowser skips a test where there is no browser.
func needBrowser(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(browser); err != nil {
		t.Skipf("no browser to look at pages with: %v; apt-get install chromium", err)
	}
	testkit.OnlyLong(t, "a browser takes seconds to start")
}

// pageFile writes the page of scenarios into a file and returns its path.
func pageFile(t *testing.T, status int, files ...string) string {
	t.Helper()
	return write(t, "page.html", htmlOf(t, status, files...).source)
}

// elements are the names of the elements in a document.
func elements(dom string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`<([a-zA-Z][^\s/>]*)`).FindAllStringSubmatch(dom, -1) {
		names = append(names, m[1])
	}
	return names
}

// title is the title of a document.
func title(dom string) string {
	if m := regexp.MustCompile(`<title>([^<]*)</title>`).FindStringSubmatch(dom); m != nil {
		return m[1]
	}
	return ""
}

// console is what a browser said of the page.
func console(said string) []string {
	return regexp.MustCompile(`(?m)^.*CONSOLE.*$`).FindAllString(said, -1)
}

// TestPageInABrowser looks at the pages the way their readers do: what the parser of
// a browser makes of hostile names and messages is text and no element, nothing is
// refused or fails, and there is something to see.
func TestPageInABrowser(t *testing.T) {
	needBrowser(t)
	attacked := write(t, "attack.yaml", attack)
	for name, file := range map[string]string{
		"solution": pageFile(t, 0, road),
		"conflict": pageFile(t, 1, conflict),
		"attacked": pageFile(t, 0, attacked),
		"several":  pageFile(t, 1, attacked, conflict, install),
	} {
		t.Run(name, func(t *testing.T) {
			dom, said := browse(t, file, "--dump-dom")
			require.Subset(t, ours, elements(dom))
			require.Empty(t, console(said))
		})
	}
}

// TestAttackInABrowser: the messages are there, as text.
func TestAttackInABrowser(t *testing.T) {
	needBrowser(t)
	file := pageFile(t, 0, write(t, "attack.yaml", attack))
	dom, said := browse(t, file, "--dump-dom")
	for _, text := range []string{"&lt;script&gt;document.title='taken'&lt;/script&gt;", "b&lt;img src=x onerror=x()&gt;.v1"} {
		require.True(t, strings.Contains(dom, text), text)
	}
	require.Empty(t, console(said))
	require.Contains(t, title(dom), "Resolved, 1 bundle, 1 subscription left out: ", "it is still ours")

	// The test would see it: a script that got through is refused, and reported.
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	through := strings.Replace(string(source), "<h1>", "<script>document.title='taken'</script><h1>", 1)
	dom, said = browse(t, write(t, "through.html", through), "--dump-dom")
	require.Contains(t, elements(dom), "script")
	require.NotEmpty(t, console(said))
	require.NotEqual(t, "taken", title(dom), "and even so it does not run")
}

// TestPageFitsAPhone: at 400 pixels, nothing has to be scrolled sideways.
func TestPageFitsAPhone(t *testing.T) {
	needBrowser(t)
	long := strings.ReplaceAll(attack, "bad<a href", strings.Repeat("averylongname", 20)+"bad<a href")
	file := pageFile(t, 1, write(t, "long.yaml", long), conflict, road, "../scenarios/partial.yaml")
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	frame := func(source string) string {
		return write(t, "phone.html", `<body><iframe width="400" height="3000" style="border:0" srcdoc="`+html.EscapeString(source)+`"></iframe>
<script>const f = document.querySelector("iframe"); f.onload = () => { f.contentDocument.querySelectorAll("details").forEach(d => d.open = true);
const e = f.contentDocument.documentElement; document.title = e.clientWidth + " " + e.scrollWidth; }</script>`)
	}
	dom, _ := browse(t, frame(string(source)), "--dump-dom", "--hide-scrollbars")
	require.Equal(t, "400 400", title(dom))

	// The test would see it.
	dom, _ = browse(t, frame(strings.Replace(string(source), "<h1>", `<p style="width:600px">wide</p><h1>`, 1)), "--dump-dom", "--hide-scrollbars")
	require.Regexp(t, "^400 6", title(dom))
}

// TestPageIsVisible: a screenshot is neither blank nor all of one colour.
func TestPageIsVisible(t *testing.T) {
	needBrowser(t)
	shot := filepath.Join(t.TempDir(), "shot.png")
	browse(t, pageFile(t, 1, conflict), "--screenshot="+shot, "--window-size=800,1000")
	data, err := os.Open(shot)
	require.NoError(t, err)
	defer data.Close()
	picture, err := png.Decode(data)
	require.NoError(t, err)
	colours := make(map[[3]uint32]bool)
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	require.Greater(t, len(colours), 20)
}
