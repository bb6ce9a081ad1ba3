package measure

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/resolver"
)

// Hard is the result for many seeds of one preset.
type Hard struct {
	Preset  string  `json:"preset"`
	Bundles int     `json:"bundles"`
	Seeds   int     `json:"seeds"`
	Limit   float64 `json:"limitSeconds"` // per seed

	Satisfiable   int `json:"satisfiable"`
	Unsatisfiable int `json:"unsatisfiable"` // proven and explained
	// NotMinimal lists the seeds whose explanation was truncated by the time
	// limit.
	NotMinimal []uint64 `json:"notMinimal,omitempty"`
	// Stopped lists the seeds that exceeded the time limit with an error that
	// reports it.
	Stopped []uint64 `json:"stopped,omitempty"`
	// Late lists the seeds that exceeded the limit by more than 50 ms, with
	// any result.
	Late []uint64 `json:"late,omitempty"`

	MedianSeconds float64 `json:"medianSeconds"`
	WorstSeconds  float64 `json:"worstSeconds"`
	MedianSolves  int     `json:"medianSolves"` // of answered seeds
	MaxSolves     int     `json:"mostSolves"`
}

// OnAnswer is called with each request of HardSeeds and its answer: whether there
// is a solution, and whether that is known.
type OnAnswer func(seed uint64, req resolver.Request, satisfiable, known bool) error

// HardSeeds resolves the seeds from 0 of a configuration, each within a time
// limit. The error is that of the context, the configuration or onAnswer, or of
// resolving if it is neither a conflict nor a limit.
func HardSeeds(ctx context.Context, preset string, cfg synthetic.Config, seeds int, limit time.Duration, onAnswer OnAnswer) (*Hard, error) {
	h := &Hard{Preset: preset, Bundles: cfg.Bundles(), Seeds: seeds, Limit: limit.Seconds()}
	r := resolver.New()
	var times []time.Duration
	var solves []int
	for seed := range uint64(seeds) {
		cfg.Seed = seed
		g, err := synthetic.New(cfg)
		if err != nil {
			return nil, err
		}
		req, err := g.Request(ctx)
		if err != nil {
			return nil, err
		}
		took, sol, err := within(ctx, r, req, limit)
		var conflict *resolver.Conflict
		var stopped *resolver.IncompleteError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			h.Satisfiable++
			solves = append(solves, sol.Stats.Solves)
		case errors.As(err, &conflict):
			h.Unsatisfiable++
			if !conflict.Minimal {
				h.NotMinimal = append(h.NotMinimal, seed)
			}
			solves = append(solves, conflict.Stats.Solves)
		case errors.As(err, &stopped):
			h.Stopped = append(h.Stopped, seed)
		default:
			return nil, err
		}
		times = append(times, took)
		if took > limit+50*time.Millisecond {
			h.Late = append(h.Late, seed)
		}
		if onAnswer != nil {
			if err := onAnswer(seed, req, sol != nil, stopped == nil); err != nil {
				return nil, err
			}
		}
	}
	h.MedianSeconds, h.WorstSeconds = Median(times).Seconds(), slices.Max(times).Seconds()
	if slices.Sort(solves); len(solves) > 0 {
		h.MedianSolves, h.MaxSolves = solves[len(solves)/2], solves[len(solves)-1]
	}
	return h, nil
}

func within(ctx context.Context, r *resolver.Resolver, req resolver.Request, limit time.Duration) (time.Duration, *resolver.Solution, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	sol, err := r.Resolve(ctx, req)
	return time.Since(start), sol, err
}
