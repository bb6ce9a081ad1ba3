package graph

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// StandingKind reports whether channels offer a bundle, and if not, why. It is
// stable.
type StandingKind string

const (
	// StandingOffered: the bundle can be newly chosen.
	StandingOffered StandingKind = "offered"
	// StandingVirtual: the catalog lacks the bundle.
	StandingVirtual StandingKind = "virtual"
	// StandingUnlisted: none of the channels lists the bundle.
	StandingUnlisted StandingKind = "unlisted"
	// StandingQuarantined: the bundle, its channel or its package is
	// quarantined (section 10 of the semantics).
	StandingQuarantined StandingKind = "quarantined"
	// StandingSkipped: another entry skips it (section 2 of the semantics).
	StandingSkipped StandingKind = "skipped"
	// StandingStranded: its entry is neither on the chain below the head nor
	// skipped (section 2 of the semantics).
	StandingStranded StandingKind = "stranded"
	// StandingBarred: it has an olm.deprecated property (section 3 of the
	// semantics).
	StandingBarred StandingKind = "barred"
)

// Standing reports whether channels offer a bundle, and if not, why: the first
// of virtual, quarantined, barred, skipped and stranded that applies, in the
// first channel that lists it.
type Standing struct {
	// Kind is which.
	Kind StandingKind `json:"kind"`
	// Channel is the channel that this is about, or empty.
	Channel string `json:"channel,omitempty"`
	// SkippedBy is the entry that skips the bundle, for StandingSkipped.
	SkippedBy string `json:"skippedBy,omitempty"`
	// Problem is why it is quarantined, for StandingQuarantined.
	Problem *Problem `json:"problem,omitempty"`
}

// String returns a predicate, for a sentence that begins with the bundle.
func (s Standing) String() string {
	in := ""
	if s.Channel != "" {
		in = " in channel " + text.Name(s.Channel)
	}
	switch s.Kind {
	case StandingOffered:
		return "is offered" + in
	case StandingVirtual:
		return "is not in the catalog, though something names it" + in
	case StandingUnlisted:
		return "is in none of the channels"
	case StandingQuarantined:
		if s.Problem == nil {
			return "is quarantined" + in
		}
		return "is quarantined" + in + ": " + text.Inert(s.Problem.Message)
	case StandingSkipped:
		return fmt.Sprintf("is skipped by %s%s", text.Name(s.SkippedBy), in)
	case StandingStranded:
		return fmt.Sprintf("is neither on the chain below the head nor skipped%s", in)
	case StandingBarred:
		return "is barred from being newly chosen by an olm.deprecated property"
	}
	return string(s.Kind)
}

// Standing is how an entry stands in its channel.
func (c *Channel) Standing(e *Entry) Standing {
	s := Standing{Kind: StandingOffered, Channel: c.Name}
	switch q := c.Quarantined(); {
	case e.Bundle == nil:
		s.Kind = StandingVirtual
	case e.Bundle.Quarantine != nil:
		s.Kind, s.Problem = StandingQuarantined, e.Bundle.Quarantine
	case q != nil:
		s.Kind, s.Problem = StandingQuarantined, q
	case e.Bundle.Barred:
		s.Kind = StandingBarred
	case e.SkippedBy != "":
		s.Kind, s.SkippedBy = StandingSkipped, e.SkippedBy
	case e.Position < 0:
		s.Kind = StandingStranded
	}
	return s
}

// standing says how a node stands in the channels of the graph.
func (u *Updates) standing(i int) Standing {
	n := &u.nodes[i]
	if n.bundle == nil {
		return Standing{Kind: StandingVirtual}
	}
	first := Standing{Kind: StandingUnlisted}
	for _, c := range u.channels {
		e := c.Entry(n.name)
		if e == nil {
			continue
		}
		s := c.Standing(e)
		if s.Kind == StandingOffered {
			return s
		}
		if first.Kind == StandingUnlisted {
			first = s
		}
	}
	return first
}

// Standing reports whether the channels of the graph offer a bundle, and if not,
// why: offered if one of them does. For a name that the graph lacks the Kind
// is StandingVirtual.
func (u *Updates) Standing(name string) Standing {
	i, ok := u.byName[name]
	if !ok {
		return Standing{Kind: StandingVirtual}
	}
	return u.standing(i)
}
