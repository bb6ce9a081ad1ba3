package certificate

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// install makes the nodes of the installed bundles (section 1), for what the request demands.
func (w *world) install(requested []*demand) {
	owners := make(map[int]string)
	for _, d := range slices.Backward(requested) {
		owners[d.owns] = d.sub.Package
	}
	w.installed = make([]*node, len(w.req.Installed))
	for i, in := range w.req.Installed {
		if _, replaced := w.index[in.ReplacedBy]; !replaced {
			w.installed[i] = w.add(i, w.packageOf(&in, owners[i]))
			for api := range w.installed[i].Properties.GVKs() {
				w.providers[api] = append(w.providers[api], w.installed[i])
			}
		}
	}
	for _, d := range requested {
		if d.owns >= 0 {
			d.owned = w.installed[d.owns]
		}
	}
}

// add makes the node of an installed bundle: of what is given, else of what the catalogs' bundle says.
func (w *world) add(i int, pkg string) *node {
	in := &w.req.Installed[i]
	b, known := &graph.Bundle{ID: int32(i), Name: in.Name, Package: pkg, Version: in.Version, Release: in.Release}, w.known(in, pkg)
	n := &node{Bundle: b, in: in, pkg: cmp.Or(pkg, "\x00"+in.Name),
		cat:     slices.IndexFunc(w.cats, func(c resolver.Catalog) bool { return c.Key == in.Catalog }),
		lenient: w.stage.broken[in.Name] || w.stage.next != nil && w.stage.next.Installed != "" && i > w.index[w.stage.next.Installed]}
	if in.Properties != nil {
		b.Properties = *in.Properties
		for p := range b.Properties.All() {
			if c, ok, err := w.parser.FromProperty(p); ok && err == nil {
				b.Constraints = append(b.Constraints, graph.Requirement{Constraint: c})
			}
		}
	} else if known != nil {
		b.Properties, b.Constraints = known.Properties, known.Constraints
	}
	own, stated := b.Properties.Package()
	if from := own; b.Version == nil && (stated || known != nil) {
		if !stated {
			from, stated = known.Properties.Package()
		}
		if stated {
			b.Version = &from.Version
		}
	}
	if b.Version != nil && (in.Properties != nil || own.Version.String() == b.Version.String()) {
		b.Release = cmp.Or(b.Release, own.Release)
	}
	if in.Properties == nil && known == nil && pkg != "" && b.Version != nil {
		if p, err := properties.NewPackage(pkg, b.Version); err == nil {
			b.Properties = properties.NewSet(p)
		}
	}
	if len(w.req.Extensions) > 0 && w.req.Policy.Dependencies != resolver.DependenciesPlan {
		b.Constraints = nil // OLM v1 follows no constraint of what is installed
	}
	return n
}

// known is the catalogs' bundle that an installed one stands for, nil if there is none.
func (w *world) known(in *resolver.Installed, pkg string) *graph.Bundle {
	for _, c := range w.cats {
		if p := c.Content.Package(pkg); p != nil && pkg != "" && (in.Catalog.IsZero() || c.Key == in.Catalog) {
			if b := p.Bundle(in.Name); b != nil {
				return b
			}
		}
	}
	return nil
}

func (w *world) packageOf(in *resolver.Installed, owner string) (only string) {
	if in.Package != "" || in.PackageUnknown {
		return in.Package
	}
	if in.Properties != nil {
		if p, ok := in.Properties.Package(); ok {
			return p.Name
		}
	}
	if owner != "" {
		return owner
	}
	for _, c := range w.cats {
		for _, id := range c.Content.Named(in.Name) {
			switch pkg := c.Content.Bundle(id).Package; only {
			case "", pkg:
				only = pkg
			default:
				return ""
			}
		}
	}
	return only
}
