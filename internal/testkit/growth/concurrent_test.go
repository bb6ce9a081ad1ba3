package growth_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// ended reports whether a call ended properly: with an answer or with its
// context.
func ended(err error) bool {
	var stopped *resolver.IncompleteError
	var waited *cache.WaitError
	return answered(err) == nil || errors.As(err, &stopped) || errors.As(err, &waited) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// TestConcurrentCalls: one Resolver, one Cache and its catalogs answer calls
// of many goroutines, most of which are cancelled. Each ends with an answer or
// the error of its context, and no goroutine leaks. Most useful with -race.
func TestConcurrentCalls(t *testing.T) {
	calls, workers := testkit.Times(1_000, 26_000), 16
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var worlds []*growth.World
	for _, shape := range []string{"deep, the last missing", "wide", "long channel", "skipRange everywhere", "many subscriptions to one package", "many providers", "hostile rules", "many installed"} {
		worlds = append(worlds, growth.New(t, growth.Shapes[shape], 40))
	}
	key := cache.Key{Namespace: "ns", Name: "c"}
	shared, err := cache.New(cache.Config{Sources: []cache.SourceConfig{{Key: key, Source: cache.NewMemory(worlds[0].Catalog)}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, shared.Close()) }()
	r := resolver.New()
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range calls / workers {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.ExpFloat64()*float64(2*time.Millisecond)))
				if err := call(ctx, random, r, shared, worlds[random.IntN(len(worlds))]); !ended(err) {
					t.Errorf("worker %d: %v", worker, err)
				}
				cancel()
			}
		})
	}
	group.Wait()
}

// call makes one call of one kind.
func call(ctx context.Context, random *rand.Rand, r *resolver.Resolver, shared *cache.Cache, w *growth.World) error {
	switch random.IntN(8) {
	case 0:
		_, err := shared.Snapshot(ctx)
		return err
	case 1:
		s, err := r.Session(ctx, w.Request)
		if err != nil {
			return err
		}
		if _, err = s.Resolve(ctx); !ended(err) {
			return err
		}
		_, err = s.WhyNot(ctx, resolver.BundleRef{Name: "nothing"})
		var invalid *resolver.RequestError
		if errors.As(err, &invalid) {
			return nil // as it should
		}
		return err
	case 2:
		_, err := r.Converge(ctx, w.Request, resolver.ConvergeOptions{MaxRounds: 3})
		return err
	case 3:
		_, err := graph.NewUpdates(ctx, w.Packages[0], graph.UpdateOptions{ListedOnly: true})
		return err
	case 4:
		_, err := w.Packages[0].Channels[0].DeadEnds(ctx)
		return err
	default:
		_, err := r.Resolve(ctx, w.Request)
		var c *resolver.Conflict
		if errors.As(err, &c) {
			err = whatif.FindCorrections(ctx, r, w.Request, c, whatif.FindOptions{})
		}
		return err
	}
}
