package disk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestFaults draws events of a source and its copy. The source returns a content, fails,
// reverts to an earlier content or reports no change. The copy is damaged, truncated, removed
// or replaced by that of another catalog. Its directory disappears and returns, the clock
// jumps, the process restarts. A restarted process has the content of the last load or none,
// never another one, and no fault of the copy fails a load.
func TestFaults(t *testing.T) {
	ctx := context.Background()
	small, other := small(t), synthesized(t, "mixed", 3)
	root := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(root, fmt.Sprint(runs))
		require.NoError(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, "copy")
		s := &server{now: &cache.Content{Catalog: small, Digest: "sha256:0", Validator: "0"}}
		keep := func() cache.Source { return disk.Keep(s, path, disk.Options{Origin: "a"}) }
		k := keep()
		var last *cache.Content // of this process
		written, whole := "", true
		gone := false // whether the directory is missing
		t.Repeat(map[string]func(*rapid.T){
			"load": func(t *rapid.T) {
				c, err := k.Load(ctx, last)
				if s.err != nil {
					require.ErrorIs(t, err, s.err)
					return
				}
				require.NoError(t, err)
				require.Equal(t, s.now.Digest, c.Digest)
				changed := last == nil || c != last
				last = c
				if _, err := disk.Read(ctx, path, disk.Options{Origin: "a"}); err == nil && changed && !gone {
					written, whole = c.Digest, true
				} else if err == nil && !gone && written == "" {
					written, whole = c.Digest, true // a pending write succeeds
				}
			},
			"change": func(t *rapid.T) {
				n := rapid.IntRange(0, 3).Draw(t, "state")
				catalog := small
				if n%2 == 1 {
					catalog = other
				}
				s.now = &cache.Content{Catalog: catalog, Digest: fmt.Sprintf("sha256:%d", n), Validator: fmt.Sprint(n),
					Modified: time.Unix(rapid.Int64Range(-1e10, 1e10).Draw(t, "clock"), 0)}
			},
			"fail":    func(*rapid.T) { s.err = errors.New("gone") },
			"recover": func(*rapid.T) { s.err = nil },
			"damage": func(t *rapid.T) {
				if data, err := os.ReadFile(path); err == nil {
					data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
					require.NoError(t, os.WriteFile(path, data[:rapid.IntRange(len(data)/2, len(data)).Draw(t, "length")], 0o600))
					whole = false
				}
			},
			"replace": func(t *rapid.T) {
				if !gone {
					require.NoError(t, disk.Write(ctx, path, s.now, disk.Options{Origin: "b"}))
					whole = false
				}
			},
			"clock": func(t *rapid.T) {
				at := time.Unix(rapid.SampledFrom([]int64{0, 1, 1e9, 1e10}).Draw(t, "time"), 0)
				_ = os.Chtimes(path, at, at) // if it exists
			},
			"folder": func(t *rapid.T) {
				if gone = !gone; gone {
					require.NoError(t, os.RemoveAll(dir))
					written = ""
				} else {
					require.NoError(t, os.Mkdir(dir, 0o700))
				}
			},
			"restart": func(t *rapid.T) {
				k = keep()
				c := testkit.Must(k.(cache.Warmer).Warm(ctx))(t)
				last = c
				if c == nil {
					require.True(t, !whole || written == "" || gone, "%s was written but is lost", written)
					return
				}
				require.True(t, whole, "an incomplete copy, or of another catalog")
				require.Equal(t, written, c.Digest)
				want := small
				if c.Digest == "sha256:1" || c.Digest == "sha256:3" {
					want = other
				}
				require.Equal(t, want.Digest(), c.Catalog.Digest())
			},
		})
	})
}
