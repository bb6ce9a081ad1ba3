package resolver

// Aside names what asks for nothing while the rest of a request is looked at, see
// [WithAside]: subscriptions, installed bundles that need not stay, forced bundles.
type Aside struct{ Subscriptions, Installed, Forced []string }

// WithAside makes a resolver set aside a part of each request: one of several
// independent conflicts can be looked at while the others count as settled. What is
// installed is still there and may be chosen.
func WithAside(a Aside) Option {
	return func(c *config) {
		c.aside = nil
		if len(a.Subscriptions)+len(a.Installed)+len(a.Forced) > 0 {
			c.aside = &aside{nameSet(a.Subscriptions), nameSet(a.Installed), nameSet(a.Forced)}
		}
	}
}

func nameSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// aside is an [Aside] to look things up in. All methods report false on nil.
type aside struct{ subscriptions, bundles, forces map[string]bool }

func (a *aside) subscription(name string) bool { return a != nil && a.subscriptions[name] }
func (a *aside) installed(name string) bool    { return a != nil && a.bundles[name] }
func (a *aside) forced(b BundleRef) bool       { return a != nil && a.forces[b.Name] }
