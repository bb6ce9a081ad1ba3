package whatif

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
)

// Edit is a change of a correction, as it is to be made on a cluster. It is only for reading.
type Edit struct {
	// Change is the change, and Correction all changes in the order in which they are made.
	Change     resolver.Change
	Correction []resolver.Change
	// Request is the request as the changes before leave it, with the subscriptions that
	// section 5 of SEMANTICS.md generates.
	Request *resolver.Request
	// Given reports whether the request has a subscription or an extension of a name by
	// itself: what is generated need not be on the cluster. Nil means that it has every name.
	Given func(name string) bool
}

// correctionOf are changes that lead to a solution, in words, with who can make them and by
// which commands.
func (s *search) correctionOf(changes []resolver.Change, sol *resolver.Solution) resolver.Correction {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, dropsFirst)
	words := make([]string, len(changes))
	cluster := s.base // as the changes before leave it
	out := resolver.Correction{Changes: make([]resolver.CorrectionChange, len(changes)), Result: sol.Set()}
	for i, c := range changes {
		of := &out.Changes[i]
		if of.Change, of.Who = c, resolver.RoleAdministrator; c.Kind() == resolver.ChangeRelaxConstraint {
			of.Who = resolver.RoleAuthor // by publishing another bundle
		}
		if s.opts.Commands != nil {
			of.Commands = s.opts.Commands(&Edit{Change: c, Correction: changes, Request: &cluster, Given: func(name string) bool { return s.given[name] }})
		}
		words[i] = s.whole.Describe(c)
		if next, err := cluster.Apply(c); err == nil {
			cluster = next
		}
	}
	out.Text = strings.Join(words, ", and ")
	whole, others := s.base, s.others()
	whole.Installed = slices.DeleteFunc(slices.Clone(whole.Installed), func(in resolver.Installed) bool { return others[in.Name] })
	return withLosses(&whole, out, sol)
}

// dropsFirst orders changes so that a subscription is dropped before what it owns is removed:
// there is no need to make one anew that goes.
func dropsFirst(a, b resolver.Change) int {
	drop := func(c resolver.Change) int {
		if c.Kind() == resolver.ChangeDropSubscription {
			return 0
		}
		return 1
	}
	return cmp.Compare(drop(a), drop(b))
}
