package upgradetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// situation is one case that a property is asked about. It means things by their
// names, so that the same can be asked of other catalogs: while shrinking, of ever
// smaller ones.
type situation struct {
	property             Property
	catalog              cache.Key
	pkg, channel, bundle string
	code                 string           // Sound: the code of the problem
	request              resolver.Request // of properties that are about any request; without catalogs
	whole                bool             // the request is given, and not made of the names
}

// place is where the situation is, for the order of cases.
func (s *situation) compare(o *situation) int {
	return cmp.Or(s.catalog.Compare(o.catalog), strings.Compare(s.pkg, o.pkg), strings.Compare(s.channel, o.channel),
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

// failure is what is wrong in a situation.
type failure struct {
	// code says what kind of failure it is. A smaller case has to have the same.
	code string
	// cause is the decisive fact in words, where there is a conflict. A smaller case
	// has to have the same, so that it is about the same thing.
	cause string
	// pkg, channel and at say where it shows, if not where the situation is.
	pkg, channel, at string
	want, got        string
	// rounds is how long the road is up to there.
	rounds int
	// request is the problem to write down, with its catalogs.
	request resolver.Request
	// tries are what-ifs that show what is in the way.
	tries []scenario.WhatIf
	// expect is what a repaired catalog would answer, nil if that is not known.
	expect *expected
	// verb is the command that shows the failure.
	verb string
}

// asker asks of situations whether a property holds. It is safe for concurrent use.
type asker struct {
	cfg *Options
	// mixed are all catalogs with their blobs in several orders, nil where nobody
	// asked for that; all are the catalogs themselves.
	mixed [][]resolver.Catalog
	all   []resolver.Catalog
}

// base is the request that all requests begin with.
func (a *asker) base(cats []resolver.Catalog) resolver.Request {
	return resolver.Request{Namespace: a.cfg.Namespace, Catalogs: cats, Cluster: a.cfg.Cluster, Policy: a.cfg.Policy}
}

// requestOf is the request of a situation: its own, or a subscription to its
// channel on an empty cluster that begins with its bundle, if it names one.
func (a *asker) requestOf(cats []resolver.Catalog, s *situation) resolver.Request {
	if s.whole {
		req := s.request
		req.Catalogs = cats
		return req
	}
	req := a.base(cats)
	req.Subscriptions = []resolver.Subscription{{Name: s.pkg, Package: s.pkg, Catalog: s.catalog, Channels: only(s.channel), StartingCSV: s.bundle}}
	return req
}

// locate finds what a situation is about; a part that is not there is nil.
func locate(cats []resolver.Catalog, s *situation) (pkg *graph.Package, ch *graph.Channel, b *graph.Bundle) {
	for _, c := range cats {
		if c.Key == s.catalog && c.Content != nil {
			pkg = c.Content.Package(s.pkg)
		}
	}
	if pkg == nil {
		return nil, nil, nil
	}
	return pkg, pkg.Channel(s.channel), pkg.Bundle(s.bundle)
}

// resolve answers a request. A conflict is no error; an answer that a limit of the
// resolver prevented is neither solution nor conflict, and comes as text.
func (a *asker) resolve(ctx context.Context, req resolver.Request) (sol *resolver.Solution, conflict *resolver.Conflict, stopped string, err error) {
	sol, err = a.cfg.Resolver.Resolve(ctx, req)
	conflict, stopped, err = outcome(ctx, err)
	return sol, conflict, stopped, err
}

// outcome sorts the ways in which a resolution can end without a solution.
func outcome(ctx context.Context, err error) (conflict *resolver.Conflict, stopped string, _ error) {
	switch {
	case err == nil:
		return nil, "", nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.As(err, &conflict):
		return conflict, "", nil
	}
	return nil, err.Error(), nil
}

// limited is the failure of a question that was not answered.
func limited(req resolver.Request, text string) *failure {
	return &failure{code: "noAnswer", want: "an answer", got: text, request: req, verb: "resolve"}
}

// reason states in one line why there is no solution.
func reason(c *resolver.Conflict) string { return audit.Reason(c) }

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
			case argument.NearMissSkipped, argument.NearMissOffChain, argument.NearMissQuarantined,
				argument.RejectedByGVK, argument.RejectedByPackage, argument.RejectedByProhibition, argument.RejectedDeprecated:
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
