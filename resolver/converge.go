package resolver

import (
	"context"

	"github.com/seed109e2655/resolute/resolver/internal/settings"
)

// ConvergeOptions are the options of [Resolver.Converge]; the zero value is the
// default.
type ConvergeOptions struct {
	// MaxRounds bounds the upgrade path; 0 stands for 1000.
	MaxRounds int
	// Round, if it is set, is called with each round as soon as it is resolved.
	Round func(n int, s *Solution)
}

// Converge resolves a request, applies the solution as if it were carried out,
// and goes on until nothing changes: the whole path to the heads of the channels
// and not only its first step.
//
// A round that cannot be resolved ends the path: the error is that of
// [Resolver.Resolve], and the Path holds the rounds before it. More rounds than
// allowed are an [*IncompleteError] with [limitRounds].
func (r *Resolver) Converge(ctx context.Context, req Request, opts ConvergeOptions) (*Path, error) {
	r = r.With(settings.PartOf("converge"))
	path := &Path{Final: req}
	for sol, err := range path.Follow(ctx, opts.MaxRounds, r.Resolve) {
		if err != nil {
			return path, err
		}
		if opts.Round != nil {
			opts.Round(len(path.Rounds), sol)
		}
	}
	return path, nil
}
