package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Stranded reports whether no healthy channel that a subscription looks at has an
// edge away from its installed bundle, and none has it for its head.
func (p Causes) Stranded(s *problem.Subscription) bool {
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
func (p Causes) WhyNothing(s *problem.Subscription) string {
	if s.Catalog != nil && p.CatalogIndex(*s.Catalog) == problem.NoCatalog {
		keys := make([]string, len(p.Cats))
		for i := range p.Cats {
			keys[i] = p.Cats[i].Key.String()
		}
		return fmt.Sprintf("catalog %s not found; %s%s", s.Catalog, p.catalogNames(), p.didYouMean(s.Catalog.String(), slices.Values(keys)))
	}
	var names []string
	told := make(map[string]bool)
	found := false
	for c := range p.Cats {
		if s.Catalog != nil && p.Cats[c].Key != *s.Catalog {
			continue
		}
		if pkg := p.Cats[c].Content.Package(s.Package); pkg != nil {
			found = true
			for _, ch := range pkg.Channels {
				if p.Tick(); !told[ch.Name] {
					told[ch.Name] = true
					names = append(names, ch.Name)
				}
			}
		}
	}
	if !found {
		return p.packageNotFound(s.Package, s.Catalog)
	}
	if len(names) == 0 {
		return fmt.Sprintf("package %s has no channel", s.Package)
	}
	if len(s.Channels) == 0 {
		return fmt.Sprintf("package %s has nothing to offer", s.Package)
	}
	near := ""
	for _, ch := range s.Channels {
		near = cmp.Or(near, p.didYouMean(ch, slices.Values(names)))
	}
	return fmt.Sprintf("%s%s not found; the package has %s%s", text.Plural(len(s.Channels), "channel ", "channels "),
		text.And(s.Channels), text.Short(names, 10), near)
}

// packageNotFound names packages that are spelled much like the one asked for.
func (p Causes) packageNotFound(name string, catalog *cache.Key) string {
	where := "any catalog"
	if catalog != nil {
		where = "catalog " + catalog.String()
	}
	text := fmt.Sprintf("package %s not found in %s", name, where)
	if len(p.Cats) == 0 {
		return text + "; the request has no catalog that can be used"
	}
	return text + p.didYouMean(name, packageNames(p.usable(catalog)))
}

func (p Causes) catalogNames() string {
	if len(p.Cats) == 0 {
		return "there are no catalogs"
	}
	names := make([]string, len(p.Cats))
	for i, c := range p.Cats {
		names[i] = c.Key.String()
	}
	return "there are " + strings.Join(names, ", ")
}

// ChannelNames names channels, each once.
func ChannelNames(looked []problem.LookedAt) string {
	var names []string
	told := make(map[string]bool, len(looked))
	for _, l := range looked {
		if !told[l.Channel.Name] {
			told[l.Channel.Name] = true
			names = append(names, l.Channel.Name)
		}
	}
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + text.Short(names, maxChannelNames)
}

// maxChannelNames bounds the names of channels in one text.
const maxChannelNames = 30
