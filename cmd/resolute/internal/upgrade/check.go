package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// Version is a version of the cluster that is to come.
type Version struct {
	// OpenShift is "4.20" or a whole version, Kubernetes for example "1.33.0". Where
	// one of them is empty it follows from the other, as far as OpenShift 4.y has
	// Kubernetes 1.(y+13). Both may be empty only where the cluster's own version is not
	// known: a move to the version that is there is refused.
	OpenShift, Kubernetes string
	// Catalogs take the place of today's, with their priorities. Other catalogs stay as
	// they were; one that stands for none that is there is ignored by [Check].
	Catalogs []NextCatalog
}

// NextCatalog is a catalog of a version, and what it stands in the place of.
type NextCatalog struct {
	// For names the catalog of today: "namespace/name", or "name" in any namespace.
	For string
	// Content is the catalog.
	Content *cache.Catalog
	// Lifecycles are what it says of how long its packages are supported. They change no
	// verdict.
	Lifecycles Lifecycles
}

// replaces reports whether the catalog stands in the place of another one.
func (n *NextCatalog) replaces(key cache.Key) bool { return n.For == key.String() || n.For == key.Name }

// Options are the options of [Check].
type Options struct {
	// Versions are the versions that the cluster is to move to, one after the other.
	Versions []Version
	// MaxRounds bounds each upgrade path; 0 stands for 200, which is longer than any from
	// one end of a published channel to the other.
	MaxRounds int
}

const defaultRounds = 200

// Check says what the next versions of a cluster mean for its operators. The request
// is the cluster as it is, and is not changed. It is safe to call concurrently, also
// with the same resolver and request.
//
// Each subscription, or each extension of OLM v1, is judged by itself, as policy "Partial" does,
// whatever the policy of the request says. The error is a [*resolver.RequestError] if
// the request, with today's catalogs or those of a version, is malformed, or a
// [*resolver.IncompleteError] if the context ended or a limit was reached first.
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
	worlds   []world // of today, then of each version

	state          resolver.Request // what is installed, without what is only wanted
	pending        []wanted
	ops            []*operator
	owners, starts map[string]bool    // the subscriptions or extensions of ops, and the bundles that they begin at
	needy          []*operator        // about which something has to be done in the next version
	barred         map[*operator]bool // those of needy that do not move, for the sake of others
	learned        map[string]learned
	order          []Step
	notes          []Reason
}

// wanted is a subscription or an extension that has nothing installed.
type wanted struct {
	asking
	op *operator
}

// operator is an installed bundle, or a subscription or extension that has none, on its way.
type operator struct {
	Operator
	number int    // in the order of the report
	start  string // the bundle at the beginning, empty if nothing is installed
	info   []Reason
	// unfitToday: the bundle did not fit the cluster before anything moved.
	unfitToday bool
	needy      bool // it is in checker.needy
	dead       bool // no upgrade is available, or it is gone
	apart      bool // it has nothing installed, and cannot be installed today either
}

// begin finds out who owns what, and what is known of it, while the catalogs of today
// are there.
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
	for _, s := range slices.Backward(askers(&c.state)) {
		if installed[s.InstalledCSV] {
			owned[s.InstalledCSV] = s.Name
		}
	}
	extensions := len(c.state.Extensions) > 0
	for i := range c.state.Installed {
		in := &c.state.Installed[i]
		if in.ReplacedBy != "" && in.ReplacedBy != in.Name && installed[in.ReplacedBy] {
			continue // on its way out
		}
		c.operator(owns(Operator{Bundle: in.Name, Package: in.Package}, owned[in.Name], extensions))
	}
	for _, s := range askers(&c.state) {
		if !installed[s.InstalledCSV] {
			c.pending = append(c.pending, wanted{s, c.operator(owns(Operator{Package: s.Package}, s.Name, extensions))})
		}
	}
	c.state.Subscriptions = slices.DeleteFunc(c.state.Subscriptions, func(s resolver.Subscription) bool { return !installed[s.InstalledCSV] })
	c.state.Extensions = slices.DeleteFunc(c.state.Extensions, func(e resolver.Extension) bool { return !installed[e.InstalledCSV] })
	c.noteCatalogs()
	return nil
}

// known writes down what the catalogs say of what is installed: today's, and of a bundle
// that they do not have, those of the first version to come that does. It is the same
// bundle everywhere, so that what it requires does not change on the way.
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

// learned is an installed bundle that today's catalogs do not have: the number of the first world that
// has it, and what is known of it before.
type learned struct {
	from   int
	before resolver.Installed
}

// knownIn returns a request with what is known of its installed bundles by the catalogs of a
// world, and of those before it. The result is false if that is all that the request says.
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

// sameVersion says that a cluster has the version already that it is to move to.
func sameVersion(version int, same string) error {
	return &resolver.RequestError{Problems: []resolver.RequestProblem{{Field: fmt.Sprintf("versions[%d]", version), Value: same,
		Message: "the cluster has this version already; give the one that it is to move to"}}}
}

// operator adds an operator, behind those that there are.
func (c *checker) operator(o Operator) *operator {
	o.Verdict = Fine
	op := &operator{Operator: o, number: len(c.ops), start: o.Bundle}
	c.ops = append(c.ops, op)
	c.owners[o.owner()], c.starts[o.Bundle] = true, true
	return op
}

// noteToday says so if today's catalogs have no solution at all, and something would
// have to be updated with them.
func (c *checker) noteToday(ctx context.Context, req resolver.Request) error {
	if c.policy.Failures == resolver.FailuresPartial ||
		!slices.ContainsFunc(c.order, func(s Step) bool { return s.When == stepBefore }) {
		return nil
	}
	_, err := c.r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		c.notes = append(c.notes, Reason{notUpdatedToday, "with the catalogs of today nothing in this namespace is updated until this is solved: " + conflict.Headline()})
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

// worse is the later of two in an order.
func worse[T comparable](order []T, a, b T) T {
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// ended is the error of a context that has ended, or nil.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err}
	}
	return nil
}
