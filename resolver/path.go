package resolver

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// defaultRounds is the default maximum number of rounds of an upgrade path.
const defaultRounds = 1000

// Path is an upgrade path: the rounds of upgrades until nothing changes any more (section 9 of
// the semantics). A Path with only Final set starts at Final. A Path is not safe for concurrent
// use.
type Path struct {
	// Rounds are the solutions that change something, in order. The last resolution, which
	// changes nothing, is not included.
	Rounds []*Solution
	// Loop reports whether the path returned to an earlier state and would repeat forever.
	// LoopStart is the index of the round that would come next.
	Loop      bool
	LoopStart int
	// Final is the request after the last round.
	Final Request
	// Last is the solution of Final, which keeps every bundle. It is nil if the path loops or is
	// incomplete.
	Last *Solution

	been map[string]int // by state: number of rounds before it
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

// Follow extends the path round by round and yields each solution that changes something, after
// adding it to the path. It resolves Final with resolve, usually [Resolver.Resolve].
//
// The path ends when a solution keeps every bundle (it becomes Last), when resolve returns nil,
// when the path loops, or at an error. An error is yielded last. It is the error of resolve, or
// an [*IncompleteError] if the context ends or the path needs more than maxRounds rounds; 0
// means 1000. A caller that stops early can call Follow again to go on.
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

// ConvergeOptions are the options of [Resolver.Converge]. The zero value is the default.
type ConvergeOptions struct {
	// MaxRounds is the maximum number of rounds; 0 means 1000.
	MaxRounds int
	// Round, if not nil, is called after each round with its number, counted from 1.
	Round func(n int, s *Solution)
}

// Converge resolves a request, advances it by the solution, and repeats until nothing changes:
// it returns the whole upgrade path, not only its first round.
//
// If a round fails, the error is that of [Resolver.Resolve] and the Path holds the rounds before
// it. A path that needs more rounds than allowed fails with an [*IncompleteError] whose Limit is
// [LimitRounds].
func (r *Resolver) Converge(ctx context.Context, req Request, opts ConvergeOptions) (*Path, error) {
	r = r.With(PartOf(trace.OperationConverge))
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
		p.been = map[string]int{p.Final.state(): len(p.Rounds)}
	}
}

// Advance appends a solution to the path as its next round; see [Request.Advance]. It reports
// whether the new state is new to the path and all its branches; otherwise the path loops.
func (p *Path) Advance(sol *Solution) bool {
	p.begin()
	p.Rounds = append(p.Rounds, sol)
	p.Final = p.Final.Advance(sol)
	key := p.Final.state()
	at, again := p.been[key]
	if p.Loop, p.LoopStart = again, at; !again {
		p.been[key] = len(p.Rounds)
	}
	return !again
}

// Branch returns a copy of the path to extend in another direction. Branches share their visited
// states: only one of them can pass through a given state.
func (p *Path) Branch() *Path {
	p.begin()
	b := *p
	b.Rounds = slices.Clip(b.Rounds)
	return &b
}

// Unchanged reports whether the solution keeps every bundle.
func (s *Solution) Unchanged() bool {
	for i := range s.Steps {
		if s.Steps[i].Action != Keep {
			return false
		}
	}
	return true
}

// state returns a key of the installed bundles and their owners, independent of order. Requests
// that differ in nothing else are at the same point of an upgrade path if their keys are equal.
func (req *Request) state() string {
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
