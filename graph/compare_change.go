package graph

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// ChangeKind is what changed between two states of a package. It is stable.
type ChangeKind string

const (
	// ChangePackageAdded: there was no such package.
	ChangePackageAdded ChangeKind = "packageAdded"
	// ChangePackageGone: the package is gone.
	ChangePackageGone ChangeKind = "packageGone"
	// ChangePackageQuarantined: nothing of the package can be chosen any more.
	ChangePackageQuarantined ChangeKind = "packageQuarantined"
	// ChangeDefaultChannel: another channel is the default one.
	ChangeDefaultChannel ChangeKind = "defaultChannel"
	// ChangeChannelAdded: there was no such channel.
	ChangeChannelAdded ChangeKind = "channelAdded"
	// ChangeChannelGone: the channel is gone, so that subscriptions to it stand
	// still.
	ChangeChannelGone ChangeKind = "channelGone"
	// ChangeChannelQuarantined: the channel has no head any more.
	ChangeChannelQuarantined ChangeKind = "channelQuarantined"
	// ChangeHeadMoved: the channel has another head, of the same or a higher
	// version.
	ChangeHeadMoved ChangeKind = "headMoved"
	// ChangeHeadBack: the channel has another head, of a lower version.
	ChangeHeadBack ChangeKind = "headBack"
	// ChangeHeadUnusable: the head could be chosen, and that of now cannot.
	ChangeHeadUnusable ChangeKind = "headUnusable"
	// ChangeVersionAdded: there was no such bundle.
	ChangeVersionAdded ChangeKind = "versionAdded"
	// ChangeVersionGone: the bundle is gone. By itself that breaks nothing, for
	// what runs on a cluster stays there.
	ChangeVersionGone ChangeKind = "versionGone"
	// ChangeVersionLeft: the channel no longer lists the bundle, though the
	// package still has it.
	ChangeVersionLeft ChangeKind = "versionLeft"
	// ChangeVersionOther: a bundle of the name has another version than before.
	ChangeVersionOther ChangeKind = "versionOther"
	// ChangeNoSuccessor: a bundle has no successor, nor is it the head.
	ChangeNoSuccessor ChangeKind = "noSuccessor"
	// ChangeSeveralSuccessors: a bundle has several successors, where it had one
	// or none. The one nearest to the head is taken; that may not be meant.
	ChangeSeveralSuccessors ChangeKind = "severalSuccessors"
	// ChangeEdgeLost: edges from a bundle are lost without a replacement. It is
	// breaking unless only other channels of the old state list the bundle: then
	// it is a change of channel that is not possible any more.
	ChangeEdgeLost ChangeKind = "edgeLost"
	// ChangeQuarantined: a bundle is quarantined that was not.
	ChangeQuarantined ChangeKind = "quarantined"
	// ChangeBarred: a bundle has an olm.deprecated property that it had not.
	ChangeBarred ChangeKind = "barred"
	// ChangeDeprecated: an olm.deprecations blob names the bundle, else the
	// channel, else the package, and did not before.
	ChangeDeprecated ChangeKind = "deprecated"
)

// MaxSuccessors is how many successors a [Change] names of each state.
const MaxSuccessors = 100

// Change is one difference between two states of a package.
type Change struct {
	// Kind is what changed.
	Kind ChangeKind `json:"kind"`
	// Breaking is true if clusters that run something of the old state can be worse
	// off with the new one: an upgrade that was there is not any more.
	Breaking bool `json:"breaking"`
	// Package, Channel and Bundle name what changed; Channel and Bundle are
	// empty where the change does not lie inside one.
	Package string `json:"package"`
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// Lost are where the edges led that are lost without a replacement, for
	// ChangeEdgeLost: the one that a resolution preferred first.
	Lost []string `json:"lost,omitempty"`
	// Old and New are the two heads, default channels or versions, where those
	// changed.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Before and Now are the successors of the bundle in both states, for
	// ChangeNoSuccessor, ChangeSeveralSuccessors and ChangeEdgeLost: without
	// barred ones, the one that a resolution prefers first.
	Before []string `json:"before,omitempty"`
	Now    []string `json:"now,omitempty"`
	// Omitted is how many names are left out of Lost, Before and Now, each of which has
	// [MaxSuccessors] at most.
	Omitted int `json:"omitted,omitempty"`
	// Message is the message of a deprecation or of the problem that puts
	// something in quarantine.
	Message string `json:"message,omitempty"`
}

