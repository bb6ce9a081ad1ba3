package problem

import "github.com/seed109e2655/resolute/graph"

// Deprecation is how the catalogs deprecate a bundle.
type Deprecation struct {
	Named    bool     // an olm.deprecations blob names it
	Barred   bool     // it has the property olm.deprecated and is installed
	Messages []string // of the catalogs
}

// DeprecationOf collects the deprecations of a bundle's package, of a channel and of the bundle
// itself from its catalog. For an installed bundle of an unknown catalog it uses the best catalog
// that has the bundle.
func (u *Universe) DeprecationOf(n NodeID, channel string) (d Deprecation) {
	nd := &u.Nodes[n]
	if pkg := u.packageOf(n); pkg != nil {
		d.add(pkg.Deprecated, pkg.Deprecation)
		if ch := pkg.Channel(channel); ch != nil {
			d.add(ch.Deprecated, ch.Deprecation)
		}
		if nd.Inst >= 0 {
			if b := pkg.Bundle(nd.Bundle.Name); b != nil {
				d.add(b.Deprecated, b.Deprecation)
			}
		} else {
			d.add(nd.Bundle.Deprecated, nd.Bundle.Deprecation)
		}
	}
	d.Barred = nd.Inst >= 0 && nd.Bundle.Properties.Deprecated()
	return d
}

// add adds a deprecation of the package, of a channel or of the bundle.
func (d *Deprecation) add(named bool, message string) {
	if !named {
		return
	}
	d.Named = true
	if message != "" {
		d.Messages = append(d.Messages, message)
	}
}

// packageOf returns the package of a node in its catalog, or nil.
func (u *Universe) packageOf(n NodeID) *graph.Package {
	nd := &u.Nodes[n]
	if nd.Inst < 0 && len(nd.Bundle.Places) > 0 {
		return nd.Bundle.Places[0].Channel.Package
	}
	if nd.Cat != NoCatalog {
		return u.Cats[nd.Cat].Content.Package(nd.Bundle.Package)
	}
	for _, c := range u.Cats {
		if pkg := c.Content.Package(nd.Bundle.Package); pkg != nil && pkg.Bundle(nd.Bundle.Name) != nil {
			return pkg
		}
	}
	return nil
}

// AvoidedAsDeprecated reports whether policy AvoidDeprecated ranks a candidate last: an
// olm.deprecations blob names the candidate, its package, or the channel of its best place.
func (u *Universe) AvoidedAsDeprecated(n NodeID) bool {
	nd := &u.Nodes[n]
	if nd.Inst >= 0 {
		return u.DeprecationOf(n, u.Channels[nd.Inst]).Named
	}
	pl, ok := u.BestPlace(nd.Bundle)
	return ok && u.DeprecationOf(n, pl.Channel.Name).Named
}
