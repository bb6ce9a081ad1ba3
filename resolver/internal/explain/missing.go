package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Stranded reports whether the installed bundle of a subscription can no longer upgrade: no
// healthy channel that the subscription scans has an upgrade edge from it or has it as its head.
func Stranded(u *problem.Universe, s *problem.Demand) bool {
	if u.Rules.AnyUpgrade {
		return false
	}
	b := u.Nodes[s.Owned].Bundle
	entries := false
	for _, l := range s.Scanned {
		if l.Channel.Quarantined() != nil {
			continue
		}
		entries = entries || len(l.Channel.Entries) > 0
		if h := l.Channel.Head(); h != nil && h.Name == b.Name {
			return false
		}
		for _, next := range l.Channel.Chain() {
			if next.Candidate() && next.Name != b.Name && u.Upgrades(next, s.Owned) {
				return false
			}
		}
	}
	return entries
}

// WhyNothing returns which of the catalog, package and channels of a subscription does not exist,
// and what exists instead.
func WhyNothing(u *problem.Universe, s *problem.Demand) None {
	cats := usable(u, s.Catalog)
	if s.Catalog != nil && len(cats) == 0 {
		return None{Cause: argument.CauseCatalog, Names: []string{s.Catalog.String()}, Catalogs: []cache.Key{*s.Catalog}, Text: catalogNotFound(u, s.Catalog.String())}
	}
	found := false
	var names []string
	for _, c := range cats {
		pkg := c.Content.Package(s.Package)
		if pkg == nil {
			continue
		}
		found = true
		for _, ch := range pkg.Channels {
			u.Budget.Step()
			names = append(names, ch.Name)
		}
	}
	names = text.Distinct(names)
	switch {
	case !found:
		return None{Cause: argument.CausePackage, Names: []string{s.Package}, Text: packageNotFound(u, s.Package, s.Catalog)}
	case len(names) == 0:
		return None{Cause: argument.CauseChannel, Text: fmt.Sprintf("package %s has no channel", s.Package)}
	case len(s.Channels) == 0:
		return None{Cause: argument.CauseEmpty, Names: []string{s.Package}, Text: fmt.Sprintf("package %s has no candidates", s.Package)}
	}
	near := ""
	for _, ch := range s.Channels {
		near = cmp.Or(near, didYouMean(u, ch, slices.Values(names)))
	}
	return None{Cause: argument.CauseChannel, Names: s.Channels, Text: fmt.Sprintf("%s%s not found; the package has %s%s", text.Plural(len(s.Channels), "channel ", "channels "),
		text.And(s.Channels), text.Short(names, 10), near)}
}

// catalogNotFound reports a missing catalog and lists the existing ones.
func catalogNotFound(u *problem.Universe, key string) string {
	if len(u.Cats) == 0 {
		return fmt.Sprintf("catalog %s not found; there are no catalogs", key)
	}
	keys := make([]string, len(u.Cats))
	for i, c := range u.Cats {
		keys[i] = c.Key.String()
	}
	return fmt.Sprintf("catalog %s not found; there are %s%s", key, strings.Join(keys, ", "), didYouMean(u, key, slices.Values(keys)))
}

// packageNotFound reports a missing package and suggests similar names.
func packageNotFound(u *problem.Universe, name string, catalog *cache.Key) string {
	where, near := anyCatalog, "; the request has no catalog that can be used"
	if catalog != nil {
		where = "catalog " + catalog.String()
	}
	if cats := usable(u, catalog); len(cats) > 0 {
		near = didYouMean(u, name, namesIn(cats, (*cache.Catalog).Packages, func(pkg *graph.Package) string { return pkg.Name }))
	}
	return packageNotIn(name, where) + near
}

const anyCatalog = "any catalog"

func packageNotIn(name, where string) string {
	return fmt.Sprintf("package %s not found in %s", name, where)
}

// None is why a demand has no candidates: the step that dropped the last one, the names that it
// concerns, and a text, which is empty if no step is known.
type None struct {
	Cause argument.Cause
	Names []string
	Text  string

	Catalogs []cache.Key // the keys of Names, if these are catalogs
}

// namesOf lists the distinct names of channels.
func namesOf(scanned []problem.ScannedChannel) []string {
	return text.Distinct(text.Each(scanned, func(l problem.ScannedChannel) string { return l.Channel.Name }))
}

// ChannelNames renders the distinct names of channels.
func ChannelNames(scanned []problem.ScannedChannel) string {
	names := namesOf(scanned)
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + text.Short(names, maxChannelNames)
}

// maxChannelNames is the maximum number of channel names in one text.
const maxChannelNames = 30
