package main

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
	require.Equal(t, "text", newTerminal(&b).paint(red, "text"))
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	require.Equal(t, "text", newTerminal(file).paint(red, "text"))
	require.Equal(t, "\x1b[31mtext\x1b[0m", (&terminal{colour: true}).paint(red, "text"))
}

// TestNoColor uses the null device, which is a character device as a terminal is.
func TestNoColor(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer device.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	require.True(t, newTerminal(device).colour)
	t.Setenv("NO_COLOR", "1")
	require.False(t, newTerminal(device).colour)
	require.True(t, newTerminal(device).tty)
	t.Setenv("TERM", "dumb")
	require.False(t, newTerminal(device).tty)
}

func TestProgressIsShownOnceItTakesLong(t *testing.T) {
	var b bytes.Buffer
	p := &progress{to: &terminal{Writer: &b, tty: true}}
	p.show(fbc.Progress{Files: 3})
	require.Empty(t, b.String(), "not yet")
	p.done()
	require.Empty(t, b.String(), "nothing to clear")

	p.show(fbc.Progress{Files: 3})
	p.start = p.start.Add(-time.Minute)
	p.show(fbc.Progress{Files: 3, FilesDone: 2, Blobs: 5, Bytes: 1_500_000})
	require.True(t, strings.HasSuffix(b.String(), "reading catalogs: 2 of 3 files, 5 blobs, 1.5 MB"), "%q", b.String())
	shown := b.Len()
	p.show(fbc.Progress{Files: 3, FilesDone: 3})
	require.Equal(t, shown, b.Len(), "not that often")
	p.done()
	require.True(t, strings.HasSuffix(b.String(), "\r\x1b[K"), "%q", b.String())
}

func TestProgressStaysOffWhatIsNoTerminal(t *testing.T) {
	var b bytes.Buffer
	p := &progress{to: newTerminal(&b), start: time.Now().Add(-time.Minute)}
	p.show(fbc.Progress{Files: 3})
	p.done()
	require.Empty(t, b.String())
}
