package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Stranded reports whether no healthy channel that a subscription looks at has an
// edge away from its installed bundle, and none has it for its head.
func (w Causes) Stranded(s *problem.Subscription) bool {
	if w.p.Rules.AnyUpgrade {
		return false
	}
	b := w.p.Nodes[s.Owned].Bundle
	entries := false
	for _, l := range s.Looked {
		if l.Channel.Quarantined() != nil {
			continue
		}
		entries = entries || len(l.Channel.Entries) > 0
		if h := l.Channel.Head(); h != nil && h.Name == b.Name {
			return false
		}
		for _, next := range l.Channel.Chain() {
			if next.Candidate() && next.Name != b.Name && w.p.Upgrades(next, s.Owned) {
				return false
			}
		}
	}
	return entries
}

// Inside says what channels offer inside the range of a subscription: the best version, or
// that there is none and what the newest is.
func (w Causes) Inside(s *problem.Subscription) string {
	var newest *graph.Bundle
	for _, l := range s.Looked {
		for _, b := range l.Channel.Candidates() {
			if w.p.Tick(); b.Barred || w.p.Stopped() {
				continue
			}
			if s.Range.Contains(*b.Version) {
				return fmt.Sprintf("the best version on offer inside that range is %s (%s)", b.Version, b.Name)
			}
			if newest == nil || b.Version.GT(*newest.Version) {
				newest = b
			}
		}
	}
	none := "no version on offer is inside that range"
	if newest != nil {
		none += fmt.Sprintf("; the newest is %s (%s)", newest.Version, newest.Name)
	}
	return none
}

// Instead says of the i-th channel that a subscription looks at, which is broken, what the
// subscription has instead: another channel's bundle, or the one that stays.
func (w Causes) Instead(s *problem.Subscription, i int, met problem.NodeID) string {
	ch, bundle := s.Looked[i].Channel, w.p.Nodes[met].Bundle.Name
	what := "channel " + ch.Name
	if ch.Quarantined().Quarantined == "package" {
		what = "package " + ch.Package.Name
	} else if ch.Default() {
		what += ", the default channel of package " + ch.Package.Name + ","
	}
	broken := fmt.Sprintf("%s is ignored because it is broken (%s)", what, strings.TrimSuffix(ch.Quarantined().Message, "."))
	by, _ := w.p.Offers(s, met)
	if by == nil {
		return fmt.Sprintf("%s; %s stays as it is", broken, bundle)
	}
	said := fmt.Sprintf("%s; %s comes from channel %s instead", broken, bundle, by.Name)
	sound := func(l problem.LookedAt) bool {
		if l.Channel.Name == ch.Name {
			for _, b := range l.Channel.Candidates() {
				if w.p.Tick(); w.p.Drops(s, l.Channel, b) == 0 {
					return true
				}
			}
		}
		return false
	}
	switch {
	case slices.ContainsFunc(s.Looked, sound):
		return said
	case s.Owned != problem.NoNode:
		return fmt.Sprintf("%s; a subscription that names channel %s would keep %s", said, ch.Name, w.p.Nodes[s.Owned].Bundle.Name)
	}
	return fmt.Sprintf("%s; a subscription that names channel %s would have no candidate", said, ch.Name)
}

// WhyNothing says which of catalog, package and channel of a subscription is not
// there, with what there is instead.
func (w Causes) WhyNothing(s *problem.Subscription) None {
	cats := w.usable(s.Catalog)
	if s.Catalog != nil && len(cats) == 0 {
		return None{"catalog", []string{s.Catalog.String()}, w.catalogNotFound(s.Catalog.String())}
	}
	found := false
	var names []string
	seen := make(map[string]bool)
	for _, c := range cats {
		pkg := c.Content.Package(s.Package)
		if pkg == nil {
			continue
		}
		found = true
		for _, ch := range pkg.Channels {
			if w.p.Tick(); !seen[ch.Name] {
				seen[ch.Name] = true
				names = append(names, ch.Name)
			}
		}
	}
	switch {
	case !found:
		return None{"package", []string{s.Package}, w.packageNotFound(s.Package, s.Catalog)}
	case len(names) == 0:
		return None{"channel", nil, fmt.Sprintf("package %s has no channel", s.Package)}
	case len(s.Channels) == 0:
		return None{"empty", []string{s.Package}, fmt.Sprintf("package %s has nothing to offer", s.Package)}
	}
	near := ""
	for _, ch := range s.Channels {
		near = cmp.Or(near, w.didYouMean(ch, slices.Values(names)))
	}
	return None{"channel", s.Channels, fmt.Sprintf("%s%s not found; the package has %s%s", text.Plural(len(s.Channels), "channel ", "channels "),
		text.And(s.Channels), text.Short(names, 10), near)}
}

// catalogNotFound lists the catalogs that there are.
func (w Causes) catalogNotFound(key string) string {
	if len(w.p.Cats) == 0 {
		return fmt.Sprintf("catalog %s not found; there are no catalogs", key)
	}
	keys := make([]string, len(w.p.Cats))
	for i, c := range w.p.Cats {
		keys[i] = c.Key.String()
	}
	return fmt.Sprintf("catalog %s not found; there are %s%s", key, strings.Join(keys, ", "), w.didYouMean(key, slices.Values(keys)))
}

// packageNotFound names packages that are spelled much like the one asked for.
func (w Causes) packageNotFound(name string, catalog *cache.Key) string {
	where, near := "any catalog", "; the request has no catalog that can be used"
	if catalog != nil {
		where = "catalog " + catalog.String()
	}
	if cats := w.usable(catalog); len(cats) > 0 {
		near = w.didYouMean(name, namesIn(cats, (*cache.Catalog).Packages, func(pkg *graph.Package) string { return pkg.Name }))
	}
	return fmt.Sprintf("package %s not found in %s%s", name, where, near)
}

// None says which step left a subscription without candidates, what that is about, and so in
// words; the text is empty if there is nothing to say.
type None struct {
	Step  string
	Names []string
	Text  string
}

// namesOf lists the names of channels, each once.
func namesOf(looked []problem.LookedAt) []string {
	var names []string
	seen := make(map[string]bool, len(looked))
	for _, l := range looked {
		if !seen[l.Channel.Name] {
			seen[l.Channel.Name] = true
			names = append(names, l.Channel.Name)
		}
	}
	return names
}

// ChannelNames names channels, each once.
func ChannelNames(looked []problem.LookedAt) string {
	names := namesOf(looked)
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + text.Short(names, maxChannelNames)
}

// maxChannelNames bounds the names of channels in one text.
const maxChannelNames = 30
