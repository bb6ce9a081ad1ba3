package resolver

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// translation is a request as a problem, with what the problem knows nothing of: names
// above all.
type translation struct {
	problem.Problem

	req    *Request
	config *config

	asked   []Subscription // what is asked for, generated subscriptions included
	whyNone []string       // of each extension, why it has no candidates

	instPkg    []string         // by index of Request.Installed: its package, empty if unknown
	instName   map[string]int32 // index of Request.Installed
	last       map[int32]int32  // by such an index: what takes over from it in the end, as far as it was asked
	asksOwners bool             // what is installed depends on who owns it

	warnings []Warning
}

// input translates all of a request but what is installed and subscribed to.
func (p *translation) input(explaining bool) problem.Input {
	req := p.req
	in := problem.Input{Rules: rulesOf(&req.Policy), Forbid: p.forbidden(), Force: p.forcedRefs(), APIs: req.Cluster.APIs,
		Around: surroundingsOf(req), Cluster: p, Explaining: explaining, Memory: p.config.problems}
	for _, c := range req.Constraints {
		in.Constraints = append(in.Constraints, problem.Constrained{Bundle: c.Bundle, Constraint: c.Constraint})
	}
	for _, r := range req.Relax {
		in.Relax = append(in.Relax, problem.Constrained{Bundle: r.Bundle, Constraint: r.Constraint})
	}
	return in
}

// rulesOf are the options of a policy that change what the problem is.
func rulesOf(p *Policy) problem.Rules {
	return problem.Rules{
		AnyUpgrade:      p.Upgrades == UpgradesSelfCertified,
		PerBundle:       p.Compounds == CompoundsPerBundle,
		Stay:            p.Goal == GoalMinimalChange,
		Oldest:          p.Goal == GoalOldest,
		AvoidDeprecated: p.Deprecations == DeprecationsAvoid,
		RequireFit:      p.Compatibility == CompatibilityRequire,
	}
}

func (p *translation) forbidden() []BundleRef {
	var out []BundleRef
	for _, f := range p.req.Forbid {
		out = append(out, f.Bundle)
	}
	return out
}

func (p *translation) forcedRefs() []problem.Forced {
	var out []problem.Forced
	for _, f := range p.req.Force {
		out = append(out, problem.Forced{Bundle: f, Left: p.config.aside.Forced[f.Name]})
	}
	return out
}

// Evaluator evaluates rules on the cluster of the request.
func (p *translation) Evaluator() *constraints.Evaluator {
	return constraints.NewEvaluator(constraints.EvaluatorOptions{
		Cluster: p.req.Cluster.visible(), APIs: p.req.Cluster.APIs, Budget: p.config.limits.CELCost})
}

// causes says why things are as they are in the problem.
func (p *translation) causes() explain.Causes { return explain.Causes{Problem: &p.Problem, Request: p} }

// Asked is what a subscription of the problem stands for.
func (p *translation) Asked(i int32) explain.Asked {
	s := &p.asked[i]
	out := explain.Asked{Name: s.Name, Generated: s.Generated, Hold: s.Hold}
	if len(p.whyNone) > 0 {
		out.WhyNone = p.whyNone[i]
	}
	return out
}

func (p *translation) nameAsked(i int32) string { return p.asked[i].Name }

// ForbidMessage says why a prohibition of the request is there.
func (p *translation) ForbidMessage(i int32) string { return p.req.Forbid[i].Message }

// subscribe finds who owns what, and the candidates of every subscription.
func (p *translation) subscribe() {
	owns := p.addOwners()
	aside := &p.config.aside
	for i := range p.Inst {
		if aside.Installed[p.req.Installed[i].Name] {
			p.LetGo(int32(i))
		}
	}
	subs := make([]problem.Subscription, len(p.asked))
	p.whyNone = p.whyNone[:0]
	known := make(map[string]*offered)
	for i := range subs {
		a, s := &p.asked[i], &subs[i]
		*s = problem.Subscription{Package: a.Package, Channels: a.distinctChannels(), StartingCSV: a.StartingCSV,
			Pin: a.Pin, Held: a.Hold != "", Owned: problem.NoNode, Left: aside.Subscriptions[a.Name]}
		if a.Catalog != (cache.Key{}) {
			s.Catalog = &a.Catalog
		}
		if !a.VersionRange.IsZero() {
			s.Range = &a.VersionRange
		}
		if len(p.req.Extensions) > 0 {
			found := p.offer(&p.req.Extensions[i], owns[i], known)
			s.Given, p.whyNone = &found.list, append(p.whyNone, found.why)
		}
		if own := owns[i]; own != noInstalled {
			if s.Owned = p.Inst[own]; s.Left {
				p.LetGo(own)
			}
		}
	}
	p.Subscribe(subs)
}

// usableCatalogs are the catalogs that can be used, best first: by priority, then
// those of the resolved namespace, then by key (section 4).
func (p *translation) usableCatalogs() []problem.Catalog {
	var cats []problem.Catalog
	for _, c := range p.req.Catalogs {
		if c.Unavailable != nil {
			p.warnUnavailable(c)
			if p.req.Policy.Unavailable != UnavailableLastGood {
				continue
			}
		}
		if c.Content != nil {
			cats = append(cats, problem.Catalog{Key: c.Key, Priority: c.Priority, Content: c.Content})
		}
	}
	in := p.req.Namespace
	slices.SortFunc(cats, func(a, b problem.Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority),
			problem.First(a.Key.Namespace == in, b.Key.Namespace == in), a.Key.Compare(b.Key))
	})
	return cats
}

// surroundingsOf finds out what bundles have to fit; nil if nothing is known or
// nothing is looked at.
func surroundingsOf(req *Request) *problem.Surroundings {
	c := &req.Cluster
	if req.Policy.Compatibility == CompatibilityIgnore ||
		c.KubernetesVersion == "" && c.OpenShiftVersion == "" && len(c.APIs) == 0 && req.OperatorGroup == nil {
		return nil
	}
	s := &problem.Surroundings{}
	if len(c.APIs) > 0 {
		s.APIs = make(map[properties.GVK]bool, len(c.APIs))
		for _, g := range c.APIs {
			s.APIs[g] = true
		}
	}
	if v, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err == nil {
		s.Kubernetes = &v
	}
	if v, err := properties.ParseOpenShiftVersion(c.OpenShiftVersion); err == nil {
		s.OpenShift = &v
	}
	if req.OperatorGroup != nil {
		s.Modes = problem.NeededModes(req.Namespace, req.OperatorGroup.TargetNamespaces)
	}
	return s
}
