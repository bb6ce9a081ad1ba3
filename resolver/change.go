package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Change is one change of a [Request], to be made by [Request.Apply] or for one answer
// by [Session.Resolve]. Package whatif makes them, with a function for each kind; which
// fields count depends on the kind. In JSON it says all that its words say. What JSON
// has no room for (the formula of a constraint, what is added) is missing when a change
// is read back, and then it can be printed but not made.
type Change struct {
	// Kind is a stable code. Corrections are made of useName, adoptInstalled, releasePin,
	// changeChannel, allowForbidden, migrateStorage, dropSubscription, removeInstalled and
	// relaxConstraint; addSubscription, pinSubscription, addInstalled, forbidBundle,
	// forceBundle, setPriority and replaceCatalog are for what-ifs.
	Kind string `json:"kind"`
	// Subject is the subscription, the bundle, the constraint's bundle, the catalog or the
	// resource definition that is changed.
	Subject string `json:"subject"`
	// Who can make the change, in a correction: "administrator", or "author" for what only
	// who publishes the catalog can change. Commands are the kubectl commands that make it
	// on a cluster, in their order, ready for a shell; none for what no command does, such
	// as a change of the request alone, or of an object whose name no cluster can have.
	Who      string   `json:"who,omitempty"`
	Commands []string `json:"commands,omitempty"`
	// To is the name that a subscription uses instead of From: the name Of its "package",
	// a "channel" or its "catalog".
	To   string `json:"to,omitempty"`
	From string `json:"from,omitempty"`
	Of   string `json:"of,omitempty"`
	// Catalog narrows a Subject that is a bundle to one catalog, as in [BundleRef].
	Catalog cache.Key `json:"catalog,omitzero"`
	// Channel is what a subscription follows instead; empty means every channel.
	Channel string `json:"channel,omitempty"`
	// Round is of a change on a path: from that round on, counted from 1, when the
	// bundle Installed is what the subscription owns. It is 0 where a change is for now.
	Round     int    `json:"round,omitempty"`
	Installed string `json:"installed,omitempty"`
	// Pin is the bundle that a subscription is pinned to, or was.
	Pin string `json:"pin,omitempty"`
	// StartingCSV and VersionRange are what is taken off a subscription with its pin, for
	// the words of the change.
	StartingCSV  string `json:"startingCSV,omitempty"`
	VersionRange string `json:"versionRange,omitempty"`
	// Extension says that what asks for a package, the Subject or the Subscription, is an
	// extension of OLM v1.
	Extension bool `json:"extension,omitempty"`
	// Subscription is the one that adopts the Subject.
	Subscription string `json:"subscription,omitempty"`
	// Hold says that the hold of a subscription is released, not its pin.
	Hold bool `json:"hold,omitempty"`
	// Message says why a bundle is forbidden.
	Message string `json:"message,omitempty"`
	// Priority is the new one of a catalog.
	Priority int `json:"priority,omitempty"`
	// Constraint says in words what does not count; empty means all that the Subject
	// requires. Formula is the constraint itself.
	Constraint string                 `json:"constraint,omitempty"`
	Formula    constraints.Constraint `json:"-"`

	// What is added: one of them, for the kinds addSubscription, AddInstalled and
	// ReplaceCatalog.
	NewSubscription *Subscription `json:"-"`
	NewInstalled    *Installed    `json:"-"`
	NewCatalog      *Catalog      `json:"-"`
}

// bundle is the bundle that a change is about.
func (c *Change) bundle() BundleRef { return BundleRef{Catalog: c.Catalog, Name: c.Subject} }

// String says the change in words. Names in it are made inert.
func (c Change) String() string { return text.Inert(clip(c.words())) }

