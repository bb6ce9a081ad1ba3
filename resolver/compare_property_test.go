package resolver_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// answer is a solution in the words of both sides.
type answer struct {
	Set        []string
	Steps      []step
	Warnings   []oracle.Warning
	Broken     []string
	Unresolved []string
}

type step struct {
	Wave                                               int
	Action, Bundle, Package, Version, Catalog, Channel string
	Replaces, Because, PassedOver                      []string
	Subscription                                       string
}

// fromOracle puts the oracle's answer into words.
func (c converter) fromOracle(a oracle.Answer) answer {
	out := answer{Set: a.Set, Warnings: a.Warnings, Broken: a.Broken, Unresolved: a.Unresolved}
	for _, s := range a.Steps {
		st := step{Wave: s.Wave, Action: s.Action, Bundle: s.Bundle, Package: s.Package,
			Catalog: s.Catalog.String(), Channel: s.Channel, Replaces: s.Replaces}
		if s.Version != nil {
			st.Version = s.Version.String()
		}
		if sub := s.Subscription; sub != nil {
			st.Subscription = fmt.Sprint(sub.Package, sub.Channels, sub.Catalog, sub.StartingCSV)
		}
		for _, r := range s.Because {
			text := ""
			if r.Constraint != nil {
				text = c.Constraint(r.Constraint).String()
			}
			because := reason(r.Subscription, r.Installed, r.Forced, r.Bundle, text)
			if !slices.Contains(st.Because, because) { // two constraints can read the same
				st.Because = append(st.Because, because)
			}
		}
		for _, p := range s.PassedOver {
			st.PassedOver = append(st.PassedOver, p.String())
		}
		out.Steps = append(out.Steps, st)
	}
	return out
}

// fromSolution puts a solution into the same words.
func fromSolution(s *resolver.Solution) answer {
	out := answer{Set: s.Set()}
	for _, s := range s.Steps {
		st := step{Wave: s.Wave, Action: string(s.Action), Bundle: s.Bundle, Package: s.Package,
			Channel: s.Channel, Replaces: s.Replaces}
		if s.Version != nil {
			st.Version = s.Version.String()
		}
		if sub, comes := s.Subscription(); comes {
			st.Subscription = fmt.Sprint(sub.Package, sub.Channels, sub.Catalog, sub.StartingCSV)
		}
		if s.Catalog.Name != "" {
			st.Catalog = s.Catalog.String()
		}
		for _, r := range s.Because {
			st.Because = append(st.Because, reason(r.Subscription, r.Installed, r.Forced, r.Bundle, r.Constraint))
		}
		for _, p := range s.PassedOver {
			st.PassedOver = append(st.PassedOver, p.String())
		}
		out.Steps = append(out.Steps, st)
	}
	for _, w := range s.Warnings {
		ow := oracle.Warning{Kind: string(w.Kind), Bundle: w.Bundle, Subscription: w.Subscription}
		if !slices.Contains(out.Warnings, ow) { // one for each broken channel
			out.Warnings = append(out.Warnings, ow)
		}
	}
	for _, u := range s.Unresolved {
		if u.Installed != "" {
			out.Broken = append(out.Broken, u.Installed)
		} else {
			out.Unresolved = append(out.Unresolved, u.Subscription)
		}
	}
	return out
}

func reason(subscription string, installed, forced bool, bundle, constraint string) string {
	switch {
	case subscription != "":
		return "subscription " + subscription
	case installed:
		return "installed"
	case forced:
		return "forced"
	}
	return fmt.Sprintf("%s requires %s", bundle, constraint)
}

// difference compares two answers; the order of warnings does not count.
func difference(want, got answer) string {
	sorted := cmpopts.SortSlices(func(a, b oracle.Warning) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return cmp.Diff(want, got, sorted, cmpopts.EquateEmpty())
}
