package mirror

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// veto excludes the bundles that oc-mirror does not mirror: nothing can be installed with them or
// upgraded to them, although the mirrored catalog has them.
func (m *maker) veto(_ context.Context, catalog cache.Key, b *graph.Bundle) (string, error) {
	i := slices.Index(m.keys, catalog)
	if i < 0 {
		return "", nil
	}
	return m.skipped(i, b), nil
}

// skipped returns why oc-mirror does not mirror a bundle of a catalog; empty if it does.
func (m *maker) skipped(catalog int, b *graph.Bundle) string {
	return m.unmirrored[catalog][bundleKey{b.Package, b.Name}]
}

// standings checks whether each selected bundle is a candidate in the mirror. Others are
// unresolved, or for upgrades only.
func (m *maker) standings(ctx context.Context) {
	for i, sel := range m.now {
		for k := range sel.Packages {
			if ctx.Err() != nil {
				return
			}
			m.packageStandings(ctx, i, &sel.Packages[k])
		}
	}
}

func (m *maker) packageStandings(ctx context.Context, i int, sel *SelectedPackage) {
	view, whole := m.views[i].Content.Package(sel.Name), m.whole[i].Content.Package(sel.Name)
	best := make(map[string]graph.Standing)
	for _, ch := range sel.Channels {
		for _, name := range ch.Entries {
			s, known := graph.Standing{}, false
			if v := view.Channel(ch.Name); v != nil && v.Entry(name) != nil {
				s, known = v.Standing(v.Entry(name)), true
			}
			if was, seen := best[name]; known && (!seen || s.Offered && !was.Offered) {
				best[name] = s
			}
		}
	}
	offered := false
	for name, s := range best { // into one answer
		offered = offered || s.Offered && m.unmirrored[i][bundleKey{sel.Name, name}] == ""
	}
	in := sel.firstChannels()
	for _, name := range m.names(sel) {
		if ctx.Err() != nil {
			return
		}
		at := location{i, sel.Name, in[name], name}
		b, s := whole.Bundle(name), best[name]
		switch why := m.unmirrored[i][bundleKey{sel.Name, name}]; {
		case why != "":
			m.unresolvedText(at, why)
		case b == nil:
			m.unresolvedText(at, fmt.Sprintf("the catalog has no such bundle, though channel %s lists it", text.Name(at.channel)))
		case b.Quarantine != nil:
			m.unresolvedText(at, "it is ignored: "+text.Inert(b.Quarantine.Message))
		case s.Offered:
		case s.Problem != nil || !offered:
			m.unresolvedText(at, fmt.Sprintf("it %s", cannot(s)))
		default:
			m.plan.UpgradeOnly = append(m.plan.UpgradeOnly, UpgradeOnly{Catalog: m.ref(i), Package: sel.Name, Bundle: name})
		}
	}
}

// names returns the selected entries and bundles of a package, by name.
func (m *maker) names(sel *SelectedPackage) []string {
	out := slices.Clone(sel.Bundles)
	for _, ch := range sel.Channels {
		out = append(out, ch.Entries...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cannot returns the reason for which a bundle is not offered for new installs.
func cannot(s graph.Standing) string {
	if words := s.String(); words != "" {
		return words
	}
	return "is in no channel that is mirrored"
}
