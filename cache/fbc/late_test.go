package fbc_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// lookedAt is a context that counts how often it is looked at, notes the longest
// time in between, and ends after so many looks.
type lookedAt struct {
	context.Context
	end     int64
	looks   atomic.Int64
	last    atomic.Int64
	longest atomic.Int64
}

func (c *lookedAt) Err() error {
	now := time.Now().UnixNano()
	if before := c.last.Swap(now); before > 0 && now-before > c.longest.Load() {
		c.longest.Store(now - before)
	}
	if n := c.looks.Add(1); c.end > 0 && n > c.end {
		return context.Canceled
	}
	return nil
}

// TestLongLines: however a catalog is made long, its reader looks at the context
// again and again, and ends when that has ended.
func TestLongLines(t *testing.T) {
	testkit.OnlyLong(t, "reads 8 MiB for each of many places to stop at, in one goroutine")
	const size = 8 << 20
	fill := func(before, each, after string) string {
		return before + strings.Repeat(each, size/len(each)) + after
	}
	// What is read makes 65 looks. What takes steps of a few bytes needs more; to
	// count newlines takes no time.
	const atEachRead, least = 60, 200
	for name, tt := range map[string]struct{ file, text string }{
		"entries":           {"c.json", fill(`{"schema":"olm.channel","package":"p","name":"c","entries":[`, `{},`, `{}]}`)},
		"entries, spaced":   {"c.json", fill(`{"schema":"olm.channel", "package":"p","name":"\u0063","entries":[`, `{} ,`, `{}]}`)},
		"another field":     {"c.json", fill(`{"schema":"olm.channel","package":"p","name":"c","x":[`, `{},`, `{}]}`)},
		"fields":            {"c.json", fill(`{"schema":"olm.channel"`, `,"x":0`, `}`)},
		"newlines":          {"c.json", fill(``, "\n", `{"schema":"x"}`)},
		"newlines inside":   {"c.json", fill(`{"schema":"x"`, "\n", `}`)},
		"newlines, no name": {"c", fill(``, "\n", `{"schema":"x"}`)},
		"open, newlines":    {"c.json", fill(`{`, "\n", ``)},
		"open, lines":       {"c.json", fill(`{`, "x\n", ``)},
		"lines of YAML":     {"c.yaml", fill("a: 1\n", "\n", "")},
		"comments of YAML":  {"c.yaml", fill("", "#\n", "")},
		"documents of YAML": {"c.yaml", fill("", "---\n", "")},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(end int64) (*lookedAt, error) {
				ctx := &lookedAt{Context: context.Background(), end: end}
				_, err := fbc.Read(ctx, strings.NewReader(tt.text), tt.file, fbc.Options{Parallel: 1})
				return ctx, err
			}
			whole, _ := read(0)
			total := whole.looks.Load()
			t.Logf("%s: %d looks, at most %v in between", name, total, time.Duration(whole.longest.Load()))
			if strings.HasPrefix(name, "newlines") {
				require.Greater(t, total, int64(atEachRead))
			} else {
				require.Greater(t, total, int64(least))
			}
			for _, share := range []int64{4, 2} {
				ended, err := read(total / share)
				require.ErrorIs(t, err, context.Canceled)
				require.Less(t, ended.looks.Load(), total/share+50, "it goes on")
			}
		})
	}
}