// templates are the words of the kinds of changes, with names of fields for their values.
var templates = map[string]string{
	"useName":          "let {demand} {subject} {use} {to} instead of {from}",
	"adoptInstalled":   "let {demand} {subscription} adopt the installed {subject}",
	"releasePin":       "release {released} of {demand} {subject}",
	"changeChannel":    "let {demand} {subject} {follow}",
	"allowForbidden":   "allow {subject}",
	"migrateStorage":   "migrate the stored objects of {subject} to its storage version, with the storage version migrator",
	"dropSubscription": "drop {demand} {subject}",
	"removeInstalled":  "remove the installed {subject}",
	"relaxConstraint":  "relax what {subject} requires: {constraint}",
	"addSubscription":  "add subscription {subject}",
	"pinSubscription":  "pin {demand} {subject} to {pin}",
	"addInstalled":     "count as installed {subject}",
	"forbidBundle":     "forbid {bundle}",
	"forceBundle":      "force {bundle}",
	"setPriority":      "give catalog {subject} the priority {priority}",
	"replaceCatalog":   "replace catalog {subject}",
}

// uses are the words of taking another name, by what that is the name of.
var uses = map[string]string{"package": "ask for package", "channel": "follow channel", "catalog": "use catalog"}

func (c Change) words() string {
	words := cmp.Or(templates[c.Kind], c.Kind+" {subject}")
	if c.Kind == "relaxConstraint" && c.Constraint == "" {
		words = "relax all that {subject} requires"
	}
	return strings.NewReplacer("{demand}", lexicon.Demand(c.Extension), "{subject}", c.Subject, "{use}", cmp.Or(uses[c.Of], "use the name"), "{to}", c.To,
		"{from}", c.From, "{subscription}", c.Subscription, "{released}", c.released(), "{follow}", c.follow(), "{constraint}", c.Constraint, "{pin}", c.Pin,
		"{bundle}", c.bundle().String(), "{priority}", strconv.Itoa(c.Priority)).Replace(words)
}

// released says what is released; if that is not known, all that it can be.
func (c Change) released() string {
	var what []string
	if c.Pin != "" {
		what = append(what, "the pin to "+c.Pin)
	}
	if c.VersionRange != "" {
		what = append(what, "the version range "+c.VersionRange)
	}
	if c.StartingCSV != "" {
		what = append(what, "startingCSV "+c.StartingCSV)
	}
	switch {
	case c.Hold:
		what = []string{"the hold"}
	case len(what) == 0:
		what = []string{"version range", "startingCSV"}
	}
	return text.And(what)
}

func (c Change) follow() string {
	words := "follow channel " + c.Channel
	if c.Channel == "" {
		words = "use every channel"
	}
	if c.Round > 0 {
		words += fmt.Sprintf(" from round %d on", c.Round)
	}
	if c.Installed != "" && c.Round > 1 {
		words += fmt.Sprintf(", when %s is installed", c.Installed)
	}
	return words
}

// Apply returns the request with the changes made in their order, but for changes of a
// later round. The request itself is not changed. The error is a [*RequestError] that
// names each change whose subject the request does not have, or that lacks what it adds.
func (req Request) Apply(changes ...Change) (Request, error) {
	out, err := apply(withGenerated(req), changes)
	if err != nil {
		return req, err
	}
	return out, nil
}

