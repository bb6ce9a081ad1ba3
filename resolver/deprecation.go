package resolver

import "github.com/seed109e2655/resolute/graph"

// deprecation is what the catalogs say against a bundle.
type deprecation struct {
	named    bool     // an olm.deprecations blob names it
	barred   bool     // it has the property olm.deprecated and is installed
	messages []string // of the catalogs
}

// deprecationOf looks a bundle up in the deprecations of its catalog: the
// package, the channel and the bundle itself. An installed bundle that came from
// nowhere known is looked up in the best catalog that has its package.
func (p *bundles) deprecationOf(n nodeID, channel string) (deprecation, bool) {
	nd := &p.nodes[n]
	var d deprecation
	if pkg := p.packageOf(n); pkg != nil {
		d.add(pkg.Deprecated, pkg.Deprecation)
		if ch := pkg.Channel(channel); ch != nil {
			d.add(ch.Deprecated, ch.Deprecation)
		}
		if nd.inst >= 0 {
			if b := pkg.Bundle(nd.bundle.Name); b != nil {
				d.add(b.Deprecated, b.Deprecation)
			}
		} else {
			d.add(nd.bundle.Deprecated, nd.bundle.Deprecation)
		}
	}
	d.barred = nd.inst >= 0 && nd.bundle.Properties.Deprecated()
	return d, d.named || d.barred
}

func (d *deprecation) add(named bool, message string) {
	if !named {
		return
	}
	d.named = true
	if message != "" {
		d.messages = append(d.messages, message)
	}
}

// packageOf returns the package of a node in its catalog, or nil.
func (p *bundles) packageOf(n nodeID) *graph.Package {
	nd := &p.nodes[n]
	if nd.inst < 0 && len(nd.bundle.Places) > 0 {
		return nd.bundle.Places[0].Channel.Package
	}
	if nd.cat != noCatalog {
		return p.cats[nd.cat].Content.Package(nd.bundle.Package)
	}
	for _, c := range p.cats {
		if pkg := c.Content.Package(nd.bundle.Package); pkg != nil && pkg.Bundle(nd.bundle.Name) != nil {
			return pkg
		}
	}
	return nil
}

// shunned reports whether policy AvoidDeprecated puts a candidate last: an
// olm.deprecations blob names its package, the channel of its best place, or
// itself.
func (p *bundles) shunned(n nodeID) bool {
	nd := &p.nodes[n]
	if nd.inst >= 0 {
		d, ok := p.deprecationOf(n, p.channels[nd.inst])
		return ok && d.named
	}
	pl, ok := p.bestPlace(nd.bundle)
	if !ok {
		return false
	}
	d, ok := p.deprecationOf(n, pl.Channel.Name)
	return ok && d.named
}
