package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// Version is a version that the cluster is to be upgraded to.
type Version struct {
	// OpenShift is "4.20" or a full version, Kubernetes for example "1.33.0". If one of them is
	// empty, it is derived from the other: OpenShift 4.y has Kubernetes 1.(y+13). Both may be empty
	// only if the version of the cluster is unknown: an upgrade to the current version is refused.
	OpenShift, Kubernetes string
	// Catalogs replace the current ones and keep their priorities. Other catalogs stay as they are.
	// [Check] ignores a catalog that replaces none.
	Catalogs []NextCatalog
}

// NextCatalog is a catalog of a version, and the catalog that it replaces.
type NextCatalog struct {
	// For names the current catalog: "namespace/name", or "name" in any namespace.
	For string
	// Content is the catalog.
	Content *cache.Catalog
	// Lifecycles are the support periods that it declares for its packages. They change no verdict.
	Lifecycles Lifecycles
}

// replaces reports whether the catalog replaces another one.
func (n *NextCatalog) replaces(key cache.Key) bool { return n.For == key.String() || n.For == key.Name }

// Options are the options of [Check].
type Options struct {
	// Versions are the versions that the cluster is upgraded to, one after the other.
	Versions []Version
	// MaxRounds limits each upgrade path; 0 means 200, which exceeds the path from one end of a
	// published channel to the other.
	MaxRounds int
}

const defaultRounds = 200

// Check reports what the next versions of a cluster mean for its operators. It does not change the
// request, which describes the current cluster. It is safe for concurrent use, also with the same
// resolver and request.
//
// Each subscription, or each extension of OLM v1, is judged separately, as by policy "Partial",
// whatever the policy of the request is. The error is a [*resolver.RequestError] if the request is
// malformed with the current catalogs or those of a version, or a [*resolver.IncompleteError] if
// the context ended or a limit was exhausted.
func Check(ctx context.Context, r *resolver.Resolver, req resolver.Request, opts Options) (*Report, error) {
	if opts.MaxRounds <= 0 {
		opts.MaxRounds = defaultRounds
	}
	c := &checker{r: r, rounds: opts.MaxRounds, versions: opts.Versions, policy: req.Policy,
		owners: make(map[string]bool), starts: make(map[string]bool), learned: make(map[string]learned)}
	if err := c.begin(req); err != nil {
		return nil, err
	}
	for i := range opts.Versions {
		if err := c.move(ctx, i); err != nil {
			return nil, err
		}
	}
	if err := c.noteToday(ctx, req); err != nil {
		return nil, err
	}
	return c.report(), nil
}

type checker struct {
	r        *resolver.Resolver
	rounds   int
	policy   resolver.Policy
	versions []Version
	worlds   []world // current one, then one for each version

	state          resolver.Request // the installed bundles with their owners; see pending
	pending        []wanted
	ops            []*operator
	owners, starts map[string]bool    // the owners of ops, and their initial bundles
	needy          []*operator        // that need an action in the next version
	frozen         map[*operator]bool // those of needy that must not move because others would break
	learned        map[string]learned
	order          []Step
	notes          []Reason
}

// wanted is a demand without an installed bundle.
type wanted struct {
	demand
	op *operator
}

// operator is an installed bundle, or a demand without one, and its upgrade path.
type operator struct {
	Operator
	number int    // in the order of the report
	start  string // the initial bundle; empty if none is installed
	info   []Reason
	// unfitToday is true if the bundle was incompatible with the cluster before any move.
	unfitToday bool
	needy      bool // member of checker.needy
	dead       bool // no upgrade is available, or it is gone
	apart      bool // has no installed bundle and cannot be installed today either
}

// begin determines the owners and properties of the installed bundles from the current catalogs.
func (c *checker) begin(req resolver.Request) error {
	state, err := req.Apply() // with the subscriptions of dependencies
	if err != nil {
		return err
	}
	c.worlds = append(c.worlds, world{Request: resolver.Request{Catalogs: req.Catalogs, Cluster: req.Cluster}})
	for i := range c.versions {
		if same := c.versions[i].sameAs(&c.worlds[i].Cluster); same != "" {
			return sameVersion(i, same)
		}
		next := c.worlds[i].next(&c.versions[i])
		next.number = i + 1
		c.worlds = append(c.worlds, next)
	}
	c.state = c.known(state)
	owned, installed := make(map[string]string), make(map[string]bool)
	for i := range c.state.Installed {
		installed[c.state.Installed[i].Name] = true
	}
	for _, s := range slices.Backward(demands(&c.state)) {
		if installed[s.InstalledCSV] {
			owned[s.InstalledCSV] = s.Name
		}
	}
	extensions := len(c.state.Extensions) > 0
	for i := range c.state.Installed {
		in := &c.state.Installed[i]
		if in.ReplacedBy != "" && in.ReplacedBy != in.Name && installed[in.ReplacedBy] {
			continue // about to be removed
		}
		c.operator(withOwner(Operator{Bundle: in.Name, Package: in.Package}, owned[in.Name], extensions))
	}
	for _, s := range demands(&c.state) {
		if !installed[s.InstalledCSV] {
			c.pending = append(c.pending, wanted{s, c.operator(withOwner(Operator{Package: s.Package}, s.Name, extensions))})
		}
	}
	c.state.Subscriptions = slices.DeleteFunc(c.state.Subscriptions, func(s resolver.Subscription) bool { return !installed[s.InstalledCSV] })
	c.state.Extensions = slices.DeleteFunc(c.state.Extensions, func(e resolver.Extension) bool { return !installed[e.InstalledCSV] })
	c.noteCatalogs()
	return nil
}

