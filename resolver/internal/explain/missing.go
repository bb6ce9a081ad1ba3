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
func Stranded(p *problem.View, s *problem.Subscription) bool {
	if p.Rules.AnyUpgrade {
		return false
	}
	b := p.Nodes[s.Owned].Bundle
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
			if next.Candidate() && next.Name != b.Name && p.Upgrades(next, s.Owned) {
				return false
			}
		}
	}
	return entries
}

// WhyNothing says which of catalog, package and channel of a subscription is not
// there, with what there is instead.
func WhyNothing(p *problem.View, s *problem.Subscription) None {
	cats := usable(p, s.Catalog)
	if s.Catalog != nil && len(cats) == 0 {
		return None{"catalog", []string{s.Catalog.String()}, catalogNotFound(p, s.Catalog.String())}
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
			p.Tick()
			names = append(names, ch.Name)
		}
	}
	names = text.Distinct(names)
	switch {
	case !found:
		return None{"package", []string{s.Package}, packageNotFound(p, s.Package, s.Catalog)}
	case len(names) == 0:
		return None{"channel", nil, fmt.Sprintf("package %s has no channel", s.Package)}
	case len(s.Channels) == 0:
		return None{"empty", []string{s.Package}, fmt.Sprintf("package %s has nothing to offer", s.Package)}
	}
	near := ""
	for _, ch := range s.Channels {
		near = cmp.Or(near, didYouMean(p, ch, slices.Values(names)))
	}
	return None{"channel", s.Channels, fmt.Sprintf("%s%s not found; the package has %s%s", text.Plural(len(s.Channels), "channel ", "channels "),
		text.And(s.Channels), text.Short(names, 10), near)}
}

// catalogNotFound lists the catalogs that there are.
func catalogNotFound(p *problem.View, key string) string {
	if len(p.Cats) == 0 {
		return fmt.Sprintf("catalog %s not found; there are no catalogs", key)
	}
	keys := make([]string, len(p.Cats))
	for i, c := range p.Cats {
		keys[i] = c.Key.String()
	}
	return fmt.Sprintf("catalog %s not found; there are %s%s", key, strings.Join(keys, ", "), didYouMean(p, key, slices.Values(keys)))
}

// packageNotFound names packages that are spelled much like the one asked for.
func packageNotFound(p *problem.View, name string, catalog *cache.Key) string {
	where, near := "any catalog", "; the request has no catalog that can be used"
	if catalog != nil {
		where = "catalog " + catalog.String()
	}
	if cats := usable(p, catalog); len(cats) > 0 {
		near = didYouMean(p, name, namesIn(cats, (*cache.Catalog).Packages, func(pkg *graph.Package) string { return pkg.Name }))
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
	return text.Distinct(text.Each(looked, func(l problem.LookedAt) string { return l.Channel.Name }))
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
