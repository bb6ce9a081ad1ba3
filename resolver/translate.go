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

// translate builds the universe and the demands of the request. as, if not nil, predetermines
// the numbering.
func (p *resolution) translate(keepExcluded, installedOnly bool, as *problem.Numbering) {
	p.universe.Init(&p.budget, p.input(keepExcluded))
	if as != nil {
		p.universe.Number(as)
	}
	if p.addInstalled(); as != nil {
		p.universe.Reach(as)
	}
	p.demand(installedOnly)
}

// input translates the request without installed bundles and demands.
func (p *resolution) input(keepExcluded bool) problem.Input {
	req, in := p.req, problem.Input{KeepExcluded: keepExcluded, Terms: p.config.Terms}
	in.Rules, in.Cats, in.Forbid, in.APIs = rulesOf(req), p.installed.cats, p.forbidden(), req.Cluster.APIs
	in.Env, in.Cluster, in.Memory, in.Veto = environmentOf(req), p, p.config.problems, req.veto()
	if in.Policy = p.veto != nil; p.vetoes == nil && (in.Policy || req.Veto != nil) {
		p.vetoes = make(problem.Vetoes)
	}
	in.Vetoes = p.vetoes
	for _, c := range req.Constraints {
		in.Constraints = append(in.Constraints, problem.Constrained(c))
	}
	for _, r := range req.Relax {
		in.Relax = append(in.Relax, problem.Constrained(r))
	}
	return in
}

// rulesOf returns the rules that the policy selects.
func rulesOf(req *Request) problem.Rules {
	p := &req.Policy
	return problem.Rules{
		AllDeclared:     len(req.Extensions) > 0,
		AnyUpgrade:      p.Upgrades == UpgradesSelfCertified,
		PerBundle:       p.Compounds == CompoundsPerBundle,
		Stay:            p.Goal == MinimalChange || p.Goal == Nearest,
		Nearest:         p.Goal == Nearest,
		Oldest:          p.Goal == Oldest,
		AvoidDeprecated: p.Deprecations == DeprecationsAvoid,
		RequireFit:      p.Compatibility == CompatibilityRequire,
	}
}

func (p *resolution) forbidden() []problem.Forbidden {
	var out []problem.Forbidden
	for _, f := range p.req.Forbid {
		out = append(out, problem.Forbidden{Bundle: f.Bundle, Message: f.Message})
	}
	return out
}

func (p *resolution) forced() []BundleRef {
	var out []BundleRef
	for _, f := range p.req.Force {
		if !p.aside[settings.Root{Kind: argument.FactForced, Name: f.Name}] {
			out = append(out, f)
		}
	}
	return out
}

// Evaluator returns an evaluator of CEL rules for the cluster of the request.
func (p *resolution) Evaluator() *constraints.Evaluator {
	return constraints.NewEvaluator(constraints.EvaluatorOptions{
		Cluster: p.req.Cluster.visible(), APIs: p.req.Cluster.APIs, Budget: p.config.Limits.CELCost})
}

// demand translates the demands and finds their candidates.
func (p *resolution) demand(installedOnly bool) {
	p.demands = problem.Demands{Forced: p.forced()}
	ignored := func(kind argument.FactKind, name string) bool {
		return p.aside[settings.Root{Kind: kind, Name: name}]
	}
	for i := range p.universe.Inst {
		if ignored(argument.FactInstalled, p.req.Installed[i].Name) {
			p.demands.AllowRemoval(int32(i), len(p.universe.Inst))
		}
	}
	all := p.installed.demands()
	list := make([]problem.Demand, 0, len(all))
	for _, d := range all {
		if !ignored(argument.FactSubscription, d.Name) {
			list = append(list, p.demandOf(d))
		} else if d.owns != noInstalled {
			p.demands.AllowRemoval(d.owns, len(p.universe.Inst))
		}
	}
	p.demands.Set(&p.universe, list, installedOnly)
	for i := range list {
		p.offered(&list[i])
	}
	p.problem = p.under(problem.Assumptions{})
}

