package resolver

import "github.com/seed109e2655/resolute/resolver/argument"

// aside is what asks for nothing while one of several conflicts is looked at:
// subscriptions, installed bundles that need not stay, forced bundles. All methods
// report false on nil.
type aside struct {
	subscriptions map[string]bool
	bundles       map[string]bool
	forces        map[string]bool
}

func newAside() *aside {
	return &aside{make(map[string]bool), make(map[string]bool), make(map[string]bool)}
}

func (a *aside) subscription(name string) bool { return a != nil && a.subscriptions[name] }
func (a *aside) installed(name string) bool    { return a != nil && a.bundles[name] }
func (a *aside) forced(b BundleRef) bool       { return a != nil && a.forces[b.Name] }

// asideOf sets aside what some conflicts start from; nil if there are none.
func asideOf(conflicts []*Conflict) *aside {
	if len(conflicts) == 0 {
		return nil
	}
	a := newAside()
	for _, c := range conflicts {
		for i := range c.Facts {
			a.add(&c.Facts[i], true)
		}
	}
	return a
}

// add sets aside what a fact starts from, or takes it back.
func (a *aside) add(f *argument.Fact, is bool) {
	switch f.Kind {
	case argument.FactSubscription:
		a.subscriptions[f.Subject] = is
	case argument.FactInstalled:
		a.bundles[f.Subject] = is
	case argument.FactForced:
		a.forces[f.Subject] = is
	}
}

// allBut sets everything aside that a conflict does not start from.
func (s *corrector) allBut(c *Conflict) *aside {
	a := newAside()
	for i := range s.base.Subscriptions {
		a.subscriptions[s.base.Subscriptions[i].Name] = true
	}
	for i := range s.base.Installed {
		a.bundles[s.base.Installed[i].Name] = true
	}
	for _, f := range s.base.Force {
		a.forces[f.Name] = true
	}
	for i := range c.Facts {
		a.add(&c.Facts[i], false)
	}
	return a
}