// known adds the properties of installed bundles from the current catalogs or, for a bundle missing
// there, from the first version that has it. A bundle is the same everywhere, so its requirements
// do not change on the path.
func (c *checker) known(state resolver.Request) resolver.Request {
	state.Extensions = slices.Clone(state.Extensions)
	for i, owned := 0, state.Owned(); i < len(state.Extensions); i++ {
		state.Extensions[i].InstalledCSV = owned[state.Extensions[i].Name]
	}
	state = state.Known()
	for i := range c.versions {
		later := state
		later.Catalogs = c.worlds[i+1].Catalogs
		later = later.Known()
		for k := range state.Installed {
			if in := &state.Installed[k]; in.Package != "" && in.Properties == nil && later.Installed[k].Properties != nil {
				c.learned[in.Name] = learned{i + 1, *in}
				in.Properties, in.Version = later.Installed[k].Properties, later.Installed[k].Version
			}
		}
	}
	return state
}

// learned is an installed bundle that is missing from the current catalogs: the index of the first
// world that has it, and its properties before.
type learned struct {
	from   int
	before resolver.Installed
}

// knownIn returns a request with the properties of its installed bundles according to the catalogs
// of a world and of those before. The result is false if this equals the request.
func (c *checker) knownIn(in *world, req resolver.Request) (resolver.Request, bool) {
	less := false
	for k := range req.Installed {
		l, ok := c.learned[req.Installed[k].Name]
		if !ok || l.from <= in.number {
			continue
		}
		if !less {
			req.Installed, less = slices.Clone(req.Installed), true
		}
		req.Installed[k].Properties, req.Installed[k].Version = l.before.Properties, l.before.Version
	}
	return req, less
}

// sameVersion returns the error for a cluster that already has the version.
func sameVersion(version int, same string) error {
	return &resolver.RequestError{Problems: []resolver.RequestProblem{{Field: fmt.Sprintf("versions[%d]", version), Value: same,
		Message: "the cluster already has this version; name the version to upgrade to"}}}
}

// operator appends an operator.
func (c *checker) operator(o Operator) *operator {
	o.Verdict = Fine
	op := &operator{Operator: o, number: len(c.ops), start: o.Bundle}
	c.ops = append(c.ops, op)
	c.owners[o.owner()], c.starts[o.Bundle] = true, true
	return op
}

// noteToday adds a note if the current catalogs have no solution at all and something would have to
// be updated with them.
func (c *checker) noteToday(ctx context.Context, req resolver.Request) error {
	if c.policy.Failures == resolver.FailuresPartial ||
		!slices.ContainsFunc(c.order, func(s Step) bool { return s.When == stepBefore }) {
		return nil
	}
	_, err := c.r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		c.notes = append(c.notes, Reason{notUpdatedToday, "nothing in this namespace is updated with the current catalogs until this conflict is resolved: " + conflict.Headline()})
		return nil
	}
	return err
}

func (c *checker) report() *Report {
	rep := &Report{Operators: []Operator{}, Order: append([]Step{}, c.order...), Notes: c.notes}
	worst := Fine
	for _, o := range c.ops {
		o.Reasons = append(o.Reasons, o.info...)
		if o.apart {
			rep.NotInstallable = append(rep.NotInstallable, o.Operator)
			continue
		}
		rep.Operators = append(rep.Operators, o.Operator)
		worst = worst.worse(o.Verdict)
	}
	rep.Status = map[Verdict]Status{Fine: Ready, UpdateAfter: After, UpdateBefore: Before, NoWay: Blocked, Gone: Blocked}[worst]
	rep.settle()
	return rep
}

func (v Verdict) worse(o Verdict) Verdict {
	return worse([]Verdict{Fine, UpdateAfter, UpdateBefore, NoWay, Gone}, v, o)
}

func (s Status) worse(o Status) Status {
	return worse([]Status{Ready, After, Before, Blocked, Invalid, Incomplete}, s, o)
}

// worse returns the later of two values in an order.
func worse[T comparable](order []T, a, b T) T {
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// ended returns the error of an ended context, or nil.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err}
	}
	return nil
}
