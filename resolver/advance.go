package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
)

// Advance returns the request as it is once a solution of it has been carried out:
// the bundles of the result set are installed and owned by the subscriptions that
// they meet, and what they replace is gone. A bundle that came in as a dependency
// is marked as automatic, and the subscription that comes with it, see
// [Step.Subscription], is added, under the first free name where its own is taken.
// The request itself is not changed.
func Advance(req Request, sol *Solution) Request {
	req = withGenerated(req)
	if len(req.Extensions) > 0 {
		return advanceExtensions(req, sol)
	}
	a := advancer{req: req, before: make(map[string]int, len(req.Installed)), subs: make(map[string]int, len(req.Subscriptions))}
	for i := range req.Installed {
		a.before[req.Installed[i].Name] = i
	}
	a.req.Subscriptions = slices.Clone(req.Subscriptions)
	for i := range a.req.Subscriptions {
		a.subs[a.req.Subscriptions[i].Name] = i
	}
	a.installed = make(map[string]bool, len(sol.Steps))
	for i := range sol.Steps {
		a.installed[sol.Steps[i].Bundle] = true
	}
	a.forget()
	a.req.Installed = make([]Installed, 0, len(sol.Steps))
	for i := range sol.Steps {
		a.step(&sol.Steps[i], req.Installed)
	}
	return a.req
}

// advancer carries out a solution on a copy of its request.
type advancer struct {
	req       Request
	before    map[string]int // by name: index of what was installed
	subs      map[string]int // by name: index of a subscription
	installed map[string]bool
	taken     map[string]bool // names of subscriptions, once one is generated
}

// forget takes the installed bundle off subscriptions of which nothing is left. The
// subscriptions that the solution meets get theirs with its steps.
func (a *advancer) forget() {
	for i := range a.req.Subscriptions {
		if s := &a.req.Subscriptions[i]; !a.installed[s.InstalledCSV] {
			s.InstalledCSV = ""
		}
	}
}

// step installs, upgrades or keeps one bundle.
func (a *advancer) step(step *Step, before []Installed) {
	var in Installed
	if i, was := a.before[step.Bundle]; was && step.Action == Keep {
		in = before[i]
	} else {
		in = a.installedOf(step)
	}
	in.Subscription, in.ReplacedBy = "", ""
	for _, why := range step.Because {
		if i, known := a.subs[why.Subscription]; known && why.Subscription != "" {
			a.req.Subscriptions[i].InstalledCSV = step.Bundle
		}
	}
	if _, comes := step.Subscription(); comes {
		if a.taken == nil {
			a.taken = make(map[string]bool, len(a.subs))
			for name := range a.subs { // in any order
				a.taken[name] = true
			}
		}
		sub := generatedFor(step.Package, step.Channel, step.Catalog, step.Bundle, a.taken)
		a.req.Subscriptions = append(a.req.Subscriptions, sub)
	}
	a.req.Installed = append(a.req.Installed, in)
}

// installedOf is the installed bundle that a step brings. One that takes over from
// an automatic bundle is automatic as well.
func (a *advancer) installedOf(step *Step) Installed {
	in := Installed{Name: step.Bundle, Package: step.Package, Version: step.Version,
		Catalog: step.Catalog, Channel: step.Channel}
	_, in.Automatic = step.Subscription()
	for _, why := range step.Because {
		if i, known := a.subs[why.Subscription]; known && a.req.Subscriptions[i].Generated {
			in.Automatic = true
		}
	}
	for _, why := range step.Because {
		if i, known := a.subs[why.Subscription]; why.Forced || known && !a.req.Subscriptions[i].Generated {
			in.Automatic = false
		}
	}
	for _, c := range a.req.Catalogs {
		if c.Key != step.Catalog || c.Content == nil {
			continue
		}
		if pkg := c.Content.Package(step.Package); pkg != nil {
			if b := pkg.Bundle(step.Bundle); b != nil {
				in.Properties = &b.Properties
			}
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
	return Subscription{Name: GeneratedName(s.Package, s.Channel, s.Catalog), Package: s.Package,
		Channels: []string{s.Channel}, Catalog: s.Catalog, StartingCSV: s.Bundle, InstalledCSV: s.Bundle, Generated: true}, true
}
