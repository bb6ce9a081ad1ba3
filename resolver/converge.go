package resolver

import (
	"context"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// defaultRounds is how many rounds Converge makes at most by default.
const defaultRounds = 1000

// ConvergeOptions are the options of [Resolver.Converge]; the zero value is the
// default.
type ConvergeOptions struct {
	// MaxRounds bounds the upgrade path; 0 stands for 1000.
	MaxRounds int
	// Round, if it is set, is called with each round as soon as it is resolved.
	Round func(n int, s *Solution)
}

// Road is a whole upgrade path: what happens round by round until nothing changes
// any more (section 9 of the semantics).
type Road struct {
	// Rounds are the solutions that change something, in their order. The last
	// resolution, which finds nothing to do, is not among them.
	Rounds []*Solution
	// Loop says that the path came back to where it had been before and
	// would repeat forever. LoopStart is the round, from 0, that would come next.
	Loop      bool
	LoopStart int
	// Final is the request with everything installed that the path leads to.
	Final Request
	// Last is the solution of Final: what is installed at the end, all kept. It
	// is nil where the path loops.
	Last *Solution
}

// Set returns the names of the bundles at the end of the path, in ascending order.
func (r *Road) Set() []string {
	if r.Last != nil {
		return r.Last.Set()
	}
	if n := len(r.Rounds); n > 0 {
		return r.Rounds[n-1].Set()
	}
	return nil
}

// Converge resolves a request, applies the solution as if it were carried out,
// and goes on until nothing changes: the whole path to the heads of the channels
// and not only its first step.
//
// A round that cannot be resolved ends the path: the error is that of
// [Resolver.Resolve], and the Road holds the rounds before it. More rounds than
// allowed are an [*IncompleteError] with [limitRounds].
func (r *Resolver) Converge(ctx context.Context, req Request, opts ConvergeOptions) (*Road, error) {
	if opts.MaxRounds <= 0 {
		opts.MaxRounds = defaultRounds
	}
	r = r.With(settings.PartOf(trace.OpConverge))
	road := &Road{Final: withGenerated(req)}
	seen := map[string]int{road.Final.place(): 0}
	for {
		sol, err := r.Resolve(ctx, road.Final)
		if err != nil {
			return road, err
		}
		if sol.Unchanged() {
			road.Last = sol
			return road, nil
		}
		if len(road.Rounds) >= opts.MaxRounds {
			return road, &IncompleteError{Limit: limitRounds, Allowed: uint64(opts.MaxRounds),
				Progress: Progress{Decided: len(road.Rounds), Stats: sol.Stats}}
		}
		road.Rounds = append(road.Rounds, sol)
		if opts.Round != nil {
			opts.Round(len(road.Rounds), sol)
		}
		road.Final = road.Final.Advance(sol)
		key := road.Final.place()
		if at, again := seen[key]; again {
			road.Loop, road.LoopStart = true, at
			return road, nil
		}
		seen[key] = len(road.Rounds)
	}
}

// Unchanged reports whether a solution keeps everything as it is.
func (s *Solution) Unchanged() bool {
	for i := range s.Steps {
		if s.Steps[i].Action != Keep {
			return false
		}
	}
	return true
}

// place identifies what is installed and who owns it, in any order: requests that
// differ in nothing else are at the same place of an upgrade path if their places
// are equal. The text is for comparing only.
func (req *Request) place() string {
	keys := make([]string, 0, len(req.Installed)+len(req.Subscriptions))
	for i := range req.Installed {
		in := &req.Installed[i]
		parts := []string{"i", in.Catalog.Namespace, in.Catalog.Name, in.Package, in.Name}
		if len(req.Extensions) > 0 && in.Version != nil { // OLM v1 moves between bundles of one name
			parts = append(parts, in.Version.String())
		}
		keys = append(keys, string(text.AppendParts(nil, parts...)))
	}
	for i := range req.Subscriptions {
		keys = append(keys, string(text.AppendParts(nil, "s", req.Subscriptions[i].Name, req.Subscriptions[i].InstalledCSV)))
	}
	for i := range req.Extensions {
		keys = append(keys, string(text.AppendParts(nil, "e", req.Extensions[i].Name, req.Extensions[i].InstalledCSV)))
	}
	slices.Sort(keys)
	return strings.Join(keys, "")
}
