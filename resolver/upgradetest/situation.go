package upgradetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// situation is one case that a property is asked about. It means things by their
// names, so that the same can be asked of other catalogs: while shrinking, of ever
// smaller ones.
type situation struct {
	property Property
	packageOf
	channel, bundle string
	code            string // Sound: the code of the problem
}

func (s *situation) compare(o *situation) int {
	return cmp.Or(s.packageOf.compare(o.packageOf), strings.Compare(s.channel, o.channel),
		strings.Compare(s.bundle, o.bundle), strings.Compare(s.code, o.code))
}

// weight decides which cases are in a sample.
func (s *situation) weight(seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s\x00%s\x00%s\x00%s\x00%s", seed, s.property, s.catalog, s.pkg, s.channel, s.bundle)
	x := h.Sum64() // the last bytes barely reach the high bits
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// locate finds what the situation is about; a part that is not there is nil.
func (s *situation) locate(cats []resolver.Catalog) (pkg *graph.Package, ch *graph.Channel, b *graph.Bundle) {
	if pkg = s.in(cats); pkg == nil {
		return nil, nil, nil
	}
	return pkg, pkg.Channel(s.channel), pkg.Bundle(s.bundle)
}

// failure is what is wrong in a situation.
type failure struct {
	s *situation // once it is known that it counts
	// code says what kind of failure it is. A smaller case has to have the same.
	code string
	// cause is the decisive fact in words, where there is a conflict. A smaller case
	// has to have the same, so that it is about the same thing.
	cause string
	// pkg, channel and at say where it shows, if not where the situation is.
	pkg, channel, at string
	want, got        string
	// rounds is how long the path is up to there.
	rounds int
	// request is the problem to write down, with its catalogs.
	request resolver.Request
	// tries are what-ifs that show what is in the way.
	tries []scenario.WhatIf
	// expect is what a repaired catalog would answer, nil if that is not known.
	expect *expected
	// verb is the command that shows the failure; empty stands for resolve.
	verb string
}

// unsolvable is the failure of a request that should have a solution.
func unsolvable(req resolver.Request, c *resolver.Conflict, want string) *failure {
	cause := audit.Reason(c)
	return &failure{code: codeOf(c), cause: cause, request: req, want: want, got: cause, expect: &expected{Status: scenario.Resolved}}
}

// asker asks of situations whether a property holds. It is safe for concurrent use.
type asker struct{ cfg *Options }

// ask asks about a situation in some catalogs. The error is what stopped the work.
func (a *asker) ask(ctx context.Context, cats []resolver.Catalog, s *situation) (*failure, error) {
	q := &question{asker: a, cats: cats, s: s}
	f := ruleOf(s.property).ask(ctx, q)
	if q.err != nil {
		return nil, q.err
	}
	return f, nil
}

// base is the request that all requests begin with.
func (a *asker) base(cats []resolver.Catalog) resolver.Request {
	return resolver.Request{Namespace: a.cfg.Namespace, Catalogs: cats, Cluster: a.cfg.Cluster, Policy: a.cfg.Policy}
}

// requestOf is the request of a situation: a subscription to its channel on an empty
// cluster that begins with its bundle, if it names one.
func (a *asker) requestOf(cats []resolver.Catalog, s *situation) resolver.Request {
	req := a.base(cats)
	req.Subscriptions = []resolver.Subscription{{Name: s.pkg, Package: s.pkg, Catalog: s.catalog, Channels: text.NonEmpty(s.channel), StartingCSV: s.bundle}}
	return req
}

// question is a situation on its way to an answer.
type question struct {
	*asker
	cats []resolver.Catalog
	s    *situation
	err  error // what stopped the work: from then on no answer counts
}

func (q *question) request() resolver.Request { return q.requestOf(q.cats, q.s) }

// resolve answers a request with a solution or a conflict, or with the failure to
// answer that a limit of the resolver is.
func (q *question) resolve(ctx context.Context, req resolver.Request) (sol *resolver.Solution, conflict *resolver.Conflict, limit *failure) {
	if q.err != nil {
		return nil, nil, nil
	}
	sol, err := q.cfg.Resolver.Resolve(ctx, req)
	conflict, limit = q.outcome(ctx, req, err)
	return sol, conflict, limit
}

// converge goes a path as far as it leads; the other results are those of resolve.
func (q *question) converge(ctx context.Context, req resolver.Request) (path *resolver.Path, conflict *resolver.Conflict, limit *failure) {
	if q.err != nil {
		return nil, nil, nil
	}
	path, err := q.cfg.Resolver.Converge(ctx, req, resolver.ConvergeOptions{})
	conflict, limit = q.outcome(ctx, req, err)
	return path, conflict, limit
}

// outcome sorts the ways in which a resolution can end without a solution.
func (q *question) outcome(ctx context.Context, req resolver.Request, err error) (conflict *resolver.Conflict, limit *failure) {
	switch {
	case err == nil:
	case ctx.Err() != nil:
		q.err = ctx.Err()
	case !errors.As(err, &conflict):
		limit = &failure{code: "noAnswer", want: "an answer", got: err.Error(), request: req}
	}
	return conflict, limit
}

// codeOf distinguishes conflicts that have different causes: by the kinds of the
// facts, and by what candidates run into, where that is more than being of another
// version.
func codeOf(c *resolver.Conflict) string {
	var kinds []string
	for i := range c.Facts {
		f := &c.Facts[i]
		if f.Kind != argument.FactSubscription {
			kinds = append(kinds, string(f.Kind))
		}
		for _, r := range f.Candidates {
			switch r.Reason {
			case lexicon.NearMissSkipped, lexicon.NearMissOffChain, lexicon.NearMissQuarantined,
				lexicon.RejectedByGVK, lexicon.RejectedByPackage, lexicon.RejectedByProhibition, lexicon.RejectedDeprecated:
				kinds = append(kinds, string(r.Reason))
			}
		}
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), "+")
}

// expected is what a repaired catalog would answer, as a scenario expects it.
type expected struct {
	Status scenario.Status `json:"status,omitempty"`
	Set    []string        `json:"set,omitempty"`
	WhatIf []expectedTry   `json:"whatif,omitempty"`
}

type expectedTry struct {
	Name   string          `json:"name"`
	Status scenario.Status `json:"status"`
}
