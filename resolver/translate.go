package resolver

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// translation is a request as a problem, with what the problem knows nothing of: names
// above all.
type translation struct {
	problem.Problem

	req    *Request
	config *config

	asked []Subscription // what is asked for, generated subscriptions included

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
		in.Constraints = append(in.Constraints, problem.Constrained{Bundle: problem.Ref(c.Bundle), Constraint: c.Constraint})
	}
	for _, r := range req.Relax {
		in.Relax = append(in.Relax, problem.Constrained{Bundle: problem.Ref(r.Bundle), Constraint: r.Constraint})
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

func (p *translation) forbidden() []problem.Ref {
	var out []problem.Ref
	for _, f := range p.req.Forbid {
		out = append(out, problem.Ref(f.Bundle))
	}
	return out
}

func (p *translation) forcedRefs() []problem.Forced {
	var out []problem.Forced
	for _, f := range p.req.Force {
		out = append(out, problem.Forced{Bundle: problem.Ref(f), Left: p.config.aside.forced(f)})
	}
	return out
}

// Evaluator evaluates rules on the cluster of the request.
func (p *translation) Evaluator() *constraints.Evaluator {
	return constraints.NewEvaluator(constraints.EvaluatorOptions{
		Cluster: p.req.Cluster.visible(), APIs: p.req.Cluster.APIs, Budget: p.config.limits.CELCost})
}

// subscribe finds who owns what, and the candidates of every subscription.
func (p *translation) subscribe() {
	owns := p.addOwners()
	aside := p.config.aside
	if aside != nil {
		for i := range p.Inst {
			if aside.installed(p.req.Installed[i].Name) {
				p.LetGo(int32(i))
			}
		}
	}
	subs := make([]problem.Subscription, len(p.asked))
	given := make(map[*extensionOffers]*[]problem.Candidate)
	for i := range subs {
		a, s := &p.asked[i], &subs[i]
		*s = problem.Subscription{Package: a.Package, Channels: a.distinctChannels(), StartingCSV: a.StartingCSV,
			Pin: a.Pin, Held: a.Hold != "", Owned: problem.NoNode, Left: aside.subscription(a.Name)}
		if a.Catalog != (cache.Key{}) {
			s.Catalog = &a.Catalog
		}
		if !a.VersionRange.IsZero() {
			s.Range = &a.VersionRange
		}
		if a.offers != nil {
			if given[a.offers] == nil {
				list := p.givenBy(a.offers)
				given[a.offers] = &list
			}
			s.Given = given[a.offers]
		}
		if own := owns[i]; own != noInstalled {
			if s.Owned = p.Inst[own]; s.Left {
				p.LetGo(own)
			}
		}
	}
	p.Subscribe(subs)
}