// demandOf translates a demand.
func (p *resolution) demandOf(d demand) problem.Demand {
	out := problem.Demand{Name: d.Name, Package: d.Package, Channels: d.distinctChannels(), StartingCSV: d.StartingCSV,
		Pin: d.Pin, Hold: d.Hold, Generated: d.Generated, Owned: problem.NoNode}
	if d.Catalog != (cache.Key{}) {
		out.Catalog = &d.Catalog
	}
	if !d.VersionRange.IsZero() {
		out.Range = &d.VersionRange
	}
	if d.extension != nil {
		out.Extension = p.extension(d)
	}
	if d.owns != noInstalled {
		out.Owned = p.universe.Inst[d.owns]
	}
	return out
}

// extension translates the fields that only an extension has.
func (p *resolution) extension(d demand) *problem.Extension {
	e := d.extension
	within, _ := p.config.problems.Range(e.VersionRange) // which is valid
	x := &problem.Extension{Range: e.VersionRange, Within: within,
		Narrowed:   len(e.Catalogs.MatchLabels)+len(e.Catalogs.MatchExpressions) > 0,
		AnyVersion: cmp.Or(e.Upgrades, p.req.Policy.Upgrades) == UpgradesSelfCertified,
		Plan:       p.req.Policy.Dependencies == DependenciesPlan}
	if d.owns != noInstalled {
		x.Installed = p.installedFor(d.owns)
	}
	for i := range p.req.Catalogs {
		c := &p.req.Catalogs[i]
		if cat := p.universe.CatalogIndex(c.Key); cat != problem.NoCatalog && e.Catalogs.Matches(c) {
			x.In = append(x.In, cat)
		}
	}
	return x
}

// offered sets the payload and deprecation of an installed bundle from the catalog that its
// extension selects, if that is unambiguous and has the bundle.
func (p *resolution) offered(d *problem.Demand) {
	if d.Extension == nil || d.Owned == problem.NoNode || len(d.Extension.Best) != 1 {
		return
	}
	best, own := d.Extension.Best[0], p.universe.Nodes[d.Owned].Inst
	in, nd := &p.req.Installed[own], &p.universe.Nodes[p.universe.Inst[own]]
	pkg := p.universe.Cats[best].Content.Package(d.Package)
	if pkg == nil {
		return
	}
	b := pkg.Bundle(in.Name)
	if b == nil {
		return
	}
	if p.offering == nil {
		p.offering = make(map[int32]int32)
	}
	p.offering[own], nd.Cat = best, best
	if nd.Bundle.Deprecation, nd.Bundle.Deprecated = b.Deprecation, b.Deprecated; in.Payload == nil {
		nd.Bundle.Payload = b.Payload
	}
}

// installedFor returns an installed bundle as its extension sees it. A missing release is that
// of the catalog bundle of the same name and version.
func (p *resolution) installedFor(own int32) *problem.Installed {
	in := &p.req.Installed[own]
	out := &problem.Installed{Name: in.Name, Package: p.installed.pkg[own], Version: p.versionOf(p.universe.Inst[own])}
	if out.Version == nil {
		return out
	}
	declared := in.Release
	known, _ := p.installed.known(in, out.Package)
	switch {
	case declared != "":
	case in.Properties != nil:
		said, _ := in.Properties.Package()
		declared = said.Release
	case known != nil && known.Version.String() == out.Version.String():
		declared = known.Release
	}
	out.Release = problem.ReleaseOf(*out.Version, declared)
	return out
}

// usableCatalogs returns the usable catalogs, best first: by priority, then those in the
// resolved namespace, then by key (section 4).
func usableCatalogs(req *Request) []problem.Catalog {
	var cats []problem.Catalog
	for _, c := range req.Catalogs {
		if c.Content != nil && (c.Unavailable == nil || req.Policy.Unavailable == UnavailableLastGood) {
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

// environmentOf returns the cluster facts for compatibility checks; nil if nothing is known or
// checked.
func environmentOf(req *Request) *problem.Environment {
	c := &req.Cluster
	if req.Policy.Compatibility == CompatibilityIgnore ||
		c.KubernetesVersion == "" && c.OpenShiftVersion == "" && len(c.APIs) == 0 && len(c.CRDs) == 0 && req.OperatorGroup == nil {
		return nil
	}
	s := &problem.Environment{CRDs: c.CRDs, Namespace: req.Namespace}
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
		s.Modes = properties.NeededInstallModes(req.Namespace, req.OperatorGroup.TargetNamespaces)
	}
	return s
}
