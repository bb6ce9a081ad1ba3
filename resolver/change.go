package resolver

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
)

// ChangeKind is the stable code of a [Change].
type ChangeKind string

// The kinds of changes. The first group is what corrections are made of, the
// user's own request before the cluster before an author's constraint; the
// others are for what-ifs.
const (
	AdoptInstalled   ChangeKind = "adoptInstalled"
	ReleasePin       ChangeKind = "releasePin"
	ChangeChannel    ChangeKind = "changeChannel"
	AllowForbidden   ChangeKind = "allowForbidden"
	DropSubscription ChangeKind = "dropSubscription"
	RemoveInstalled  ChangeKind = "removeInstalled"
	RelaxConstraint  ChangeKind = "relaxConstraint"

	AddSubscription ChangeKind = "addSubscription"
	PinSubscription ChangeKind = "pinSubscription"
	AddInstalled    ChangeKind = "addInstalled"
	ForbidBundle    ChangeKind = "forbidBundle"
	ForceBundle     ChangeKind = "forceBundle"
	SetPriority     ChangeKind = "setPriority"
	ReplaceCatalog  ChangeKind = "replaceCatalog"
)

// Change is one change of a [Request]. Make it with the functions of this
// package rather than by hand: which fields count depends on its kind.
type Change struct {
	Kind ChangeKind `json:"kind"`
	// Subject is the subscription, the bundle, the constraint's bundle or the
	// catalog that is changed.
	Subject string `json:"subject"`
	// Value is what it is changed to: a channel, the bundle of a pin, the
	// subscription that adopts.
	Value string `json:"-"`
	// Channel and Round are of a change on a road: from that round on, counted from 1,
	// the subscription follows that channel. They are empty where a change is for now.
	Channel string `json:"channel,omitempty"`
	Round   int    `json:"round,omitempty"`

	bundle       BundleRef
	subscription Subscription
	installed    Installed
	catalog      Catalog
	constraint   constraints.Constraint
}

// Drop drops a subscription. An installed bundle that it owned stays, as one that
// nobody owns.
func Drop(subscription string) Change {
	return Change{Kind: DropSubscription, Subject: subscription}
}

// Add adds a subscription after the others.
func Add(s Subscription) Change {
	return Change{Kind: AddSubscription, Subject: s.Name, subscription: s}
}

// Pin has a subscription met by the bundle of that name alone.
func Pin(subscription, bundle string) Change {
	return Change{Kind: PinSubscription, Subject: subscription, Value: bundle}
}

// Release takes the pin, the startingCSV and the version range off a subscription.
func Release(subscription string) Change {
	return Change{Kind: ReleasePin, Subject: subscription}
}

// LiftHold lets a subscription move what it holds where it is.
func LiftHold(subscription string) Change {
	return Change{Kind: ReleasePin, Subject: subscription, Value: "hold"}
}

// UseChannel has a subscription follow another channel; the empty name stands for
// all channels.
func UseChannel(subscription, channel string) Change {
	return Change{Kind: ChangeChannel, Subject: subscription, Value: channel}
}

// UseChannelIn has a subscription follow another channel from a round of upgrades on,
// counted from 1, when the bundle named last is installed. [Apply] makes it only if
// the round is the first: the others come once the rounds before them are carried out.
func UseChannelIn(subscription, channel string, round int, installed string) Change {
	return Change{Kind: ChangeChannel, Subject: subscription, Value: channel, Channel: channel, Round: round, bundle: BundleRef{Name: installed}}
}

// Prohibit forbids a bundle.
func Prohibit(b BundleRef, message string) Change {
	return Change{Kind: ForbidBundle, Subject: b.Name, Value: message, bundle: b}
}

// Allow takes back every prohibition of the bundles of that name.
func Allow(bundle string) Change { return Change{Kind: AllowForbidden, Subject: bundle} }

// Force wants a bundle in the result.
func Force(b BundleRef) Change { return Change{Kind: ForceBundle, Subject: b.Name, bundle: b} }

// InstallBundle adds an installed bundle.
func InstallBundle(in Installed) Change {
	return Change{Kind: AddInstalled, Subject: in.Name, installed: in}
}

// Remove removes an installed bundle. A subscription that owned it is a new one.
func Remove(bundle string) Change { return Change{Kind: RemoveInstalled, Subject: bundle} }

