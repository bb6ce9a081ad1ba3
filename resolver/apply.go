package resolver

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Apply returns the request with the changes applied in order. Changes of a later round are not
// applied. Apply does not modify req.
//
// The error is a [*RequestError] that lists each change whose subject the request does not have
// and each that lacks the object to add.
func (req Request) Apply(changes ...Change) (Request, error) {
	out, err := apply(withGenerated(req), changes)
	if err != nil {
		return req, err
	}
	return out, nil
}

// apply applies changes to a request that lists its generated subscriptions.
func apply(req Request, changes []Change) (Request, error) {
	a := applier{req: req}
	a.req.Catalogs = slices.Clone(req.Catalogs)
	a.req.Installed = slices.Clone(req.Installed)
	a.req.Subscriptions = slices.Clone(req.Subscriptions)
	a.req.Extensions = slices.Clone(req.Extensions)
	a.req.Forbid = slices.Clone(req.Forbid)
	a.req.Force = slices.Clone(req.Force)
	a.req.Relax = slices.Clone(req.Relax)
	for i, c := range changes {
		a.field = fmt.Sprintf("changes[%d]", i)
		a.apply(c)
	}
	if len(a.v.problems) > 0 {
		return req, &RequestError{Problems: a.v.problems}
	}
	return a.req, nil
}

type applier struct {
	req   Request
	field string
	v     validator
}

func (a *applier) apply(c Change) {
	if c == nil {
		a.missing("", "there is no change")
		return
	}
	c.apply(a)
}

func (c AddSubscription) apply(a *applier) {
	a.req.Subscriptions = append(a.req.Subscriptions, c.Subscription)
}

func (c AddInstalled) apply(a *applier) { a.req.Installed = append(a.req.Installed, c.Installed) }

func (c ForbidBundle) apply(a *applier) {
	a.req.Forbid = append(a.req.Forbid, Forbidden(c))
}

func (c ForceBundle) apply(a *applier) { a.req.Force = append(a.req.Force, c.Bundle) }

func (c RelaxConstraint) apply(a *applier) {
	if c.Constraint == nil && c.words != "" {
		a.missing(c.Bundle.Name, "the change has only the text of the constraint; set Constraint")
	}
	a.req.Relax = append(a.req.Relax, BundleConstraint{c.Bundle, c.Constraint})
}

func (c PinSubscription) apply(a *applier) {
	a.edit(c.Subscription, func(of subject) { *of.pin = c.Bundle })
}

func (c ReleasePin) apply(a *applier) {
	a.edit(c.Subscription, func(of subject) {
		if s := of.subscription; s != nil {
			s.Pin, s.StartingCSV, s.VersionRange = "", "", Subscription{}.VersionRange
		} else {
			of.extension.Pin, of.extension.VersionRange = "", ""
		}
	})
}

func (c ReleaseHold) apply(a *applier) {
	a.edit(c.Subscription, func(of subject) {
		if of.subscription != nil {
			of.subscription.Hold = ""
		} else {
			a.missing(c.Subscription, "an extension has no hold")
		}
	})
}

func (c FollowChannel) apply(a *applier) {
	if c.Round <= 1 {
		a.edit(c.Subscription, func(of subject) { *of.channels = text.NonEmpty(c.Channel) })
	}
}

func (c AllowForbidden) apply(a *applier) {
	before := len(a.req.Forbid)
	a.req.Forbid = slices.DeleteFunc(a.req.Forbid, func(f Forbidden) bool { return f.Bundle.Name == c.Bundle })
	if len(a.req.Forbid) == before {
		a.missing(c.Bundle, "the request does not forbid this bundle")
	}
}

func (c RestrictPolicy) apply(a *applier) {
	a.req.Policy.Veto = append(slices.Clip(a.req.Policy.Veto), c.Rule)
}

func (c RelaxPolicy) apply(a *applier) {
	before := len(a.req.Policy.Veto)
	a.req.Policy.Veto = slices.DeleteFunc(slices.Clone(a.req.Policy.Veto), func(v VetoRule) bool { return v.Rule == c.Rule })
	if len(a.req.Policy.Veto) == before {
		a.missing(c.Rule, "the policy has no such rule")
	}
}

func (c MigrateStorage) apply(a *applier) {
	crds, known := problem.Migrate(a.req.Cluster.CRDs, c.CRD)
	if a.req.Cluster.CRDs = crds; !known {
		a.missing(c.CRD, "the cluster has no resource definition of this name")
	}
}

