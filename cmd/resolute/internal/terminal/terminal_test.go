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

// TestProgressFits: the line is never wider than the terminal, and says how long the work
// takes on as long as there is room for it.
func TestProgressFits(t *testing.T) {
	for width, want := range map[uint16]string{
		120: "auditing bundles [##########....................] 100 of 300, ETA 2m00s",
		60:  "auditing bundles [######............] 100 of 300, ETA 2m00s",
		45:  "auditing bundles: 100 of 300, ETA 2m00s",
		34:  "auditing…: 100 of 300, ETA 2m00s",
		20:  "100 of 300, ETA 2m…",
	} {
		var b bytes.Buffer
		ago := time.Now().Add(-time.Minute)
		p := &Progress{to: &Stream{Writer: &b, tty: true, width: int(width)}, start: ago, phase: phase{what: "auditing bundles", began: ago}}
		p.Bar("auditing bundles", 100, 300)
		require.Equal(t, "\r\x1b[K"+want, b.String())
		require.Less(t, columns(strings.TrimPrefix(b.String(), "\r\x1b[K")), int(width))
	}
}

// TestProgressCutsNames: a long name of what is fetched is cut, wide characters count twice,
// and nothing in it reaches the terminal as a control character.
func TestProgressCutsNames(t *testing.T) {
	w := Work{What: "fetching 通道\x1b[2J.example.com/catalog", Detail: "layer 1 of 2, 1.0 of 4.0 MB"}
	require.Equal(t, `fetching 通道\x1b…: layer 1 of 2, 1.0 of 4.0 MB, ETA 3s`, w.line(", ETA 3s", 55))
	require.Equal(t, 55, columns(w.line(", ETA 3s", 55)))
}

// TestRemaining: the time left follows from the pace so far.
func TestRemaining(t *testing.T) {
	for _, tt := range []struct {
		done, total int64
		spent       time.Duration
		want        string
	}{
		{0, 10, time.Minute, ""}, {10, 10, time.Minute, ""}, {5, 0, time.Minute, ""}, {1, 10, 100 * time.Millisecond, ""},
		{1, 2, 2 * time.Second, ", ETA 2s"}, {1, 4, 30 * time.Second, ", ETA 1m30s"}, {1, 61, time.Minute, ", ETA 1h00m"},
		{999, 1000, 2 * time.Second, ", ETA 1s"},
	} {
		require.Equal(t, tt.want, remaining(tt.done, tt.total, tt.spent), "%+v", tt)
	}
}

// TestColumns: wide characters take two columns, combining ones and colours none.
func TestColumns(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc\n": 3, "é": 1, "e\u0301": 1, "通道": 4, "ｗ": 2, "🙂": 2, "\x1b[31ma\x1b[0mb": 2, "\x1b[": 2} {
		require.Equal(t, want, columns(s), "%q", s)
	}
	require.Equal(t, "通…", Cut("通道", 3))
	require.Equal(t, "…", Cut("通道", 2))
	require.Equal(t, "通道", Cut("通道", 4))
	require.Empty(t, Cut("通道", 0))
}