// Adopt has a subscription own an installed bundle.
func Adopt(bundle, subscription string) Change {
	return Change{Kind: AdoptInstalled, Subject: bundle, Value: subscription}
}

// Relax makes a constraint of a bundle not count; nil stands for all of them.
func Relax(b BundleRef, c constraints.Constraint) Change {
	return Change{Kind: RelaxConstraint, Subject: b.Name, bundle: b, constraint: c}
}

// Prioritize gives a catalog another priority.
func Prioritize(catalog cache.Key, priority int) Change {
	return Change{Kind: SetPriority, Subject: catalog.String(), catalog: Catalog{Key: catalog, Priority: priority}}
}

// Replace puts a catalog in the place of the one of the same key, its priority
// included, or adds it.
func Replace(c Catalog) Change {
	return Change{Kind: ReplaceCatalog, Subject: c.Key.String(), catalog: c}
}

// String says the change in words. Names in it are made inert.
func (c Change) String() string { return text.Inert(clip(c.words())) }

func (c Change) words() string {
	switch c.Kind {
	case DropSubscription:
		return "drop subscription " + c.Subject
	case AddSubscription:
		return fmt.Sprintf("add subscription %s to package %s", c.Subject, c.subscription.Package)
	case PinSubscription:
		return fmt.Sprintf("pin subscription %s to %s", c.Subject, c.Value)
	case ReleasePin:
		if c.Value != "" {
			return "lift the hold of subscription " + c.Subject
		}
		return "release the pin of subscription " + c.Subject
	case ChangeChannel:
		if c.Round > 0 {
			return c.roundWords()
		}
		if c.Value == "" {
			return "let subscription " + c.Subject + " use every channel"
		}
		return fmt.Sprintf("let subscription %s follow channel %s", c.Subject, c.Value)
	case ForbidBundle:
		return "forbid " + c.bundle.String()
	case AllowForbidden:
		return "allow " + c.Subject
	case ForceBundle:
		return "force " + c.bundle.String()
	case AddInstalled:
		return "count " + c.Subject + " as installed"
	case RemoveInstalled:
		return "remove the installed " + c.Subject
	case AdoptInstalled:
		return fmt.Sprintf("let subscription %s adopt the installed %s", c.Value, c.Subject)
	case RelaxConstraint:
		if c.constraint == nil {
			return "relax all that " + c.Subject + " requires"
		}
		return fmt.Sprintf("relax what %s requires: %s", c.Subject, c.constraint)
	case SetPriority:
		return fmt.Sprintf("give catalog %s the priority %d", c.Subject, c.catalog.Priority)
	case ReplaceCatalog:
		return "replace catalog " + c.Subject
	default:
		return string(c.Kind) + " " + c.Subject
	}
}

// roundWords says which channel is followed from which round on.
func (c Change) roundWords() string {
	words := fmt.Sprintf("let subscription %s follow channel %s from round %d on", c.Subject, c.Channel, c.Round)
	if c.bundle.Name != "" && c.Round > 1 {
		words += fmt.Sprintf(", when %s is installed", c.bundle.Name)
	}
	return words
}

