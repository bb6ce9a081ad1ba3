//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe without a writer, as an argument, as a path in a scenario, and as
// standard input, ends with the time that a command has.
func TestBlockedReadsEnd(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.yaml")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	scenario := write(t, "s.yaml", "catalogs: [{name: c, path: "+pipe+"}]\nexpect: {status: resolved}")
	proof := write(t, "c.json", `{"version": 1, "status": "resolved"}`)
	locked := write(t, "resolute.lock", resolute(t.Context(), "", "lock", "../../examples/catalogs/community", "etcd").out)
	t.Cleanup(func() { // release the waiting goroutines
		f, err := os.OpenFile(pipe, os.O_RDWR, 0)
		require.NoError(t, err)
		time.Sleep(50 * time.Millisecond)
		require.NoError(t, f.Close())
	})
	atOnce([][]string{
		{"resolve", pipe}, {"resolve", "-"}, {"resolve", scenario}, {"test", pipe}, {"test", scenario}, {"whatif", pipe}, {"whatif", scenario},
		{"explain", pipe, "a"}, {"converge", pipe}, {"audit", pipe}, {"audit", "--merge", pipe}, {"audit", "--merge", "-"},
		{"audit", "--cluster", pipe, "../../examples/catalogs/community"}, {"graph", pipe, "p"}, {"validate", pipe},
		{"mirror", pipe}, {"mirror", "-"}, {"capture", pipe}, {"capture", "-"}, {"validate", "--baseline", pipe, "../../examples/catalogs/community"},
		{"diff", "--baseline", pipe, "../../examples/catalogs/community", "../../examples/catalogs/community"}, {"ready", "--merge", pipe}, {"ready", "--next", "olm/community=../../examples/catalogs/community", "--kubernetes", "1.33.0", pipe}, {"ready", "--next", "olm/community=" + pipe, "--kubernetes", "1.33.0", scenario},
		{"upgrade", pipe, "s"}, {"needs", pipe}, {"verify", "--scenario", pipe, proof}, {"verify", "--scenario", "../../examples/scenarios/priorities.yaml", pipe},
		{"verify", pipe}, {"verify", "--catalog", "default/community=" + pipe, locked}, {"verify", "--cluster", pipe, locked}, {"lock", pipe}, {"lock", scenario}, {"lock", "--update", pipe}, {"resolve", "--locked", pipe}, {"resolve", "--locked", locked, scenario},
	}, func(args []string) {
		silent, other := io.Pipe()
		var out, errOut bytes.Buffer
		start := time.Now()
		status := run(t.Context(), append([]string{"resolute", args[0], "--timeout", "20ms"}, args[1:]...), silent, &out, &errOut)
		assert.Less(t, time.Since(start), 20*time.Second, args)
		assert.Equal(t, exitIncomplete, status, "%v: %s%s", args, &out, &errOut)
		assert.NotEmpty(t, out.String()+errOut.String(), args)
		assert.NoError(t, other.Close())

		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, interrupt)
		silent, other = io.Pipe()
		assert.Equal(t, exitIncomplete, run(ctx, append([]string{"resolute"}, args...), silent, io.Discard, io.Discard), args)
		assert.NoError(t, other.Close())
	})
}
