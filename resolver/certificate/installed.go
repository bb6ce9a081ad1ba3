package certificate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// install finds out what is known of the installed bundles (section 1).
func (w *world) install() {
	for i, in := range w.req.Installed {
		w.index[in.Name] = i
	}
	owners := make(map[*resolver.Installed]string)
	for _, d := range slices.Backward(w.requested()) {
		owners[w.owns(d)] = d.sub.Package
	}
	for i := range w.req.Installed {
		in := &w.req.Installed[i]
		if _, known := w.index[in.ReplacedBy]; known && in.ReplacedBy != "" {
			continue
		}
		n := &node{cat: slices.IndexFunc(w.cats, func(c resolver.Catalog) bool { return c.Key == in.Catalog }), in: in, pkg: w.packageOf(in, owners[in])}
		later := w.stage.next != nil && w.stage.next.Installed != "" && i > w.index[w.stage.next.Installed]
		if w.installed = append(w.installed, n); later || w.stage.broken[in.Name] {
			w.lenient = append(w.lenient, n)
		}
		if w.complete(n); n.pkg == "" {
			n.pkg = "\x00" + in.Name
		}
	}
}

// nodeOf returns the node of an installed bundle, nil if it has none.
func (w *world) nodeOf(in *resolver.Installed) *node {
	if i := slices.IndexFunc(w.installed, func(n *node) bool { return n.in == in }); i >= 0 && in != nil {
		return w.installed[i]
	}
	return nil
}

// complete finds properties, version and constraints of an installed bundle: what is given, else
// those of the catalogs' bundle.
func (w *world) complete(n *node) {
	known := w.known(n.in, n.pkg)
	n.of, n.Bundle, n.version = n, &graph.Bundle{ID: -1, Name: n.in.Name, Package: n.pkg}, n.in.Version
	if n.in.Properties != nil {
		n.Properties = *n.in.Properties
		for p := range n.Properties.All() {
			if c, ok, err := w.parser.FromProperty(p); ok && err == nil {
				n.Constraints = append(n.Constraints, graph.Requirement{Constraint: c})
			}
		}
	} else if known != nil {
		n.Properties, n.Constraints = known.Properties, known.Constraints
	}
	if said, ok := n.Properties.Package(); ok && n.version == nil {
		n.version = &said.Version
	} else if n.version == nil && known != nil {
		if _, ok := known.Properties.Package(); ok {
			n.version = known.Version
		}
	}
	if n.in.Properties == nil && known == nil && n.pkg != "" && n.version != nil {
		if p, err := properties.NewPackage(n.pkg, n.version); err == nil {
			n.Properties = properties.NewSet(p)
		}
	}
	if len(w.req.Extensions) > 0 && w.req.Policy.Dependencies != resolver.DependenciesPlan {
		n.Constraints = nil // OLM v1 follows no constraint of what is installed
	}
}

// known is the catalogs' bundle that an installed one stands for.
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

// requested lists the subscriptions or extensions of the request.
func (w *world) requested() []*demand {
	var all []*demand
	for i := range w.req.Extensions {
		e := &w.req.Extensions[i]
		all = append(all, &demand{extension: e, sub: resolver.Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV, Pin: e.Pin}})
	}
	for _, s := range w.req.Subscriptions {
		all = append(all, &demand{sub: s})
	}
	return all
}

// owns returns the installed bundle that a subscription owns, nil for none: the one that it names,
// or that names it, and that no other is replacing.
func (w *world) owns(d *demand) *resolver.Installed {
	i, named := w.index[d.sub.InstalledCSV]
	if !named || d.sub.InstalledCSV == "" {
		i = slices.IndexFunc(w.req.Installed, func(in resolver.Installed) bool { return in.Subscription != "" && in.Subscription == d.sub.Name })
	}
	if i < 0 {
		return nil
	}
	for range w.req.Installed {
		if next, replaced := w.index[w.req.Installed[i].ReplacedBy]; replaced {
			i = next
		}
	}
	return &w.req.Installed[i]
}

// generated makes the subscriptions of automatic bundles that nothing owns (section 5), by name.
func (w *world) generated(taken map[string]bool, owned map[*node]bool) []*demand {
	var out []*demand
	for _, n := range w.installed {
		if !n.in.Automatic || owned[n] || n.Package == "" {
			continue
		}
		catalog, channel, origins := n.in.Catalog, n.in.Channel, 1
		if catalog.IsZero() || channel == "" {
			catalog, channel, origins = w.origin(n)
		}
		if origins != 1 {
			continue
		}
		base := strings.Join([]string{n.Package, channel, catalog.Name, catalog.Namespace}, "-")
		name := base
		for k := 2; taken[name]; k++ {
			name = base + "-" + strconv.Itoa(k)
		}
		taken[name] = true
		out = append(out, &demand{owned: n, sub: resolver.Subscription{Name: name, Package: n.Package, Channels: []string{channel}, Catalog: catalog, Generated: true}})
	}
	return out
}

// origin counts the channels that an installed bundle can have come from, and returns the last.
func (w *world) origin(n *node) (catalog cache.Key, channel string, count int) {
	for _, c := range w.cats {
		p := c.Content.Package(n.Package)
		if p == nil || !n.in.Catalog.IsZero() && c.Key != n.in.Catalog {
			continue
		}
		for _, ch := range p.Channels {
			if (n.in.Channel == "" || n.in.Channel == ch.Name) && ch.Entry(n.Name) != nil {
				catalog, channel = c.Key, ch.Name
				count++
			}
		}
	}
	return catalog, channel, count
}
