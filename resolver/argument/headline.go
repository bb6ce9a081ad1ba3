package argument

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// Headline returns a one-line summary of a conflict, without a full stop.
func Headline(facts []Fact) string {
	var subs, inst, forced []string
	demand := ""
	for _, f := range facts {
		switch f.Kind {
		case FactSubscription:
			subs, demand = append(subs, text.Inert(f.displayName())), lexicon.Demand(f.Terms, f.Extension)
		case FactInstalled:
			inst = append(inst, text.Inert(f.Subject))
		case FactForced, FactSupposed:
			forced = append(forced, text.Inert(f.Subject))
		}
	}
	installed := text.Clip("the installed "+text.And(inst), lexicon.MaxText)
	sentence := ""
	switch {
	case len(subs)+len(forced)+len(inst) == 0:
		return "the request has no solution"
	case len(subs)+len(forced) == 0 && len(inst) == 1:
		return installed + " cannot stay as it is"
	case len(subs)+len(forced) == 0:
		return installed + " cannot stay together"
	case len(subs) == 0:
		sentence = text.Clip(text.And(forced), lexicon.MaxText) + " cannot be in the result" + text.Plural(len(forced), "", " together")
	default:
		sentence = text.Clip(text.Plural(len(subs), demand, text.Many(demand))+" "+text.And(subs), lexicon.MaxText) + " cannot " +
			[]string{"", "both ", "all "}[min(len(subs)-1, 2)] + "be met"
		if len(forced) > 0 {
			sentence += " with " + text.Clip(text.And(forced), lexicon.MaxText) + " in the result"
		}
	}
	if len(inst) > 0 {
		sentence += " while " + installed + text.Plural(len(inst), " stays", " stay")
	}
	return sentence
}

// beginsWithName reports whether the headline begins with the name of a bundle.
func beginsWithName(facts []Fact) bool {
	of := func(kinds ...FactKind) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return slices.Contains(kinds, f.Kind) })
	}
	return of(FactForced, FactSupposed) && !of(FactSubscription)
}

// Summary returns the headline and the main cause in one line, with a similar name if one is
// unknown.
func Summary(facts []Fact) string {
	why := ""
	for i := range facts {
		f := &facts[i]
		if f.Kind == FactNoCandidate {
			why = cmp.Or(why, f.Text)
		}
		for _, p := range f.Parts {
			why = cmp.Or(why, p.Nothing)
		}
	}
	Of(facts).Walk(func(_ int, s *Statement) {
		if slices.Contains([]StatementKind{StatementClash, StatementRefused, StatementProhibited, StatementRule}, s.Kind) {
			why = cmp.Or(why, s.Text)
		}
	})
	for _, first := range []string{"Each of ", "All "} { // which begin a line in the argument
		if rest, ok := strings.CutPrefix(why, first); ok {
			why = strings.ToLower(first) + rest
		}
	}
	if why != "" {
		return Headline(facts) + ": " + text.Clip(text.Inert(why), maxCause)
	}
	return Headline(facts)
}

// maxCause is the maximum length of the cause in Summary, in bytes.
const maxCause = 600

// sanitize escapes control characters and truncates a text.
func sanitize(s string) string { return text.Clip(text.Inert(s), lexicon.MaxText) }

// capitalize returns s with an upper-case first letter. Do not use it for sentences that begin
// with a name.
func capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// sentence returns the text of a fact for the beginning of a line.
func (f *Fact) sentence() string {
	switch f.Kind {
	case FactInstalled, FactConstraint, FactDeprecated, FactIncompatible:
		return f.Text // it begins with a name
	}
	if slices.ContainsFunc(f.Names, func(name string) bool { return strings.HasPrefix(f.Text, name+" ") }) {
		return f.Text // it begins with a name
	}
	return capitalize(f.Text)
}

func (f *Fact) requirement() string {
	if f.Constraint == nil {
		return f.Subject
	}
	return text.Clip(constraints.Describe(f.Constraint, f.Terms.Operator), lexicon.MaxText)
}

// displayName returns the name of a subscription, with the dependents of a generated one.
func (f *Fact) displayName() string {
	if !f.Generated {
		return f.Subject
	}
	return f.Subject + " (" + lexicon.DependencyOf(f.DependencyOf) + ")"
}

// Lead returns the chain of reasons from a demand to a bundle, one per line and indented by
// depth, in the given terms.
func Lead(chain []Reason, bundle string, t graph.Terms) string {
	var b strings.Builder
	for i, r := range chain {
		next := text.Inert(bundle)
		if i+1 < len(chain) {
			next = text.Inert(chain[i+1].Bundle)
		}
		sentence := ""
		switch {
		case r.Subscription != "":
			sentence = fmt.Sprintf("%s %s is met by %s", lexicon.Demand(t, false), text.Inert(r.Subscription), next)
		case r.Installed:
			sentence = next + " is installed without an owner, so it stays"
		case r.Forced:
			sentence = "the request forces " + next
		default:
			sentence = fmt.Sprintf("%s requires %s, which %s makes hold", text.Inert(r.Bundle), text.Inert(r.Constraint), next)
		}
		fmt.Fprintf(&b, "%s- %s\n", strings.Repeat("  ", i), sentence)
	}
	return b.String()
}

// predicate returns a sentence with the bundles as subject.
func predicate(bundles []string, each string) string {
	if len(bundles) == 1 {
		return bundles[0] + " " + each
	}
	return "Each of " + listed(bundles) + " " + each
}

// listed enumerates bundles; of a long list it names the first and last.
func listed(names []string) string {
	if len(names) > 4 {
		return fmt.Sprintf("%s … %s (%d versions)", names[0], names[len(names)-1], len(names))
	}
	return text.And(names)
}

func bundlesOf(list []Rejected) []string {
	return text.Distinct(text.Each(list, func(r Rejected) string { return r.Bundle }))
}

func citedBy(list []Rejected) []int {
	var all []int
	for _, r := range list {
		all = append(all, r.By...)
	}
	return text.Distinct(all)
}
