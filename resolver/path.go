package resolver

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// defaultRounds is how many rounds an upgrade path has at most by default.
const defaultRounds = 1000

// Path is an upgrade path: what happens round by round until nothing changes any more
// (section 9 of the semantics). One of which only Final is set begins there.
type Path struct {
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

	been map[string]int // by place: the rounds up to there
}

// Set returns the names of the bundles at the end of the path, in ascending order.
func (p *Path) Set() []string {
	if p.Last != nil {
		return p.Last.Set()
	}
	if n := len(p.Rounds); n > 0 {
		return p.Rounds[n-1].Set()
	}
	return nil
}

// Follow goes on from the end of the path, and yields each round that changes something
// once it is part of the path. A round is what resolve returns for Final: of
// [Resolver.Resolve] the upgrades that come by themselves, of a function that resolves
// Final with some subscriptions pinned or held others. The path ends with a solution that
// keeps everything, which becomes Last; with nil, where resolve says that it ends; with a
// loop; and with an error, which is the last that is yielded: that of resolve, or an
// [*IncompleteError] if the context ended or there are more rounds than maxRounds, 0 for
// 1000. Who stops early can go on later.
func (p *Path) Follow(ctx context.Context, maxRounds int, resolve func(context.Context, Request) (*Solution, error)) iter.Seq2[*Solution, error] {
	if maxRounds <= 0 {
		maxRounds = defaultRounds
	}
	return func(yield func(*Solution, error) bool) {
		for p.begin(); !p.Loop; {
			if err := ctx.Err(); err != nil {
				yield(nil, &IncompleteError{Limit: LimitContext, Err: err})
				return
			}
			sol, err := resolve(ctx, p.Final)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case sol == nil:
				return
			case sol.Unchanged():
				p.Last = sol
				return
			case len(p.Rounds) >= maxRounds:
				yield(nil, &IncompleteError{Limit: LimitRounds, Allowed: uint64(maxRounds),
					Progress: Progress{Decided: len(p.Rounds), Stats: sol.Stats}})
				return
			}
			p.Advance(sol)
			if !yield(sol, nil) {
				return
			}
		}
	}
}

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
// allowed are an [*IncompleteError] with [LimitRounds].
func (r *Resolver) Converge(ctx context.Context, req Request, opts ConvergeOptions) (*Path, error) {
	r = r.With(settings.PartOf(trace.OperationConverge))
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

func (p *Path) begin() {
	if p.been == nil {
		p.Final = withGenerated(p.Final)
		p.been = map[string]int{p.Final.place(): len(p.Rounds)}
	}
}

// Advance carries out a solution as the next round of the path, see [Request.Advance].
// It reports whether the path comes to where it has not been, nor any branch of it;
// otherwise it is a loop.
func (p *Path) Advance(sol *Solution) bool {
	p.begin()
	p.Rounds = append(p.Rounds, sol)
	p.Final = p.Final.Advance(sol)
	key := p.Final.place()
	at, again := p.been[key]
	if p.Loop, p.LoopStart = again, at; !again {
		p.been[key] = len(p.Rounds)
	}
	return !again
}

// Branch returns a path that goes on from the end of p in another way: two branches of
// one path do not both go on from the same place.
func (p *Path) Branch() *Path {
	p.begin()
	b := *p
	b.Rounds = slices.Clip(b.Rounds)
	return &b
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
