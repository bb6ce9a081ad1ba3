package measure

import (
	"context"
	"time"

	"github.com/seed109e2655/resolute/resolver"
)

// Same is one request on two catalogs, where the larger begins with the
// smaller.
type Same struct {
	Small   int     `json:"small"` // bundles
	Large   int     `json:"large"`
	Set     int     `json:"set"`
	SmallAt float64 `json:"smallSeconds"`
	LargeAt float64 `json:"largeSeconds"`
	Ratio   float64 `json:"ratio"`
}

// TwoSizes resolves two requests alternately, so that disturbances affect
// both. The error is that of resolving.
func TwoSizes(ctx context.Context, small, large resolver.Request, rounds int) (*Same, error) {
	r := resolver.New()
	var times [2][]time.Duration
	out := &Same{}
	for range rounds {
		for i, req := range []resolver.Request{small, large} {
			start := time.Now()
			sol, err := r.Resolve(ctx, req)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], time.Since(start))
			out.Set = len(sol.Steps)
			if i == 0 {
				out.Small = sol.Stats.Bundles
			} else {
				out.Large = sol.Stats.Bundles
			}
		}
	}
	out.SmallAt, out.LargeAt = Median(times[0]).Seconds(), Median(times[1]).Seconds()
	out.Ratio = out.LargeAt / out.SmallAt
	return out, nil
}
