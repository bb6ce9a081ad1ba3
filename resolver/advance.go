package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Advance returns the request after the steps of sol have been carried out. The bundles of the
// result set are installed and owned by the subscriptions that they satisfy; the bundles that
// they replace are removed. A bundle installed as a dependency is marked Automatic, and its
// generated subscription (see [Step.Subscription]) is added, with a numeric suffix if the name
// is in use.
//
// If the manifests of an installed bundle are known, its resource definitions replace those of
// the cluster. A stored version that the new definition lacks is dropped, because an install
// plan that removes a stored version never completes.
//
// Advance does not modify req.
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
	before map[string]*Installed // by name, before the steps
	owners map[string]int        // by name: index of a subscription or extension, new ones included
}

// forget clears InstalledCSV of each subscription and extension whose bundle is no longer
// installed. The steps set it again for those that the solution satisfies.
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
	if e, comes := step.Extension(); comes { // a planned dependency becomes an extension
		for _, taken := a.owners[e.Name]; taken; _, taken = a.owners[e.Name] {
			e.Name += "-dependency"
		}
		e.VersionRange = ""
		a.owners[e.Name] = len(a.req.Extensions)
		a.req.Extensions = append(a.req.Extensions, e)
	}
}

// installedOf returns the bundle that a step installs, and updates the resource definitions of
// the cluster. A bundle that replaces an automatic one is automatic too.
func (a *advancer) installedOf(step *Step) Installed {
	in := Installed{Name: step.Bundle, Package: step.Package, Version: step.Version,
		Catalog: step.Catalog, Channel: step.Channel, Payload: step.Payload}
	_, in.Automatic = step.Subscription()
	requested := false // not only as a dependency
	for _, why := range step.Because {
		if i, known := a.owners[why.Subscription]; known && len(a.req.Extensions) == 0 {
			generated := a.req.Subscriptions[i].Generated
			in.Automatic, requested = in.Automatic || generated, requested || !generated
		}
		requested = requested || why.Forced
	}
	in.Automatic = in.Automatic && !requested
	for _, pkg := range a.req.Packages(step.Catalog, step.Package) {
		if b := pkg.Bundle(step.Bundle); b != nil {
			in.Properties = &b.Properties
			a.req.Cluster.CRDs = problem.Define(a.req.Cluster.CRDs, b, a.req.Namespace, step.Replaces)
		}
	}
	return in
}

// Subscription returns the subscription that OLM generates for a step that installs a dependency
// (section 5 of the semantics). It is named by [GeneratedName] and selects the package, channel
// and catalog of the bundle. The second result is false for every other step, and for a step
// without reasons.
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
