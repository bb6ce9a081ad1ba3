package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unread is an output without a reader: it takes a few bytes, and then nothing more until
// the test is over.
type unread struct {
	t    *testing.T
	room int
}

func (u *unread) Write(p []byte) (int, error) {
	if u.room -= len(p); u.room < 0 {
		<-u.t.Context().Done()
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// A command whose output is not read ends with its time limit, and with an interrupt.
func TestUnreadOutputEnds(t *testing.T) {
	atOnce([][]string{
		{"resolve", install}, {"converge", "-o", "html", road}, {"graph", "../../examples/catalogs/community", "etcd"},
		{"validate", "../../examples/catalogs/community"}, {"render", "../../examples/catalogs/community"},
	}, func(args []string) {
		var said strings.Builder
		start := time.Now()
		status := run(t.Context(), append([]string{"resolute", args[0], "--timeout", "2s"}, args[1:]...), strings.NewReader(""), &unread{t: t}, &said)
		assert.Less(t, time.Since(start), 20*time.Second, args)
		assert.Equal(t, exitIncomplete, status, "%v: %s", args, &said)
		assert.Contains(t, said.String(), "output is incomplete", args)

		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, interrupt)
		assert.Equal(t, exitIncomplete, run(ctx, append([]string{"resolute"}, args...), strings.NewReader(""), &unread{t: t}, io.Discard), args)
	})
}

// atOnce does something with each of some command lines, all at once: it is for what mostly
// waits.
func atOnce(lines [][]string, do func(args []string)) {
	var all sync.WaitGroup
	for _, args := range lines {
		all.Go(func() { do(args) })
	}
	all.Wait()
}

// slow is an output that is read so slowly that the time is over before all is written.
type slow struct{ written int }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(700 * time.Millisecond)
	s.written += len(p)
	return len(p), nil
}

// What is written once the time is over, and a moment to say how far it came, is cut off,
// in every form, and the exit status says so.
func TestLateOutputIsCutOff(t *testing.T) {
	var steps strings.Builder
	fmt.Fprintln(&steps, "installed:")
	for i := range 3000 {
		fmt.Fprintf(&steps, "- {name: operator-%d.v1.0.0, package: operator-%d}\n", i, i)
	}
	catalog, err := filepath.Abs("../../examples/catalogs/community")
	require.NoError(t, err)
	large := write(t, "large.yaml", "catalogs: [{name: c, path: "+catalog+"}]\n"+steps.String())
	for _, form := range []string{"html", "json"} {
		t.Run(form, func(t *testing.T) {
			whole := resolute(context.Background(), "", "resolve", "-o", form, large)
			require.Equal(t, exitOK, whole.status, whole.errOut)
			require.Greater(t, len(whole.out), 4*(64<<10), "more than is written at once")
			out := &slow{}
			status := run(t.Context(), []string{"resolute", "resolve", "-o", form, "--timeout", "600ms", large}, strings.NewReader(""), out, io.Discard)
			require.Equal(t, exitIncomplete, status)
			require.Less(t, out.written, len(whole.out))
		})
	}
}
