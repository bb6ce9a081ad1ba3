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

// Change is one modification of a [Request]. [Request.Apply] applies it to a request;
// [Session.Resolve] applies it for one answer. Package whatif has a constructor for each kind.
// Kind determines which of the other fields are used.
//
// The JSON form holds everything that String prints. It omits Formula and the New fields; a
// change that was read back without a field that it needs can be printed but not applied.
type Change struct {
	// Kind is a stable code. Corrections use the kinds useName, adoptInstalled, releasePin,
	// changeChannel, allowForbidden, relaxPolicy, migrateStorage, dropSubscription, removeInstalled and
	// relaxConstraint. The kinds addSubscription, pinSubscription, addInstalled, forbidBundle,
	// restrictPolicy, forceBundle, setPriority and replaceCatalog occur only in what-ifs.
	Kind string `json:"kind"`
	// Subject is the name of the changed subscription, extension, bundle or resource definition,
	// the key of the changed catalog, or the added or removed rule of the policy.
	Subject string `json:"subject"`
	// Who is the role that can make a change of a correction: "administrator", or "author" if
	// only the publisher of the bundle can. Commands are the kubectl commands that make the
	// change on a cluster, in order and quoted for a shell. Commands is empty if no command
	// makes it: for a change of the request alone, or of an object whose name is not valid on a
	// cluster.
	Who      string   `json:"who,omitempty"`
	Commands []string `json:"commands,omitempty"`
	// To is the name that replaces From in a change of kind useName. Of is what the name refers
	// to: "package", "channel" or "catalog".
	To   string `json:"to,omitempty"`
	From string `json:"from,omitempty"`
	Of   string `json:"of,omitempty"`
	// Catalog restricts a bundle Subject to one catalog, as in [BundleRef].
	Catalog cache.Key `json:"catalog,omitzero"`
	// Channel is the new channel of a subscription; empty means all channels.
	Channel string `json:"channel,omitempty"`
	// Round is the round of an upgrade path, counted from 1, in which the change is made, and
	// Installed is the bundle that the subscription owns then. Round is 0 for a change that is
	// made at once.
	Round     int    `json:"round,omitempty"`
	Installed string `json:"installed,omitempty"`
	// Pin is the bundle to which a subscription is pinned, or from which it is released.
	Pin string `json:"pin,omitempty"`
	// StartingCSV and VersionRange are the values that releasePin removes along with the pin.
	// Only String uses them.
	StartingCSV  string `json:"startingCSV,omitempty"`
	VersionRange string `json:"versionRange,omitempty"`
	// Extension reports whether Subject or Subscription names an extension of OLM v1.
	Extension bool `json:"extension,omitempty"`
	// Subscription is the subscription that adopts Subject.
	Subscription string `json:"subscription,omitempty"`
	// Hold reports whether releasePin releases the hold of a subscription instead of its pin.
	Hold bool `json:"hold,omitempty"`
	// Message is the reason for forbidding a bundle, or that of an added rule.
	Message string `json:"message,omitempty"`
	// Priority is the new priority of a catalog.
	Priority int `json:"priority,omitempty"`
	// Constraint is the text of the relaxed constraint; empty means every constraint of Subject.
	// Formula is the constraint itself.
	Constraint string                 `json:"constraint,omitempty"`
	Formula    constraints.Constraint `json:"-"`

	// The object to add, for the kinds addSubscription, addInstalled and replaceCatalog.
	NewSubscription *Subscription `json:"-"`
	NewInstalled    *Installed    `json:"-"`
	NewCatalog      *Catalog      `json:"-"`
}

func (c *Change) bundle() BundleRef { return BundleRef{Catalog: c.Catalog, Name: c.Subject} }

// String returns a one-line description of the change for people. Control characters in names
// are escaped.
func (c Change) String() string { return text.Inert(clip(c.words())) }