// apply makes changes of a request in which generated subscriptions are written down.
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
	switch c.Kind {
	case "addSubscription":
		a.req.Subscriptions = added(a, a.req.Subscriptions, c.Subject, c.NewSubscription)
	case "addInstalled":
		a.req.Installed = added(a, a.req.Installed, c.Subject, c.NewInstalled)
	case "forbidBundle":
		a.req.Forbid = append(a.req.Forbid, Forbidden{c.bundle(), c.Message})
	case "forceBundle":
		a.req.Force = append(a.req.Force, c.bundle())
	case "relaxConstraint":
		if c.Formula == nil && c.Constraint != "" {
			a.missing(c.Subject, "the change says in words alone what is relaxed; give the constraint too")
		}
		a.req.Relax = append(a.req.Relax, BundleConstraint{c.bundle(), c.Formula})
	case "dropSubscription":
		a.drop(c.Subject)
	case "pinSubscription":
		a.edit(c.Subject, func(of subject) { *of.pin = c.Pin })
	case "releasePin":
		a.edit(c.Subject, func(of subject) {
			switch s := of.subscription; {
			case s == nil:
				of.extension.Pin, of.extension.VersionRange = "", ""
			case c.Hold:
				s.Hold = ""
			default:
				s.Pin, s.StartingCSV, s.VersionRange = "", "", Subscription{}.VersionRange
			}
		})
	case "useName":
		a.rename(c)
	case "changeChannel":
		if c.Round > 1 {
			return
		}
		a.edit(c.Subject, func(of subject) { *of.channels = text.NonEmpty(c.Channel) })
	case "adoptInstalled":
		a.adopt(c)
	case "removeInstalled":
		a.remove(c.Subject)
	case "allowForbidden":
		before := len(a.req.Forbid)
		a.req.Forbid = slices.DeleteFunc(a.req.Forbid, func(f Forbidden) bool { return f.Bundle.Name == c.Subject })
		if len(a.req.Forbid) == before {
			a.missing(c.Subject, "the request does not forbid this bundle")
		}
	case "migrateStorage":
		crds, known := problem.Migrate(a.req.Cluster.CRDs, c.Subject)
		if a.req.Cluster.CRDs = crds; !known {
			a.missing(c.Subject, "the cluster has no resource definition of this name")
		}
	case "setPriority", "replaceCatalog":
		a.catalog(c)
	default:
		a.missing(c.Kind, "there is no such change")
	}
}

// rename puts a name in the place of one that a subscription uses.
func (a *applier) rename(c Change) {
	a.edit(c.Subject, func(to subject) {
		key, err := cache.ParseKey(c.To)
		switch {
		case c.Of == "package":
			*to.pkg = c.To
		case c.Of == "channel":
			channels := slices.Clone(*to.channels)
			for i := range channels {
				if channels[i] == c.From {
					channels[i] = c.To
				}
			}
			*to.channels = channels
		case to.extension != nil:
			a.missing(c.To, "the change does not say what name this is; it is that of a package or channel")
		case c.Of == "catalog" && err == nil:
			to.subscription.Catalog = key
		default:
			a.missing(c.To, "the change does not say what name this is; it is that of a package, channel or catalog")
		}
	})
}

func added[T any](a *applier, to []T, subject string, what *T) []T {
	if what == nil {
		a.missing(subject, "the change does not hold what it adds")
		return to
	}
	return append(to, *what)
}

func (a *applier) missing(subject, message string) {
	a.v.add(a.field, subject, message, nil)
}

// subject is a subscription or an extension, with the fields that both have.
type subject struct {
	subscription        *Subscription
	extension           *Extension
	pkg, pin, installed *string
	channels            *[]string
}

// edit changes a subscription, or the extension of that name.
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
		a.unsubscribed(name)
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
		a.uninstalled(name)
	}
}

func (a *applier) adopt(c Change) {
	if !slices.ContainsFunc(a.req.Installed, func(in Installed) bool { return in.Name == c.Subject }) {
		a.uninstalled(c.Subject)
		return
	}
	a.req.Subscriptions = slices.DeleteFunc(a.req.Subscriptions, func(s Subscription) bool {
		return s.Generated && s.InstalledCSV == c.Subject && s.Name != c.Subscription
	})
	a.edit(c.Subscription, func(of subject) { *of.installed = c.Subject })
}

// catalog gives a catalog its priority, or puts one in the place of that of its key. Where
// there is none to replace it adds it.
func (a *applier) catalog(c Change) {
	i := slices.IndexFunc(a.req.Catalogs, func(of Catalog) bool { return of.Key == c.Catalog })
	switch {
	case c.Kind == "setPriority" && i >= 0:
		a.req.Catalogs[i].Priority = c.Priority
	case c.Kind == "setPriority":
		a.missing(c.Subject, "the request has no catalog of this key")
	case i >= 0 && c.NewCatalog != nil:
		a.req.Catalogs[i] = *c.NewCatalog
	default:
		a.req.Catalogs = added(a, a.req.Catalogs, c.Subject, c.NewCatalog)
	}
}
