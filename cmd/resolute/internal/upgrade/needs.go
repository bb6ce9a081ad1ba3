package upgrade

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Graph is the dependency graph of the bundles of a namespace.
type Graph struct {
	// Solution is the resolved namespace: all installed and requested bundles, with as few moves as
	// possible.
	Solution *resolver.Solution
	// Bundles are sorted by name.
	Bundles []Bundle

	req resolver.Request // with the whole solution installed
}

// Bundle is a bundle with its edges.
type Bundle struct {
	Bundle string `json:"bundle"`
	// Needs and NeededBy are its edges in both directions. The constraint of an edge is that of the
	// dependent bundle.
	Needs    []Tie `json:"needs,omitempty"`
	NeededBy []Tie `json:"neededBy,omitempty"`
	// Subscriptions are the subscriptions that the bundle satisfies.
	Subscriptions []string `json:"subscriptions,omitempty"`
}

// Tie is one end of a dependency.
type Tie struct {
	Bundle     string `json:"bundle"`
	Constraint string `json:"constraint"`
}

// Dropped is the effect of dropping a subscription with its operator.
type Dropped struct {
	// Breaks are the bundles with a violated constraint.
	Breaks []string `json:"breaks"`
	// Orphans are the bundles installed as dependencies that no bundle needs any more.
	Orphans []string `json:"orphans"`
	// LeftOver are the resource definitions of the cluster that the operator owns, if the request
	// has them. They and their objects stay on the cluster: Operator Lifecycle Manager deletes
	// neither.
	LeftOver []LeftOver `json:"leftOver,omitempty"`
}

// LeftOver is a resource definition that stays when its operator is removed.
type LeftOver struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// StoredVersions are the versions in which objects may be stored.
	StoredVersions []string `json:"storedVersions"`
	// Owners are the other operators that own it.
	Owners []properties.CRDOwner `json:"owners"`
}

// leftOver returns the resource definitions of the cluster that an operator owns.
func leftOver(req *resolver.Request, bundle string) []LeftOver {
	var out []LeftOver
	for i := range req.Cluster.CRDs {
		d := &req.Cluster.CRDs[i]
		own := func(o properties.CRDOwner) bool { return o.Bundle == bundle && o.Namespace == req.Namespace }
		if bundle == "" || !slices.ContainsFunc(d.Owners, own) {
			continue
		}
		left := LeftOver{Name: d.Name, Group: d.Group, Kind: d.Kind, StoredVersions: append([]string{}, d.StoredVersions...),
			Owners: slices.DeleteFunc(append([]properties.CRDOwner{}, d.Owners...), own)}
		if len(left.StoredVersions) == 0 {
			for _, v := range d.Versions {
				if v.Storage {
					left.StoredVersions = append(left.StoredVersions, v.Name)
				}
			}
		}
		out = append(out, left)
	}
	return out
}

// Needs resolves a namespace and returns its dependency graph. Installed bundles stay if possible;
// requested bundles are included. The error is one of [resolver.Resolver.Resolve].
func Needs(ctx context.Context, r *resolver.Resolver, req resolver.Request) (*Graph, error) {
	req.Policy.Goal = resolver.MinimalChange
	sol, err := r.Resolve(ctx, req)
	if err != nil {
		return nil, err
	}
	g := &Graph{Solution: sol, req: req.Advance(sol)}
	at := make(map[string]int)
	for i, name := range sol.Set() {
		at[name] = i
		g.Bundles = append(g.Bundles, Bundle{Bundle: name})
	}
	for _, step := range sol.Steps {
		b := &g.Bundles[at[step.Bundle]]
		for _, why := range step.Because {
			switch k, known := at[why.Bundle]; {
			case why.Subscription != "":
				b.Subscriptions = append(b.Subscriptions, why.Subscription)
			case why.Bundle != "" && known:
				b.NeededBy = append(b.NeededBy, Tie{why.Bundle, why.Constraint})
				g.Bundles[k].Needs = append(g.Bundles[k].Needs, Tie{step.Bundle, why.Constraint})
			}
		}
	}
	g.req = g.req.Known() // the catalogs are removed later
	return g, nil
}

// Drop returns the effect of dropping a subscription: its operator is removed too, unless another
// subscription owns it. Nothing replaces it. The error is a [*TargetError], or one of
// [resolver.Resolver.Resolve].
func (g *Graph) Drop(ctx context.Context, r *resolver.Resolver, subscription string) (*Dropped, error) {
	s, err := find(&g.req, Target{Subscription: subscription})
	if err != nil {
		return nil, err
	}
	before, err := g.state(ctx, r)
	if err != nil {
		return nil, err
	}
	owned, shared := g.req.Owned(), false
	own := owned[s.Name]
	for _, o := range demands(&g.req) {
		shared = shared || o.Name != s.Name && owned[o.Name] == own
	}
	changes := []resolver.Change{resolver.DropSubscription{Subscription: subscription}}
	var left []LeftOver
	if own != "" && !shared {
		changes = append(changes, resolver.RemoveInstalled{Bundle: own})
		left = leftOver(&g.req, own)
		if s.Generated {
			changes = changes[1:] // they are removed together
		}
	}
	req, err := g.req.Apply(changes...)
	if err != nil {
		return nil, err
	}
	after, err := (&Graph{req: req}).state(ctx, r)
	if err != nil {
		return nil, err
	}
	return &Dropped{Breaks: without(after.Breaks, before.Breaks), Orphans: without(after.Orphans, before.Orphans), LeftOver: left}, nil
}

// state returns the broken and orphaned bundles of the installed set, with no catalog to repair it
// from.
func (g *Graph) state(ctx context.Context, r *resolver.Resolver) (*Dropped, error) {
	req := g.req
	req.Catalogs, req.Force, req.Forbid = nil, nil, nil
	req.Policy.Failures = resolver.FailuresPartial
	owned := req.Owned()
	req.Subscriptions = slices.DeleteFunc(slices.Clone(req.Subscriptions), func(s resolver.Subscription) bool { return owned[s.Name] == "" })
	sol, err := r.Resolve(ctx, req)
	if err != nil {
		return nil, err
	}
	out := new(Dropped)
	for _, u := range sol.Unresolved {
		if u.Installed != "" {
			out.Breaks = append(out.Breaks, u.Installed)
		}
	}
	for _, w := range sol.Warnings {
		if w.Kind == resolver.WarningOrphan {
			out.Orphans = append(out.Orphans, w.Bundle)
		}
	}
	return out, nil
}

// without returns the elements of a list that are not in another, in ascending order.
func without(list, other []string) []string {
	out, there := []string{}, make(map[string]bool, len(other))
	for _, name := range other {
		there[name] = true
	}
	for _, name := range list {
		if !there[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