// String returns a sentence that says what changed, and where it breaks
// something what to do about it.
func (c Change) String() string {
	switch c.Kind {
	case ChangeNoSuccessor, ChangeSeveralSuccessors, ChangeEdgeLost:
		return c.place() + c.upgrade()
	case ChangeHeadMoved, ChangeHeadBack, ChangeHeadUnusable, ChangeDefaultChannel, ChangeVersionOther:
		return c.place() + c.moved()
	}
	return c.place() + c.plain()
}

// place begins the sentence with where the change lies.
func (c Change) place() string {
	if c.Channel == "" {
		return "package " + text.Name(c.Package) + ": "
	}
	return "channel " + text.Name(c.Channel) + " of package " + text.Name(c.Package) + ": "
}

// upgrade ends the sentence for changes of edges.
func (c Change) upgrade() string {
	b := text.Name(c.Bundle)
	switch c.Kind {
	case ChangeSeveralSuccessors:
		return fmt.Sprintf("%s has several successors now, %s; let one entry alone replace, skip or hold it", b, c.few(c.Now))
	case ChangeEdgeLost:
		if !c.Breaking {
			b += ", coming from another channel,"
		}
		return fmt.Sprintf("%s could be upgraded to %s, and now neither to that nor to anything newer; let an entry that is as new replace or skip it", b, c.few(c.Lost))
	}
	if len(c.Before) > 0 {
		return fmt.Sprintf("%s has no successor any more, and is not the head; it could be upgraded to %s; let an entry on the chain replace or skip it", b, c.few(c.Before))
	}
	if c.Breaking {
		return fmt.Sprintf("%s was the head, and now neither is nor has a successor; let an entry on the chain replace or skip it", b)
	}
	return fmt.Sprintf("%s has no successor, and had none before", b)
}

// few names a few successors; how many more there are is only known of those that are
// listed.
func (c Change) few(names []string) string {
	if c.Omitted > 0 && len(names) == MaxSuccessors {
		return strings.Join(text.Names(names[:mostNamed]), ", ") + " and more than " + strconv.Itoa(MaxSuccessors-mostNamed) + " others"
	}
	return few(names)
}

// moved ends the sentence for what was one thing and is another.
func (c Change) moved() string {
	was, is := text.Name(c.Old), text.Name(c.New)
	if c.Old == "" {
		was = "none"
	}
	if c.New == "" {
		is = "none"
	}
	switch c.Kind {
	case ChangeHeadMoved:
		return fmt.Sprintf("the head was %s and is %s", was, is)
	case ChangeHeadBack:
		return fmt.Sprintf("the head went back from %s to %s, which is older; clusters do not follow, but stay where they are", was, is)
	case ChangeHeadUnusable:
		return fmt.Sprintf("the head was %s and is %s, which %s", was, is, text.Inert(c.Message))
	case ChangeDefaultChannel:
		return fmt.Sprintf("the default channel was %s and is %s", was, is)
	}
	return fmt.Sprintf("the version of %s was %s and is %s", text.Name(c.Bundle), was, is)
}

// plain ends the sentence for what comes, goes and is marked.
func (c Change) plain() string {
	switch c.Kind {
	case ChangePackageAdded, ChangeChannelAdded:
		return "it is new"
	case ChangePackageGone:
		return "it is gone, and what is installed of it stands still"
	case ChangeChannelGone:
		return "it is gone, and subscriptions to it stand still; keep it, or deprecate it first"
	case ChangePackageQuarantined, ChangeChannelQuarantined:
		return "it is quarantined now: " + text.Inert(c.Message)
	case ChangeVersionAdded:
		return text.Name(c.Bundle) + " is new"
	case ChangeVersionGone:
		return text.Name(c.Bundle) + " is gone"
	case ChangeVersionLeft:
		return text.Name(c.Bundle) + " left the channel"
	case ChangeQuarantined:
		return text.Name(c.Bundle) + " is quarantined now: " + text.Inert(c.Message)
	case ChangeBarred:
		return text.Name(c.Bundle) + " is barred from being newly chosen now, by an olm.deprecated property"
	case ChangeDeprecated:
		s := "it"
		if c.Bundle != "" {
			s = text.Name(c.Bundle)
		}
		s += " is deprecated now"
		if c.Message != "" {
			s += ": " + text.Inert(c.Message)
		}
		return s
	}
	return string(c.Kind)
}
