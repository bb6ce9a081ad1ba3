package resolver

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// changeJSON is the JSON form of a change of a correction.
type changeJSON struct {
	Kind ChangeKind `json:"kind"`
	// Subject is the name of the changed subscription, extension, bundle or resource definition,
	// the key of the changed catalog, or the added or removed rule of the policy.
	Subject string `json:"subject"`
	// Who is the role that can make the change.
	Who Role `json:"who,omitempty"`
	// Commands are the kubectl commands that make the change on a cluster, in order and quoted
	// for a shell. It is absent if no command makes it: for a change of the request alone, or of
	// an object whose name is not valid on a cluster.
	Commands []string `json:"commands,omitempty"`
	// To is the name that replaces From in a change of kind useName.
	To string `json:"to,omitempty"`
	// From is the name that is replaced.
	From string `json:"from,omitempty"`
	// Of is what the name refers to.
	Of NameKind `json:"of,omitempty"`
	// Catalog restricts a bundle to one catalog.
	Catalog cache.Key `json:"catalog,omitzero"`
	// Channel is the new channel of a subscription; absent for all channels.
	Channel string `json:"channel,omitempty"`
	// Round is the round of an upgrade path, counted from 1, in which the change is made; absent
	// for a change that is made at once.
	Round int `json:"round,omitempty"`
	// Installed is the bundle that the subscription owns in that round.
	Installed string `json:"installed,omitempty"`
	// Pin is the bundle to which a subscription is pinned, or from which it is released.
	Pin string `json:"pin,omitempty"`
	// StartingCSV is the value that releasePin removes along with the pin.
	StartingCSV string `json:"startingCSV,omitempty"`
	// VersionRange is the value that releasePin removes along with the pin.
	VersionRange string `json:"versionRange,omitempty"`
	// Extension reports whether the subject or the subscription is an extension of OLM v1.
	Extension bool `json:"extension,omitempty"`
	// Subscription is the subscription that adopts the subject.
	Subscription string `json:"subscription,omitempty"`
	// Hold reports whether releasePin releases the hold of a subscription instead of its pin.
	Hold bool `json:"hold,omitempty"`
	// Message is the reason for forbidding a bundle, or that of an added rule.
	Message string `json:"message,omitempty"`
	// Priority is the new priority of a catalog.
	Priority int `json:"priority,omitempty"`
	// Constraint is the text of the relaxed constraint; absent for every constraint of the
	// subject.
	Constraint string `json:"constraint,omitempty"`
}

// common returns the form of what all kinds have.
func common(c Change) changeJSON { return changeJSON{Kind: c.Kind(), Subject: c.Subject()} }

func (c UseName) form() changeJSON {
	f := common(c)
	f.Of, f.From, f.To, f.Extension = c.Of, c.From, c.To, c.Extension
	return f
}

func (c AdoptInstalled) form() changeJSON {
	f := common(c)
	f.Subscription, f.Extension = c.Subscription, c.Extension
	return f
}

func (c ReleasePin) form() changeJSON {
	f := common(c)
	f.Pin, f.VersionRange, f.StartingCSV, f.Extension = c.Pin, c.VersionRange, c.StartingCSV, c.Extension
	return f
}

func (c ReleaseHold) form() changeJSON {
	f := common(c)
	f.Hold = true
	return f
}

func (c FollowChannel) form() changeJSON {
	f := common(c)
	f.Channel, f.Round, f.Installed, f.Extension = c.Channel, c.Round, c.Installed, c.Extension
	return f
}

func (c DropSubscription) form() changeJSON {
	f := common(c)
	f.Extension = c.Extension
	return f
}

func (c RelaxConstraint) form() changeJSON {
	f := common(c)
	f.Catalog, f.Constraint = c.Bundle.Catalog, c.constraint(graph.Terms{})
	return f
}

func (c PinSubscription) form() changeJSON {
	f := common(c)
	f.Pin, f.Extension = c.Bundle, c.Extension
	return f
}

func (c ForbidBundle) form() changeJSON {
	f := common(c)
	f.Catalog, f.Message = c.Bundle.Catalog, c.Message
	return f
}

func (c RestrictPolicy) form() changeJSON {
	f := common(c)
	f.Message = c.Rule.Message
	return f
}

func (c ForceBundle) form() changeJSON {
	f := common(c)
	f.Catalog = c.Bundle.Catalog
	return f
}

