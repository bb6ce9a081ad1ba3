package certificate

import (
	"cmp"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// extensionCandidates lists the candidates of an extension in their order (section 13): those of
// the one best catalog.
func (w *world) extensionCandidates(d *demand) (out []*node) {
	type catalog struct {
		number int
		list   []*graph.Bundle
	}
	var all []catalog
	for c := range w.cats {
		if pkg := w.cats[c].Content.Package(d.sub.Package); pkg != nil && d.extension.Catalogs.Matches(&w.cats[c]) {
			if list := w.declared(d, pkg); len(list) > 0 {
				all = append(all, catalog{c, list})
			}
		}
	}
	rank := func(a, b catalog) int {
		return cmp.Or(first(!a.list[0].Deprecated, !b.list[0].Deprecated), cmp.Compare(w.cats[b.number].Priority, w.cats[a.number].Priority))
	}
	slices.SortStableFunc(all, rank)
	if len(all) == 0 || len(all) > 1 && rank(all[0], all[1]) == 0 {
		return nil
	}
	list := all[0].list
	if w.req.Policy.Dependencies != resolver.DependenciesPlan {
		if list = list[:1]; len(list[0].Constraints) > 0 {
			return nil
		}
	}
	for _, b := range list {
		if n := d.owned; n != nil && b.Name == n.Name && same(n, b) {
			out = append(out, n)
		} else {
			out = append(out, w.at(all[0].number, b))
		}
	}
	return out
}

// declared lists the bundles of a package that an extension accepts, best first.
func (w *world) declared(d *demand, pkg *graph.Package) []*graph.Bundle {
	versions, err := masterminds.NewConstraint(cmp.Or(d.extension.VersionRange, ">=0.0.0-0"))
	if err != nil {
		return nil
	}
	listed, edge := make(map[string]bool), make(map[string]bool) // by name, in the requested channels
	for _, ch := range pkg.Channels {
		if len(d.sub.Channels) == 0 && d.owned != nil || slices.Contains(d.sub.Channels, ch.Name) {
			for i := range ch.Entries {
				e := &ch.Entries[i]
				listed[e.Name] = true
				edge[e.Name] = edge[e.Name] || d.owned != nil && upgrades(e, d.owned)
			}
		}
	}
	free := d.owned == nil || cmp.Or(d.extension.Upgrades, w.req.Policy.Upgrades) == resolver.UpgradesSelfCertified
	list := slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b *graph.Bundle) bool {
		stays := d.owned != nil && same(d.owned, b)
		return b.Quarantine != nil || !versions.Check(version(b)) || len(d.sub.Channels) > 0 && !listed[b.Name] ||
			!free && !stays && !edge[b.Name] || b.Barred && !(stays && b.Name == d.owned.Name)
	})
	slices.SortStableFunc(list, func(a, b *graph.Bundle) int {
		return cmp.Or(first(!a.Deprecated, !b.Deprecated), byVersion(a, b))
	})
	return list
}

// version returns the version of a bundle as ranges of OLM v1 compare it: without build metadata.
func version(b *graph.Bundle) *masterminds.Version {
	var pre []string
	for _, p := range b.Version.Pre {
		pre = append(pre, p.String())
	}
	return masterminds.New(b.Version.Major, b.Version.Minor, b.Version.Patch, strings.Join(pre, "."), "")
}

// same reports whether a bundle is the installed one, whatever its name.
func same(n *node, b *graph.Bundle) bool {
	switch {
	case n.Package != "" && n.Package != b.Package:
		return false
	case n.Version == nil:
		return b.Name == n.Name
	}
	return properties.CompareVersions(*b.Version, release(*b.Version, b.Release), *n.Version, release(*n.Version, n.Release)) == 0
}

// byVersion orders bundles of a package under OLM v1: the highest version and release first, then as
// declared.
func byVersion(a, b *graph.Bundle) int {
	return cmp.Or(properties.CompareVersions(*b.Version, release(*b.Version, b.Release), *a.Version, release(*a.Version, a.Release)),
		cmp.Compare(a.Order, b.Order), strings.Compare(a.Name, b.Name))
}

// release is the release that is declared, else the build metadata if that is a valid one.
func release(v semver.Version, declared properties.Release) properties.Release {
	if declared != "" || len(v.Build) == 0 {
		return declared
	}
	r, _ := properties.ParseRelease(strings.Join(v.Build, ".")) // empty for an invalid one
	return r
}
