package lock_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

const realData = "../../../shared/data"

// readReal reads a real catalog anew, so that nothing is known of it yet.
func readReal(t testing.TB) *cache.Catalog {
	t.Helper()
	if _, err := os.Stat(realData); err != nil {
		t.Skipf("the catalog is not part of the project: %v", err)
	}
	return testkit.Must(fbc.Load(ctx, os.DirFS(realData), fbc.Options{File: "community-all.jsonl.gz", Catalog: key("c")}))(t)
}

// realLock locks twenty packages of the catalog.
func realLock(t testing.TB, c *cache.Catalog) *lock.Lock {
	t.Helper()
	s := &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "c", Path: "community-all.jsonl.gz"}}}
	for p := range c.Packages() {
		sub := scenario.Subscription{Name: p.Name, Package: p.Name}
		with := *s
		with.Subscriptions = append(with.Subscriptions[:len(with.Subscriptions):len(with.Subscriptions)], sub)
		if _, err := lock.Make(ctx, resolver.New(), &with, []resolver.Catalog{{Key: key("c"), Content: c}}); err == nil {
			s = &with
		}
		if len(s.Subscriptions) == 20 {
			break
		}
	}
	require.Len(t, s.Subscriptions, 20)
	return testkit.Must(lock.Make(ctx, resolver.New(), s, []resolver.Catalog{{Key: key("c"), Content: c}}))(t)
}

// BenchmarkVerify verifies a lock of 20 packages with a catalog that was just read, its digest
// included.
func BenchmarkVerify(b *testing.B) {
	l := realLock(b, readReal(b))
	now := testkit.Must(l.Request())(b)
	for b.Loop() {
		b.StopTimer()
		now.Catalogs[0].Content = readReal(b)
		b.StartTimer()
		v, err := lock.Verify(ctx, resolver.New(), l, now)
		if err != nil || !v.Valid || !v.Best {
			b.Fatal(v, err)
		}
	}
}

// TestVerifyIsFast: a lock is verified within 10 ms beyond reading the catalog. The best of many
// runs counts, because other programs run too.
func TestVerifyIsFast(t *testing.T) {
	l := realLock(t, readReal(t))
	best := time.Hour
	for i := 0; i < 50 && best > 10*time.Millisecond; i++ {
		now := testkit.Must(l.Request())(t)
		now.Catalogs[0].Content = readReal(t)
		start := time.Now()
		v := testkit.Must(lock.Verify(ctx, resolver.New(), l, now))(t)
		best = min(best, time.Since(start))
		require.True(t, v.Valid && v.Best)
	}
	require.LessOrEqual(t, best, 10*time.Millisecond)
}