// Apply returns the request with the changes made in their order, but for changes of
// a later round. The request
// itself is not changed. The error is a [*RequestError] that names each change
// whose subject the request does not have.
func Apply(req Request, changes ...Change) (Request, error) {
	a := applier{req: req}
	a.req.Catalogs = slices.Clone(req.Catalogs)
	a.req.Installed = slices.Clone(req.Installed)
	a.req.Subscriptions = slices.Clone(withGenerated(req).Subscriptions)
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

// applier makes changes on a copy of a request.
type applier struct {
	req   Request
	field string
	v     validator
}

func (a *applier) apply(c Change) {
	switch c.Kind {
	case AddSubscription:
		a.req.Subscriptions = append(a.req.Subscriptions, c.subscription)
	case AddInstalled:
		a.req.Installed = append(a.req.Installed, c.installed)
	case ForbidBundle:
		a.req.Forbid = append(a.req.Forbid, Forbid{c.bundle, c.Value})
	case ForceBundle:
		a.req.Force = append(a.req.Force, c.bundle)
	case RelaxConstraint:
		a.req.Relax = append(a.req.Relax, Relaxation{c.bundle, c.constraint})
	case DropSubscription:
		a.drop(c.Subject)
	case PinSubscription:
		a.edit(c.Subject, func(s *Subscription) { s.Pin = c.Value }, func(e *Extension) { e.Pin = c.Value })
	case ReleasePin:
		a.edit(c.Subject, func(s *Subscription) {
			if c.Value != "" {
				s.Hold = ""
				return
			}
			s.Pin, s.StartingCSV, s.VersionRange = "", "", Subscription{}.VersionRange
		}, func(e *Extension) { e.Pin, e.VersionRange = "", "" })
	case ChangeChannel:
		if c.Round > 1 {
			return
		}
		a.edit(c.Subject, func(s *Subscription) { s.Channels = nonEmpty(c.Value) }, func(e *Extension) { e.Channels = nonEmpty(c.Value) })
	case AdoptInstalled:
		a.adopt(c)
	case RemoveInstalled:
		a.remove(c.Subject)
	case AllowForbidden:
		before := len(a.req.Forbid)
		a.req.Forbid = slices.DeleteFunc(a.req.Forbid, func(f Forbid) bool { return f.Bundle.Name == c.Subject })
		if len(a.req.Forbid) == before {
			a.missing(c.Subject, "the request does not forbid this bundle")
		}
	case SetPriority, ReplaceCatalog:
		a.changeCatalog(c)
	default:
		a.missing(string(c.Kind), "there is no such change")
	}
}

func (a *applier) missing(subject, message string) {
	a.v.add(a.field, subject, message, nil)
}

// edit changes a subscription, or the extension of that name.
func (a *applier) edit(name string, change func(*Subscription), extension func(*Extension)) {
	if a.editExtension(name, extension) {
		return
	}
	for i := range a.req.Subscriptions {
		if a.req.Subscriptions[i].Name == name {
			change(&a.req.Subscriptions[i])
			return
		}
	}
	a.missing(name, "the request has no subscription of this name"+text.DidYouMean(name, subscriptionNames(&a.req)))
}

// drop leaves a subscription out, and what it owned without an owner.
func (a *applier) drop(name string) {
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
		a.missing(name, "the request has no subscription of this name"+text.DidYouMean(name, subscriptionNames(&a.req)))
	}
	for i := range a.req.Installed {
		in := &a.req.Installed[i]
		if in.Subscription == name {
			in.Subscription = ""
		}
		if dropped.Generated && in.Name == dropped.InstalledCSV {
			in.Automatic = false // or it would get such a subscription anew
		}
	}
}

// remove takes an installed bundle away, with the subscription that came with it if
// it came in as a dependency.
func (a *applier) remove(name string) {
	a.req.Subscriptions = slices.DeleteFunc(a.req.Subscriptions, func(s Subscription) bool {
		return s.Generated && s.InstalledCSV == name
	})
	before := len(a.req.Installed)
	a.req.Installed = slices.DeleteFunc(a.req.Installed, func(in Installed) bool { return in.Name == name })
	if len(a.req.Installed) == before {
		a.missing(name, "no bundle of this name is installed"+text.DidYouMean(name, installedNames(&a.req)))
	}
}

func (a *applier) adopt(c Change) {
	if !slices.ContainsFunc(a.req.Installed, func(in Installed) bool { return in.Name == c.Subject }) {
		a.missing(c.Subject, "no bundle of this name is installed"+text.DidYouMean(c.Subject, installedNames(&a.req)))
		return
	}
	a.req.Subscriptions = slices.DeleteFunc(a.req.Subscriptions, func(s Subscription) bool {
		return s.Generated && s.InstalledCSV == c.Subject && s.Name != c.Value
	})
	a.edit(c.Value, func(s *Subscription) { s.InstalledCSV = c.Subject }, func(e *Extension) { e.InstalledCSV = c.Subject })
}

func (a *applier) changeCatalog(c Change) {
	for i := range a.req.Catalogs {
		if a.req.Catalogs[i].Key != c.catalog.Key {
			continue
		}
		if c.Kind == SetPriority {
			a.req.Catalogs[i].Priority = c.catalog.Priority
		} else {
			a.req.Catalogs[i] = c.catalog
		}
		return
	}
	if c.Kind == SetPriority {
		a.missing(c.Subject, "the request has no catalog of this key")
		return
	}
	a.req.Catalogs = append(a.req.Catalogs, c.catalog)
}