func (c SetPriority) form() changeJSON {
	f := common(c)
	f.Catalog, f.Priority = c.Catalog, c.Priority
	return f
}

func (c ReplaceCatalog) form() changeJSON {
	f := common(c)
	f.Catalog = c.Catalog.Key
	return f
}

func (c AllowForbidden) form() changeJSON  { return common(c) }
func (c RelaxPolicy) form() changeJSON     { return common(c) }
func (c MigrateStorage) form() changeJSON  { return common(c) }
func (c RemoveInstalled) form() changeJSON { return common(c) }
func (c AddSubscription) form() changeJSON { return common(c) }
func (c AddInstalled) form() changeJSON    { return common(c) }

// incomplete is a change whose JSON form lacks what is needed to apply it: the object to add, or
// everything but the subject of an unknown kind.
type incomplete struct {
	changeJSON
}

func (c incomplete) Kind() ChangeKind { return c.changeJSON.Kind }
func (c incomplete) Subject() string  { return c.changeJSON.Subject }
func (c incomplete) form() changeJSON { return c.changeJSON }

func (c incomplete) String() string {
	switch c.Kind() {
	case ChangeAddSubscription:
		return AddSubscription{Subscription{Name: c.Subject()}}.String()
	case ChangeAddInstalled:
		return AddInstalled{Installed{Name: c.Subject()}}.String()
	case ChangeReplaceCatalog:
		return ReplaceCatalog{Catalog{Key: c.Catalog}}.String()
	}
	return line("%s %s", c.Kind(), c.Subject())
}

// change returns the change of a JSON form.
func (f changeJSON) change() Change {
	bundle := BundleRef{Catalog: f.Catalog, Name: f.Subject}
	switch f.Kind {
	case ChangeUseName:
		return UseName{Subscription: f.Subject, Extension: f.Extension, Of: f.Of, From: f.From, To: f.To}
	case ChangeAdoptInstalled:
		return AdoptInstalled{Bundle: f.Subject, Subscription: f.Subscription, Extension: f.Extension}
	case ChangeReleasePin:
		if f.Hold {
			return ReleaseHold{Subscription: f.Subject}
		}
		return ReleasePin{Subscription: f.Subject, Extension: f.Extension, Pin: f.Pin, VersionRange: f.VersionRange, StartingCSV: f.StartingCSV}
	case ChangeFollowChannel:
		return FollowChannel{Subscription: f.Subject, Extension: f.Extension, Channel: f.Channel, Round: f.Round, Installed: f.Installed}
	case ChangeAllowForbidden:
		return AllowForbidden{Bundle: f.Subject}
	case ChangeRelaxPolicy:
		return RelaxPolicy{Rule: f.Subject}
	case ChangeMigrateStorage:
		return MigrateStorage{CRD: f.Subject}
	case ChangeDropSubscription:
		return DropSubscription{Subscription: f.Subject, Extension: f.Extension}
	case ChangeRemoveInstalled:
		return RemoveInstalled{Bundle: f.Subject}
	case ChangeRelaxConstraint:
		return RelaxConstraint{Bundle: bundle, words: f.Constraint}
	case ChangePinSubscription:
		return PinSubscription{Subscription: f.Subject, Extension: f.Extension, Bundle: f.Pin}
	case ChangeForbidBundle:
		return ForbidBundle{Bundle: bundle, Message: f.Message}
	case ChangeRestrictPolicy:
		return RestrictPolicy{VetoRule{Rule: f.Subject, Message: f.Message}}
	case ChangeForceBundle:
		return ForceBundle{Bundle: bundle}
	case ChangeSetPriority:
		return SetPriority{Catalog: f.Catalog, Priority: f.Priority}
	default:
		return incomplete{f}
	}
}

// MarshalJSON implements [json.Marshaler]: the keys of the change, with "who" and "commands".
func (c CorrectionChange) MarshalJSON() ([]byte, error) {
	var f changeJSON
	if c.Change != nil {
		f = c.Change.form()
	}
	f.Who, f.Commands = c.Who, c.Commands
	return marshal(f)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *CorrectionChange) UnmarshalJSON(data []byte) error {
	var f changeJSON
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*c = CorrectionChange{Who: f.Who, Commands: f.Commands}
	f.Who, f.Commands = "", nil
	c.Change = f.change()
	return nil
}
