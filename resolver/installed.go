package resolver

import (
	"fmt"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// noInstalled stands for no installed bundle.
const noInstalled int32 = -1

// indexInstalled finds the installed bundles by name, and their packages.
func (p *resolution) indexInstalled() {
	n := len(p.req.Installed)
	if n == 0 {
		return
	}
	p.instName, p.last = make(map[string]int32, n), nil
	for i := range p.req.Installed {
		p.instName[p.req.Installed[i].Name] = int32(i)
	}
	p.instPkg = make([]string, n)
	owner := sync.OnceValue(p.ownersByInstalled)
	for i := range p.req.Installed {
		p.instPkg[i] = p.packageOfInstalled(int32(i), owner)
	}
}

// replaced reports whether another installed bundle is taking over from one, which
// then counts for nothing any more (section 1).
func (p *resolution) replaced(i int32) bool {
	by := p.req.Installed[i].ReplacedBy
	_, known := p.instName[by]
	return known && by != ""
}

// addInstalled makes a node of each installed bundle that counts.
func (p *resolution) addInstalled() {
	n := len(p.req.Installed)
	if n == 0 {
		return
	}
	p.problem.Inst, p.problem.Channels = make([]problem.NodeID, 0, n), make([]string, 0, n)
	for i := range p.req.Installed {
		in := &p.req.Installed[i]
		if p.replaced(int32(i)) {
			p.problem.Install(nil, false, problem.NoCatalog, "")
			continue
		}
		b, versioned := p.installedBundle(in, p.instPkg[i])
		p.problem.Install(b, versioned, p.problem.CatalogIndex(in.Catalog), in.Channel)
	}
}

// packageOfInstalled is the package of an installed bundle, empty if it is not
// known: what the bundle says itself, its properties, its owner, the only package
// in the catalogs that has a bundle of this name.
func (p *resolution) packageOfInstalled(i int32, owners func() map[int32]string) string {
	in := &p.req.Installed[i]
	if in.Package != "" || in.PackageUnknown {
		return in.Package
	}
	if in.Properties != nil {
		if pkg, ok := in.Properties.Package(); ok {
			return pkg.Name
		}
	}
	p.asksOwners = true
	if owner := owners()[i]; owner != "" {
		return owner
	}
	only := ""
	for _, c := range p.problem.Cats {
		for _, id := range c.Content.Named(in.Name) {
			switch pkg := c.Content.Bundle(id).Package; {
			case only == "":
				only = pkg
			case only != pkg:
				return ""
			}
		}
	}
	return only
}

// installedBundle gives an installed bundle the shape of a catalog's one: what
// the request does not say is taken from its properties, then from the catalog's
// bundle of the same name. It also reports whether the version is known.
func (p *resolution) installedBundle(in *Installed, pkg string) (b *graph.Bundle, versioned bool) {
	b = &graph.Bundle{ID: -1, Name: in.Name, Common: &graph.Common{Package: pkg}}
	known, _ := p.knownBundle(in, pkg)
	switch {
	case in.Properties != nil:
		b.Properties = *in.Properties
		p.parseInstalled(b)
	case known != nil:
		b.Properties, b.Constraints = known.Properties, known.Constraints
		b.Deprecation, b.Deprecated = known.Deprecation, known.Deprecated
	}
	if b.Payload = in.Payload; b.Payload == nil && known != nil {
		b.Payload = known.Payload
	}
	b.Compatibility = problem.InstalledCompatibility(b, known, in.Properties != nil)
	own, says := b.Properties.Package()
	switch {
	case in.Version != nil:
		v := *in.Version
		b.Version, versioned = &v, true
	case says:
		v := own.Version
		b.Version, versioned = &v, true
	case known != nil: // one that is quarantined may have none
		_, versioned = known.Properties.Package()
		b.Version = known.Version
	}
	if b.Version == nil {
		b.Version = new(semver.Version)
	}
	if in.Properties == nil && known == nil && pkg != "" && versioned {
		b.Properties = problem.Identity(b)
	}
	return b, versioned
}

// parseInstalled reads the constraints among the properties that a request gives.
// One that cannot be read is set aside with a warning: the bundle is on the
// cluster, whatever it says of itself.
func (p *resolution) parseInstalled(b *graph.Bundle) {
	for prop := range b.Properties.All() {
		c, ok, err := p.config.parser.FromProperty(prop)
		switch {
		case err != nil:
			p.warnings = append(p.warnings, Warning{Kind: warningQuarantined, Bundle: b.Name, Package: b.Package,
				Message: fmt.Sprintf("a constraint of the installed bundle %s cannot be read and is ignored: %v", b.Name, err)})
		case ok:
			b.Constraints = append(b.Constraints, graph.Requirement{Constraint: c, Property: prop})
		}
	}
}

// knownBundle is the bundle of a catalog that an installed one stands for: that
// of the catalog it came from, else that of the best catalog that has it, and its catalog.
func (p *resolution) knownBundle(in *Installed, pkg string) (*graph.Bundle, cache.Key) {
	if pkg == "" {
		return nil, cache.Key{}
	}
	for _, c := range p.problem.Cats {
		if in.Catalog != (cache.Key{}) && c.Key != in.Catalog {
			continue
		}
		if of := c.Content.Package(pkg); of != nil {
			if b := of.Bundle(in.Name); b != nil {
				return b, c.Key
			}
		}
	}
	return nil, cache.Key{}
}

// currentInstalled follows the name of an installed bundle, through replacedBy,
// to the one that counts; noInstalled if nothing of that name is installed.
func (p *resolution) currentInstalled(name string) int32 {
	i, ok := p.instName[name]
	if !ok || name == "" {
		return noInstalled
	}
	var way []int32
	for range p.req.Installed {
		if last, known := p.last[i]; known {
			i = last
			break
		}
		next, ok := p.instName[p.req.Installed[i].ReplacedBy]
		if !ok {
			break
		}
		way, i = append(way, i), next
	}
	if len(way) > 0 && p.last == nil {
		p.last = make(map[int32]int32)
	}
	for _, on := range way { // each is followed once
		p.last[on] = i
	}
	return i
}

// versionOf is the version of a bundle for an answer; nil if it is not known.
func (p *resolution) versionOf(n problem.NodeID) *semver.Version {
	if p.problem.Nodes[n].Unversioned {
		return nil
	}
	return p.problem.Nodes[n].Bundle.Version
}
