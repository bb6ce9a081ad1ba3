package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Advance returns the request as it is once a solution of it has been carried out:
// the bundles of the result set are installed and owned by the subscriptions that
// they meet, and what they replace is gone. A bundle that came in as a dependency
// is marked as automatic, and the subscription that comes with it, see
// [Step.Subscription], is added, under the first free name where its own is taken.
// Resource definitions of the cluster are those of the bundles that were installed, where
// their manifests are known: of the stored versions those are left that a definition still
// has, for an install plan that takes another one away does not end.
// The request itself is not changed.
func (req Request) Advance(sol *Solution) Request {
	req = withGenerated(req)
	a := advancer{req: req, before: make(map[string]*Installed, len(req.Installed)), owners: make(map[string]int, len(req.Subscriptions))}
	for i := range req.Installed {
		a.before[req.Installed[i].Name] = &req.Installed[i]
	}
	a.forget(sol)
	a.req.Installed = make([]Installed, 0, len(sol.Steps))
	for i := range sol.Steps {
		a.step(&sol.Steps[i])
	}
	return a.req
}

type advancer struct {
	req    Request
	before map[string]*Installed // by name: what was installed
	owners map[string]int        // by name: index of a subscription or extension, new ones included
}

// forget takes the installed bundle off subscriptions and extensions of which nothing is
// left. Those that the solution meets get theirs with its steps.
func (a *advancer) forget(sol *Solution) {
	installed := make(map[string]bool, len(sol.Steps))
	for i := range sol.Steps {
		installed[sol.Steps[i].Bundle] = true
	}
	a.req.Subscriptions, a.req.Extensions = slices.Clone(a.req.Subscriptions), slices.Clone(a.req.Extensions)
	for i := range a.req.Subscriptions {
		s := &a.req.Subscriptions[i]
		a.owners[s.Name] = i
		if !installed[s.InstalledCSV] {
			s.InstalledCSV = ""
		}
	}
	for i := range a.req.Extensions {
		e := &a.req.Extensions[i]
		a.owners[e.Name] = i
		if !installed[e.InstalledCSV] {
			e.InstalledCSV = ""
		}
	}
}

func (a *advancer) step(step *Step) {
	var in Installed
	if was := a.before[step.Bundle]; was != nil && step.Action == Keep {
		in = *was
	} else {
		in = a.installedOf(step)
	}
	in.Subscription, in.ReplacedBy = "", ""
	a.req.Installed = append(a.req.Installed, in)
	for _, why := range step.Because {
		switch i, known := a.owners[why.Subscription]; {
		case !known || why.Subscription == "":
		case len(a.req.Extensions) > 0:
			a.req.Extensions[i].InstalledCSV = step.Bundle
		default:
			a.req.Subscriptions[i].InstalledCSV = step.Bundle
		}
	}
	if sub, comes := step.Subscription(); comes {
		sub.Name = free(sub.Name, a.owners)
		a.req.Subscriptions = append(a.req.Subscriptions, sub)
	}
	if e, comes := step.Extension(); comes { // what a plan brings is an extension from then on
		for _, taken := a.owners[e.Name]; taken; _, taken = a.owners[e.Name] {
			e.Name += "-dependency"
		}
		e.VersionRange = ""
		a.owners[e.Name] = len(a.req.Extensions)
		a.req.Extensions = append(a.req.Extensions, e)
	}
}

// installedOf is the installed bundle that a step brings, with its definitions. One that takes over from
// an automatic bundle is automatic as well.
func (a *advancer) installedOf(step *Step) Installed {
	in := Installed{Name: step.Bundle, Package: step.Package, Version: step.Version,
		Catalog: step.Catalog, Channel: step.Channel, Payload: step.Payload}
	_, in.Automatic = step.Subscription()
	wanted := false // for itself
	for _, why := range step.Because {
		if i, known := a.owners[why.Subscription]; known && len(a.req.Extensions) == 0 {
			generated := a.req.Subscriptions[i].Generated
			in.Automatic, wanted = in.Automatic || generated, wanted || !generated
		}
		wanted = wanted || why.Forced
	}
	in.Automatic = in.Automatic && !wanted
	for _, pkg := range a.req.Packages(step.Catalog, step.Package) {
		if b := pkg.Bundle(step.Bundle); b != nil {
			in.Properties = &b.Properties
			a.req.Cluster.CRDs = problem.Define(a.req.Cluster.CRDs, b, a.req.Namespace, step.Replaces)
		}
	}
	return in
}

// Subscription returns the subscription that comes with a step which installs a
// dependency, as OLM makes one: it is named by [GeneratedName] and asks for the
// package of the bundle, in the channel and the catalog that it was chosen from
// (section 5 of the semantics). The second result is false for all other steps, and for
// one whose reasons were left out.
func (s *Step) Subscription() (Subscription, bool) {
	if s.Planned || len(s.Because) == 0 || s.Action != Install || s.Package == "" || s.Catalog == (cache.Key{}) {
		return Subscription{}, false
	}
	for _, why := range s.Because {
		if why.Subscription != "" || why.Forced {
			return Subscription{}, false
		}
	}
	return generated(s.Package, s.Channel, s.Catalog, s.Bundle), true
}
