package resolver

import (
	"fmt"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// Change is one modification of a [Request]. [Request.Apply] applies it to a request;
// [Session.Resolve] applies it for one answer. The kinds are the structs of this package whose
// names are those of the [ChangeKind] constants, and [ReleaseHold]; there are no others, except
// that an unknown kind in JSON is kept as one that can be printed but not applied.
//
// The JSON form of a change is that of a [CorrectionChange] with it: everything that String prints,
// without constraints and the objects to add.
type Change interface {
	// Kind returns the code of the kind.
	Kind() ChangeKind
	// Subject returns the name of the changed subscription, extension, bundle or resource
	// definition, the key of the changed catalog, or the added or removed rule of the policy.
	Subject() string
	// String returns a one-line description of the change for people. Control characters in
	// names are escaped.
	String() string

	apply(*applier)
	form() changeJSON
}

// ChangeKind is the stable code of a kind of [Change].
type ChangeKind string

// The kinds of changes. Those from ChangeUseName to ChangeRelaxConstraint occur in corrections,
// the others only in what-ifs.
const (
	ChangeUseName          ChangeKind = "useName"
	ChangeAdoptInstalled   ChangeKind = "adoptInstalled"
	ChangeReleasePin       ChangeKind = "releasePin" // also of ReleaseHold
	ChangeFollowChannel    ChangeKind = "changeChannel"
	ChangeAllowForbidden   ChangeKind = "allowForbidden"
	ChangeRelaxPolicy      ChangeKind = "relaxPolicy"
	ChangeMigrateStorage   ChangeKind = "migrateStorage"
	ChangeDropSubscription ChangeKind = "dropSubscription"
	ChangeRemoveInstalled  ChangeKind = "removeInstalled"
	ChangeRelaxConstraint  ChangeKind = "relaxConstraint"
	ChangeAddSubscription  ChangeKind = "addSubscription"
	ChangePinSubscription  ChangeKind = "pinSubscription"
	ChangeAddInstalled     ChangeKind = "addInstalled"
	ChangeForbidBundle     ChangeKind = "forbidBundle"
	ChangeRestrictPolicy   ChangeKind = "restrictPolicy"
	ChangeForceBundle      ChangeKind = "forceBundle"
	ChangeSetPriority      ChangeKind = "setPriority"
	ChangeReplaceCatalog   ChangeKind = "replaceCatalog"
)

// NameKind is what a name refers to.
type NameKind string

// The kinds of names that [UseName] replaces.
const (
	NamePackage NameKind = "package"
	NameChannel NameKind = "channel"
	NameCatalog NameKind = "catalog" // a key, as namespace/name
)

// UseName replaces a name that a subscription, or an extension, uses: From by To.
type UseName struct {
	Subscription string
	Extension    bool // whether Subscription names an extension
	Of           NameKind
	From, To     string
}

// Kind returns [ChangeUseName].
func (UseName) Kind() ChangeKind { return ChangeUseName }

// Subject returns the name of the subscription or extension.
func (c UseName) Subject() string { return c.Subscription }

// String describes the change in one line, see [Change].
func (c UseName) String() string { return c.describe(graph.Terms{}) }

func (c UseName) describe(t graph.Terms) string {
	use := "use the name"
	switch c.Of {
	case NamePackage, NameCatalog:
		use = "use " + string(c.Of)
	case NameChannel:
		use = "follow channel"
	}
	return line("let %s %s %s %s instead of %s", lexicon.Demand(t, c.Extension), c.Subscription, use, c.To, c.From)
}

// AdoptInstalled makes a subscription, or an extension, the owner of an installed bundle.
type AdoptInstalled struct {
	Bundle       string
	Subscription string
	Extension    bool // whether Subscription names an extension
}

// Kind returns [ChangeAdoptInstalled].
func (AdoptInstalled) Kind() ChangeKind { return ChangeAdoptInstalled }

// Subject returns the name of the bundle.
func (c AdoptInstalled) Subject() string { return c.Bundle }

// String describes the change in one line, see [Change].
func (c AdoptInstalled) String() string { return c.describe(graph.Terms{}) }

func (c AdoptInstalled) describe(t graph.Terms) string {
	return line("let %s %s adopt the installed %s", lexicon.Demand(t, c.Extension), c.Subscription, c.Bundle)
}

// ReleasePin removes the pin, the startingCSV and the version range of a subscription, or an
// extension.
type ReleasePin struct {
	Subscription string
	Extension    bool // whether Subscription names an extension
	// Pin, VersionRange and StartingCSV are the values that are removed. Only the description
	// uses them.
	Pin, VersionRange, StartingCSV string
}

// Kind returns [ChangeReleasePin].
func (ReleasePin) Kind() ChangeKind { return ChangeReleasePin }

// Subject returns the name of the subscription or extension.
func (c ReleasePin) Subject() string { return c.Subscription }

// String lists the settings that are released, or all that can be if the change does not say.
func (c ReleasePin) String() string { return c.describe(graph.Terms{}) }

func (c ReleasePin) describe(t graph.Terms) string {
	var what []string
	if c.Pin != "" {
		what = append(what, "the pin to "+c.Pin)
	}
	if c.VersionRange != "" {
		what = append(what, "the version range "+c.VersionRange)
	}
	if c.StartingCSV != "" {
		what = append(what, lexicon.Start(t)+" "+c.StartingCSV)
	}
	if len(what) == 0 {
		what = []string{"version range", lexicon.Start(t)}
	}
	return line("release %s of %s %s", text.And(what), lexicon.Demand(t, c.Extension), c.Subscription)
}

// ReleaseHold removes the hold of a subscription. Its kind is that of [ReleasePin].
type ReleaseHold struct {
	Subscription string
}

// Kind returns [ChangeReleasePin].
func (ReleaseHold) Kind() ChangeKind { return ChangeReleasePin }

// Subject returns the name of the subscription or extension.
func (c ReleaseHold) Subject() string { return c.Subscription }

// String describes the change in one line, see [Change].
func (c ReleaseHold) String() string { return c.describe(graph.Terms{}) }

func (c ReleaseHold) describe(t graph.Terms) string {
	return line("release the hold of %s %s", lexicon.Demand(t, false), c.Subscription)
}

// FollowChannel restricts a subscription, or an extension, to one channel; an empty Channel means
// all channels.
type FollowChannel struct {
	Subscription string
	Extension    bool // whether Subscription names an extension
	Channel      string
	// Round is the round of an upgrade path, counted from 1, in which the change is made, and
	// Installed is the bundle that the subscription owns then. Round is 0 for a change that is
	// made at once. Applying a change of a later round than the first has no effect.
	Round     int
	Installed string
}

// Kind returns [ChangeFollowChannel].
func (FollowChannel) Kind() ChangeKind { return ChangeFollowChannel }

// Subject returns the name of the subscription or extension.
func (c FollowChannel) Subject() string { return c.Subscription }

// String describes the change in one line, see [Change].
func (c FollowChannel) String() string { return c.describe(graph.Terms{}) }

func (c FollowChannel) describe(t graph.Terms) string {
	follow := "follow channel " + c.Channel
	if c.Channel == "" {
		follow = "use every channel"
	}
	if c.Round > 0 {
		follow += fmt.Sprintf(" from round %d on", c.Round)
	}
	if c.Installed != "" && c.Round > 1 {
		follow += fmt.Sprintf(", when %s is installed", c.Installed)
	}
	return line("let %s %s %s", lexicon.Demand(t, c.Extension), c.Subscription, follow)
}

// AllowForbidden allows the bundles of that name again, in any catalog.
type AllowForbidden struct {
	Bundle string
}

// Kind returns [ChangeAllowForbidden].
func (AllowForbidden) Kind() ChangeKind { return ChangeAllowForbidden }

// Subject returns the name of the bundle.
func (c AllowForbidden) Subject() string { return c.Bundle }

// String describes the change in one line, see [Change].
func (c AllowForbidden) String() string { return line("allow %s", c.Bundle) }

// RelaxPolicy removes a rule of the policy.
type RelaxPolicy struct {
	Rule string
}

// Kind returns [ChangeRelaxPolicy].
func (RelaxPolicy) Kind() ChangeKind { return ChangeRelaxPolicy }

// Subject returns the rule.
func (c RelaxPolicy) Subject() string { return c.Rule }

// String describes the change in one line, see [Change].
func (c RelaxPolicy) String() string { return line("remove the policy rule %s", c.Rule) }

// MigrateStorage migrates the stored objects of a resource definition to its storage version, so
// that no other version is stored.
type MigrateStorage struct {
	CRD string // its name
}

// Kind returns [ChangeMigrateStorage].
func (MigrateStorage) Kind() ChangeKind { return ChangeMigrateStorage }

// Subject returns the name of the resource definition.
func (c MigrateStorage) Subject() string { return c.CRD }

// String describes the change in one line, see [Change].
func (c MigrateStorage) String() string {
	return line("migrate the stored objects of %s to its storage version, with the storage version migrator", c.CRD)
}

// DropSubscription removes a subscription, or an extension. Its installed bundle stays, without
// an owner.
type DropSubscription struct {
	Subscription string
	Extension    bool // whether Subscription names an extension
}

// Kind returns [ChangeDropSubscription].
func (DropSubscription) Kind() ChangeKind { return ChangeDropSubscription }

// Subject returns the name of the subscription or extension.
func (c DropSubscription) Subject() string { return c.Subscription }

// String describes the change in one line, see [Change].
func (c DropSubscription) String() string { return c.describe(graph.Terms{}) }

func (c DropSubscription) describe(t graph.Terms) string {
	return line("drop %s %s", lexicon.Demand(t, c.Extension), c.Subscription)
}

// RemoveInstalled removes an installed bundle. A subscription that owned it owns nothing then.
type RemoveInstalled struct {
	Bundle string
}

// Kind returns [ChangeRemoveInstalled].
func (RemoveInstalled) Kind() ChangeKind { return ChangeRemoveInstalled }

// Subject returns the name of the bundle.
func (c RemoveInstalled) Subject() string { return c.Bundle }

// String describes the change in one line, see [Change].
func (c RemoveInstalled) String() string { return line("remove the installed %s", c.Bundle) }

// RelaxConstraint ignores a constraint of a bundle; nil means all of its constraints. One that
// was read back from JSON lacks its constraint and cannot be applied.
type RelaxConstraint struct {
	Bundle     BundleRef
	Constraint constraints.Constraint

	words string // of a constraint that JSON omits
}

// Kind returns [ChangeRelaxConstraint].
func (RelaxConstraint) Kind() ChangeKind { return ChangeRelaxConstraint }

// Subject returns the name of the bundle.
func (c RelaxConstraint) Subject() string { return c.Bundle.Name }

// String describes the change in one line, see [Change].
func (c RelaxConstraint) String() string { return c.describe(graph.Terms{}) }

func (c RelaxConstraint) describe(t graph.Terms) string {
	if words := c.constraint(t); words != "" {
		return line("relax what %s requires: %s", c.Bundle.Name, words)
	}
	return line("relax all that %s requires", c.Bundle.Name)
}

// constraint returns the text of the constraint; empty for all constraints.
func (c RelaxConstraint) constraint(t graph.Terms) string {
	if c.Constraint != nil {
		return clip(constraints.Describe(c.Constraint, t.Operator))
	}
	return c.words
}

// AddSubscription adds a subscription after the others.
type AddSubscription struct {
	Subscription Subscription
}

// Kind returns [ChangeAddSubscription].
func (AddSubscription) Kind() ChangeKind { return ChangeAddSubscription }

// Subject returns the name of the subscription.
func (c AddSubscription) Subject() string { return c.Subscription.Name }

// String describes the change in one line, see [Change].
func (c AddSubscription) String() string { return c.describe(graph.Terms{}) }

func (c AddSubscription) describe(t graph.Terms) string {
	return line("add %s %s", lexicon.Demand(t, false), c.Subscription.Name)
}

// PinSubscription restricts a subscription, or an extension, to the bundle of that name.
type PinSubscription struct {
	Subscription string
	Extension    bool // whether Subscription names an extension
	Bundle       string
}

// Kind returns [ChangePinSubscription].
func (PinSubscription) Kind() ChangeKind { return ChangePinSubscription }

// Subject returns the name of the subscription or extension.
func (c PinSubscription) Subject() string { return c.Subscription }

// String describes the change in one line, see [Change].
func (c PinSubscription) String() string { return c.describe(graph.Terms{}) }

func (c PinSubscription) describe(t graph.Terms) string {
	return line("pin %s %s to %s", lexicon.Demand(t, c.Extension), c.Subscription, c.Bundle)
}

// AddInstalled adds an installed bundle.
type AddInstalled struct {
	Installed Installed
}

// Kind returns [ChangeAddInstalled].
func (AddInstalled) Kind() ChangeKind { return ChangeAddInstalled }

// Subject returns the name of the bundle.
func (c AddInstalled) Subject() string { return c.Installed.Name }

// String describes the change in one line, see [Change].
func (c AddInstalled) String() string { return c.describe(graph.Terms{}) }

func (c AddInstalled) describe(t graph.Terms) string {
	return line("add installed %s %s", lexicon.Bundle(t), c.Installed.Name)
}

// ForbidBundle excludes a bundle; Message is the reason.
type ForbidBundle struct {
	Bundle  BundleRef
	Message string
}

// Kind returns [ChangeForbidBundle].
func (ForbidBundle) Kind() ChangeKind { return ChangeForbidBundle }

// Subject returns the name of the bundle.
func (c ForbidBundle) Subject() string { return c.Bundle.Name }

// String describes the change in one line, see [Change].
func (c ForbidBundle) String() string { return line("forbid %s", c.Bundle) }

// RestrictPolicy adds a rule to the policy.
type RestrictPolicy struct {
	Rule VetoRule
}

// Kind returns [ChangeRestrictPolicy].
func (RestrictPolicy) Kind() ChangeKind { return ChangeRestrictPolicy }

// Subject returns the rule.
func (c RestrictPolicy) Subject() string { return c.Rule.Rule }

// String describes the change in one line, see [Change].
func (c RestrictPolicy) String() string { return line("add the policy rule %s", c.Rule.Rule) }

// ForceBundle forces a bundle into the result.
type ForceBundle struct {
	Bundle BundleRef
}

// Kind returns [ChangeForceBundle].
func (ForceBundle) Kind() ChangeKind { return ChangeForceBundle }

// Subject returns the name of the bundle.
func (c ForceBundle) Subject() string { return c.Bundle.Name }

// String describes the change in one line, see [Change].
func (c ForceBundle) String() string { return line("force %s", c.Bundle) }

// SetPriority changes the priority of a catalog.
type SetPriority struct {
	Catalog  cache.Key
	Priority int
}

// Kind returns [ChangeSetPriority].
func (SetPriority) Kind() ChangeKind { return ChangeSetPriority }

// Subject returns the key of the catalog.
func (c SetPriority) Subject() string { return c.Catalog.String() }

// String describes the change in one line, see [Change].
func (c SetPriority) String() string {
	return line("set the priority of catalog %s to %d", c.Catalog, c.Priority)
}

// ReplaceCatalog replaces the catalog of the same key, including its priority, or adds the
// catalog.
type ReplaceCatalog struct {
	Catalog Catalog
}

// Kind returns [ChangeReplaceCatalog].
func (ReplaceCatalog) Kind() ChangeKind { return ChangeReplaceCatalog }

// Subject returns the key of the catalog.
func (c ReplaceCatalog) Subject() string { return c.Catalog.Key.String() }

// String describes the change in one line, see [Change].
func (c ReplaceCatalog) String() string { return line("replace catalog %s", c.Catalog.Key) }
