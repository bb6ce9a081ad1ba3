package resolver

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
)

// input translates all of a request but what is installed and subscribed to.
func (p *resolution) input(in problem.Input) problem.Input {
	req := p.req
	in.Rules, in.Cats, in.Forbid, in.Force, in.APIs = rulesOf(req), p.problem.Cats, p.forbidden(), p.forced(), req.Cluster.APIs
	in.Around, in.Cluster, in.Memory, in.Veto = surroundingsOf(req), p, p.config.problems, req.Veto
	for _, c := range req.Constraints {
		in.Constraints = append(in.Constraints, problem.Constrained(c))
	}
	for _, r := range req.Relax {
		in.Relax = append(in.Relax, problem.Constrained(r))
	}
	return in
}

// rulesOf are the options of a request that change what the problem is.
func rulesOf(req *Request) problem.Rules {
	p := &req.Policy
	return problem.Rules{
		AllDeclared:     len(req.Extensions) > 0,
		AnyUpgrade:      p.Upgrades == upgradesSelfCertified,
		PerBundle:       p.Compounds == compoundsPerBundle,
		Stay:            p.Goal == goalMinimalChange,
		Oldest:          p.Goal == goalOldest,
		AvoidDeprecated: p.Deprecations == deprecationsAvoid,
		RequireFit:      p.Compatibility == compatibilityRequire,
	}
}

func (p *resolution) forbidden() []problem.Forbidden {
	var out []problem.Forbidden
	for _, f := range p.req.Forbid {
		out = append(out, problem.Forbidden(f))
	}
	return out
}

func (p *resolution) forced() []BundleRef {
	var out []BundleRef
	for _, f := range p.req.Force {
		if !p.config.Aside[settings.Root{Kind: argument.FactForced, Name: f.Name}] {
			out = append(out, f)
		}
	}
	return out
}

// Evaluator evaluates rules on the cluster of the request.
func (p *resolution) Evaluator() *constraints.Evaluator {
	return constraints.NewEvaluator(constraints.EvaluatorOptions{
		Cluster: p.req.Cluster.visible(), APIs: p.req.Cluster.APIs, Budget: p.config.Limits.CELCost})
}

// subscribe finds who owns what, and the candidates of every subscription.
func (p *resolution) subscribe() {
	aside := func(kind argument.FactKind, name string) bool {
		return p.config.Aside[settings.Root{Kind: kind, Name: name}]
	}
	for i := range p.problem.Inst {
		if aside(argument.FactInstalled, p.req.Installed[i].Name) {
			p.problem.LetGo(int32(i))
		}
	}
	asked := p.installed.owners()
	subs := make([]problem.Subscription, 0, len(asked))
	known := make(map[string]*problem.Offer)
	for i, a := range asked {
		if aside(argument.FactSubscription, a.Name) {
			if a.owns != noInstalled {
				p.problem.LetGo(a.owns)
			}
			continue
		}
		s := problem.Subscription{Name: a.Name, Package: a.Package, Channels: a.distinctChannels(), StartingCSV: a.StartingCSV,
			Pin: a.Pin, Hold: a.Hold, Generated: a.Generated, Owned: problem.NoNode}
		if a.Catalog != (cache.Key{}) {
			s.Catalog = &a.Catalog
		}
		if !a.VersionRange.IsZero() {
			s.Range = &a.VersionRange
		}
		if len(p.req.Extensions) > 0 {
			s.Offer = p.offer(i, a.owns, known)
		}
		if a.owns != noInstalled {
			s.Owned = p.problem.Inst[a.owns]
		}
		subs = append(subs, s)
	}
	p.problem.Subscribe(subs)
	p.view = p.problem.Under(problem.Terms{})
}

// usableCatalogs are the catalogs that can be used, best first: by priority, then
// those of the resolved namespace, then by key (section 4).
func usableCatalogs(req *Request) []problem.Catalog {
	var cats []problem.Catalog
	for _, c := range req.Catalogs {
		if c.Content != nil && (c.Unavailable == nil || req.Policy.Unavailable == unavailableLastGood) {
			cats = append(cats, problem.Catalog{Key: c.Key, Priority: c.Priority, Content: c.Content})
		}
	}
	in := req.Namespace
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
	if req.Policy.Compatibility == compatibilityIgnore ||
		c.KubernetesVersion == "" && c.OpenShiftVersion == "" && len(c.APIs) == 0 && len(c.CRDs) == 0 && req.OperatorGroup == nil {
		return nil
	}
	s := &problem.Surroundings{CRDs: c.CRDs, Namespace: req.Namespace}
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
