package terminal

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
)

func TestOnlyATerminalHasColours(t *testing.T) {
	var b bytes.Buffer
	require.Equal(t, "text", New(&b).Paint(Red, "text"))
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	require.Equal(t, "text", New(file).Paint(Red, "text"))
	require.Equal(t, "\x1b[31mtext\x1b[0m", (&Stream{colour: true}).Paint(Red, "text"))
}

// TestVerdicts: a line that has a part is coloured as far as its end, and no other.
func TestVerdicts(t *testing.T) {
	text := NewText(&Stream{colour: true})
	text.WriteString("1 bundle is stuck:\n  a.v1\n")
	text.Verdicts(map[string]Colour{" is stuck": Red})
	require.Equal(t, "\x1b[31m1 bundle is stuck:\x1b[0m\n  a.v1\n", text.String())
	require.Equal(t, Painted("\x1b[32myes\x1b[0m\x1b[31mno\x1b[0m"), text.Good(true, "yes")+text.Good(false, "no"))
}

// TestLine: what anybody could have written is inert, and our own colours are not.
func TestLine(t *testing.T) {
	text := NewText(&Stream{colour: true})
	text.Line("%s %s %d", text.Paint(Green, "a\x1b[2Jb"), "c\nd\u202e", 1)
	require.Equal(t, "\x1b[32ma\\x1b[2Jb\x1b[0m c d\\u202e 1\n", text.String())
}

// TestNoColor uses the null device, which is a character device as a terminal is.
func TestNoColor(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer device.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	require.True(t, New(device).colour)
	t.Setenv("NO_COLOR", "1")
	require.False(t, New(device).colour)
	require.True(t, New(device).tty)
	t.Setenv("TERM", "dumb")
	require.False(t, New(device).tty)
}

func TestProgressIsShownOnceItTakesLong(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{to: &Stream{Writer: &b, tty: true}}
	p.Catalogs(fbc.Progress{Files: 3})
	require.Empty(t, b.String(), "not yet")
	p.Done()
	require.Empty(t, b.String(), "nothing to clear")

	p.Catalogs(fbc.Progress{Files: 3})
	p.start = p.start.Add(-time.Minute)
	p.Catalogs(fbc.Progress{Files: 3, FilesDone: 2, Blobs: 5, Bytes: 1_500_000})
	require.True(t, strings.HasSuffix(b.String(), "reading catalogs: 2 of 3 files, 5 blobs, 1.5 MB"), "%q", b.String())
	shown := b.Len()
	p.Catalogs(fbc.Progress{Files: 3, FilesDone: 3})
	require.Equal(t, shown, b.Len(), "not that often")
	p.Done()
	require.True(t, strings.HasSuffix(b.String(), "\r\x1b[K"), "%q", b.String())
}

func TestProgressStaysOffWhatIsNoTerminal(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{to: New(&b), start: time.Now().Add(-time.Minute)}
	p.Catalogs(fbc.Progress{Files: 3})
	p.Done()
	require.Empty(t, b.String())
}

// TestProgressBar shows how much is done.
func TestProgressBar(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{to: &Stream{Writer: &b, tty: true}, start: time.Now().Add(-time.Minute)}
	p.Bar("auditing bundles", 1, 3)
	require.Equal(t, "\r\x1b[Kauditing bundles [##########....................] 1 of 3", b.String())
	b.Reset()
	p.last = time.Time{}
	p.Bar("auditing bundles", 0, 0)
	require.Equal(t, "\r\x1b[Kauditing bundles [##############################] 0 of 0", b.String())
}
