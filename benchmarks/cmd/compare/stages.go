package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/benchmarks/internal/measure"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
)

// same measures one request on a catalog and on one ten times larger.
func (c *comparison) same(ctx context.Context) error {
	var all []*measure.Same
	for _, size := range []int{1000, 10_000} {
		cfg, err := sized("random", size)
		if err != nil {
			return err
		}
		small, err := requestOf(ctx, cfg)
		if err != nil {
			return err
		}
		large := cfg.Sized(10 * size)
		large.Reach = cfg.Packages
		big, err := requestOf(ctx, large)
		if err != nil {
			return err
		}
		runtime.GC()
		s, err := measure.TwoSizes(ctx, small, big, 200)
		if err != nil {
			return err
		}
		all = append(all, s)
		fmt.Fprintf(c.log, "the same request in %d and %d bundles: ratio %.2f\n", s.Small, s.Large, s.Ratio)
	}
	c.results.Same = all
	return nil
}

func requestOf(ctx context.Context, cfg synthetic.Config) (resolver.Request, error) {
	g, err := synthetic.New(cfg)
	if err != nil {
		return resolver.Request{}, err
	}
	return g.Request(ctx)
}

// community subscribes to the default channel of each package of a real catalog.
func (c *comparison) community(ctx context.Context) error {
	path := c.o.community
	if path == "" {
		path = filepath.Join(c.module, "..", "shared", "data", "community-all.jsonl.gz")
		if _, err := os.Stat(path); err != nil {
			fmt.Fprintln(c.log, "the real catalog is not beside the checkout: stage skipped")
			return nil
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	content, err := fbc.Read(ctx, f, filepath.Base(path), fbc.Options{})
	if err != nil {
		return err
	}
	c.results.Community, err = subscribeToEach(ctx, content)
	if err == nil {
		fmt.Fprintf(c.log, "community: median %.1f µs, %d allocations\n", c.results.Community.MedianMicros, c.results.Community.MedianAllocs)
	}
	return err
}

// subscribeToEach resolves one subscription for each package and takes the
// minimum of several times.
func subscribeToEach(ctx context.Context, content *cache.Catalog) (*Community, error) {
	const rounds = 9
	r := resolver.New()
	out := &Community{}
	var times []time.Duration
	var allocs []uint64
	for p := range content.Packages() {
		req := resolver.Request{Namespace: "bench",
			Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "bench", Name: "community"}, Content: content}},
			Subscriptions: []resolver.Subscription{{Name: p.Name, Package: p.Name, Channels: []string{p.DefaultChannel}}}}
		best, solved := time.Hour, false
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			start := time.Now()
			_, err := r.Resolve(ctx, req)
			best = min(best, time.Since(start))
			var conflict *resolver.Conflict
			if err != nil && !errors.As(err, &conflict) {
				return nil, err
			}
			solved = err == nil
		}
		runtime.ReadMemStats(&after)
		out.Packages++
		times = append(times, best)
		if solved {
			out.Resolved++
			allocs = append(allocs, (after.Mallocs-before.Mallocs)/rounds)
		}
	}
	if len(allocs) == 0 {
		return nil, errors.New("no package of the catalog is installable")
	}
	out.MedianMicros = float64(measure.Median(times).Nanoseconds()) / 1000
	out.WorstMicros = float64(slices.Max(times).Nanoseconds()) / 1000
	slices.Sort(allocs)
	out.MedianAllocs = allocs[len(allocs)/2]
	return out, nil
}

// hard runs the seeds of the hard presets. Other programs must agree on the
// first of them.
func (c *comparison) hard(ctx context.Context) error {
	dir, err := os.MkdirTemp(c.work, "hard")
	if err != nil {
		return err
	}
	var all []*measure.Hard
	for _, preset := range c.o.hard {
		cfg, ok := synthetic.Preset(preset)
		if !ok {
			return fmt.Errorf("unknown preset %q", preset)
		}
		others := c.others(preset)
		h, err := measure.HardSeeds(ctx, preset, cfg, c.o.seeds, c.o.limit,
			func(seed uint64, req resolver.Request, satisfiable, known bool) error {
				if len(others) == 0 || seed >= uint64(c.o.peerSeeds) {
					return nil
				}
				err := c.writeProblem(ctx, dir, req)
				for _, o := range others {
					if err == nil {
						err = o.solve(ctx, dir, c.o.limit, seed, satisfiable, known)
					}
				}
				return err
			})
		if err != nil {
			return err
		}
		all = append(all, h)
		fmt.Fprintf(c.log, "%s: %d satisfiable, %d not, %d of them not minimal, %d stopped; median %.3f s, worst %.3f s\n",
			preset, h.Satisfiable, h.Unsatisfiable, len(h.NotMinimal), len(h.Stopped), h.MedianSeconds, h.WorstSeconds)
		c.results.Others = merge(c.results.Others, others, func(o *Other) string { return o.Preset + " " + o.Program })
	}
	c.results.Hard = merge(c.results.Hard, all, func(h *measure.Hard) string { return h.Preset })
	return nil
}
