package graph

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// CRDs iterates over the resource definitions of a bundle: those among its manifests, for which
// the second value is true, and then its other provided APIs, or, if it provides none, those that
// its metadata owns: only their group, kind and served versions are known.
func (b *Bundle) CRDs() iter.Seq2[properties.CRD, bool] {
	return func(yield func(properties.CRD, bool) bool) {
		var manifests, rest []properties.CRD
		if b.Compatibility != nil {
			manifests = b.Compatibility.CRDs
		}
		provided := slices.Collect(b.Properties.GVKs())
		declared := len(provided) > 0
		n := 0
		for _, d := range manifests {
			switch {
			case d.Name == "" && !declared:
				for _, v := range d.Versions {
					provided = append(provided, properties.GVK{Group: d.Group, Version: v.Name, Kind: d.Kind})
				}
			case d.Name != "":
				if n++; !yield(d, true) {
					return
				}
			}
		}
		manifests = manifests[:n]
		for _, g := range provided {
			same := func(d properties.CRD) bool { return d.Group == g.Group && d.Kind == g.Kind }
			if slices.ContainsFunc(manifests, same) {
				continue
			}
			i := slices.IndexFunc(rest, same)
			if i < 0 {
				i, rest = len(rest), append(rest, properties.CRD{Group: g.Group, Kind: g.Kind})
			}
			if !rest[i].Has(g.Version) {
				rest[i].Versions = append(rest[i].Versions, properties.CRDVersion{Name: g.Version, Served: true})
			}
		}
		for _, d := range rest {
			if !yield(d, false) {
				return
			}
		}
	}
}

// DroppedVersion is a version of a resource definition that a bundle serves, and that the
// definition of a bundle to which it can be upgraded does not have (section 14 of the
// semantics).
type DroppedVersion struct {
	From, To *Bundle
	// CRD names the definition: by its name, or as Kind.group where that is not known.
	CRD, Version string
	// Known is false if there are no manifests of To, so that it may only not serve the
	// version any more.
	Known bool
}

// mostDropped bounds the dropped versions of a package that are listed.
const mostDropped = 10_000

// DroppedVersions lists the versions dropped along the edges of the package, by the names of the
// bundles that they lead from: 10,000 at most. The error is that of the context.
func (p *Package) DroppedVersions(ctx context.Context) ([]DroppedVersion, error) {
	if p == nil {
		return nil, nil
	}
	p = p.whole()
	u, err := NewUpdates(ctx, p, UpdateOptions{bundlesOnly: true})
	if err != nil {
		return nil, err
	}
	var out []DroppedVersion
	for _, from := range p.Bundles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for name := range u.Targets(from.Name) {
			if out = append(out, dropped(from, p.Bundle(name))...); len(out) >= mostDropped {
				return out[:mostDropped], nil
			}
		}
	}
	return out, nil
}

// dropped lists the versions dropped along one edge. A definition that the newer bundle does not
// have at all stays on the cluster as it is.
func dropped(from, to *Bundle) (out []DroppedVersion) {
	if sameRest(from.Properties, to.Properties) && from.Compatibility == to.Compatibility {
		return nil
	}
	type definition struct {
		properties.CRD
		known bool
	}
	var now []definition
	for d, known := range to.CRDs() {
		now = append(now, definition{d, known})
	}
	for was := range from.CRDs() {
		for _, is := range now {
			if was.Group != is.Group || was.Kind != is.Kind {
				continue
			}
			for _, v := range was.Versions {
				if v.Served && !is.Has(v.Name) {
					out = append(out, DroppedVersion{from, to, cmp.Or(is.Name, was.Name, is.Kind+"."+is.Group), v.Name, is.known})
				}
			}
		}
	}
	return out
}

// DroppedProblems reports for each bundle the versions dropped by upgrades to it, in the order of
// the list: a warning each, with the code crdVersionDropped.
func DroppedProblems(list []DroppedVersion) []Problem {
	type about struct{ versions, from []string }
	var order []*Bundle
	found, doubt := make(map[*Bundle]*about), make(map[*Bundle]bool)
	for _, d := range list {
		a := found[d.To]
		if a == nil {
			a, order = &about{}, append(order, d.To)
			found[d.To] = a
		}
		a.versions = text.AppendNew(a.versions, d.Version+" of "+d.CRD)
		a.from = text.AppendNew(a.from, d.From.Name)
		doubt[d.To] = doubt[d.To] || !d.Known
	}
	var out []Problem
	for _, b := range order {
		verb, why := "does not have", "where objects are stored in it the install plan fails with \"risk of data loss\""
		if doubt[b] {
			verb, why = "no longer serves", "if its definition dropped it, which is not known without its manifests, the install plan fails where objects are stored in it"
		}
		a := found[b]
		out = append(out, Problem{Severity: SeverityWarning, Code: "crdVersionDropped", Package: b.Package, Bundle: b.Name, File: b.Pos().File, Line: b.Pos().Line,
			Message: fmt.Sprintf("bundle %q %s version %s, which is served by %s before it: %s; keep the version without serving it, until the stored objects are migrated",
				b.Name, verb, text.Short(a.versions, 4), text.Short(a.from, 4), why)})
	}
	return out
}