// templates are the descriptions by kind, with placeholders for the fields.
var templates = map[string]string{
	"useName":          "let {demand} {subject} {use} {to} instead of {from}",
	"adoptInstalled":   "let {demand} {subscription} adopt the installed {subject}",
	"releasePin":       "release {released} of {demand} {subject}",
	"changeChannel":    "let {demand} {subject} {follow}",
	"allowForbidden":   "allow {subject}",
	"restrictPolicy":   "add the policy rule {subject}",
	"relaxPolicy":      "remove the policy rule {subject}",
	"migrateStorage":   "migrate the stored objects of {subject} to its storage version, with the storage version migrator",
	"dropSubscription": "drop {demand} {subject}",
	"removeInstalled":  "remove the installed {subject}",
	"relaxConstraint":  "relax what {subject} requires: {constraint}",
	"addSubscription":  "add subscription {subject}",
	"pinSubscription":  "pin {demand} {subject} to {pin}",
	"addInstalled":     "add installed bundle {subject}",
	"forbidBundle":     "forbid {bundle}",
	"forceBundle":      "force {bundle}",
	"setPriority":      "set the priority of catalog {subject} to {priority}",
	"replaceCatalog":   "replace catalog {subject}",
}

// uses are the verb phrases of useName, by the value of Of.
var uses = map[string]string{"package": "use package", "channel": "follow channel", "catalog": "use catalog"}

func (c Change) words() string {
	words := cmp.Or(templates[c.Kind], c.Kind+" {subject}")
	if c.Kind == "relaxConstraint" && c.Constraint == "" {
		words = "relax all that {subject} requires"
	}
	return strings.NewReplacer("{demand}", lexicon.Demand(c.Extension), "{subject}", c.Subject, "{use}", cmp.Or(uses[c.Of], "use the name"), "{to}", c.To,
		"{from}", c.From, "{subscription}", c.Subscription, "{released}", c.released(), "{follow}", c.follow(), "{constraint}", c.Constraint, "{pin}", c.Pin,
		"{bundle}", c.bundle().String(), "{priority}", strconv.Itoa(c.Priority)).Replace(words)
}

// released lists the settings that are released, or all that can be if the change does not say.
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
			a.missing(c.Subject, "the change has only the text of the constraint; set Formula too")
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
	case "restrictPolicy":
		a.req.Policy.Veto = append(slices.Clip(a.req.Policy.Veto), VetoRule{Rule: c.Subject, Message: c.Message})
	case "relaxPolicy":
		before := len(a.req.Policy.Veto)
		a.req.Policy.Veto = slices.DeleteFunc(slices.Clone(a.req.Policy.Veto), func(v VetoRule) bool { return v.Rule == c.Subject })
		if len(a.req.Policy.Veto) == before {
			a.missing(c.Subject, "the policy has no such rule")
		}
	case "migrateStorage":
		crds, known := problem.Migrate(a.req.Cluster.CRDs, c.Subject)
		if a.req.Cluster.CRDs = crds; !known {
			a.missing(c.Subject, "the cluster has no resource definition of this name")
		}
	case "setPriority", "replaceCatalog":
		a.catalog(c)
	default:
		a.missing(c.Kind, "unknown kind of change")
	}
}

// rename replaces one name that a subscription uses by another.
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
			a.missing(c.To, "unknown kind of name; use package or channel")
		case c.Of == "catalog" && err == nil:
			to.subscription.Catalog = key
		default:
			a.missing(c.To, "unknown kind of name; use package, channel or catalog")
		}
	})
}

func added[T any](a *applier, to []T, subject string, what *T) []T {
	if what == nil {
		a.missing(subject, "the change lacks the object to add")
		return to
	}
	return append(to, *what)
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

// drop removes a subscription or an extension. Its bundle becomes unowned.
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
			in.Automatic = false // otherwise its subscription would be generated again
		}
	}
}

// remove removes an installed bundle, with its generated subscription if it was installed as a
// dependency.
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

// catalog sets the priority of a catalog, or replaces the catalog of the same key. It adds the
// new catalog if there is none to replace.
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