func (c UseName) apply(a *applier) {
	a.edit(c.Subscription, func(of subject) {
		key, err := cache.ParseKey(c.To)
		switch {
		case c.Of == NamePackage:
			*of.pkg = c.To
		case c.Of == NameChannel:
			channels := slices.Clone(*of.channels)
			for i := range channels {
				if channels[i] == c.From {
					channels[i] = c.To
				}
			}
			*of.channels = channels
		case of.extension != nil:
			a.missing(c.To, "unknown kind of name; use package or channel")
		case c.Of == NameCatalog && err == nil:
			of.subscription.Catalog = key
		default:
			a.missing(c.To, "unknown kind of name; use package, channel or catalog")
		}
	})
}

func (c incomplete) apply(a *applier) {
	switch c.Kind() {
	case ChangeAddSubscription, ChangeAddInstalled, ChangeReplaceCatalog:
		a.missing(c.Subject(), "the change lacks the object to add")
	default:
		a.missing(string(c.Kind()), "unknown kind of change")
	}
}

func (a *applier) missing(subject, message string) {
	a.v.add(a.field, subject, message, nil)
}

// subject is a subscription or an extension, with pointers to their common fields.
type subject struct {
	subscription        *Subscription
	extension           *Extension
	pkg, pin, installed *string
	channels            *[]string
}

// edit calls change with the extension or subscription of that name.
func (a *applier) edit(name string, change func(subject)) {
	for i := range a.req.Extensions {
		if e := &a.req.Extensions[i]; e.Name == name {
			change(subject{nil, e, &e.Package, &e.Pin, &e.InstalledCSV, &e.Channels})
			return
		}
	}
	for i := range a.req.Subscriptions {
		if s := &a.req.Subscriptions[i]; s.Name == name {
			change(subject{s, nil, &s.Package, &s.Pin, &s.InstalledCSV, &s.Channels})
			return
		}
	}
	a.unsubscribed(name)
}

func (a *applier) unsubscribed(name string) {
	a.missing(name, "the request has no subscription of this name"+text.DidYouMean(name, slices.Values(demandNames(&a.req))))
}

func (a *applier) uninstalled(name string) {
	a.missing(name, "no bundle of this name is installed"+text.DidYouMean(name, installedNames(&a.req)))
}

func (c DropSubscription) apply(a *applier) {
	name := c.Subscription
	before := len(a.req.Subscriptions) + len(a.req.Extensions)
	a.req.Extensions = slices.DeleteFunc(a.req.Extensions, func(e Extension) bool { return e.Name == name })
	var dropped Subscription
	a.req.Subscriptions = slices.DeleteFunc(a.req.Subscriptions, func(s Subscription) bool {
		if s.Name == name {
			dropped = s
		}
		return s.Name == name
	})
	if len(a.req.Subscriptions)+len(a.req.Extensions) == before {
		a.unsubscribed(name)
	}
	for i := range a.req.Installed {
		in := &a.req.Installed[i]
		if in.Subscription == name {
			in.Subscription = ""
		}
		if dropped.Generated && in.Name == dropped.InstalledCSV {
			in.Automatic = false // otherwise its subscription would be generated again
		}
	}
}

// apply removes the generated subscription too, if the bundle was installed as a dependency.
func (c RemoveInstalled) apply(a *applier) {
	name := c.Bundle
	a.req.Subscriptions = slices.DeleteFunc(a.req.Subscriptions, func(s Subscription) bool {
		return s.Generated && s.InstalledCSV == name
	})
	before := len(a.req.Installed)
	a.req.Installed = slices.DeleteFunc(a.req.Installed, func(in Installed) bool { return in.Name == name })
	if len(a.req.Installed) == before {
		a.uninstalled(name)
	}
}

func (c AdoptInstalled) apply(a *applier) {
	if !slices.ContainsFunc(a.req.Installed, func(in Installed) bool { return in.Name == c.Bundle }) {
		a.uninstalled(c.Bundle)
		return
	}
	a.req.Subscriptions = slices.DeleteFunc(a.req.Subscriptions, func(s Subscription) bool {
		return s.Generated && s.InstalledCSV == c.Bundle && s.Name != c.Subscription
	})
	a.edit(c.Subscription, func(of subject) { *of.installed = c.Bundle })
}

func (c SetPriority) apply(a *applier) {
	if of := a.catalog(c.Catalog); of != nil {
		of.Priority = c.Priority
	} else {
		a.missing(c.Catalog.String(), "the request has no catalog of this key")
	}
}

func (c ReplaceCatalog) apply(a *applier) {
	if of := a.catalog(c.Catalog.Key); of != nil {
		*of = c.Catalog
	} else {
		a.req.Catalogs = append(a.req.Catalogs, c.Catalog)
	}
}

// catalog returns the catalog with a key; nil if there is none.
func (a *applier) catalog(key cache.Key) *Catalog {
	i := slices.IndexFunc(a.req.Catalogs, func(c Catalog) bool { return c.Key == key })
	if i < 0 {
		return nil
	}
	return &a.req.Catalogs[i]
}
