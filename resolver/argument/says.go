package argument

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// Headline says in one line what cannot be, of facts that cannot hold together.
func Headline(facts []Fact) string {
	var subs, inst, forced []string
	asker := ""
	for _, f := range facts {
		switch f.Kind {
		case FactSubscription:
			subs, asker = append(subs, text.Inert(f.called())), lexicon.Demand(f.Extension)
		case FactInstalled:
			inst = append(inst, text.Inert(f.Subject))
		case FactForced, FactSupposed:
			forced = append(forced, text.Inert(f.Subject))
		}
	}
	installed := text.Clip("the installed "+text.And(inst), lexicon.MaxText)
	said := ""
	switch {
	case len(subs)+len(forced)+len(inst) == 0:
		return "the request has no solution"
	case len(subs)+len(forced) == 0 && len(inst) == 1:
		return installed + " cannot stay as it is"
	case len(subs)+len(forced) == 0:
		return installed + " cannot stay together"
	case len(subs) == 0:
		said = text.Clip(text.And(forced), lexicon.MaxText) + " cannot be in the result" + text.Plural(len(forced), "", " together")
	default:
		said = text.Clip(text.Plural(len(subs), asker+" ", asker+"s ")+text.And(subs), lexicon.MaxText) + " cannot " +
			[]string{"", "both ", "all "}[min(len(subs)-1, 2)] + "be met"
		if len(forced) > 0 {
			said += " with " + text.Clip(text.And(forced), lexicon.MaxText) + " in the result"
		}
	}
	if len(inst) > 0 {
		said += " while " + installed + text.Plural(len(inst), " stays", " stay")
	}
	return said
}

// beginsWithName reports whether the headline begins with the name of a bundle.
func beginsWithName(facts []Fact) bool {
	of := func(kinds ...FactKind) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return slices.Contains(kinds, f.Kind) })
	}
	return of(FactForced, FactSupposed) && !of(FactSubscription)
}

// Summary says in one line what cannot be and what closes the case, with the name that is
// near where one is not there.
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

// maxCause is how many bytes of the cause Summary repeats.
const maxCause = 600

// plainly makes a text inert and not too long.
func plainly(s string) string { return text.Clip(text.Inert(s), lexicon.MaxText) }

// capital begins a sentence of ours with a capital letter. Sentences that begin with
// a name begin as it does.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// sentence is the text of a fact as the beginning of a line.
func (f *Fact) sentence() string {
	switch f.Kind {
	case FactInstalled, FactConstraint, FactDeprecated, FactIncompatible:
		return f.Text // it begins with a name
	}
	if slices.ContainsFunc(f.Names, func(name string) bool { return strings.HasPrefix(f.Text, name+" ") }) {
		return f.Text // as well
	}
	return capital(f.Text)
}

func (f *Fact) requirement() string {
	if f.Constraint == nil {
		return f.Subject
	}
	return text.Clip(f.Constraint.String(), lexicon.MaxText)
}

// called names a subscription, and says of one that came with a dependency what it
// is: its name alone says little.
func (f *Fact) called() string {
	if !f.Generated {
		return f.Subject
	}
	return f.Subject + " (" + lexicon.DependencyOf(f.DependencyOf) + ")"
}

// Lead says in lines how reasons lead from what was asked for to a bundle: each reason but
// the last names a bundle that is there because of the one before.
func Lead(chain []Reason, bundle string) string {
	var b strings.Builder
	for i, r := range chain {
		next := text.Inert(bundle)
		if i+1 < len(chain) {
			next = text.Inert(chain[i+1].Bundle)
		}
		said := ""
		switch {
		case r.Subscription != "":
			said = fmt.Sprintf("subscription %s is met by %s", text.Inert(r.Subscription), next)
		case r.Installed:
			said = next + " is installed and nobody owns it, so it stays"
		case r.Forced:
			said = "the request forces " + next
		default:
			said = fmt.Sprintf("%s requires %s, which %s makes hold", text.Inert(r.Bundle), text.Inert(r.Constraint), next)
		}
		fmt.Fprintf(&b, "%s- %s\n", strings.Repeat("  ", i), said)
	}
	return b.String()
}

// says puts what is true of each of some bundles behind their names.
func says(bundles []string, each string) string {
	if len(bundles) == 1 {
		return bundles[0] + " " + each
	}
	return "Each of " + listed(bundles) + " " + each
}

// listed names bundles: the ends of the list where it is long.
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
