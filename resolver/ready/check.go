package ready

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// Version is a version of the cluster that is to come.
type Version struct {
	// OpenShift is "4.20" or a whole version, Kubernetes for example "1.33.0". Where
	// one of them is empty it follows from the other, as far as OpenShift 4.y has
	// Kubernetes 1.(y+13); where both are, they stay as they were.
	OpenShift, Kubernetes string
	// Catalogs take the place of those of the same key, and their priorities. Other
	// catalogs of the request stay as they were; keys that it does not have are passed
	// over.
	Catalogs []resolver.Catalog
	// Lifecycles are what the catalogs say of how long a package is supported, by its
	// name. They change no verdict.
	Lifecycles map[string]PackageLifecycle
}

// Options are the options of [Check].
type Options struct {
	// Versions are the versions that the cluster is to move to, one after the other.
	Versions []Version
	// MaxRounds bounds each road; 0 stands for [DefaultRounds].
	MaxRounds int
}

// DefaultRounds is the default of Options.MaxRounds: longer than any road from one
// end of a published channel to the other.
const DefaultRounds = 200

// Check says what the next versions of a cluster mean for its operators. The request
// is the cluster as it is, and is not changed. It is safe to call concurrently, also
// with the same resolver and request.
//
// Each subscription is judged by itself, as policy [resolver.FailuresPartial] does,
// whatever the policy of the request says. The error is a [*resolver.RequestError] if
// the request, with today's catalogs or those of a version, is malformed, or has
// extensions of OLM v1, for which there are no such roads yet; or a
// [*resolver.IncompleteError] if the context ended or a limit was reached first.
func Check(ctx context.Context, r *resolver.Resolver, req resolver.Request, opts Options) (*Report, error) {
	if n := len(req.Extensions); n > 0 {
		return nil, &resolver.RequestError{Problems: []resolver.RequestProblem{{Field: "extensions", Value: text.Count(n, "extension", "extensions"),
			Message: "only subscriptions are checked, and not extensions of OLM v1; to see what the next version means for them, resolve the same scenario with its catalogs and versions"}}}
	}
	if opts.MaxRounds <= 0 {
		opts.MaxRounds = DefaultRounds
	}
	c := &checker{r: r, rounds: opts.MaxRounds, versions: opts.Versions, policy: req.Policy}
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

	state   resolver.Request // what is installed, without what is only wanted
	pending []resolver.Subscription
	ops     []*operator
	needy   []*operator // about which something has to be done in the next version
	order   []Step
	notes   []Reason
}

// operator is an installed bundle, or a subscription that has none, on its way.
type operator struct {
	Operator
	number int    // in the order of the report
	start  string // the bundle at the beginning, empty if nothing is installed
	info   []Reason
	// unfitToday: the bundle did not fit the cluster before anything moved.
	unfitToday bool
	dead       bool // no way on, or gone
}

// begin finds out who owns what, and what is known of it, while the catalogs of today
// are there.
func (c *checker) begin(req resolver.Request) error {
	state, err := req.Apply() // with the subscriptions of dependencies
	if err != nil {
		return err
	}
	c.worlds = append(c.worlds, world{catalogs: req.Catalogs, cluster: req.Cluster})
	for _, v := range c.versions {
		c.worlds = append(c.worlds, c.worlds[len(c.worlds)-1].next(v))
	}
	c.state = Known(state)
	owned, installed := make(map[string]string), make(map[string]bool)
	for _, in := range c.state.Installed {
		installed[in.Name] = true
	}
	for _, s := range slices.Backward(c.state.Subscriptions) {
		if installed[s.InstalledCSV] {
			owned[s.InstalledCSV] = s.Name
		}
	}
	for _, in := range c.state.Installed {
		if in.ReplacedBy != "" && in.ReplacedBy != in.Name && installed[in.ReplacedBy] {
			continue // on its way out
		}
		c.operator(Operator{Bundle: in.Name, Package: in.Package, Subscription: owned[in.Name]})
	}
	c.state.Subscriptions = slices.DeleteFunc(c.state.Subscriptions, func(s resolver.Subscription) bool {
		if installed[s.InstalledCSV] {
			return false
		}
		c.pending = append(c.pending, s)
		c.operator(Operator{Package: s.Package, Subscription: s.Name})
		return true
	})
	c.noteCatalogs()
	return nil
}

// operator adds an operator, behind those that there are.
func (c *checker) operator(o Operator) {
	o.Verdict = Fine
	c.ops = append(c.ops, &operator{Operator: o, number: len(c.ops), start: o.Bundle})
}

// noteToday says so if today's catalogs have no solution at all, and something would
// have to be updated with them.
func (c *checker) noteToday(ctx context.Context, req resolver.Request) error {
	if c.policy.Failures == resolver.FailuresPartial ||
		!slices.ContainsFunc(c.order, func(s Step) bool { return s.When == StepBefore }) {
		return nil
	}
	_, err := c.r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		c.notes = append(c.notes, Reason{NotUpdatedToday, "with the catalogs of today nothing in this namespace is updated until this is solved: " + conflict.Headline()})
		return nil
	}
	return err
}

func (c *checker) report() *Report {
	rep := &Report{Operators: []Operator{}, Order: append([]Step{}, c.order...), Notes: c.notes}
	worst := Fine
	for _, o := range c.ops {
		o.Reasons = append(o.Reasons, o.info...)
		rep.Operators = append(rep.Operators, o.Operator)
		worst = worst.worse(o.Verdict)
	}
	rep.Status = map[Verdict]Status{Fine: Ready, UpdateAfter: After, UpdateBefore: Before, NoWay: Blocked, Gone: Blocked}[worst]
	return rep
}

func (v Verdict) worse(o Verdict) Verdict {
	order := []Verdict{Fine, UpdateAfter, UpdateBefore, NoWay, Gone}
	return order[max(slices.Index(order, v), slices.Index(order, o))]
}
