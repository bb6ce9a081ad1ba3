package argument

import (
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
			subs, asker = append(subs, text.Inert(f.called())), lexicon.Asker(f.Extension)
		case FactInstalled:
			inst = append(inst, text.Inert(f.Subject))
		case FactForced:
			forced = append(forced, text.Inert(f.Subject))
		}
	}
	var parts []string
	if len(subs) > 0 {
		parts = append(parts, text.Plural(len(subs), asker+" ", asker+"s ")+text.And(subs))
	}
	if len(forced) > 0 {
		parts = append(parts, "the forced "+text.And(forced))
	}
	if len(inst) > 0 {
		parts = append(parts, "the installed "+text.And(inst))
	}
	n := len(subs) + len(inst) + len(forced)
	what := text.Clip(strings.Join(parts, " and "), lexicon.MaxText)
	switch {
	case n == 0:
		return "the request has no solution"
	case n == 1 && len(inst) == 1:
		return what + " cannot stay as it is"
	case n == len(forced):
		return text.And(forced) + " cannot be in the result" + text.Plural(n, "", " together")
	case n == 1:
		return what + " cannot be met"
	case n == len(inst):
		return what + " cannot stay together"
	case n == 2:
		return what + " cannot both be had"
	default:
		return what + " cannot all be had"
	}
}

func allForced(facts []Fact) bool {
	starts := func(forced bool) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind.IsRoot() && forced == (f.Kind == FactForced) })
	}
	return starts(true) && !starts(false)
}

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
	default:
		return capital(f.Text)
	}
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
	var out []string
	seen := make(map[string]bool, len(list))
	for _, r := range list {
		if !seen[r.Bundle] {
			seen[r.Bundle] = true
			out = append(out, r.Bundle)
		}
	}
	return out
}

func citedBy(list []Rejected) []int {
	var out []int
	seen := make(map[int]bool, len(list))
	for _, r := range list {
		for _, i := range r.By {
			if !seen[i] {
				seen[i] = true
				out = append(out, i)
			}
		}
	}
	return out
}
